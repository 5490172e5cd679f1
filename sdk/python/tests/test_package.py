"""The package as a thing to install: what it imports, what it costs, what it exports."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import orbtile_adapter

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "orbtile_adapter"
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_IMPORT_S = 0.060


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Modules that a file imports at run time, wherever in it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        yield from imports_of(node)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_module_imports_the_standard_library_and_this_package_only(path: Path) -> None:
    roots = {module.partition(".")[0] for module in imports_of(ast.parse(path.read_text(encoding="utf-8")))}
    assert roots - sys.stdlib_module_names - {"orbtile_adapter"} == set()


def python(*arguments: str, cache: Path | None = None) -> str:
    """Run Python without the user's or the environment's packages."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(SOURCE)
    if cache is not None:
        environment["PYTHONPYCACHEPREFIX"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-S", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_it_loads_nothing_foreign_and_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, orbtile_adapter; print(*sorted(sys.modules))"
    loaded = set(python("-c", code, cache=tmp_path).split())
    roots = {name.partition(".")[0] for name in loaded}
    assert roots - sys.stdlib_module_names - {"__main__", "__mp_main__", "orbtile_adapter"} == set()
    heavy = {
        "asyncio",
        "dataclasses",
        "hashlib",
        "http.client",
        "inspect",
        "logging",
        "pathlib",
        "ssl",
        "urllib",
    }
    assert loaded & heavy == set()


@pytest.mark.slow
def test_importing_it_costs_less_than_60_ms(tmp_path: Path) -> None:
    """The fastest of many, since the machine may be busy."""

    def fastest(code: str, so_far: float = 9.0) -> float:
        started = time.perf_counter()
        python("-c", code, cache=tmp_path)
        return min(so_far, time.perf_counter() - started)

    python("-c", "import orbtile_adapter", cache=tmp_path)  # compiles, as an installation does
    bare = ours = 9.0
    for _ in range(40):
        bare, ours = fastest("pass", bare), fastest("import orbtile_adapter", ours)
        if ours - bare < MAX_IMPORT_S * 0.7:
            break
    assert ours - bare < MAX_IMPORT_S


def test_everything_exported_is_there_and_typed() -> None:
    for name in orbtile_adapter.__all__:
        assert getattr(orbtile_adapter, name) is not None
    assert (PACKAGE / "py.typed").exists()
    with pytest.raises(AttributeError):
        _ = orbtile_adapter.nothing


def test_every_error_is_an_adapter_error() -> None:
    names = "APIError DiscoveryError ProofError PayloadTooLargeError LeaseLostError TransportError".split()
    for name in names:
        assert issubclass(getattr(orbtile_adapter, name), orbtile_adapter.AdapterError)


def test_errors_survive_pickling() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(orbtile_adapter.APIError(422, "invalid_field", "title", 3.0)))  # noqa: S301  ours
    assert (error.status, error.code, error.field, error.retry_after) == (422, "invalid_field", "title", 3.0)


def test_the_readmes_examples_compile() -> None:
    readme = (SOURCE.parent / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert blocks
    for block in blocks:
        compile(block, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_module_says_what_it_is_about_and_stays_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) < 500
