"""The scalars that no body uses in every way; the rest is tested through the bodies."""

from enum import StrEnum

import pytest

from orbtile.protocol.errors import ApiError
from orbtile.protocol.fields import (
    UNSET,
    Fields,
    JsonValue,
    Unset,
    Warnings,
    boolean,
    integer,
    number,
    one_of,
    opaque,
    string,
)


def test_unset_is_falsy_and_says_its_name() -> None:
    assert not UNSET
    assert repr(UNSET) == "UNSET"
    assert Unset("UNSET") is UNSET


def test_an_absent_field_and_null_are_told_apart() -> None:
    fields = Fields({"a": None, "b": "x"}, "", Warnings())
    assert not fields.has_value("a")
    assert fields.has_value("b")
    assert fields.take_nullable("a", string) is None
    assert fields.take_nullable("b", string) == "x"
    assert fields.take_nullable("c", string) is UNSET
    assert fields.take("c", string) is UNSET


def test_null_is_a_wrong_type_where_nothing_can_be_cleared() -> None:
    with pytest.raises(ApiError) as refusal:
        Fields({"a": None}, "", Warnings()).take("a", string)
    assert refusal.value.field == "a"


def test_a_path_names_every_step() -> None:
    fields = Fields({}, "sessions[3]", Warnings())
    assert fields.path_of("title") == "sessions[3].title"
    with pytest.raises(ApiError) as refusal:
        fields.require("title", string)
    assert refusal.value.field == "sessions[3].title"


def test_the_object_that_was_read_is_not_changed() -> None:
    body: dict[str, JsonValue] = {"a": 1, "b": 2}
    fields = Fields(body, "", Warnings())
    fields.take("a", integer(0, 9))
    fields.done()
    assert body == {"a": 1, "b": 2}


def test_what_nobody_took_is_warned_about_with_its_path() -> None:
    warnings = Warnings()
    fields = Fields({"known": 1, "png": 2, "x\n\u202ey": 3}, "icon", warnings)
    fields.take("known", integer(0, 9))
    fields.done()
    assert warnings.lines() == ["unknown field 'icon.png' ignored", "unknown field 'icon.x y' ignored"]


def test_a_thousand_unknown_names_give_a_short_list_of_short_lines() -> None:
    warnings = Warnings()
    Fields({f"{at}{'x' * 1000}": at for at in range(1000)}, "palette", warnings).done()
    lines = warnings.lines()
    assert len(lines) == 33
    assert lines[-1] == "968 more warnings left out"
    assert max(map(len, lines)) < 120


@pytest.mark.parametrize(("raw", "value"), [(1, 1), (1.0, 1), (-0.0, 0), (1e1, 10), (10, 10), (0, 0)])
def test_a_whole_number_is_an_integer_however_it_is_written(raw: JsonValue, value: int) -> None:
    read = integer(0, 10)(raw, "n")
    assert (read, type(read)) == (value, int)


@pytest.mark.parametrize(
    "raw", [True, False, None, "1", 1.5, [], {}, -1, 11, 10**400, float("inf"), float("nan")]
)
def test_other_values_are_no_integer_in_range(raw: JsonValue) -> None:
    with pytest.raises(ApiError) as refusal:
        integer(0, 10)(raw, "n")
    assert refusal.value.field == "n"


@pytest.mark.parametrize(
    "raw", [True, None, "1", [], -0.1, 1, 1.0, 2, 10**400, float("inf"), float("-inf"), float("nan")]
)
def test_other_values_are_no_number_below_the_maximum(raw: JsonValue) -> None:
    with pytest.raises(ApiError):
        number(0, 1, below_maximum=True)(raw, "n")


def test_minus_zero_is_zero() -> None:
    assert str(number(0, 1)(-0.0, "n")) == "0.0"


@pytest.mark.parametrize("raw", [0, 1, "true", None, []])
def test_only_true_and_false_are_booleans(raw: JsonValue) -> None:
    with pytest.raises(ApiError):
        boolean(raw, "b")


def test_opaque_text_is_kept_as_it_came() -> None:
    assert opaque(8, min_length=1)(" a\x00\u202e ", "id") == " a\x00\u202e "
    for raw in ("", "123456789", "\ud800", None):
        with pytest.raises(ApiError):
            opaque(8, min_length=1)(raw, "id")


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


def test_a_plain_unknown_word_is_quoted_and_nothing_else() -> None:
    read = one_of((Colour.RED, Colour.GREEN))
    assert read("red", "c") is Colour.RED
    for raw, message in (
        ("blue", "c: unknown value 'blue', must be one of red, green"),
        ("secret text", "c: unknown value, must be one of red, green"),
        ("x" * 25, "c: unknown value, must be one of red, green"),
        ("é", "c: unknown value, must be one of red, green"),
        (1, "c: must be a string"),
    ):
        with pytest.raises(ApiError) as refusal:
            read(raw, "c")
        assert refusal.value.message == message
