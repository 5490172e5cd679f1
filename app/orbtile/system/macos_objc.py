"""The Objective-C runtime, as far as the back ends for macOS need it.

Owns how a message is sent (objc/message.h), classes, selectors, strings and autorelease pools; empty on other
systems. Must not know which messages are sent.
"""

import sys

if sys.platform == "darwin":
    import contextlib
    import ctypes
    from collections.abc import Iterator
    from typing import Final

    _objc: Final = ctypes.CDLL("/usr/lib/libobjc.A.dylib")
    # Loading AppKit registers its classes with the runtime; Qt's own plug-in has done so in the running app.
    _appkit: Final = ctypes.CDLL("/System/Library/Frameworks/AppKit.framework/AppKit")

    _objc.objc_getClass.argtypes = (ctypes.c_char_p,)
    _objc.objc_getClass.restype = ctypes.c_void_p
    _objc.sel_registerName.argtypes = (ctypes.c_char_p,)
    _objc.sel_registerName.restype = ctypes.c_void_p
    _objc.objc_autoreleasePoolPush.argtypes = ()
    _objc.objc_autoreleasePoolPush.restype = ctypes.c_void_p
    _objc.objc_autoreleasePoolPop.argtypes = (ctypes.c_void_p,)
    _objc.objc_autoreleasePoolPop.restype = None

    # One prototype for each shape of message: objc_msgSend must be called with the method's own signature.
    POINTER: Final = ctypes.c_void_p
    MESSAGE: Final = ("objc_msgSend", _objc)
    send: Final = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER)(MESSAGE)
    send_object: Final = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, POINTER)(MESSAGE)
    send_text: Final = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, ctypes.c_char_p)(MESSAGE)
    ask: Final = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, POINTER)(MESSAGE)
    ask_object: Final = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, POINTER, POINTER)(MESSAGE)

    def class_named(name: bytes) -> int | None:
        """None: this version of macOS has no such class. A message to None does nothing and gives None."""
        found: int | None = _objc.objc_getClass(name)
        return found

    def selector(name: bytes) -> int | None:
        """A method's name as messages carry it."""
        found: int | None = _objc.sel_registerName(name)
        return found

    def string(text: str) -> int | None:
        """An autoreleased NSString."""
        made: int | None = send_text(
            class_named(b"NSString"), selector(b"stringWithUTF8String:"), text.encode()
        )
        return made

    def responds(target: int | None, name: bytes) -> bool:
        """Whether an object has a method, which later versions of macOS may have brought."""
        return bool(ask_object(target, selector(b"respondsToSelector:"), selector(name)))

    @contextlib.contextmanager
    def autorelease_pool() -> Iterator[None]:
        """What is autoreleased inside goes at the end. The main thread has a pool, other threads need one."""
        pool = _objc.objc_autoreleasePoolPush()
        try:
            yield
        finally:
            _objc.objc_autoreleasePoolPop(pool)
