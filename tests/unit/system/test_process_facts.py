import struct

import pytest

from orbtile.system.process_facts import BSD_INFO, ProcessFacts, parse_bsd_info, parse_proc_status

STATUS = """Name:\tbash
Umask:\t0022
State:\tS (sleeping)
Tgid:\t4242
Ngid:\t0
Pid:\t4242
PPid:\t17
Uid:\t1000\t1001\t1002\t1003
Gid:\t100\t100\t100\t100
"""


def test_linux_tells_the_real_user_and_the_parent() -> None:
    assert parse_proc_status(STATUS, 4242) == ProcessFacts(uid=1000, parent=17)


@pytest.mark.parametrize("state", ["Z (zombie)", "X (dead)", "x (dead)"])
def test_a_zombie_is_dead(state: str) -> None:
    assert parse_proc_status(STATUS.replace("S (sleeping)", state), 4242) is None


def test_the_id_of_a_thread_is_no_process() -> None:
    assert parse_proc_status(STATUS, 4243) is None


def test_a_name_with_line_breaks_and_colons_changes_nothing() -> None:
    # The kernel escapes line breaks in names; what stands before the first colon is the field's name.
    assert parse_proc_status(STATUS.replace("bash", r"Uid:\nUid:\t0"), 4242) == ProcessFacts(1000, 17)


@pytest.mark.parametrize("field", ["State", "Tgid", "PPid", "Uid"])
def test_what_cannot_be_understood_is_no_process(field: str) -> None:
    assert parse_proc_status(STATUS.replace(f"{field}:", "Other:"), 4242) is None
    assert parse_proc_status(f"{STATUS}{field}:\n", 4242) is None


def bsd_info(*, status: int = 2) -> bytes:
    head = struct.pack("@12I", 0, status, 0, 4242, 17, 600, 20, 501, 20, 600, 20, 0)
    tail = struct.pack("@5Ii2Q", 3, 4242, 0, 0, 0, 0, 1_700_000_000, 5)
    return head + b"zsh".ljust(16, b"\0") + b"zsh".ljust(32, b"\0") + tail


def test_macos_tells_the_real_user_and_the_parent() -> None:
    assert len(bsd_info()) == BSD_INFO.size == 136
    assert parse_bsd_info(bsd_info()) == ProcessFacts(uid=501, parent=17)


def test_a_macos_zombie_is_dead() -> None:
    assert parse_bsd_info(bsd_info(status=5)) is None


@pytest.mark.parametrize("size", [0, 135, 137])
def test_a_macos_structure_of_another_size_is_no_process(size: int) -> None:
    assert parse_bsd_info(bytes(size)) is None
