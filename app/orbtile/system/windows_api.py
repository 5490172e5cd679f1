"""The few Windows calls that the back ends need, typed, each failing as ``OSError``.

Owns signatures, handles and their release; empty on other systems. Signatures and constants are those of
Microsoft's reference pages (processthreadsapi.h, securitybaseapi.h, sddl.h, aclapi.h, fileapi.h,
realtimeapiset.h, tlhelp32.h, winbase.h). Must not decide who may do what.
"""

import sys

if sys.platform == "win32":
    import contextlib
    import ctypes
    import struct
    from collections.abc import Iterator
    from ctypes import wintypes
    from typing import Final

    _kernel32: Final = ctypes.WinDLL("kernel32", use_last_error=True)
    _advapi32: Final = ctypes.WinDLL("advapi32", use_last_error=True)

    _TOKEN_QUERY: Final = 0x0008
    _TOKEN_USER: Final = 1
    _SYNCHRONIZE: Final = 0x0010_0000
    _PROCESS_QUERY_LIMITED_INFORMATION: Final = 0x1000
    _WAIT_TIMEOUT: Final = 0x102
    _SDDL_REVISION_1: Final = 1
    _SE_FILE_OBJECT: Final = 1
    _OWNER_SECURITY_INFORMATION: Final = 0x0000_0001
    _DACL_SECURITY_INFORMATION: Final = 0x0000_0004
    _PROTECTED_DACL_SECURITY_INFORMATION: Final = 0x8000_0000
    _GENERIC_WRITE: Final = 0x4000_0000
    _CREATE_NEW: Final = 1
    _FILE_ATTRIBUTE_NORMAL: Final = 0x80
    _MOVEFILE_REPLACE_EXISTING: Final = 0x1
    _MOVEFILE_WRITE_THROUGH: Final = 0x8
    _ERROR_ALREADY_EXISTS: Final = 183
    _TH32CS_SNAPPROCESS: Final = 0x2
    _INVALID_HANDLE: Final = ctypes.c_void_p(-1).value

    # SECURITY_ATTRIBUTES and PROCESSENTRY32W in the compiler's own alignment
    _SECURITY_ATTRIBUTES: Final = struct.Struct("@IPi0P")
    _PROCESS_ENTRY: Final = struct.Struct("@3IP3IiI520s0P")

    _out = ctypes.POINTER(ctypes.c_void_p)

    _kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
    _kernel32.CloseHandle.restype = wintypes.BOOL
    _kernel32.LocalFree.argtypes = (ctypes.c_void_p,)
    _kernel32.LocalFree.restype = ctypes.c_void_p
    _kernel32.GetCurrentProcess.argtypes = ()
    _kernel32.GetCurrentProcess.restype = wintypes.HANDLE
    _kernel32.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    _kernel32.OpenProcess.restype = wintypes.HANDLE
    _kernel32.WaitForSingleObject.argtypes = (wintypes.HANDLE, wintypes.DWORD)
    _kernel32.WaitForSingleObject.restype = wintypes.DWORD
    _filetime = ctypes.POINTER(wintypes.FILETIME)
    _kernel32.GetProcessTimes.argtypes = (wintypes.HANDLE, _filetime, _filetime, _filetime, _filetime)
    _kernel32.GetProcessTimes.restype = wintypes.BOOL
    _kernel32.CreateDirectoryW.argtypes = (wintypes.LPCWSTR, ctypes.c_void_p)
    _kernel32.CreateDirectoryW.restype = wintypes.BOOL
    _kernel32.CreateFileW.argtypes = (
        wintypes.LPCWSTR,
        wintypes.DWORD,
        wintypes.DWORD,
        ctypes.c_void_p,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.HANDLE,
    )
    _kernel32.CreateFileW.restype = wintypes.HANDLE
    _kernel32.MoveFileExW.argtypes = (wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD)
    _kernel32.MoveFileExW.restype = wintypes.BOOL
    _kernel32.QueryUnbiasedInterruptTime.argtypes = (ctypes.POINTER(ctypes.c_ulonglong),)
    _kernel32.QueryUnbiasedInterruptTime.restype = wintypes.BOOL
    _kernel32.GetSystemPowerStatus.argtypes = (ctypes.c_void_p,)
    _kernel32.GetSystemPowerStatus.restype = wintypes.BOOL
    _kernel32.CreateToolhelp32Snapshot.argtypes = (wintypes.DWORD, wintypes.DWORD)
    _kernel32.CreateToolhelp32Snapshot.restype = wintypes.HANDLE
    for _walk in (_kernel32.Process32FirstW, _kernel32.Process32NextW):
        _walk.argtypes = (wintypes.HANDLE, ctypes.c_void_p)
        _walk.restype = wintypes.BOOL
    _advapi32.OpenProcessToken.argtypes = (wintypes.HANDLE, wintypes.DWORD, ctypes.POINTER(wintypes.HANDLE))
    _advapi32.OpenProcessToken.restype = wintypes.BOOL
    _advapi32.GetTokenInformation.argtypes = (
        wintypes.HANDLE,
        ctypes.c_int,
        ctypes.c_void_p,
        wintypes.DWORD,
        ctypes.POINTER(wintypes.DWORD),
    )
    _advapi32.GetTokenInformation.restype = wintypes.BOOL
    _advapi32.ConvertSidToStringSidW.argtypes = (ctypes.c_void_p, _out)
    _advapi32.ConvertSidToStringSidW.restype = wintypes.BOOL
    _advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW.argtypes = (
        wintypes.LPCWSTR,
        wintypes.DWORD,
        _out,
        ctypes.POINTER(wintypes.ULONG),
    )
    _advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW.restype = wintypes.BOOL
    _advapi32.GetSecurityDescriptorDacl.argtypes = (
        ctypes.c_void_p,
        ctypes.POINTER(wintypes.BOOL),
        _out,
        ctypes.POINTER(wintypes.BOOL),
    )
    _advapi32.GetSecurityDescriptorDacl.restype = wintypes.BOOL
    _advapi32.GetNamedSecurityInfoW.argtypes = (
        wintypes.LPCWSTR,
        ctypes.c_int,
        wintypes.DWORD,
        _out,
        _out,
        _out,
        _out,
        _out,
    )
    _advapi32.GetNamedSecurityInfoW.restype = wintypes.DWORD
    _advapi32.SetNamedSecurityInfoW.argtypes = (
        wintypes.LPWSTR,
        ctypes.c_int,
        wintypes.DWORD,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
    )
    _advapi32.SetNamedSecurityInfoW.restype = wintypes.DWORD

    def unbiased_time_s() -> float:
        """Seconds since the system started, sleep and hibernation not counted; steps of up to 16 ms."""
        ticks = ctypes.c_ulonglong()
        _check(_kernel32.QueryUnbiasedInterruptTime(ctypes.byref(ticks)))
        return ticks.value / 10_000_000

    def read_power_status(size: int) -> bytes:
        """The ``size`` bytes of a SYSTEM_POWER_STATUS."""
        status = ctypes.create_string_buffer(size)
        _check(_kernel32.GetSystemPowerStatus(status))
        return status.raw

    def own_sid() -> str:
        """The security identifier of the user this process runs as."""
        return _user_of(_kernel32.GetCurrentProcess())

    def live_process_sid(pid: int) -> str | None:
        """The user of a running process, or None when it has ended or may not be asked."""
        access = _PROCESS_QUERY_LIMITED_INFORMATION | _SYNCHRONIZE
        process = _kernel32.OpenProcess(access, False, pid)
        if not process:
            return None
        try:
            if _kernel32.WaitForSingleObject(process, 0) != _WAIT_TIMEOUT:
                return None  # signalled: it has ended, somebody still holds a handle
            return _user_of(process)
        except OSError:
            return None
        finally:
            _kernel32.CloseHandle(process)

    def parents() -> dict[int, int]:
        """Parent process id by process id, of all processes now."""
        snapshot = _kernel32.CreateToolhelp32Snapshot(_TH32CS_SNAPPROCESS, 0)
        if snapshot == _INVALID_HANDLE:
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            size = _PROCESS_ENTRY.size
            entry = ctypes.create_string_buffer(_PROCESS_ENTRY.pack(size, *(0,) * 8, b""), size)
            found: dict[int, int] = {}
            more = _kernel32.Process32FirstW(snapshot, entry)
            while more:
                _, _, pid, _, _, _, parent, *_ = _PROCESS_ENTRY.unpack(entry.raw)
                found[pid] = parent
                more = _kernel32.Process32NextW(snapshot, entry)
            return found
        finally:
            _kernel32.CloseHandle(snapshot)

    def creation_time(pid: int) -> int | None:
        """When a process was created, in 100 ns since 1601; None when it is gone or may not be asked."""
        process = _kernel32.OpenProcess(_PROCESS_QUERY_LIMITED_INFORMATION, False, pid)
        if not process:
            return None
        try:
            created, *others = (wintypes.FILETIME() for _ in range(4))
            if not _kernel32.GetProcessTimes(process, *map(ctypes.byref, (created, *others))):
                return None
            return (created.dwHighDateTime << 32) | created.dwLowDateTime
        finally:
            _kernel32.CloseHandle(process)

    def create_folder(path: str, sddl: str) -> bool:
        """Make a folder with exactly these rights; False when the name is taken."""
        with _descriptor(sddl) as descriptor:
            if _kernel32.CreateDirectoryW(path, _attributes(descriptor)):
                return True
            code = ctypes.get_last_error()
            if code == _ERROR_ALREADY_EXISTS:
                return False
            raise ctypes.WinError(code)

    def create_file(path: str, sddl: str) -> int:
        """A handle to a new file with exactly these rights, open for writing; the name must be free."""
        with _descriptor(sddl) as descriptor:
            handle = _kernel32.CreateFileW(
                path,
                _GENERIC_WRITE,
                0,
                _attributes(descriptor),
                _CREATE_NEW,
                _FILE_ATTRIBUTE_NORMAL,
                None,
            )
            code = ctypes.get_last_error()  # before the descriptor is freed, which is a call of its own
        if handle in {None, _INVALID_HANDLE}:
            raise ctypes.WinError(code)
        return int(handle)

    def close_handle(handle: int) -> None:
        """Give a handle back that nothing else has taken over."""
        _kernel32.CloseHandle(handle)

    def replace_file(source: str, target: str) -> None:
        """Rename over ``target`` in one step and wait until that is on the disk."""
        _check(_kernel32.MoveFileExW(source, target, _MOVEFILE_REPLACE_EXISTING | _MOVEFILE_WRITE_THROUGH))

    def owner_sid(path: str) -> str:
        """The security identifier of a file's or folder's owner."""
        owner, descriptor = ctypes.c_void_p(), ctypes.c_void_p()
        _check_code(
            _advapi32.GetNamedSecurityInfoW(
                path,
                _SE_FILE_OBJECT,
                _OWNER_SECURITY_INFORMATION,
                ctypes.byref(owner),
                None,
                None,
                None,
                ctypes.byref(descriptor),
            )
        )
        try:
            return _sid_text(owner)
        finally:
            _kernel32.LocalFree(descriptor)

    def set_access(path: str, sddl: str) -> None:
        """Replace the access list of ``path`` by that of ``sddl``; nothing is inherited any more."""
        with _descriptor(sddl) as descriptor:
            present, defaulted, access = wintypes.BOOL(), wintypes.BOOL(), ctypes.c_void_p()
            _check(
                _advapi32.GetSecurityDescriptorDacl(
                    descriptor,
                    ctypes.byref(present),
                    ctypes.byref(access),
                    ctypes.byref(defaulted),
                )
            )
            _check_code(
                _advapi32.SetNamedSecurityInfoW(
                    path,
                    _SE_FILE_OBJECT,
                    _DACL_SECURITY_INFORMATION | _PROTECTED_DACL_SECURITY_INFORMATION,
                    None,
                    None,
                    access,
                    None,
                )
            )

    @contextlib.contextmanager
    def _descriptor(sddl: str) -> Iterator[ctypes.c_void_p]:
        descriptor = ctypes.c_void_p()
        _check(
            _advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW(
                sddl, _SDDL_REVISION_1, ctypes.byref(descriptor), None
            )
        )
        try:
            yield descriptor
        finally:
            _kernel32.LocalFree(descriptor)

    def _attributes(descriptor: ctypes.c_void_p) -> ctypes.Array[ctypes.c_char]:
        """The argument that hands a security descriptor to the calls that make something."""
        size = _SECURITY_ATTRIBUTES.size
        return ctypes.create_string_buffer(_SECURITY_ATTRIBUTES.pack(size, descriptor.value or 0, 0), size)

    def _user_of(process: int) -> str:
        token = wintypes.HANDLE()
        _check(_advapi32.OpenProcessToken(process, _TOKEN_QUERY, ctypes.byref(token)))
        try:
            size = wintypes.DWORD()
            # The first call fails by design: it says how long the answer is.
            _advapi32.GetTokenInformation(token, _TOKEN_USER, None, 0, ctypes.byref(size))
            buffer = ctypes.create_string_buffer(size.value)
            _check(_advapi32.GetTokenInformation(token, _TOKEN_USER, buffer, size.value, ctypes.byref(size)))
            # TOKEN_USER begins with a pointer to the SID, which lies behind it in the same buffer.
            return _sid_text(ctypes.c_void_p.from_buffer(buffer))
        finally:
            _kernel32.CloseHandle(token)

    def _sid_text(sid: ctypes.c_void_p) -> str:
        text = ctypes.c_void_p()
        _check(_advapi32.ConvertSidToStringSidW(sid, ctypes.byref(text)))
        try:
            return ctypes.wstring_at(text.value or 0)
        finally:
            _kernel32.LocalFree(text)

    def _check(result: int) -> None:
        if not result:
            raise ctypes.WinError(ctypes.get_last_error())

    def _check_code(code: int) -> None:
        if code:
            raise ctypes.WinError(code)
