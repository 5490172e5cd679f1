"""The few calls about applications that the back ends for macOS need.

Owns the messages to NSWorkspace and NSRunningApplication; empty on other systems. ``has_application`` and
``application_path`` may be called on any thread (Apple says so of both methods of NSWorkspace), the rest on
the main thread.
"""

import sys

if sys.platform == "darwin":
    import ctypes
    from typing import Final

    from orbtile.system.macos_objc import (
        MESSAGE,
        POINTER,
        autorelease_pool,
        class_named,
        responds,
        selector,
        send,
        send_object,
        string,
    )

    _ACTIVATE_IGNORING_OTHER_APPS: Final = 1 << 1

    _send_pid: Final = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, ctypes.c_int32)(MESSAGE)
    _send_options: Final = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, POINTER, ctypes.c_ulong)(MESSAGE)
    _send_object_options: Final = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, POINTER, POINTER, ctypes.c_ulong)(
        MESSAGE
    )

    def has_application(bundle_id: str) -> bool:
        """Whether an application with this bundle identifier is installed."""
        with autorelease_pool():
            return application_path(bundle_id) is not None

    def application_path(bundle_id: str) -> int | None:
        """Where the application is, as an autoreleased NSString; None: it is not installed."""
        workspace = send(class_named(b"NSWorkspace"), selector(b"sharedWorkspace"))
        url = send_object(workspace, selector(b"URLForApplicationWithBundleIdentifier:"), string(bundle_id))
        path: int | None = send(url, selector(b"path"))
        return path

    def activate_application(pid: int) -> bool:
        """Bring the application with this process id to the front; False: it is none, or will not come."""
        application = _send_pid(
            class_named(b"NSRunningApplication"), selector(b"runningApplicationWithProcessIdentifier:"), pid
        )
        if not application:
            return False
        # Since macOS 14 whoever is in front gives its place away, and only to one that it named before.
        ours = send(class_named(b"NSApplication"), selector(b"sharedApplication"))
        yields, from_us = b"yieldActivationToApplication:", b"activateFromApplication:options:"
        if responds(ours, yields) and responds(application, from_us):
            current = send(class_named(b"NSRunningApplication"), selector(b"currentApplication"))
            send_object(ours, selector(yields), application)
            return bool(_send_object_options(application, selector(from_us), current, 0))
        return bool(
            _send_options(application, selector(b"activateWithOptions:"), _ACTIVATE_IGNORING_OTHER_APPS)
        )
