import pytest
from hypothesis import given
from hypothesis import strategies as st

from orbtile.protocol.grammar import BUNDLE_ID
from orbtile.system.desktop_icons import (
    MAX_ENTRY_BYTES,
    MAX_FOLDERS,
    MAX_PICTURE_BYTES,
    IconFolders,
    find_icon,
    icon_folders,
)
from tests.fakes.bodies import png
from tests.fakes.installed import FakeFiles

ID = "com.example.agent"
OWN, SYSTEM = "/home/me/.local/share", "/usr/share"
FOLDERS = IconFolders((OWN, SYSTEM), "/home/me/.icons")
ENTRY = f"{SYSTEM}/applications/{ID}.desktop"


def entry(*lines: str) -> bytes:
    return "\n".join(["[Desktop Entry]", "Type=Application", "Name=Agent", *lines, ""]).encode()


def picture(side: int = 64) -> bytes:
    """Told apart by its size."""
    return png(side, side)


def hicolor(side: int, name: str = "agent", base: str = f"{SYSTEM}/icons") -> str:
    return f"{base}/hicolor/{side}x{side}/apps/{name}.png"


def find(files: dict[str, bytes], desktop_id: str = ID) -> bytes | None:
    return find_icon(desktop_id, FOLDERS, FakeFiles(files))


# --- the entry ----------------------------------------------------------------------------------------------


def test_the_icon_of_an_installed_application_is_found_by_name() -> None:
    assert find({ENTRY: entry("Icon=agent"), hicolor(64): picture()}) == picture()


def test_an_application_that_is_not_installed_has_no_icon() -> None:
    assert find({hicolor(64): picture()}) is None
    assert find({ENTRY: entry("Icon=agent"), hicolor(64): picture()}, "com.example.other") is None


def test_the_users_own_entry_comes_before_the_systems() -> None:
    files = {
        f"{OWN}/applications/{ID}.desktop": entry("Icon=own"),
        ENTRY: entry("Icon=agent"),
        hicolor(64): picture(),
    }
    assert find(files) is None  # the first entry counts, also without a picture
    assert find({**files, hicolor(128, "own"): picture(128)}) == picture(128)


@pytest.mark.parametrize(
    ("path", "desktop_id"),
    [
        ("com.example/agent.desktop", "com.example-agent"),
        ("com.example/my/agent.desktop", "com.example-my-agent"),
        ("com.example-my/agent.desktop", "com.example-my-agent"),
        ("com.example-my-agent.desktop", "com.example-my-agent"),
    ],
)
def test_a_dash_of_the_id_may_stand_for_a_folder(path: str, desktop_id: str) -> None:
    files = {f"{SYSTEM}/applications/{path}": entry("Icon=agent"), hicolor(64): picture()}
    assert find(files, desktop_id) == picture()


def test_folders_are_followed_three_deep_and_only_where_they_exist() -> None:
    deep = "a/b/c/d.e.desktop"
    files = {f"{SYSTEM}/applications/{deep}": entry("Icon=agent"), hicolor(64): picture()}
    assert find(files, "a-b-c-d.e") == picture()
    files = {f"{SYSTEM}/applications/a/b/c/d/e.f.desktop": entry("Icon=agent"), hicolor(64): picture()}
    assert find(files, "a-b-c-d-e.f") is None
    view = FakeFiles({})
    assert find_icon("-".join("x" * 60) + ".y", FOLDERS, view) is None
    assert len(view.read_paths) == 2


@pytest.mark.parametrize(
    "lines",
    [
        ("Icon=agent", "Hidden=true"),
        ("Name[de]=Agent",),
        ("Icon=",),
        ("Icon[de]=agent",),
        ("#Icon=agent",),
        ("Icon",),
        ("[Desktop Action New]", "Icon=agent"),
    ],
)
def test_an_entry_without_an_icon_to_show_has_none(lines: tuple[str, ...]) -> None:
    assert find({ENTRY: entry(*lines), hicolor(64): picture()}) is None


@pytest.mark.parametrize(
    "text",
    [
        b"Icon=agent\nType=Application\n",
        b"[Desktop Entry]\nType=Link\nIcon=agent\n",
        b"[Desktop Entry]\nIcon=agent\n",
        b"\x7fELF" + b"\0" * 100,
        b"",
    ],
)
def test_what_is_no_application_has_no_icon(text: bytes) -> None:
    assert find({ENTRY: text, hicolor(64): picture()}) is None


def test_spaces_carriage_returns_other_groups_and_foreign_bytes_are_no_trouble() -> None:
    text = (
        b"# \xff\n[Other]\nIcon=other\n[Desktop Entry]\r\nType = Application\r\n"
        b"Name=\xff\r\n\r\nIcon = agent \r\nIcon=second\n"
    )
    assert find({ENTRY: text, hicolor(64): picture()}) == picture()


@pytest.mark.parametrize(
    ("written", "name"), [(r"my\sagent", "my agent"), (r"a\\b", r"a\b"), (r"a\q", r"a\q"), ("a\\", "a\\")]
)
def test_escapes_in_the_icons_name_are_undone(written: str, name: str) -> None:
    assert find({ENTRY: entry(f"Icon={written}"), hicolor(64, name): picture()}) == picture()


def test_an_entry_that_is_too_large_is_none() -> None:
    files = {ENTRY: entry("Icon=agent", "#" * MAX_ENTRY_BYTES), hicolor(64): picture()}
    assert find(files) is None


# --- the picture --------------------------------------------------------------------------------------------


def test_the_smallest_size_that_need_not_be_enlarged_is_taken() -> None:
    files = {ENTRY: entry("Icon=agent"), hicolor(48): picture(48)}
    assert find(files) == picture(48)
    files[hicolor(256)] = picture(256)
    assert find(files) == picture(256)
    files[hicolor(128)] = picture(128)
    assert find(files) == picture(128)


@pytest.mark.parametrize("base", ["/home/me/.icons", f"{OWN}/icons", f"{SYSTEM}/icons"])
def test_every_folder_of_icons_is_searched(base: str) -> None:
    assert find({ENTRY: entry("Icon=agent"), hicolor(64, base=base): picture()}) == picture()


def test_the_users_own_picture_comes_before_the_systems() -> None:
    theirs, own = hicolor(64), hicolor(64, base=f"{OWN}/icons")
    assert find({ENTRY: entry("Icon=agent"), theirs: b"theirs", own: picture()}) == picture()


def test_pixmaps_come_last() -> None:
    files = {ENTRY: entry("Icon=agent"), f"{SYSTEM}/pixmaps/agent.png": picture(32)}
    assert find(files) == picture(32)
    assert find({**files, hicolor(48): picture(48)}) == picture(48)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".xpm"])
def test_a_suffix_that_should_not_be_there_does_not_matter(suffix: str) -> None:
    assert find({ENTRY: entry(f"Icon=agent{suffix}"), hicolor(64): picture()}) == picture()


def test_an_absolute_path_is_taken_as_it_is() -> None:
    assert find({ENTRY: entry("Icon=/opt/agent/icon.png"), "/opt/agent/icon.png": picture()}) == picture()


@pytest.mark.parametrize(
    "icon",
    [
        "/opt/agent/../icon.png",
        "/opt/agent/icon.svg",
        "/opt/agent/icon.png\0",
        "opt/agent",
        "../agent",
        "..",
        ".",
        ".png",
        "agent\0",
    ],
)
def test_other_paths_are_not_looked_at(icon: str) -> None:
    view = FakeFiles({ENTRY: entry(f"Icon={icon}")})
    assert find_icon(ID, FOLDERS, view) is None
    assert view.read_paths[-1] == ENTRY


@pytest.mark.parametrize(
    "data",
    [b"", b"<svg/>", picture()[:23], png(64, 32), png(15, 15), png(1_025, 1_025), b"\x89PNX" + picture()[4:]],
    ids=["empty", "SVG", "cut", "not square", "too small", "too large", "another signature"],
)
def test_what_cannot_be_an_icon_is_passed_by(data: bytes) -> None:
    assert find({ENTRY: entry("Icon=agent"), hicolor(64): data}) is None
    assert find({ENTRY: entry("Icon=agent"), hicolor(64): data, hicolor(96): picture(96)}) == picture(96)


def test_a_picture_that_is_too_large_a_file_is_passed_by() -> None:
    assert find({ENTRY: entry("Icon=agent"), hicolor(64): picture() + b"\0" * MAX_PICTURE_BYTES}) is None


# --- where things are ---------------------------------------------------------------------------------------


def test_the_folders_come_from_the_environment() -> None:
    env = {"XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "/one:/two:/one:relative::/data"}
    assert icon_folders(env, "/home/me") == IconFolders(("/data", "/one", "/two"), "/home/me/.icons")


@pytest.mark.parametrize(
    "env", [{}, {"XDG_DATA_HOME": "", "XDG_DATA_DIRS": ""}, {"XDG_DATA_HOME": "relative"}]
)
def test_without_an_environment_they_are_the_usual_ones(env: dict[str, str]) -> None:
    assert icon_folders(env, "/home/me").data == (OWN, "/usr/local/share", "/usr/share")


def test_there_are_only_so_many() -> None:
    env = {"XDG_DATA_DIRS": ":".join(f"/{number}" for number in range(1_000))}
    assert len(icon_folders(env, "/home/me").data) == MAX_FOLDERS


# --- whatever is asked --------------------------------------------------------------------------------------


class EveryFolder(FakeFiles):
    """Somebody has made a folder for everything."""

    def is_folder(self, path: str) -> bool:
        return len(self.read_paths) < 100_000


@given(st.from_regex(BUNDLE_ID, fullmatch=True).filter(lambda text: len(text) <= 24))
def test_no_id_leads_out_of_the_folders_of_applications(desktop_id: str) -> None:
    view = EveryFolder({})
    assert find_icon(desktop_id, FOLDERS, view) is None
    for path in view.read_paths:
        folder, found, rest = path.partition("/applications/")
        assert found
        assert folder in FOLDERS.data
        assert not {".", "..", ""} & set(rest.split("/"))


@given(st.binary(max_size=400) | st.text("Icon=[]\\/.\nType", max_size=200).map(str.encode))
def test_no_entry_makes_it_fail_or_leads_to_another_kind_of_file(text: bytes) -> None:
    view = FakeFiles({ENTRY: b"[Desktop Entry]\nType=Application\n" + text})
    assert find_icon(ID, FOLDERS, view) is None
    for path in view.read_paths:
        assert path.endswith((".png", ".desktop"))
        assert ".." not in path.split("/")
