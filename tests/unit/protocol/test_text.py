import pytest

from orbtile.protocol.text import (
    LoneSurrogateError,
    clean_block,
    clean_line,
    is_blank,
    last_bytes,
    printable_name,
    refuse_surrogates,
)

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    "text", ["", "plain", "  kept  ", "日本語 ﷺ עברית", "e\u0301", "👩\u200d🚀", "a\u00a0b", "\U0010ffff"]
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert clean_line(text) == clean_block(text) == text


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0)])
def test_every_control_character_becomes_a_space(code: int) -> None:
    assert clean_line(f"a{chr(code)}b") == "a b"


@pytest.mark.parametrize("code", {*range(0x20), *range(0x7F, 0xA0)} - {0x09, 0x0A})
def test_message_text_keeps_only_newline_and_tab(code: int) -> None:
    assert clean_block(f"a{chr(code)}\n\tb") == "a \n\tb"


@pytest.mark.parametrize("mark", BIDI)
def test_bidi_controls_are_dropped(mark: str) -> None:
    assert clean_line(f"a{mark}b") == clean_block(f"a{mark}b") == "ab"


def test_a_line_separator_cannot_break_a_line_but_means_a_newline_in_a_message() -> None:
    assert clean_line("a\u2028b\u2029c") == "a b c"
    assert clean_block("a\u2028b\u2029c") == "a\nb\nc"


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udc00\ud800", "\x00\ud800"])
def test_half_a_character_is_refused(text: str) -> None:
    for clean in (clean_line, clean_block, refuse_surrogates):
        with pytest.raises(LoneSurrogateError):
            clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\u00a0\u3000", "\t\n", "\u200b\u200d", "\ufeff", "\u2800", "\u3164\u00ad",
        "\ufe0f\ufe0f", "\u034f", "\u180b", "\u180f", "\u2065", "\u206a\u206f", "\ufff0", "\ufff9\ufffb",
        "\U0001bca0", "\U0001d173", "\U000e0041", "\U000e0100", "\U000e0fff", "\ufffc", "\U0001d159",
        "\U00013441", "\u0301", "\u0903", "\u20e3", " \u200b\u0301", "\u200d\ufe0f\u200d",
    ],
)  # fmt: skip
def test_text_without_ink_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize(
    "text",
    [
        "x", " x", "\u200bx", ".", "👍", "e\u0301", "❤\ufe0f", "👩\u200d🚀", "1\ufe0f\u20e3", "🇩🇪", "क\u093f",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\ue0a0", "\U0001ccd6", "\ufffd",
    ],
)  # fmt: skip
def test_text_with_ink_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    "text", ["❤\ufe0f", "👩\u200d🚀", "🏴\U000e0067\U000e0062\U000e007f", "ه\u200d", "a\u00ad"]
)
def test_what_shapes_its_neighbours_is_kept(text: str) -> None:
    assert clean_line(text) == clean_block(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("abcdefgh", "abcdefgh"),
        ("abcdefghi", "bcdefghi"),
        ("éééé", "éééé"),
        ("xéééé", "éééé"),
        ("ééééx", "éééx"),  # eight bytes back is inside the first é
        ("日本語", "本語"),
        ("👍👍x", "👍x"),
    ],
)
def test_the_last_eight_bytes_begin_with_a_whole_character(text: str, kept: str) -> None:
    assert last_bytes(text, 8) == kept


def test_a_name_is_shown_clean_and_cut() -> None:
    assert printable_name("icon", 8) == "icon"
    assert printable_name("a\nb\u202ec", 8) == "a bc"
    assert printable_name("\ud800x", 8) == "\ufffdx"
    assert printable_name("123456789", 8) == "1234567…"
    assert printable_name("12345678", 8) == "12345678"
    assert len(printable_name("\u202e" * 70_000, 8)) <= 8
