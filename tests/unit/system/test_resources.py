"""The three shapes in which Orbtile is found on a disk."""

import sys
from pathlib import Path

import pytest

from orbtile.system.resources import Kind, resource_folder

KINDS: tuple[Kind, ...] = ("resources", "icons")


@pytest.mark.parametrize("kind", KINDS)
def test_in_a_source_tree_they_are_beside_the_app_folder(tmp_path: Path, kind: Kind) -> None:
    (tmp_path / "app" / "orbtile").mkdir(parents=True)
    (tmp_path / kind).mkdir()
    assert resource_folder(kind, tmp_path / "app" / "orbtile") == tmp_path / kind


@pytest.mark.parametrize("kind", KINDS)
def test_in_an_installed_wheel_they_are_inside_the_package(tmp_path: Path, kind: Kind) -> None:
    package = tmp_path / "lib" / "site-packages" / "orbtile"
    (package / "_resources" / kind).mkdir(parents=True)
    (tmp_path / "lib" / kind).mkdir()  # somebody else's
    assert resource_folder(kind, package) == package / "_resources" / kind


@pytest.mark.parametrize("kind", KINDS)
def test_in_a_bundle_they_are_where_pyinstaller_unpacked_the_package(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "_internal" / "orbtile" / "_resources" / kind
    folder.mkdir(parents=True)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "_internal"), raising=False)
    assert resource_folder(kind) == folder


@pytest.mark.parametrize("kind", KINDS)
def test_the_running_package_has_them(kind: Kind) -> None:
    assert resource_folder(kind).is_dir()


def test_an_incomplete_installation_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="_resources"):
        resource_folder("icons", tmp_path / "app" / "orbtile")
