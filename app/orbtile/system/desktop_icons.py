"""The icon that a Linux desktop shows for an installed application (freedesktop's Desktop Entry, Icon Theme
and Base Directory specifications).

Pure: owns which files are looked at, in which order, and what a ``.desktop`` file says about its icon. The
files come in through ``FileView``, which also judges what may be opened. Must not decode pictures: only a
PNG's first bytes are looked at, to pass by what can never be an icon.

Only the theme hicolor is searched, which applications install into, and not the user's: what is drawn stands
for the application, not for the desktop's look.
"""

import posixpath
import struct
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, Protocol

MAX_ENTRY_BYTES: Final = 256 * 1024
"""Of a ``.desktop`` file; the largest in common use, with a hundred translations, has some 50 kB."""
MAX_PICTURE_BYTES: Final = 1024 * 1024
MAX_FOLDERS: Final = 32
"""Of ``XDG_DATA_DIRS``; a desktop has about half a dozen."""
MAX_SUBFOLDERS: Final = 3
"""How deep below ``applications`` an entry may lie. An id full of dashes must not ask for too much."""

SIZES_PX: Final = (64, 72, 96, 128, 192, 256, 48)
"""Of hicolor: first the smallest that need not be enlarged to 56 px, last the one that must."""

_MIN_SIDE_PX: Final = 16
_MAX_SIDE_PX: Final = 1_024

_IHDR: Final = struct.Struct(">8sI4sII")
"""Signature, length, type, width, height."""
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"

_GROUP: Final = "[Desktop Entry]"
_IMAGE_SUFFIXES: Final = (".png", ".svg", ".xpm")
_ESCAPES: Final = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


class FileView(Protocol):
    """The files of a system, as far as somebody may look. Nothing raises."""

    def read(self, path: str, limit_bytes: int) -> bytes | None:
        """All of a regular file; None: there is none, it may not be opened, or it is larger."""
        ...

    def is_folder(self, path: str) -> bool: ...


class IconFolders(NamedTuple):
    """Absolute paths; ``data`` by precedence, the user's own first."""

    data: tuple[str, ...]
    home_icons: str


def icon_folders(env: Mapping[str, str], home: str) -> IconFolders:
    """Where the environment says that applications are installed. ``home`` is absolute; relative entries
    count as absent, as the Base Directory Specification wants it.
    """
    own = env.get("XDG_DATA_HOME", "")
    if not own.startswith("/"):
        own = f"{home}/.local/share"
    others = (env.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    folders = dict.fromkeys([own, *(each for each in others if each.startswith("/"))])
    return IconFolders(tuple(folders)[:MAX_FOLDERS], f"{home}/.icons")


def find_icon(desktop_id: str, folders: IconFolders, files: FileView) -> bytes | None:
    """The PNG of the application whose desktop file id is ``desktop_id`` (without ``.desktop``).

    None: it is not installed, or has no square PNG of 16 to 1024 px. ``desktop_id`` has the form of a bundle
    identifier: letters, digits, dots and dashes.
    """
    entry = _find_entry(desktop_id, folders, files)
    icon = None if entry is None else _icon_of(entry)
    if not icon:
        return None
    pictures = (files.read(path, MAX_PICTURE_BYTES) for path in _picture_paths(icon, folders))
    return next((picture for picture in pictures if picture is not None and _may_be_icon(picture)), None)


def _find_entry(desktop_id: str, folders: IconFolders, files: FileView) -> bytes | None:
    """The first entry of that id wins, whatever it says."""
    for folder in folders.data:
        for path in _entry_paths(f"{folder}/applications", desktop_id, files, MAX_SUBFOLDERS):
            entry = files.read(path, MAX_ENTRY_BYTES)
            if entry is not None:
                return entry
    return None


def _entry_paths(folder: str, rest: str, files: FileView, depth: int) -> Iterator[str]:
    """A dash of the id may stand for a folder: ``org-app`` is ``org-app.desktop`` or ``org/app.desktop``."""
    yield f"{folder}/{rest}.desktop"
    if depth:
        for at, character in enumerate(rest):
            subfolder = rest[:at]
            if character == "-" and subfolder.strip(".") and files.is_folder(f"{folder}/{subfolder}"):
                yield from _entry_paths(f"{folder}/{subfolder}", rest[at + 1 :], files, depth - 1)


def _icon_of(entry: bytes) -> str | None:
    """``Icon`` of an application that is not hidden."""
    fields = _fields_of(entry.decode("utf-8", errors="replace"))
    if fields.get("Type") != "Application" or fields.get("Hidden") == "true":
        return None
    return fields.get("Icon")


def _fields_of(text: str) -> dict[str, str]:
    """The keys of the group that describes the entry; translations stay what they are, keys of their own."""
    fields: dict[str, str] = {}
    is_ours = False
    for line in text.split("\n"):
        if line.startswith("["):
            if is_ours:
                break
            is_ours = line.strip() == _GROUP
        elif is_ours and not line.startswith("#"):
            key, found, value = line.partition("=")
            if found:
                fields.setdefault(key.strip(), _unescaped(value.strip()))
    return fields


def _unescaped(value: str) -> str:
    first, *rest = value.split("\\")
    plain = [first]
    pieces = iter(rest)
    for piece in pieces:
        if piece:
            plain.append(_ESCAPES.get(piece[0], "\\" + piece[0]) + piece[1:])
        else:  # two backslashes: the piece behind the second is plain
            plain.append("\\" + next(pieces, ""))
    return "".join(plain)


def _picture_paths(icon: str, folders: IconFolders) -> Iterator[str]:
    if "\0" in icon:
        return
    if icon.startswith("/"):
        if icon.endswith(".png") and posixpath.normpath(icon) == icon:
            yield icon
        return
    name = icon.removesuffix(next((each for each in _IMAGE_SUFFIXES if icon.endswith(each)), ""))
    if "/" in name or not name.strip("."):
        return
    bases = (folders.home_icons, *(f"{folder}/icons" for folder in folders.data))
    for size in SIZES_PX:
        for base in bases:
            yield f"{base}/hicolor/{size}x{size}/apps/{name}.png"
    for folder in folders.data:
        yield f"{folder}/pixmaps/{name}.png"


def _may_be_icon(picture: bytes) -> bool:
    if len(picture) < _IHDR.size:
        return False
    signature, _, kind, width, height = _IHDR.unpack_from(picture)
    is_png: bool = signature == _SIGNATURE and kind == b"IHDR"
    return is_png and width == height and _MIN_SIDE_PX <= int(width) <= _MAX_SIDE_PX
