"""``dev.py`` gets as far as its word about the Python that is needed on Pythons that are too old."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

DEV_PY = Path(__file__).parents[2] / "dev.py"
OLDEST = (3, 6)


@pytest.fixture(scope="module")
def tree() -> ast.Module:
    return ast.parse(DEV_PY.read_text(encoding="utf-8"), feature_version=OLDEST)


def evaluated_annotations(tree: ast.Module) -> Iterator[ast.expr]:
    """Those of functions, classes and the module; a local variable's is not evaluated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.ClassDef | ast.Module):
            yield from (one.annotation for one in node.body if isinstance(one, ast.AnnAssign))


def test_no_annotation_asks_an_old_python_for_what_it_cannot(tree: ast.Module) -> None:
    found = [ast.unparse(one) for one in evaluated_annotations(tree)]
    assert found
    # A name, None, or a text: nothing is subscripted and nothing is or-ed.
    assert [one for one in found if not re.fullmatch(r"\w+|'.*'", one)] == []


def test_no_import_is_of_the_future_that_3_6_does_not_know(tree: ast.Module) -> None:
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert "__future__" not in modules


def test_the_version_is_checked_before_anything_else(tree: ast.Module) -> None:
    (main,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main")
    _docstring, first = main.body[:2]
    assert isinstance(first, ast.If)
    assert "sys.version_info" in ast.unparse(first.test)


def old_pythons() -> list[str]:
    """Every Python of 3.6 to 3.10 on this machine that starts; there may be none."""
    found = [path for minor in range(6, 11) if (path := shutil.which(f"python3.{minor}"))]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        found += map(str, sorted(Path(root, "versions").glob("3.*/bin/python")))
    code = "import sys; sys.exit(not (3, 6) <= sys.version_info[:2] <= (3, 10))"
    return [path for path in found if subprocess.run([path, "-c", code], check=False).returncode == 0]


@pytest.mark.slow
def test_an_old_python_is_told_which_one_is_needed() -> None:
    for python in old_pythons():
        done = subprocess.run([python, "-B", DEV_PY, "run"], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("dev.py: Orbtile needs Python 3.11, 3.12 or 3.13; this is 3.")
        assert len(done.stderr.splitlines()) == 1


def test_help_of_run_names_the_demo() -> None:
    done = subprocess.run(
        [sys.executable, DEV_PY, "run", "--help"], capture_output=True, text=True, check=True
    )
    assert "--demo" in done.stdout
