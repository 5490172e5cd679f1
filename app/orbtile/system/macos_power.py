"""Low Power Mode on macOS 12 and later.

Owns the question to NSProcessInfo and the observer of its notification; empty on other systems. The
notification is posted on a queue of the system's, so the observer asks for the main queue, which Qt's event
loop serves: Python code, and with it the garbage collector, runs on no thread but ours.
"""

import sys

if sys.platform == "darwin":
    import ctypes
    from collections.abc import Callable
    from typing import Final

    from orbtile.system.macos_objc import (
        MESSAGE,
        POINTER,
        ask,
        autorelease_pool,
        class_named,
        responds,
        selector,
        send,
        send_object,
    )

    _IS_LOW_POWER: Final = b"isLowPowerModeEnabled"
    _IS_GLOBAL: Final = 1 << 28  # BLOCK_IS_GLOBAL: neither copied nor counted

    _invoke: Final = ctypes.CFUNCTYPE(None, POINTER, POINTER)
    _send_observe: Final = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, POINTER, POINTER, POINTER, POINTER)(
        MESSAGE
    )

    class _Descriptor(ctypes.Structure):
        """``Block_descriptor_1`` of Clang's Block Implementation Specification, without helpers."""

    _Descriptor._fields_ = [("reserved", ctypes.c_ulong), ("size", ctypes.c_ulong)]

    class _Block(ctypes.Structure):
        """``Block_literal_1`` of the same."""

    _Block._fields_ = [
        ("isa", POINTER),
        ("flags", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("invoke", _invoke),
        ("descriptor", ctypes.POINTER(_Descriptor)),
    ]

    def is_low_power_mode() -> bool:
        """Whether the user, or a low battery, has turned Low Power Mode on."""
        with autorelease_pool():
            info = send(class_named(b"NSProcessInfo"), selector(b"processInfo"))
            return responds(info, _IS_LOW_POWER) and bool(ask(info, selector(_IS_LOW_POWER)))

    class PowerStateObserver:
        """Calls ``changed`` on the main thread after each change, from when it is made until ``close``. Made
        and closed on the main thread.
        """

        def __init__(self, changed: Callable[[], None]) -> None:
            self._observer: int | None = None
            foundation = ctypes.CDLL("/System/Library/Frameworks/Foundation.framework/Foundation")
            try:
                name = POINTER.in_dll(foundation, "NSProcessInfoPowerStateDidChangeNotification")
            except ValueError:  # before macOS 12
                return
            self._invoke = _invoke(lambda _block, _notification: changed())
            self._descriptor = _Descriptor(0, ctypes.sizeof(_Block))
            # The symbol is the class itself, so its address is what isa points to.
            isa = ctypes.addressof(POINTER.in_dll(ctypes.CDLL(None), "_NSConcreteGlobalBlock"))
            self._block = _Block(isa, _IS_GLOBAL, 0, self._invoke, ctypes.pointer(self._descriptor))
            with autorelease_pool():
                self._observer = _send_observe(
                    _center(),
                    selector(b"addObserverForName:object:queue:usingBlock:"),
                    name,
                    None,
                    send(class_named(b"NSOperationQueue"), selector(b"mainQueue")),
                    ctypes.addressof(self._block),
                )

        def close(self) -> None:
            """No call comes after this."""
            observer, self._observer = self._observer, None
            if observer is not None:
                send_object(_center(), selector(b"removeObserver:"), observer)

    def _center() -> int | None:
        """The process's NSNotificationCenter, which keeps its observers alive."""
        center: int | None = send(class_named(b"NSNotificationCenter"), selector(b"defaultCenter"))
        return center
