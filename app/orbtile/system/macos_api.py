"""The few AppKit calls that the back ends need, through the Objective-C runtime.

Owns the message sends (objc/message.h, NSWorkspace, NSRunningApplication); empty on other systems. Called
from the main thread, where Qt keeps an autorelease pool.
"""

import sys

if sys.platform == "darwin":
    import ctypes
    from typing import Final

    _objc: Final = ctypes.CDLL("/usr/lib/libobjc.A.dylib")
    # Loading AppKit registers its classes with the runtime; Qt's own plug-in has done so in the running app.
    _appkit: Final = ctypes.CDLL("/System/Library/Frameworks/AppKit.framework/AppKit")

    _objc.objc_getClass.argtypes = (ctypes.c_char_p,)
    _objc.objc_getClass.restype = ctypes.c_void_p
    _objc.sel_registerName.argtypes = (ctypes.c_char_p,)
    _objc.sel_registerName.restype = ctypes.c_void_p

    _ACTIVATE_IGNORING_OTHER_APPS: Final = 1 << 1

    # One prototype for each shape of message: objc_msgSend must be called with the method's own signature.
    _pointer: Final = ctypes.c_void_p
    _message: Final = ("objc_msgSend", _objc)
    _send: Final = ctypes.CFUNCTYPE(_pointer, _pointer, _pointer)(_message)
    _send_text: Final = ctypes.CFUNCTYPE(_pointer, _pointer, _pointer, ctypes.c_char_p)(_message)
    _send_object: Final = ctypes.CFUNCTYPE(_pointer, _pointer, _pointer, _pointer)(_message)
    _send_pid: Final = ctypes.CFUNCTYPE(_pointer, _pointer, _pointer, ctypes.c_int32)(_message)
    _send_options: Final = ctypes.CFUNCTYPE(ctypes.c_bool, _pointer, _pointer, ctypes.c_ulong)(_message)
    _send_object_options: Final = ctypes.CFUNCTYPE(
        ctypes.c_bool, _pointer, _pointer, _pointer, ctypes.c_ulong
    )(_message)
    _ask: Final = ctypes.CFUNCTYPE(ctypes.c_bool, _pointer, _pointer, _pointer)(_message)

    def has_application(bundle_id: str) -> bool:
        """Whether an application with this bundle identifier is installed."""
        text = _send_text(_class(b"NSString"), _selector(b"stringWithUTF8String:"), bundle_id.encode())
        workspace = _send(_class(b"NSWorkspace"), _selector(b"sharedWorkspace"))
        found = _send_object(workspace, _selector(b"URLForApplicationWithBundleIdentifier:"), text)
        return bool(found)

    def activate_application(pid: int) -> bool:
        """Bring the application with this process id to the front; False: it is none, or will not come."""
        application = _send_pid(
            _class(b"NSRunningApplication"), _selector(b"runningApplicationWithProcessIdentifier:"), pid
        )
        if not application:
            return False
        # Since macOS 14 whoever is in front gives its place away, and only to one that it named before.
        ours = _send(_class(b"NSApplication"), _selector(b"sharedApplication"))
        yields, from_us = (
            _selector(b"yieldActivationToApplication:"),
            _selector(b"activateFromApplication:options:"),
        )
        responds = _selector(b"respondsToSelector:")
        if _ask(ours, responds, yields) and _ask(application, responds, from_us):
            current = _send(_class(b"NSRunningApplication"), _selector(b"currentApplication"))
            _send_object(ours, yields, application)
            return bool(_send_object_options(application, from_us, current, 0))
        return bool(
            _send_options(application, _selector(b"activateWithOptions:"), _ACTIVATE_IGNORING_OTHER_APPS)
        )

    def _class(name: bytes) -> int | None:
        found: int | None = _objc.objc_getClass(name)
        return found

    def _selector(name: bytes) -> int | None:
        found: int | None = _objc.sel_registerName(name)
        return found
