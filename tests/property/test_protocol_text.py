from hypothesis import given
from hypothesis import strategies as st

from orbtile.protocol.text import clean_block, clean_line, is_blank, last_bytes, printable_name

AWKWARD = st.sampled_from(
    "\x00\t\n\r\x1b\x7f\x85\u061c\u200b\u200e\u2028\u2029\u202e\u2066\u2069\u3000\ufeff \U0001f44d\u0301é"
)
TEXT = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), AWKWARD))
ANY_TEXT = st.text(st.one_of(st.characters(), AWKWARD))


@given(TEXT)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    line, block = clean_line(text), clean_block(text)
    assert clean_line(line) == line
    assert clean_block(block) == block
    assert clean_line(block) == line


@given(TEXT)
def test_a_clean_line_has_nothing_that_breaks_or_reorders_it(text: str) -> None:
    line = clean_line(text)
    assert len(line.splitlines()) <= 1
    assert not set(line) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert len(line) <= len(text)


@given(TEXT)
def test_a_clean_block_has_no_control_but_newline_and_tab(text: str) -> None:
    block = clean_block(text)
    assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in block if c not in "\n\t")


@given(TEXT)
def test_text_is_blank_exactly_when_it_has_no_ink_once_clean(text: str) -> None:
    assert is_blank(clean_line(text)) == is_blank(clean_block(text))


@given(TEXT, st.integers(1, 64))
def test_the_last_bytes_are_the_longest_end_that_fits(text: str, count: int) -> None:
    kept = last_bytes(text, count)
    assert text.endswith(kept)
    assert len(kept.encode()) <= count
    longer = text[len(text) - len(kept) - 1 :]
    assert kept == text or len(longer.encode()) > count


@given(ANY_TEXT, st.integers(2, 16))
def test_a_shown_name_is_short_and_can_be_encoded(name: str, max_length: int) -> None:
    shown = printable_name(name, max_length)
    assert len(shown) <= max_length
    assert shown == clean_line(shown)
    shown.encode()
