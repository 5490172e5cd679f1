"""Orbs: every state has a shape of its own, moves as it should, and is drawn once."""

from itertools import combinations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from orbtile.palette.ramps import Ramp
from orbtile.palette.scheme import PaletteSource, make_scheme
from orbtile.palette.states import ACTIVITIES, State
from orbtile.ui.orb import (
    DONE_S,
    FRAMES,
    KIND_MARK_FROM_PX,
    TOOL_FRAMES,
    TYPING_S,
    OrbKey,
    PictureStore,
    frame_of,
    moves,
    orb_image,
    orb_reach,
    paint_orb,
)
from orbtile.ui.theme import DARK, LIGHT

RAMP = Ramp("#1e1606", "#644808", "#daa341", "#efc37c", "#fbf0e1")
KINDS = ("shell", "edit", "read", "web", "delegate", "plan", "integration", "other")
STILL = (State.ERROR, State.DONE, State.IDLE, State.OFFLINE)
CYCLE_S = {
    State.WAITING_PERMISSION: 1.6,
    State.WAITING_QUESTION: 1.6,
    State.TOOL: 1.2,
    State.STREAMING: 0.8,
    State.THINKING: 2.4,
    State.STARTING: 1.2,
    State.COMPACTING: 1.6,
}
SOURCES = {
    "warm": PaletteSource(80),
    "violet": PaletteSource(290),
    "pale": PaletteSource(190, chroma=0.5, lightness=0.05),
    "explicit": PaletteSource(
        255,
        states=(
            (State.THINKING, "#818cf8"),
            (State.STREAMING, "#a3e635"),
            (State.DONE, "#22c55e"),
            (State.IDLE, "#6b7280"),
        ),
    ),
}


def canvas(side: int, scale: float = 1) -> QImage:
    image = QImage(round(side * scale), round(side * scale), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    return image


def bytes_of(image: QImage) -> bytes:
    """The pixels of an 8 bit image, without the padding of its lines."""
    stride, data = image.bytesPerLine(), bytes(image.constBits())
    return b"".join(data[y * stride : y * stride + image.width()] for y in range(image.height()))


def silhouette(image: QImage) -> bytes:
    return bytes_of(image.convertToFormat(QImage.Format.Format_Alpha8))


def greys(image: QImage, *, dark: bool) -> bytes:
    """As seen on the theme's surface by somebody who sees no colours."""
    ground = QImage(image.size(), QImage.Format.Format_RGB32)
    ground.setDevicePixelRatio(image.devicePixelRatio())
    ground.fill(QColor((DARK if dark else LIGHT)["surface"]))
    painter = QPainter(ground)
    painter.drawImage(0, 0, image)
    painter.end()
    return bytes_of(ground.convertToFormat(QImage.Format.Format_Grayscale8))


def grey_difference(one: bytes, other: bytes) -> float:
    """Mean distance, 0..1."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 255 / len(one)


def shape_difference(one: bytes, other: bytes) -> float:
    """What only one of two silhouettes covers, as a share of the smaller one."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / min(sum(one), sum(other))


def picture(state: State, frame: int = 0, kind: str | None = None, size: int = 28) -> QImage:
    return orb_image(RAMP, state, kind, size, 1.0, dark=True, halo=False, frame=frame)


# shapes


@pytest.mark.parametrize("size", [16, 18, 20, 28, 32, 34, 56])
def test_no_two_states_share_a_silhouette(size: int) -> None:
    shapes = {state: silhouette(picture(state, size=size)) for state in ACTIVITIES}
    for one, other in combinations(ACTIVITIES, 2):
        assert shape_difference(shapes[one], shapes[other]) > 0.1, (one, other)


@pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("size", [16, 28, 56])
def test_still_states_differ_without_colour_whatever_the_palette(source: str, size: int, dark: bool) -> None:
    scheme = make_scheme(SOURCES[source])
    seen = {
        state: greys(orb_image(scheme[state].ramp, state, None, size, 1.0, dark=dark, halo=False), dark=dark)
        for state in ACTIVITIES
    }
    for one, other in combinations(ACTIVITIES, 2):
        assert grey_difference(seen[one], seen[other]) > 0.02, (one, other)


def test_no_moment_of_a_motion_looks_like_another_state() -> None:
    seen = {
        state: {silhouette(picture(state, frame_of(state, i * cycle_s / 36 + 1e-6))) for i in range(36)}
        for state, cycle_s in CYCLE_S.items()
    }
    seen |= {state: {silhouette(picture(state))} for state in STILL}
    for one, other in combinations(ACTIVITIES, 2):
        assert min(shape_difference(a, b) for a in seen[one] for b in seen[other]) > 0.1, (one, other)


def test_an_empty_orb_is_nothing() -> None:
    image = canvas(40)
    painter = QPainter(image)
    paint_orb(painter, QRectF(6, 6, 28, 28), State.EMPTY, RAMP, dark=True)
    painter.end()
    assert not any(silhouette(image))


def test_a_halo_leaves_the_box_and_can_be_left_out() -> None:
    def drawn(*, halo: bool) -> QImage:
        image = canvas(76)
        painter = QPainter(image)
        paint_orb(painter, QRectF(10, 10, 56, 56), State.THINKING, RAMP, dark=True, halo=halo)
        painter.end()
        return image

    assert drawn(halo=True).pixelColor(7, 38).alpha() > 0
    assert drawn(halo=False).pixelColor(7, 38).alpha() == 0


@pytest.mark.parametrize("state", ACTIVITIES)
@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_an_orb_touches_nothing_beyond_its_reach(state: State, scale: float) -> None:
    box = QRectF(16.3, 15.6, 28, 28)
    for frame in range(0, FRAMES, 2):
        image = canvas(60, scale)
        painter = QPainter(image)
        paint_orb(painter, box, state, RAMP, dark=True, frame=frame if moves(state) else 0)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
        painter.fillRect(orb_reach(box), Qt.GlobalColor.transparent)
        painter.end()
        assert not any(silhouette(image))


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_an_orb_snaps_to_whole_device_pixels(scale: float) -> None:
    def drawn(left: float) -> QImage:
        image = canvas(60, scale)
        painter = QPainter(image)
        paint_orb(painter, QRectF(left, 16, 28, 28), State.ERROR, RAMP, dark=True, halo=False)
        painter.end()
        return image

    assert drawn(16 + 0.2 / scale) == drawn(16)


@pytest.mark.parametrize("state", [State.STREAMING, State.COMPACTING])
@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_straight_bars_stand_on_whole_device_pixels(state: State, scale: float) -> None:
    image = orb_image(RAMP, state, None, 28, scale, dark=True, halo=False)
    middle = image.height() // 2
    if state is State.STREAMING:  # across the cursor, right of the ball
        bar = [image.pixelColor(x, middle).alpha() for x in range(round(image.width() * 0.68), image.width())]
    else:  # down through the upper bar, above the ball
        bar = [image.pixelColor(middle, y).alpha() for y in range(round(image.height() * 0.3))]
    assert set(bar) == {0, 255}


# tool marks


def test_tool_marks_are_drawn_from_32_px_up_and_differ() -> None:
    below, from_here = KIND_MARK_FROM_PX - 4, KIND_MARK_FROM_PX
    assert picture(State.TOOL, kind="shell", size=below) == picture(State.TOOL, size=below)
    assert picture(State.TOOL, kind="shell", size=from_here) != picture(State.TOOL, size=from_here)
    marked = [picture(State.TOOL, kind=kind, size=56) for kind in KINDS]
    assert all(one != other for one, other in combinations(marked, 2))


def test_without_a_known_kind_the_mark_is_other() -> None:
    other = picture(State.TOOL, kind="other", size=56)
    assert picture(State.TOOL, size=56) == other
    assert picture(State.TOOL, kind="not a kind", size=56) == other


def test_a_mark_belongs_to_the_tool_state_alone() -> None:
    assert picture(State.IDLE, kind="shell", size=56) == picture(State.IDLE, size=56)


@pytest.mark.parametrize("kind", KINDS)
def test_every_mark_moves_inside_the_ball(kind: str) -> None:
    def mark(frame: int) -> bytes:
        return bytes_of(picture(State.TOOL, frame, kind, 56).copy(20, 20, 30, 30).convertToFormat(GREY))

    pictures = [mark(frame) for frame in range(TOOL_FRAMES)]
    assert len(set(pictures)) >= 2
    assert max(grey_difference(pictures[0], later) for later in pictures) > 0.005


GREY = QImage.Format.Format_Grayscale8


# motion


@pytest.mark.parametrize("state", CYCLE_S)
def test_a_cycle_has_its_number_of_pictures_each_as_long_as_the_others(state: State) -> None:
    count = TOOL_FRAMES if state is State.TOOL else FRAMES
    step_s = CYCLE_S[state] / count
    frames = [frame_of(state, (i + 0.5) * step_s) for i in range(3 * count)]
    assert frames == [*range(count)] * 3
    assert moves(state)


@pytest.mark.parametrize("state", STILL)
def test_what_is_over_stands_still(state: State) -> None:
    assert {frame_of(state, i / 7, age_s=i + DONE_S) for i in range(20)} == {0}
    assert not moves(state)


def test_the_lit_arc_of_a_tool_goes_round_in_six_steps() -> None:
    pictures = [bytes(picture(State.TOOL, frame).constBits()) for frame in range(TOOL_FRAMES)]
    assert len(set(pictures)) == 6
    assert all(len(set(pictures[arc * 3 : arc * 3 + 3])) == 1 for arc in range(6))


def test_every_picture_of_a_moving_state_is_another_one() -> None:
    for state in (State.THINKING, State.STARTING):
        assert len({bytes(picture(state, frame, size=56).constBits()) for frame in range(FRAMES)}) == FRAMES


def test_a_waiting_orb_grows_and_shrinks_and_its_halo_with_it() -> None:
    areas = [sum(silhouette(picture(State.WAITING_PERMISSION, frame, size=56))) for frame in range(FRAMES)]
    assert areas[FRAMES // 4] == max(areas)
    assert areas[3 * FRAMES // 4] == min(areas)
    assert max(areas) / min(areas) == pytest.approx((1.05 / 0.95) ** 2, abs=0.02)

    def halo_alpha(frame: int) -> int:
        image = orb_image(RAMP, State.WAITING_PERMISSION, None, 56, 1.0, dark=True, frame=frame)
        return image.pixelColor(image.width() // 2, 6).alpha()

    assert halo_alpha(FRAMES // 4) > halo_alpha(0) > halo_alpha(3 * FRAMES // 4)


def test_the_cursor_blinks_until_text_comes() -> None:
    def cursor_alpha(frame: int) -> int:
        image = picture(State.STREAMING, frame, size=56)
        return image.pixelColor(round(image.width() / 2 + 0.285 * 56), image.height() // 2).alpha()

    def alphas(age_s: float) -> set[int]:
        return {cursor_alpha(frame_of(State.STREAMING, i * 0.05, age_s)) for i in range(16)}

    resting, typing = alphas(TYPING_S), alphas(0.1)
    assert resting == {255, 64}
    assert typing == {255}


def test_the_ball_beats_only_while_text_comes() -> None:
    def areas(first: int) -> set[int]:
        ball = QRectF(0, 0, 46, 80).toRect()
        frames = range(first, first + FRAMES)
        return {sum(silhouette(picture(State.STREAMING, frame, size=56).copy(ball))) for frame in frames}

    assert len(areas(0)) == 1
    assert len(areas(FRAMES)) > 5


def test_a_tick_is_drawn_once_in_200_ms_and_then_stays() -> None:
    ages_s = [i * 0.01 for i in range(30)]
    frames = [frame_of(State.DONE, 7.3, age_s) for age_s in ages_s]
    drawn = [frame for frame in frames if frame]
    assert drawn == sorted(drawn)
    assert len(drawn) == pytest.approx(DONE_S / 0.01, abs=1)
    assert set(frames[len(drawn) :]) == {0}
    assert [moves(State.DONE, age_s) for age_s in ages_s] == [frame > 0 for frame in frames]

    def ink(frame: int) -> int:
        """How much of the disc the tick covers."""
        image = picture(State.DONE, frame, size=56).convertToFormat(GREY)
        return sum(value < 60 for value in bytes_of(image.copy(22, 22, 28, 28)))

    inks = [ink(frame) for frame in (1, 2, 3, 4, 5, 0)]
    assert inks[0] < inks[1] < inks[2] < inks[3] < inks[4] < inks[5]


# what is kept


def key(number: int, size_px: int = 28) -> OrbKey:
    return OrbKey(RAMP, State.THINKING, None, size_px, 1.0, True, True, number)


def test_an_orb_is_drawn_once_for_a_key() -> None:
    first = orb_image(RAMP, State.DONE, None, 28, 2.0, dark=True)
    assert orb_image(RAMP, State.DONE, None, 28, 2.0, dark=True) is first
    assert first.devicePixelRatio() == 2.0


def test_what_is_kept_is_bounded_by_bytes_and_the_oldest_goes() -> None:
    one = PictureStore(1 << 20).get(key(0)).sizeInBytes()
    store = PictureStore(3 * one)
    pictures = [store.get(key(number)) for number in range(3)]
    assert store.get(key(0)) is pictures[0], "asked for again, so it is the youngest"
    store.get(key(3))
    assert store.held_bytes == 3 * one
    assert store.get(key(0)) is pictures[0]
    assert store.get(key(1)) is not pictures[1]


def test_a_picture_too_large_to_keep_is_drawn_all_the_same() -> None:
    store = PictureStore(1)
    assert store.get(key(0, 112)).width() > 112
    assert (len(store), store.held_bytes) == (0, 0)
