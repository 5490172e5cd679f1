import pytest

from orbtile.imaging.icc import bare_profile, is_grey
from orbtile.protocol.errors import ApiError
from tests.fakes import icc_profiles as icc

TONE = icc.gamma(2.2)


def test_only_primaries_and_curves_are_taken_over() -> None:
    more = [(b"D2B0", icc.chain(5_000)), (b"A2B0", b"mft1" + bytes(900)), (b"desc", b"text")]
    assert bare_profile(icc.rgb(TONE, *more), "icon.png") == icc.rgb(TONE)


def test_of_grey_one_curve_is_taken_over() -> None:
    more = [(b"kTRC", TONE), (b"gTRC", TONE), (b"A2B0", b"mft1")]
    assert bare_profile(icc.profile_of(more, space=b"GRAY"), "icon.png") == icc.grey(TONE)


def test_the_digest_of_the_whole_is_not_taken_over() -> None:
    profile = bytearray(icc.LINEAR)
    profile[84:100] = b"0123456789abcdef"
    assert bare_profile(bytes(profile), "icon.png") == icc.LINEAR


def test_two_tags_may_share_their_bytes() -> None:
    """As the three curves of most profiles do."""
    profile = bytearray(icc.LINEAR)
    red = profile[132 + 3 * 12 + 4 : 132 + 4 * 12]
    for entry in (4, 5):
        profile[132 + entry * 12 + 4 : 132 + (entry + 1) * 12] = red
    assert bare_profile(bytes(profile), "icon.png") == icc.LINEAR


@pytest.mark.parametrize(
    "profile",
    [
        b"",
        icc.LINEAR[:131],
        icc.profile_of([], magic=b"xxxx"),
        icc.profile_of([], space=b"CMYK"),
        icc.rgb(TONE).replace(b"XYZ \0", b"Lab \0"),
        icc.profile_of([], connection=b"Lab "),
        icc.profile_of(icc.SRGB_PRIMARIES),
        icc.profile_of(icc.SRGB_PRIMARIES, count=2**32 - 1),
        icc.profile_of(icc.SRGB_PRIMARIES, count=50),
        icc.rgb(TONE, *[(b"note", b"")] * 123),
        icc.rgb(b"text"),
        icc.profile_of([], space=b"GRAY"),
    ],
)
def test_what_cannot_be_used_is_refused(profile: bytes) -> None:
    with pytest.raises(ApiError) as refusal:
        bare_profile(profile, "icon.png")
    assert (refusal.value.code, refusal.value.field) == ("invalid_field", "icon.png")


def test_any_bytes_may_be_asked_whether_they_are_grey() -> None:
    assert not is_grey(b"")
    assert not is_grey(icc.LINEAR)
    assert is_grey(icc.grey(TONE))
