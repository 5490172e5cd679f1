import struct

import pytest

from orbtile.system.process_facts import (
    BSD_SHORT_INFO,
    MAX_ANCESTORS,
    ProcessFacts,
    parse_bsd_short_info,
    parse_proc_status,
    unix_lineage,
    windows_lineage,
)

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


def bsd_short_info(*, status: int = 2) -> bytes:
    head = struct.pack("@4I", 4242, 17, 4242, status)
    return head + b"zsh".ljust(16, b"\0") + struct.pack("@8I", 0, 600, 20, 501, 20, 600, 20, 0)


def test_macos_tells_the_real_user_and_the_parent() -> None:
    assert len(bsd_short_info()) == BSD_SHORT_INFO.size == 64
    assert parse_bsd_short_info(bsd_short_info()) == ProcessFacts(uid=501, parent=17)


def test_a_macos_zombie_is_dead() -> None:
    assert parse_bsd_short_info(bsd_short_info(status=5)) is None


@pytest.mark.parametrize("size", [0, 63, 65, 136])
def test_a_macos_structure_of_another_size_is_no_process(size: int) -> None:
    assert parse_bsd_short_info(bytes(size)) is None


# --- who started whom ---------------------------------------------------------------------------------------


def test_the_line_of_a_shell_leads_through_roots_login_to_the_terminal() -> None:
    table = {
        30: ProcessFacts(501, 20),
        20: ProcessFacts(0, 10),
        10: ProcessFacts(501, 1),
        1: ProcessFacts(0, 0),
    }
    assert unix_lineage(30, table.get) == [30, 20, 10]


@pytest.mark.parametrize("pid", [-1, 0, 1, 99])
def test_what_is_no_process_has_no_line(pid: int) -> None:
    assert unix_lineage(pid, {1: ProcessFacts(0, 0)}.get) == []


def test_a_line_ends_where_a_process_has_ended() -> None:
    assert unix_lineage(30, {30: ProcessFacts(501, 20)}.get) == [30]


def test_a_circle_of_reused_ids_is_walked_once_and_no_line_is_endless() -> None:
    circle = {2: ProcessFacts(501, 3), 3: ProcessFacts(501, 2)}
    assert unix_lineage(2, circle.get) == [2, 3]
    assert len(unix_lineage(1_000, lambda pid: ProcessFacts(501, pid - 1))) == MAX_ANCESTORS


def test_on_windows_the_line_follows_the_table_of_parents() -> None:
    born = {30: 3_000, 20: 2_000, 10: 2_000}
    assert windows_lineage(30, {30: 20, 20: 10, 10: 4}, born.get) == [30, 20, 10]


def test_on_windows_a_parent_younger_than_its_child_is_somebody_with_a_reused_id() -> None:
    born = {30: 3_000, 20: 3_001, 10: 1_000}
    assert windows_lineage(30, {30: 20, 20: 10, 10: 0}, born.get) == [30]


def test_on_windows_the_line_ends_where_nobody_says_how_old_a_process_is() -> None:
    parents = {30: 20, 20: 10}
    assert windows_lineage(30, parents, {30: 3_000}.get) == [30]
    assert windows_lineage(30, parents, {20: 2_000}.get) == []
    assert windows_lineage(99, parents, lambda _pid: 1) == []


def test_on_windows_a_circle_is_walked_once_and_no_line_is_endless() -> None:
    assert windows_lineage(2, {2: 3, 3: 2}, lambda _pid: 1) == [2, 3]
    endless = {pid: pid - 1 for pid in range(2, 1_001)}
    assert len(windows_lineage(1_000, endless, lambda _pid: 1)) == MAX_ANCESTORS
