from dataclasses import replace

import pytest

from orbtile.host.monogram import monogram
from orbtile.protocol.registration import Glyph
from tests.fakes.hosts import Host, make_registration


@pytest.mark.parametrize(
    ("name", "short_name", "expected"),
    [
        ("Example Agent", None, "EA"),
        ("aider", None, "A"),
        ("One Two Three", None, "OT"),
        ("Example Agent", "Ex", "E"),
        ("示例 代理", None, "示代"),
    ],
)
def test_initials_of_the_short_name_or_the_name_stand_for_an_agent(
    name: str, short_name: str | None, expected: str
) -> None:
    assert monogram(replace(make_registration(name), short_name=short_name)) == expected


@pytest.mark.parametrize(
    ("glyph", "expected"), [(Glyph(monogram="Cx"), "Cx"), (Glyph(symbol="terminal"), "EA"), (None, "EA")]
)
def test_the_glyphs_monogram_goes_before_initials(glyph: Glyph | None, expected: str) -> None:
    assert monogram(replace(make_registration(), glyph=glyph)) == expected


def test_rows_follow_a_changed_monogram() -> None:
    adapter = Host().allowed()
    adapter.update()
    adapter.register(replace(make_registration(), glyph=Glyph(monogram="Cx")))
    assert adapter.session().monogram == "Cx"
