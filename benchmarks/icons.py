"""The CPU of both icons of one PNG, against a bare decode, two resizes and two encodes by Pillow.

In one process and without a socket: the application does it on its one thread for files. Also told is how
that compares with a frame, and what the very first icon costs, which brings Pillow with it.
"""

import io
import math
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median

from PIL import Image, ImageCms

from benchmarks.report import Result, spread
from orbtile.imaging import PillowCodec
from orbtile.protocol import limits

SIDE_PX = 256
FRAME_MS = 16
WARM_UP = 5

FIRST = """
import sys, time
from orbtile.imaging import PillowCodec
png = sys.stdin.buffer.read()
rss = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096
before, began_s = rss(), time.process_time()
PillowCodec().render(png)
print(time.process_time() - began_s, rss() - before)
"""


def icon(*, profile: bool) -> bytes:
    """A disc with a gradient and waves, of soft edges, about as large as an icon may be."""
    picture = Image.new("RGBA", (SIDE_PX, SIDE_PX))
    middle = SIDE_PX / 2
    for y in range(SIDE_PX):
        for x in range(SIDE_PX):
            far = math.hypot(x - middle, y - middle)
            wave = int(127 + 120 * math.sin(far / 9))
            picture.putpixel((x, y), (x, y, wave, max(0, min(255, int((120 - far) * 40)))))
    file = io.BytesIO()
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    picture.save(file, "PNG", icc_profile=srgb if profile else None)
    assert len(file.getvalue()) <= limits.MAX_ICON_BYTES
    return file.getvalue()


def bare(png: bytes) -> None:
    """The floor: no check, no profile."""
    picture = Image.open(io.BytesIO(png))
    picture.load()
    for side_px in (28, 56):
        picture.resize((side_px, side_px), Image.Resampling.LANCZOS).save(io.BytesIO(), "PNG")


def cpu_s(work: Callable[[bytes], object], png: bytes) -> float:
    before = time.process_time()
    work(png)
    return time.process_time() - before


def bench_icons(environment: Mapping[str, str], *, quick: bool) -> list[Result]:
    """Needs no desktop: ``environment`` is not used."""
    del environment
    plain, profiled = icon(profile=False), icon(profile=True)
    codec = PillowCodec()
    floors: list[float] = []
    ours: list[float] = []
    converted: list[float] = []
    for number in range(WARM_UP + (20 if quick else 200)):
        rounds = cpu_s(bare, plain), cpu_s(codec.render, plain), cpu_s(codec.render, profiled)
        if number >= WARM_UP:
            for values, value in zip((floors, ours, converted), rounds, strict=True):
                values.append(value)
    floor = spread(floors, "us", 1_000_000)
    return [
        Result(
            name="both icons from 256 x 256",
            value=median(ours) / median(floors),
            unit="x the floor",
            detail=f"{spread(ours, 'us', 1_000_000)}, floor {floor}",
            demanded=1.2,
        ),
        Result(
            name="the same, with a colour profile",
            value=median(converted) / median(floors),
            unit="x the floor",
            detail=f"{spread(converted, 'us', 1_000_000)}, floor {floor} without",
        ),
        Result(
            name="the same, of a frame",
            value=median(converted) * 100_000 / FRAME_MS,
            unit="% of 16 ms",
            detail="on the worker's thread",
        ),
        *_first(plain),
    ]


def _first(png: bytes) -> list[Result]:
    done = subprocess.run([sys.executable, "-c", FIRST], input=png, capture_output=True, check=True)
    seconds, rss_bytes = done.stdout.split()
    return [
        Result(name="the first icon", value=float(seconds) * 1_000, unit="ms", detail="imports Pillow"),
        Result(name="the first icon, RSS", value=float(rss_bytes) / 2**20, unit="MiB", detail="stays"),
    ]
