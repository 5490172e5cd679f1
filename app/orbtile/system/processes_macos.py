"""Processes on macOS, from libproc.

Owns the call ``proc_pidinfo(pid, PROC_PIDT_SHORTBSDINFO, 0, buffer, size)`` (libproc.h), which does not find
zombies; the structure's parsing is ``process_facts``'s. This one of its kinds tells about processes of other
users, too: between a terminal and its shell stands ``login``, which is root's. Empty on other systems.
"""

import sys

if sys.platform == "darwin":
    import ctypes
    from typing import Final

    from orbtile.system.process_facts import BSD_SHORT_INFO, ProcessFacts, parse_bsd_short_info

    _PROC_PIDT_SHORTBSDINFO: Final = 13

    _libproc: Final = ctypes.CDLL("/usr/lib/libproc.dylib", use_errno=True)
    _libproc.proc_pidinfo.argtypes = (
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_uint64,
        ctypes.c_void_p,
        ctypes.c_int,
    )
    _libproc.proc_pidinfo.restype = ctypes.c_int

    def read_process(pid: int) -> ProcessFacts | None:
        """The live process ``pid``, or None."""
        buffer = ctypes.create_string_buffer(BSD_SHORT_INFO.size)
        size = _libproc.proc_pidinfo(pid, _PROC_PIDT_SHORTBSDINFO, 0, buffer, BSD_SHORT_INFO.size)
        return parse_bsd_short_info(buffer.raw[: max(size, 0)])
