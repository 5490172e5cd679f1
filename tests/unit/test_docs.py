"""What the pages for people say about files and commands is so."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", ROOT / "sdk" / "python" / "README.md"]
PAGES += sorted((ROOT / "docs").glob("*.md"))

OURS = re.compile(r"orbtile|orbtile-app|orbtile-adapter-check")
IN_VENV = re.compile(r"\.venv/bin/(?:orbtile(?:-app)?|python)")
PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
PIP_INSTALL = "-m pip install "


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def commands_of(page: Path) -> list[str]:
    """Lines of shell blocks, parts of a pipe apart, and code within sentences."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for kind, block in blocks if kind == "sh" for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    lines += re.findall(r"`([^`\n]+)`", prose)
    return [part.strip() for line in lines for part in re.split(r" \| ", line.partition("  #")[0])]


def words_of(command: str) -> list[str]:
    """Without the variables that are set for it."""
    try:
        words = shlex.split(command)
    except ValueError:  # half of something that is no command of ours
        return []
    while words and re.match(r"\w+=", words[0]):
        del words[0]
    return words


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_a_command_runs_as_it_is_written(page: Path) -> None:
    wrong = []
    for command in commands_of(page):
        words = words_of(command)
        if len(words) < 2:
            continue
        program, *arguments = words
        if OURS.fullmatch(program):
            wrong.append(f"{command}: a clone has it in .venv/bin")
        elif PYTHON.fullmatch(program) and arguments[0] == "-m":
            ours = arguments[1].startswith(("orbtile", "tests", "benchmarks"))
            if ours and not IN_VENV.fullmatch(program):
                wrong.append(f"{command}: only the Python of .venv has that")
            if command.partition(PIP_INSTALL)[1] and not (ROOT / arguments[-1]).is_dir():
                wrong.append(f"{command}: nothing to install there")
        elif PYTHON.fullmatch(program):
            if not (ROOT / arguments[0]).is_file():
                wrong.append(f"{command}: no such file")
        elif program.endswith((".sh", ".py", ".mjs")) and "/" in program and not (ROOT / program).is_file():
            wrong.append(f"{command}: no such file")
    assert wrong == []


def test_the_scan_sees_commands() -> None:
    """Of every kind, or it would prove nothing."""
    seen = [command for page in PAGES for command in commands_of(page)]
    assert ".venv/bin/orbtile open popover" in seen
    assert ".venv/bin/orbtile palette -" in seen
    assert "python3 dev.py run --demo" in seen
    assert "python3 -m pip install ./sdk/python" in seen
    assert 'adapters/examples/ref.sh "Build"' in seen


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_a_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_picture_is_shown_or_linked_somewhere() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    pictures = [picture.name for picture in (ROOT / "docs" / "pictures").iterdir()]
    assert [name for name in pictures if f"pictures/{name}" not in text] == []


def test_every_page_of_docs_is_in_the_table_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = [page.name for page in (ROOT / "docs").glob("*.md")]
    assert [name for name in pages if f"(docs/{name})" not in readme] == []
