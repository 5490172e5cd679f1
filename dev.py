"""Set up and work on Orbtile from a fresh clone: ``python3 dev.py run``, ``python3 dev.py test``.

Only the standard library is used here. Every command first makes ``.venv`` (again whenever the lock or the
Python changed) and installs exactly what ``requirements.lock`` names, by hash; on Debian and its kin it also
sees to the system libraries. Why it is built this way: docs/adr/0003-dev-py.md

Python 3.6 must get as far as the sentence that says which Python is needed: annotations stand in quotes, and
what only they need is not evaluated.
"""

import argparse
import contextlib
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    Command = Sequence[str | Path]

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements.lock"
VENV = ROOT / ".venv"
WINDOWS = sys.platform == "win32"
BIN = VENV / ("Scripts" if WINDOWS else "bin")
EXE = ".exe" if WINDOWS else ""
PYTHON = BIN / f"python{EXE}"

LOCK_TOOL = "uv==0.13.9"  # used by `lock` alone, in a throw-away venv
MYPY_PLATFORMS = ("linux", "darwin", "win32")
PURE_PARTS = ("protocol", "palette", "host")

RUN_HELP = """usage: dev.py run [--demo [--quit-after SECONDS]] [OPTIONS]

Starts the app; where it runs already, its popover opens.

  --demo              with the sessions of a demo adapter that is allowed already, in a throw-away data
                      folder; the two lines that lead other programs there are printed
  --quit-after N      with --demo: end by itself after N seconds
  OPTIONS             handed on to `orbtile run`, or with --demo to adapters/examples/demo.py"""

# What Qt loads from the system, and the desktop that tests, benches and pictures run in (Debian's names).
QT_PACKAGES = """
    libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon0 libxkbcommon-x11-0 libxcb-cursor0
    libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-sync1
    libxcb-xfixes0 libxcb-xkb1 libx11-xcb1 libwayland-client0 libwayland-cursor0 libwayland-egl1
    fonts-dejavu-core
""".split()
DESKTOP_PACKAGES = """
    xvfb xauth openbox trayer xfce4-panel picom xdotool imagemagick x11-utils x11-xserver-utils dbus dbus-x11
    at-spi2-core gir1.2-atspi-2.0 python3-gi fonts-inter fonts-noto-core fonts-noto-cjk
    fonts-noto-color-emoji curl libglib2.0-bin nodejs
""".split()


class Step(NamedTuple):
    """One line of the summary that ``test`` and ``check`` end with."""

    name: str
    command: "Command"


# --- setting up -----------------------------------------------------------------------------------------


def say(text: str) -> None:
    """Print a line of this script's own, before whatever the started programs print next."""
    print(f"dev.py: {text}", flush=True)


def ensure_system_packages(wanted: "Sequence[str]") -> None:
    """On Debian and its kin: install what is missing as root, or say which one command does it and stop."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-query")):
        return
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}, ${Package}, ${Provides}\n"]
    listing = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    installed = [line.split(", ") for line in listing.splitlines() if line.startswith("installed, ")]
    present = {name.partition(" ")[0] for names in installed for name in names}
    missing = [name for name in wanted if name not in present]
    if not missing:
        return
    update = ["apt-get", "update", "-q"]
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing]
    if sys.platform != "win32" and os.geteuid() != 0:
        line = f"sudo sh -c '{shlex.join(update)} && {shlex.join(install)}'"
        sys.exit(f"dev.py: system packages are missing. This installs them, then try again:\n\n  {line}\n")
    say(f"installing system packages: {' '.join(missing)}")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (update, install):
        done = subprocess.run(
            command, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        if done.returncode:
            sys.exit(f"{done.stdout}\ndev.py: `{shlex.join(command)}` failed")


def ensure_venv() -> None:
    """Make ``.venv``, unless the one there was made from this lock, by this Python, in this place."""
    made_from = digest(LOCK.read_text(encoding="utf-8"), sys.version, platform.machine(), str(ROOT))
    stamp = VENV / "made-from"
    if not (PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == made_from):
        if Path(sys.prefix).resolve() == VENV:
            sys.exit("dev.py: .venv is out of date; start dev.py with the Python that it was made with")
        say(f"making .venv with Python {platform.python_version()} (downloads about 130 MB)")
        if VENV.exists():
            shutil.rmtree(VENV)
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        pip_install("--require-hashes", "--only-binary", ":all:", "-r", LOCK)
        stamp.write_text(made_from, encoding="utf-8")
    # The project itself: one .pth line and the entry points, again when its metadata may have changed.
    installed_from = digest((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    stamp = VENV / "installed-from"
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == installed_from):
        pip_install("--no-index", "--no-deps", "--no-build-isolation", "--editable", ROOT)
        stamp.write_text(installed_from, encoding="utf-8")


def digest(*parts: str) -> str:
    """Stand for the inputs that something was made from."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def pip_install(*arguments: "str | Path") -> None:
    """Run the venv's pip; stop if it fails."""
    command = [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", *arguments]
    if subprocess.run(command, check=False).returncode:
        sys.exit("dev.py: pip failed, see above")


# --- running --------------------------------------------------------------------------------------------


def run_steps(steps: "Sequence[Step]") -> int:
    """Run every step, also after one failed, and end on a summary."""
    lines = []
    failed = 0
    for name, command in steps:
        print(f"\n=== {name}\n$ {shlex.join(map(displayed, command))}", flush=True)
        started = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        lines.append(f"{'FAILED' if code else 'ok':<8}{name:<24}{time.monotonic() - started:7.1f} s")
        failed += code != 0
    print("\n=== summary", *lines, sep="\n")
    say(f"{failed} of {len(steps)} steps failed" if failed else f"all {len(steps)} steps passed")
    return 1 if failed else 0


def displayed(part: "str | Path") -> str:
    """A program's path as one would type it in the repository's folder."""
    return str(part.relative_to(ROOT)) if isinstance(part, Path) else part


def static_steps(platforms: "Sequence[str]") -> "list[Step]":
    """What needs no running code: lint, formatting, types, import rules."""
    mypy = BIN / f"mypy{EXE}"
    return [
        Step("ruff check", [BIN / f"ruff{EXE}", "check"]),
        Step("ruff format", [BIN / f"ruff{EXE}", "format", "--check"]),
        *(Step(f"mypy {p}", [mypy, "--platform", p, "--cache-dir", f".mypy_cache/{p}"]) for p in platforms),
        *(Step(f"mypy sdk {p}", sdk_types_command(p)) for p in platforms),
        Step("imports", [BIN / f"lint-imports{EXE}", "--no-cache"]),
    ]


def sdk_types_command(platform_name: str) -> "Command":
    """The SDK's types, checked for the oldest Python that it runs on."""
    options = ["--config-file", "sdk/python/pyproject.toml", "--platform", platform_name]
    folders = ["sdk/python/src"]
    if platform_name != "win32":
        folders.append("sdk/python/tests")  # of Unix sockets, signals and forks
    return [BIN / f"mypy{EXE}", *options, "--cache-dir", f".mypy_cache/sdk-{platform_name}", *folders]


def become(command: "Command") -> "NoReturn":
    """Turn into the command, so that signals reach it; Windows cannot, so wait for it there."""
    os.chdir(ROOT)
    if sys.platform == "win32":
        with contextlib.suppress(KeyboardInterrupt):  # the command got it too and ends by itself
            sys.exit(subprocess.run(command, check=False).returncode)
        sys.exit(130)
    os.execv(command[0], [str(part) for part in command])


# --- the commands ---------------------------------------------------------------------------------------


def run(arguments: "list[str]") -> int:
    """Start the app; --demo: with the sessions of a demo adapter, in a throw-away data folder."""
    if {"-h", "--help"}.intersection(arguments):
        print(RUN_HELP)
        return 0
    ensure_system_packages(QT_PACKAGES)
    ensure_venv()
    has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform == "linux" and not has_display and "QT_QPA_PLATFORM" not in os.environ:
        say("no display (neither DISPLAY nor WAYLAND_DISPLAY is set): nothing will be seen; Ctrl+C ends it")
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if "--demo" in arguments:
        arguments.remove("--demo")
        return become([PYTHON, "-m", "tests.tools.demo", *arguments])
    return become([PYTHON, "-m", "orbtile", *arguments])


def test(arguments: "list[str]") -> int:
    """Check everything: lint, formatting, types for three systems, import rules, all tests, coverage."""
    ensure_system_packages(QT_PACKAGES + DESKTOP_PACKAGES)
    ensure_venv()
    coverage: Command = [PYTHON, "-m", "coverage"]
    pure = ",".join(f"app/orbtile/{part}/*" for part in PURE_PARTS)
    return run_steps(
        [
            *static_steps(MYPY_PLATFORMS),
            Step("pytest", [*coverage, "run", "-m", "pytest", *arguments]),
            Step("coverage", [*coverage, "report"]),
            Step("coverage pure, 100 %", [*coverage, "report", f"--include={pure}", "--fail-under=100"]),
        ]
    )


def check(arguments: "list[str]") -> int:
    """Check the fast part: lint, formatting, types for this system, import rules, unit tests."""
    ensure_system_packages(QT_PACKAGES)
    ensure_venv()
    fast = ["-q", "-m", "not desktop and not slow"]
    unit = Step("pytest, unit", [PYTHON, "-m", "pytest", *fast, *(arguments or ["tests/unit"])])
    return run_steps([*static_steps([sys.platform]), unit])


def bench(arguments: "list[str]") -> int:
    """Measure speed and memory against floors taken in the same run."""
    return on_desktop("benchmarks", arguments)


def soak(arguments: "list[str]") -> int:
    """Load the running app for minutes and watch for leaks and lost updates."""
    return on_desktop("benchmarks.soak", arguments)


def shots(arguments: "list[str]") -> int:
    """Take the README's pictures of the real windows."""
    return on_desktop("tests.tools.shots", arguments)


def on_desktop(module: str, arguments: "list[str]") -> int:
    """Run a module that wants the test desktop's programs."""
    ensure_system_packages(QT_PACKAGES + DESKTOP_PACKAGES)
    ensure_venv()
    return become([PYTHON, "-m", module, *arguments])


def lock(arguments: "list[str]") -> int:
    """Write requirements.lock from pyproject.toml; pins move only where they must, or with --upgrade."""
    options = "--quiet --universal --python-version=3.11 --generate-hashes --no-emit-index-url --no-annotate"
    command = ["--custom-compile-command", "python3 dev.py lock"]  # what the file's head names
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder) / BIN.name
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([tools / f"python{EXE}", "-m", "pip", "install", "-q", LOCK_TOOL], check=True)
        compile_lock: Command = [
            tools / f"uv{EXE}",
            "pip",
            "compile",
            *options.split(),
            *command,
            "--group=dev",
        ]
        files = [f"--output-file={LOCK.name}", "pyproject.toml"]
        return subprocess.run([*compile_lock, *files, *arguments], cwd=ROOT, check=False).returncode


COMMANDS: "dict[str, Callable[[list[str]], int]]" = {
    function.__name__: function for function in (run, test, check, bench, soak, shots, lock)
}


def main() -> int:
    """Find the command and hand it the rest of the line."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        sys.exit(f"dev.py: Orbtile needs Python 3.11, 3.12 or 3.13; this is {platform.python_version()}")
    parser = argparse.ArgumentParser(
        description="Set up and work on Orbtile.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"  {name:<6} {function.__doc__}" for name, function in COMMANDS.items()),
    )
    parser.add_argument("command", choices=COMMANDS, metavar="command", help="one of those below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="handed on to what the command runs")
    options = parser.parse_args()
    return COMMANDS[options.command](options.arguments)


if __name__ == "__main__":
    sys.exit(main())
