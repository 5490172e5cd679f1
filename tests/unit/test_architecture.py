"""The rules of the house that import-linter cannot say."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "app" / "orbtile"
PURE = ("palette", "protocol", "host")  # each may import those before it

# What the pure packages may use of the standard library: no files, no clock, no chance, no concurrency.
ALLOWED = frozenset(
    """
    __future__ base64 binascii bisect collections collections.abc contextlib copy dataclasses enum functools
    hashlib heapq hmac ipaddress itertools json math operator re string struct types typing unicodedata
    urllib.parse zlib
    """.split()
)
IMPURE_BUILTINS = frozenset("open input print exec eval compile __import__ breakpoint".split())

MODULES = sorted(PACKAGE.rglob("*.py"))
PURE_MODULES = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] in PURE]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports_of(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file the import stands."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                package = path.relative_to(PACKAGE.parent).parent.parts
                base = ".".join(package[: len(package) - node.level + 1])
                module = f"{base}.{node.module}" if node.module else base
            else:
                module = node.module or ""
            if module in {"orbtile", "PySide6"}:  # from PySide6 import QtNetwork
                yield from (f"{module}.{alias.name}" for alias in node.names)
            else:
                yield module


@pytest.mark.parametrize("path", PURE_MODULES, ids=name_of)
def test_a_pure_module_imports_only_what_is_on_the_allowlist(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0]
    reachable = tuple(f"orbtile.{name}" for name in PURE[: PURE.index(part) + 1])
    foreign = [
        module
        for module in imports_of(path)
        if module not in ALLOWED and not any(module == r or module.startswith(f"{r}.") for r in reachable)
    ]
    assert foreign == []


@pytest.mark.parametrize("path", PURE_MODULES, ids=name_of)
def test_a_pure_module_calls_no_builtin_that_reaches_the_world(path: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called & IMPURE_BUILTINS == set()


@pytest.mark.parametrize("path", PURE_MODULES, ids=name_of)
def test_a_pure_module_that_does_something_has_a_unit_test_of_its_name(path: Path) -> None:
    functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)]
    does_something = any(not _is_only_declared(function) for function in functions)
    mirror = path.relative_to(PACKAGE).with_name(f"test_{path.stem.strip('_')}.py")
    assert not does_something or (ROOT / "tests" / "unit" / mirror).is_file(), f"write tests/unit/{mirror}"


def _is_only_declared(function: ast.FunctionDef) -> bool:
    """A port's method: nothing in it but a docstring or an ellipsis."""
    return all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in function.body)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(tree_of(path))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_qt_stays_where_it_belongs(path: Path) -> None:
    room, *rest = path.relative_to(PACKAGE).with_suffix("").parts
    qt = {module for module in imports_of(path) if module.partition(".")[0] == "PySide6"}
    if room == "ui":
        assert not {module for module in qt if module.startswith("PySide6.QtNetwork")}
    elif room != "main" and not (room == "system" and rest[-1].endswith("_qt")):
        assert qt == set()


def test_the_lock_pins_every_package_by_hash_and_names_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert not re.search(r"://|\b(index|extra-index|find-links|trusted-host)\b", lock)
    entries = re.split(r"\n(?=\S)", lock[lock.index("\n", lock.rindex("#")) + 1 :].strip())
    assert len(entries) > 5
    for entry in entries:
        assert re.match(
            r"[a-z0-9.-]+==\S+( ; .+?)? \\\n( {4}--hash=sha256:[0-9a-f]{64}( \\\n|$))+$", entry
        ), entry


def test_the_lock_satisfies_what_pyproject_asks_for() -> None:
    import tomllib

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", lock, flags=re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    for requirement in map(Requirement, asked):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier


def _text_files() -> Iterator[Path]:
    """What the repository holds: everything but what .gitignore keeps out."""
    skipped = {".git", ".venv", "__pycache__", "build", "dist", ".hypothesis", ".coverage"}
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and not any(p in skipped or p.endswith("_cache") for p in parts):
            yield path


def test_no_file_names_a_place_on_one_machine_or_a_package_registry() -> None:
    pattern = re.compile(
        rb"(?<![\w.$}~*\])])/(?:root|work)/[\w.]"
        rb"|(?:pypi|pythonhosted|npmjs|(?:deb|security)\.debian)\.(?:org|com)\b"
    )
    found = [
        f"{name_of(path)}: {match.group().decode()}"
        for path in _text_files()
        if b"\0" not in (content := path.read_bytes()) and (match := pattern.search(content))
    ]
    assert found == []


def test_the_pythons_that_pyproject_admits_are_the_ones_dev_py_admits() -> None:
    assert 'requires-python = ">=3.11,<3.14"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "(3, 11) <= sys.version_info[:2] <= (3, 13)" in (ROOT / "dev.py").read_text(encoding="utf-8")
    assert (3, 11) <= sys.version_info[:2] <= (3, 13)
