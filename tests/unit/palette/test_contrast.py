import pytest

from orbtile.palette.contrast import contrast, luminance


def test_black_and_white_are_the_ends() -> None:
    assert luminance("#000000") == 0
    assert luminance("#ffffff") == pytest.approx(1)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#eab308", "#eab308") == 1


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#777777", "#ffffff", 4.48),  # the well-known pair around the limit of 4.5
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.00),
        ("#0000ff", "#ffffff", 8.59),
    ],
)
def test_the_ratio_of_known_pairs_in_either_order(one: str, other: str, ratio: float) -> None:
    assert contrast(one, other) == pytest.approx(ratio, abs=0.005)
    assert contrast(other, one) == contrast(one, other)
