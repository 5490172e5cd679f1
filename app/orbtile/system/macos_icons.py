"""The icon of an installed application on macOS, as a PNG.

Owns the way from a bundle identifier to pixels: NSWorkspace finds the icon, Core Graphics draws it into a
bitmap of sRGB, NSBitmapImageRep encodes that; empty on other systems. May be called on any thread: Apple says
so of NSWorkspace's ``iconForFile:`` and ``URLForApplicationWithBundleIdentifier:``, and the picture, a copy,
the bitmap and its encoder are used by the calling thread alone (Threading Programming Guide, appendix A:
NSImage and NSImageRep are safe that way).
"""

import sys

if sys.platform == "darwin":
    import ctypes
    from typing import Final

    from orbtile.system.macos_api import application_path
    from orbtile.system.macos_objc import (
        MESSAGE,
        POINTER,
        autorelease_pool,
        class_named,
        selector,
        send,
        send_object,
    )

    SIDE_PX: Final = 128
    """A size that nearly every icon has, so that it is not scaled here; a power of two above 56."""

    _PNG: Final = 4  # NSBitmapImageFileTypePNG
    _BITS_PER_SAMPLE: Final = 8
    _PREMULTIPLIED_LAST: Final = 1  # kCGImageAlphaPremultipliedLast: RGBA
    _INTERPOLATION_HIGH: Final = 3  # kCGInterpolationHigh

    class _Rect(ctypes.Structure):
        """CGRect, which NSRect is on 64-bit systems: origin and size."""

    # Assigned, because a class body would narrow the type of ctypes' own attribute.
    _Rect._fields_ = [(name, ctypes.c_double) for name in ("x", "y", "width", "height")]

    _rect_pointer: Final = ctypes.POINTER(_Rect)
    _send_rect: Final = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, _rect_pointer, POINTER, POINTER)(MESSAGE)
    _send_type: Final = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, ctypes.c_ulong, POINTER)(MESSAGE)
    _send_for_size: Final = ctypes.CFUNCTYPE(ctypes.c_ulong, POINTER, POINTER)(MESSAGE)

    _graphics: Final = ctypes.CDLL("/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics")
    _graphics.CGColorSpaceCreateWithName.argtypes = (POINTER,)
    _graphics.CGColorSpaceCreateWithName.restype = POINTER
    _graphics.CGColorSpaceRelease.argtypes = (POINTER,)
    _graphics.CGColorSpaceRelease.restype = None
    _graphics.CGBitmapContextCreate.argtypes = (
        POINTER,
        ctypes.c_size_t,
        ctypes.c_size_t,
        ctypes.c_size_t,
        ctypes.c_size_t,
        POINTER,
        ctypes.c_uint32,
    )
    _graphics.CGBitmapContextCreate.restype = POINTER
    _graphics.CGBitmapContextCreateImage.argtypes = (POINTER,)
    _graphics.CGBitmapContextCreateImage.restype = POINTER
    _graphics.CGContextSetInterpolationQuality.argtypes = (POINTER, ctypes.c_int32)
    _graphics.CGContextSetInterpolationQuality.restype = None
    _graphics.CGContextDrawImage.argtypes = (POINTER, _Rect, POINTER)
    _graphics.CGContextDrawImage.restype = None
    _graphics.CGContextRelease.argtypes = (POINTER,)
    _graphics.CGContextRelease.restype = None
    _graphics.CGImageRelease.argtypes = (POINTER,)
    _graphics.CGImageRelease.restype = None
    _srgb: Final = POINTER.in_dll(_graphics, "kCGColorSpaceSRGB")

    def application_icon(bundle_id: str) -> bytes | None:
        """A square PNG of ``SIDE_PX``; None: no such application is installed, or it cannot be drawn."""
        with autorelease_pool():
            path = application_path(bundle_id)
            if path is None:
                return None
            workspace = send(class_named(b"NSWorkspace"), selector(b"sharedWorkspace"))
            # A copy: the workspace may hand the same object to whoever asks on another thread.
            shared = send_object(workspace, selector(b"iconForFile:"), path)
            icon = send(send(shared, selector(b"copy")), selector(b"autorelease"))
            drawn = _draw(icon)
            if drawn is None:
                return None
            try:
                return _encode(drawn)
            finally:
                _graphics.CGImageRelease(drawn)

    def _draw(icon: int | None) -> int | None:
        """The picture at our size in sRGB, a CGImage for the caller to release."""
        area = _Rect(0.0, 0.0, SIDE_PX, SIDE_PX)
        # It picks the representation that fits the area best; the area may be changed, so it gets its own.
        wanted = _Rect(0.0, 0.0, SIDE_PX, SIDE_PX)
        picture = _send_rect(
            icon, selector(b"CGImageForProposedRect:context:hints:"), ctypes.byref(wanted), None, None
        )
        if not picture:
            return None
        colours = _graphics.CGColorSpaceCreateWithName(_srgb)
        bitmap = _graphics.CGBitmapContextCreate(
            None, SIDE_PX, SIDE_PX, _BITS_PER_SAMPLE, 0, colours, _PREMULTIPLIED_LAST
        )
        _graphics.CGColorSpaceRelease(colours)
        if not bitmap:
            return None
        _graphics.CGContextSetInterpolationQuality(bitmap, _INTERPOLATION_HIGH)
        _graphics.CGContextDrawImage(bitmap, area, picture)
        drawn: int | None = _graphics.CGBitmapContextCreateImage(bitmap)
        _graphics.CGContextRelease(bitmap)
        return drawn

    def _encode(drawn: int) -> bytes | None:
        made = send(class_named(b"NSBitmapImageRep"), selector(b"alloc"))
        encoder = send(send_object(made, selector(b"initWithCGImage:"), drawn), selector(b"autorelease"))
        options = send(class_named(b"NSDictionary"), selector(b"dictionary"))
        data = _send_type(encoder, selector(b"representationUsingType:properties:"), _PNG, options)
        start = send(data, selector(b"bytes"))
        if not start:
            return None
        return ctypes.string_at(start, _send_for_size(data, selector(b"length")))
