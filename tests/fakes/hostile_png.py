"""PNG files that somebody might send to do harm or by mistake, and odd ones that are legal all the same.

Owns what is wrong with each and who finds out: the walk over the chunks, the look at what is deflated, or the
decoder. All are refused with ``422 invalid_field``; the odd ones look like ``PLAIN``.
"""

import gzip
import struct
import zlib
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, NamedTuple

from tests.fakes import icc_profiles as icc
from tests.fakes.bodies import chunk
from tests.fakes.icc_profiles import iccp
from tests.fakes.png_files import SIGNATURE, Chunk, Picture, file_of


class Stage(Enum):
    """Who refuses."""

    WALK = auto()
    DATA = auto()
    DECODER = auto()


class Hostile(NamedTuple):
    name: str
    png: bytes
    stage: Stage


def _gradient(x: int, y: int) -> tuple[int, int, int, int]:
    return x * 16, y * 16, 128, 255


PLAIN: Final = Picture(16, 8, 6, _gradient)
HEADER, DATA, END = PLAIN.chunks()
STREAM: Final = DATA[1]
ROWS: Final = PLAIN.rows()
TEXT: Final = (b"tEXt", b"Comment\0hello")
PALETTE: Final = (b"PLTE", bytes(range(12)))
"""Four colours."""

INDEXED: Final = Picture(16, 8, 3, lambda x, _: (x % 4,), palette=PALETTE[1], transparency=b"\x80\xff")
GREY: Final = Picture(16, 8, 0, lambda x, _: (x * 16,), transparency=b"\0\x10")
RGB: Final = Picture(16, 8, 2, lambda x, y: (x * 16, y * 16, 128))


def hostile_pngs() -> Iterator[Hostile]:
    """All of them, each under a name of its own."""
    for stage, cases in (
        (Stage.WALK, [*_cut(), *_wrong_checksums(), *_lying_lengths(), *_not_png()]),
        (Stage.WALK, [*_wrong_order(), *_wrong_colours(), *_behind_the_end(), *_animations()]),
        (Stage.DATA, [*_image_data(), *_rows_that_do_not_fit(), *_profile_streams()]),
        (Stage.DECODER, [*_outside_the_palette(), *_profiles()]),
    ):
        for name, png in cases:
            yield Hostile(name, png, stage)


Case = tuple[str, bytes]


def _cut() -> Iterator[Case]:
    whole = PLAIN.file()
    end = len(whole) - 12
    places = {
        "behind the signature": 8, "in the length of IHDR": 10, "in the type of IHDR": 14, "in IHDR": 20,
        "in the CRC of IHDR": 31, "behind IHDR": 33, "in the head of IDAT": 37, "in IDAT": 60,
        "in the CRC of IDAT": end - 2, "before IEND": end, "in IEND": end + 6, "in the last byte": end + 11,
    }  # fmt: skip
    for name, place in places.items():
        yield f"cut {name}", whole[:place]
    yield "cut in text", PLAIN.file()[:33] + chunk(*TEXT)[:-3]
    yield "cut in a palette", INDEXED.file()[:50]


def _wrong_checksums() -> Iterator[Case]:
    chunks = [HEADER, (b"iCCP", iccp(icc.LINEAR)), PALETTE, TEXT, DATA, TEXT, END]
    for place, (kind, _) in enumerate(chunks):
        parts = [chunk(*each) for each in chunks]
        parts[place] = parts[place][:-1] + bytes([parts[place][-1] ^ 1])
        yield f"wrong CRC in {kind.decode()} ({place})", SIGNATURE + b"".join(parts)
    transparent = bytearray(GREY.file())
    transparent[transparent.index(b"tRNS") + 6] ^= 1
    yield "wrong CRC in tRNS", bytes(transparent)
    yield "zeros for every CRC", SIGNATURE + b"".join(chunk(*each)[:-4] + bytes(4) for each in PLAIN.chunks())
    yield "a bit of the image data", PLAIN.file().replace(STREAM, STREAM[:-9] + bytes(1) + STREAM[-8:])


def _lying_lengths() -> Iterator[Case]:
    def lying(length: int) -> bytes:
        data = chunk(*DATA)
        return SIGNATURE + chunk(*HEADER) + struct.pack(">I", length) + data[4:] + chunk(*END)

    for name, length in {
        "one byte more": len(STREAM) + 1,
        "one byte less": len(STREAM) - 1,
        "nothing": 0,
        "to the end of the file": len(STREAM) + 12,
        "2 GB": 2**31 - 1,
        "4 GB": 2**32 - 1,
    }.items():
        yield f"IDAT's length says {name}", lying(length)
    yield "IHDR's length is 12", SIGNATURE + chunk(b"IHDR", HEADER[1][:12]) + chunk(*DATA) + chunk(*END)
    yield "IHDR's length is 14", file_of([(b"IHDR", HEADER[1] + b"\0"), DATA, END])


def _not_png() -> Iterator[Case]:
    rest = PLAIN.file()[8:]
    yield "an MNG", b"\x8aMNG\r\n\x1a\n" + rest
    yield "a JNG", b"\x8bJNG\r\n\x1a\n" + rest
    yield "a signature after text mode", b"\x89PNG\n\x1a\n" + rest
    yield "a byte in front of the signature", b"\0" + PLAIN.file()
    yield "a PDF in front", b"%PDF-1.7\n" + PLAIN.file()
    for kind in (b"tE t", b"tEX1", b"\0\0\0\0", b"tE\xffX", b"t\xc3\xa9X"):
        yield f"a chunk called {kind!r}", file_of([HEADER, (kind, b"x"), DATA, END])


def _wrong_order() -> Iterator[Case]:
    half = len(STREAM) // 2
    first, second = (b"IDAT", STREAM[:half]), (b"IDAT", STREAM[half:])
    profile = (b"iCCP", iccp(icc.LINEAR))
    files: dict[str, list[Chunk]] = {
        "image data first": [DATA, HEADER, END],
        "text first": [TEXT, HEADER, DATA, END],
        "Apple's own chunk first": [(b"CgBI", b"\x50\0\x20\x06"), HEADER, DATA, END],
        "two headers": [HEADER, HEADER, DATA, END],
        "a header behind the data": [HEADER, DATA, HEADER, END],
        "no image data": [HEADER, END],
        "no end": [HEADER, DATA],
        "the end before the data": [HEADER, END, DATA],
        "text in the data": [HEADER, first, TEXT, second, END],
        "text in the data, empty": [HEADER, first, (b"tEXt", b""), second, END],
        "a profile in the data": [HEADER, first, profile, second, END],
        "data in two places": [HEADER, DATA, TEXT, DATA, END],
        "something in the end": [HEADER, DATA, (b"IEND", b"\0")],
        "a profile behind the data": [HEADER, DATA, profile, END],
        "a profile behind the palette": [HEADER, PALETTE, profile, DATA, END],
        "two profiles": [HEADER, profile, profile, DATA, END],
        "a critical chunk": [HEADER, (b"CrIT", b""), DATA, END],
        "a critical private chunk": [HEADER, (b"XxXX", bytes(100)), DATA, END],
        "a critical chunk behind the data": [HEADER, DATA, (b"FRAM", b""), END],
        "JPEG data": [HEADER, (b"JDAT", b"\xff\xd8\xff"), DATA, END],
        "1 025 chunks": [HEADER, *[(b"teXt", b"")] * 1_022, DATA, END],
    }
    for name, chunks in files.items():
        yield name, file_of(chunks)


def _wrong_colours() -> Iterator[Case]:
    indexed_header, palette, transparency, indexed_data, _ = INDEXED.chunks()
    grey_header, grey_key, grey_data, _ = GREY.chunks()
    rgb_header, rgb_data, _ = RGB.chunks()
    grey_alpha = Picture(16, 8, 4, lambda x, _: (x, 255)).chunks()
    bit = Picture(16, 1, 3, lambda x, _: (x % 2,), palette=bytes(9))
    two_bits = Picture(16, 2, 3, lambda x, _: (x % 4,), palette=bytes(15))
    files: dict[str, list[Chunk]] = {
        "no palette": [indexed_header, indexed_data, END],
        "a palette behind the data": [indexed_header, indexed_data, palette, END],
        "two palettes": [indexed_header, palette, palette, indexed_data, END],
        "an empty palette": [indexed_header, (b"PLTE", b""), indexed_data, END],
        "a palette of 4 bytes": [indexed_header, (b"PLTE", bytes(4)), indexed_data, END],
        "a palette of 257 colours": [indexed_header, (b"PLTE", bytes(771)), indexed_data, END],
        "3 colours for one bit": bit.chunks(),
        "5 colours for two bits": two_bits.chunks(),
        "a palette in grey": [grey_header, palette, grey_data, END],
        "a palette in grey with alpha": [grey_alpha[0], palette, *grey_alpha[1:]],
        "an empty palette in colour": [rgb_header, (b"PLTE", b""), rgb_data, END],
        "a suggested palette of 257 colours": [rgb_header, (b"PLTE", bytes(771)), rgb_data, END],
        "a suggested palette behind the data": [rgb_header, rgb_data, palette, END],
        "tRNS before the palette": [indexed_header, transparency, palette, indexed_data, END],
        "tRNS before a suggested palette": [rgb_header, (b"tRNS", bytes(6)), palette, rgb_data, END],
        "tRNS behind the data": [grey_header, grey_data, grey_key, END],
        "two tRNS": [grey_header, grey_key, grey_key, grey_data, END],
        "tRNS beside alpha": [HEADER, (b"tRNS", bytes(6)), DATA, END],
        "tRNS beside grey's alpha": [grey_alpha[0], (b"tRNS", bytes(2)), *grey_alpha[1:]],
        "tRNS longer than the palette": [indexed_header, palette, (b"tRNS", bytes(5)), indexed_data, END],
        "an empty tRNS": [indexed_header, palette, (b"tRNS", b""), indexed_data, END],
        "tRNS of a byte in grey": [grey_header, (b"tRNS", b"\x10"), grey_data, END],
        "tRNS of 6 bytes in grey": [grey_header, (b"tRNS", bytes(6)), grey_data, END],
        "tRNS of 2 bytes in colour": [rgb_header, (b"tRNS", bytes(2)), rgb_data, END],
    }
    for name, chunks in files.items():
        yield name, file_of(chunks)


def _behind_the_end() -> Iterator[Case]:
    whole = PLAIN.file()
    yield "a byte behind the end", whole + b"\0"
    yield "a line behind the end", whole + b"\r\n"
    yield "an end behind the end", whole + chunk(*END)
    yield "text behind the end", whole + chunk(*TEXT)
    yield "a second picture behind the end", whole + whole
    yield "an archive behind the end", whole + b"PK\x05\x06" + bytes(18)
    yield "a web page behind the end", whole + b"<script>alert(1)</script>"
    yield "20 kB of zeros behind the end", whole + bytes(20_000)


def _animations() -> Iterator[Case]:
    control = (b"acTL", struct.pack(">II", 2, 0))
    frame = (b"fcTL", struct.pack(">IIIIIHHBB", 0, 16, 16, 0, 0, 1, 10, 0, 0))
    later = (b"fcTL", struct.pack(">IIIIIHHBB", 1, 16, 16, 0, 0, 1, 10, 0, 0))
    more = (b"fdAT", struct.pack(">I", 2) + STREAM)
    yield "an animation", file_of([HEADER, control, frame, DATA, later, more, END])
    yield "an animation with a still picture", file_of([HEADER, control, DATA, frame, more, END])
    yield "an animation of no frames", file_of([HEADER, (b"acTL", bytes(8)), DATA, END])
    yield "a frame's control alone", file_of([HEADER, frame, DATA, END])
    yield "a frame's data alone", file_of([HEADER, DATA, more, END])


def _with_data(*pieces: bytes) -> bytes:
    return file_of([HEADER, *((b"IDAT", piece) for piece in pieces), END])


def zeros(size: int, level: int = 9) -> bytes:
    """A zlib stream of ``size`` zeros, a thousandth of that long."""
    deflater = zlib.compressobj(level)
    parts = [deflater.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join([*parts, deflater.compress(bytes(size & ((1 << 20) - 1))), deflater.flush()])


def _image_data() -> Iterator[Case]:
    yield "no bytes of image data", _with_data(b"")
    yield "many times no bytes of image data", _with_data(*[b""] * 50)
    yield "a bomb of 16 MB", _with_data(zeros(16 << 20))
    yield "the picture, and then a bomb", _with_data(zlib.compress(ROWS + bytes(8 << 20)))
    bomb = zeros(4 << 20)
    yield "a bomb in pieces", _with_data(*(bomb[at : at + 100] for at in range(0, len(bomb), 100)))
    yield "image data cut short", _with_data(STREAM[:-20])
    yield "image data without its checksum", _with_data(STREAM[:-4])
    yield "image data with a wrong checksum", _with_data(STREAM[:-1] + bytes([STREAM[-1] ^ 1]))
    yield "image data with a flaw inside", _with_data(STREAM[:40] + b"\xff" * 8 + STREAM[48:])
    yield "image data of noise", _with_data(bytes(range(1, 200)))
    yield "image data of text", _with_data(b"<svg onload='alert(1)'/>")
    yield "raw deflate", _with_data(STREAM[2:-4])
    yield "gzip", _with_data(gzip.compress(ROWS, mtime=0))
    asking = zlib.compressobj(zdict=b"dictionary")
    yield "a preset dictionary", _with_data(asking.compress(ROWS) + asking.flush())
    yield "a window of 64 kB", _with_data(b"\x88\x1c" + STREAM[2:])
    yield "a byte behind the stream", _with_data(STREAM + b"\0")
    yield "a byte behind the stream in a chunk of its own", _with_data(STREAM, b"\0")
    yield "a stream behind the stream", _with_data(STREAM, STREAM)
    yield "an archive behind the stream", _with_data(STREAM + b"PK\x03\x04" + bytes(100))


def _rows_that_do_not_fit() -> Iterator[Case]:
    def with_rows(rows: bytes, header: Chunk = HEADER) -> bytes:
        return file_of([header, (b"IDAT", zlib.compress(rows)), END])

    def header(**changes: int) -> Chunk:
        values = {"width": 16, "height": 16, "depth": 8, "colour": 6, "c": 0, "f": 0, "interlace": 0}
        return b"IHDR", struct.pack(">IIBBBBB", *(values | changes).values())

    interlaced = PLAIN._replace(interlaced=True)
    yield "no rows", with_rows(b"")
    yield "one byte too few", with_rows(ROWS[:-1])
    yield "one byte too many", with_rows(ROWS + b"\0")
    yield "one row too few", with_rows(ROWS[:-65])
    yield "one row too many", with_rows(ROWS + bytes(65))
    yield "rows of another picture", with_rows(RGB.rows())
    yield "a header that says 256 pixels", with_rows(ROWS, header(width=256, height=256))
    yield "a header that says 16 bits", with_rows(ROWS, header(depth=16))
    yield "a header that says grey", with_rows(ROWS, header(colour=0))
    yield "a header that says interlaced", with_rows(ROWS, header(interlace=1))
    yield "a header that says not interlaced", with_rows(interlaced.rows())
    yield "interlaced without the last pass", with_rows(interlaced.rows()[: -8 * 65], interlaced.header())
    yield "interlaced with a byte too many", with_rows(interlaced.rows() + b"\0", interlaced.header())
    for kind in (5, 64, 255):
        yield f"filter {kind} in the first row", with_rows(bytes([kind]) + ROWS[1:])
    yield "filter 5 in the last row", with_rows(ROWS[:-65] + b"\5" + ROWS[-64:])
    yield "filter 5 in every row", PLAIN._replace(filters=(5,)).file()
    rows = interlaced.rows()
    yield "filter 9 in the last pass", with_rows(rows[:-65] + b"\x09" + rows[-64:], interlaced.header())


def _with_profile(contents: bytes, picture: Picture = PLAIN) -> bytes:
    header, *rest = picture.chunks()
    return file_of([header, (b"iCCP", contents), *rest])


def _profile_streams() -> Iterator[Case]:
    whole = iccp(icc.LINEAR)
    yield "an empty iCCP", _with_profile(b"")
    yield "iCCP without a name", _with_profile(whole[1:])
    yield "iCCP with a name of 80 bytes", _with_profile(iccp(icc.LINEAR, name=b"n" * 80))
    yield "iCCP that is a name alone", _with_profile(b"name")
    yield "iCCP that ends behind the name", _with_profile(b"name\0")
    yield "iCCP that ends before the stream", _with_profile(b"name\0\0")
    yield "iCCP of another method", _with_profile(iccp(icc.LINEAR, method=1))
    yield "iCCP cut short", _with_profile(whole[:-6])
    yield "iCCP with a flaw inside", _with_profile(whole[:8] + b"\xff\xff\xff" + whole[11:])
    yield "iCCP with something behind it", _with_profile(whole + b"\0")
    yield "a profile of 65 537 bytes", _with_profile(iccp(icc.LINEAR.ljust(65_537, b"\0")))
    yield "a profile that is a bomb", _with_profile(b"p\0\0" + zeros(16 << 20))


def _outside_the_palette() -> Iterator[Case]:
    far = INDEXED._replace(sample=lambda x, y: (4 if (x, y) == (15, 15) else 0,))
    yield "one pixel outside the palette", far.file()
    yield "one pixel outside the palette, interlaced", far._replace(interlaced=True).file()
    yield "every pixel outside the palette", INDEXED._replace(sample=lambda _x, _y: (255,)).file()
    yield "one colour and two in use", Picture(16, 1, 3, lambda x, _: (x % 2,), palette=bytes(3)).file()
    few = Picture(16, 4, 3, lambda x, _: (x,), palette=bytes(45))
    yield "15 colours and 16 in use", few.file()


def _profiles() -> Iterator[Case]:
    tone, primaries = icc.gamma(2.2), list(icc.SRGB_PRIMARIES)
    tones = [(name, tone) for name in (b"rTRC", b"gTRC", b"bTRC")]
    table = (b"A2B0", b"mft1" + bytes(300))
    outside = bytearray(icc.LINEAR)
    outside[136:140] = b"\xff\xff\xff\xf0"  # where the first tag is
    profiles = {
        "no profile in the profile": b"",
        "a profile of 131 bytes": icc.LINEAR[:131],
        "a profile of text": b"not a profile at all " * 20,
        "a profile without its magic number": icc.rgb(tone).replace(b"acsp", b"xxxx"),
        "a profile of ink": icc.profile_of([table], space=b"CMYK", connection=b"Lab ", kind=b"prtr"),
        "a profile of Lab": icc.profile_of([table], space=b"Lab "),
        "a link between devices": icc.profile_of([table], connection=b"RGB ", kind=b"link"),
        "a profile of tables alone": icc.profile_of([table]),
        "a profile of 500 stages": icc.profile_of([(b"D2B0", icc.chain(500))]),
        "a profile without tags": icc.profile_of([]),
        "a profile of 4 billion tags": icc.profile_of([*primaries, *tones], count=2**32 - 1),
        "a profile of more tags than it has room for": icc.profile_of([*primaries, *tones], count=100),
        "a profile of 129 tags": icc.rgb(tone, *[(b"note", b"text")] * 123),
        "a profile without green": icc.profile_of([primaries[0], primaries[2], *tones]),
        "a profile without curves": icc.profile_of(primaries),
        "a profile with a tag outside of it": bytes(outside),
        "a profile with a text for a curve": icc.rgb(b"text\0\0\0\0hello"),
        "a profile with a primary cut short": icc.profile_of([(b"rXYZ", b"XYZ "), *primaries[1:], *tones]),
        "a profile with a curve cut short": icc.rgb(b"curv\0\0\0\0\0\0\xff\xff\0\0"),
        "a profile with a curve of 4 billion": icc.rgb(b"curv\0\0\0\0\xff\xff\xff\xff"),
        "a profile with an unknown function": icc.rgb(b"para\0\0\0\0\0\x63\0\0\0\1\0\0"),
        "a profile of grey for colour": icc.grey(tone),
    }
    for name, profile in profiles.items():
        yield name, _with_profile(iccp(profile))
    yield "a profile of grey without a curve", _with_profile(iccp(icc.profile_of([], space=b"GRAY")), GREY)


def odd_pngs() -> Iterator[Case]:
    """Legal, however strange, and without any effect on the pixels of ``PLAIN``."""

    def with_text(*texts: Chunk) -> bytes:
        return file_of([HEADER, *texts, DATA, *texts, END])

    small_window = zlib.compressobj(9, zlib.DEFLATED, 9)
    yield "plain", PLAIN.file()
    yield "one byte of image data a chunk", _with_data(*(STREAM[at : at + 1] for at in range(len(STREAM))))
    yield "empty chunks of image data", _with_data(b"", STREAM[:7], b"", b"", STREAM[7:], b"")
    yield "1 024 chunks", file_of([HEADER, *[(b"teXt", b"")] * 1_021, DATA, END])
    yield "image data that is not compressed", _with_data(zlib.compress(ROWS, 0))
    yield "a small window", _with_data(small_window.compress(ROWS) + small_window.flush())
    yield "30 kB of text", file_of([HEADER, (b"tEXt", b"Comment\0" + b"x" * 30_000), DATA, END])
    yield "a bomb of text", with_text((b"zTXt", b"Comment\0\0" + zeros(8 << 20)))
    yield (
        "a bomb of international text",
        with_text(
            (b"iTXt", b"Comment\0\1\0en\0\0" + zeros(8 << 20)),
        ),
    )
    yield "text that does not inflate", with_text((b"zTXt", b"Comment\0\0noise"), (b"iTXt", b"x"))
    yield "text without a keyword", with_text((b"tEXt", b""), (b"tEXt", b"\0"), (b"zTXt", b""))
    yield "a script in a comment", with_text((b"tEXt", b"Comment\0<script>alert(1)</script>"))
    yield "EXIF of noise", with_text((b"eXIf", b"MM\0*" + bytes(range(200))))
    yield "no gamma in gAMA", with_text((b"gAMA", b""))
    yield "a gamma of 1", with_text((b"gAMA", struct.pack(">I", 100_000)))
    yield "a gamma of 0", with_text((b"gAMA", bytes(4)))
    yield "primaries", with_text((b"cHRM", struct.pack(">8I", *range(8))), (b"cHRM", b"short"))
    yield "an unknown intent", with_text((b"sRGB", b"\x09"), (b"sRGB", b""))
    yield "film", with_text((b"cICP", b"\x09\x10\0\1"), (b"mDCV", b""), (b"cLLI", bytes(8)))
    yield "4 billion pixels a metre", with_text((b"pHYs", b"\xff" * 9), (b"oFFs", b"\xff" * 9))
    yield "the 99th of the 99th", with_text((b"tIME", b"\xff" * 7), (b"tIME", b""))
    yield "a background", with_text((b"bKGD", bytes(6)), (b"bKGD", b""), (b"hIST", bytes(3)))
    yield "a suggested palette", file_of([HEADER, PALETTE, (b"sPLT", b"x\0\x08" + bytes(60)), DATA, END])
    yield "private chunks", with_text((b"prVt", bytes(1000)), (b"prvt", b""), (b"vpAg", bytes(9)))
    yield "a profile of sRGB", _with_profile(iccp(icc.rgb(_srgb_curve()), name=b"n" * 79))
    yield (
        "a profile with tables and chains",
        _with_profile(
            iccp(icc.rgb(_srgb_curve(), (b"D2B0", icc.chain(5_000)), (b"A2B0", b"mft1" + bytes(300))))
        ),
    )
    yield "a profile of 65 536 bytes", _with_profile(iccp(icc.rgb(_srgb_curve()).ljust(65_536, b"\0")))
    yield "interlaced", PLAIN._replace(interlaced=True).file()
    for kind in range(1, 5):
        yield f"filter {kind}", PLAIN._replace(filters=(kind,)).file()
    yield "filters in turn", PLAIN._replace(filters=(4, 3, 2, 1, 0)).file()


def _srgb_curve() -> bytes:
    """IEC 61966-2-1 as a parametric curve of type 3."""
    values = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    return b"para\0\0\0\0" + struct.pack(">HH5i", 3, 0, *(round(value * 65_536) for value in values))


HOSTILE: Final = tuple(hostile_pngs())
ODD: Final = tuple(odd_pngs())
