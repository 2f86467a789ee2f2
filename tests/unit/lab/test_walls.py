"""Walls: what shapes cover, what edges absorb, runs of a mask and pictures as walls."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image
from whitecap.app.errors import UserError
from whitecap.app.lab.medium import SOAKS, Painter, make_medium, sponge, sponge_strength
from whitecap.app.lab.raster import covered
from whitecap.app.lab.stamps import mask_to_runs, runs_to_mask, stamp_from_image
from whitecap.app.lab.walls import Boundaries, Box, Disc, Polygon, Shape, Stamp, Stroke

SHAPE = (48, 64)


def covers(wall, shape=SHAPE) -> np.ndarray:
    """Every cell that a shape covers, as one mask."""
    mask = np.zeros(shape, dtype=bool)
    found = covered(wall, shape)
    if found is not None:
        rows, columns, part = found
        mask[rows, columns] = part
    return mask


def centres(shape=SHAPE) -> tuple[np.ndarray, np.ndarray]:
    y, x = np.mgrid[: shape[0], : shape[1]]
    return (x + 0.5) / shape[1], (y + 0.5) / shape[1]


def test_box_covers_the_cells_whose_centres_lie_in_it() -> None:
    x, y = centres()
    assert (covers(Box(0.2, 0.1, 0.5, 0.3)) == ((x >= 0.2) & (x <= 0.5) & (y >= 0.1) & (y <= 0.3))).all()
    assert (covers(Box(0.5, 0.3, 0.2, 0.1)) == covers(Box(0.2, 0.1, 0.5, 0.3))).all()


def test_disc_ring_and_outside() -> None:
    x, y = centres()
    distance = np.hypot(x - 0.5, y - 0.4)
    assert (covers(Disc(0.5, 0.4, 0.2)) == (distance <= 0.2)).all()
    assert (covers(Disc(0.5, 0.4, 0.2, hole=0.1)) == ((distance <= 0.2) & (distance >= 0.1))).all()
    assert (covers(Disc(0.5, 0.4, 0.2, outside=True)) == (distance > 0.2)).all()


def test_polygon_agrees_with_a_half_plane_test() -> None:
    a, b, c = (0.213, 0.107), (0.809, 0.311), (0.401, 0.703)
    x, y = centres()

    def left_of(p: tuple[float, float], q: tuple[float, float]) -> np.ndarray:
        return (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0

    assert (covers(Polygon((a, b, c))) == (left_of(a, b) & left_of(b, c) & left_of(c, a))).all()


def test_concave_polygon_leaves_its_notch_open() -> None:
    notch = Polygon(((0.1, 0.1), (0.9, 0.1), (0.9, 0.6), (0.5, 0.2), (0.1, 0.6)))
    mask = covers(notch)
    assert not mask[round(0.5 * 64), round(0.5 * 64)]
    assert mask[round(0.15 * 64), round(0.5 * 64)]


def test_a_stroke_is_connected_however_thin() -> None:
    mask = covers(Stroke(((0.1, 0.1), (0.9, 0.6)), width=0.0))
    columns = np.flatnonzero(mask.any(axis=0))
    assert (np.diff(columns) == 1).all()
    assert columns[0] <= 7
    assert columns[-1] >= 56


def test_a_single_point_stroke_is_a_disc() -> None:
    assert (covers(Stroke(((0.5, 0.4),), width=0.2)) == covers(Disc(0.5, 0.4, 0.1))).all()


@pytest.mark.parametrize("wall", [Box(2, 2, 3, 3), Disc(-2, 0, 0.5), Stroke(((1.5, 0.1), (2.0, 0.1)), 0.1)])
def test_shapes_outside_the_basin_cover_nothing(wall) -> None:
    assert not covers(wall).any()


def test_shapes_that_reach_beyond_the_basin_are_cut_off() -> None:
    assert covers(Box(-3, -3, 4, 4)).all()
    assert covers(Disc(0.5, 0.4, 4.0)).all()


def test_later_shapes_paint_over_earlier_ones() -> None:
    medium = make_medium(
        (Box(0, 0, 1, 1), Box(0.2, 0.2, 0.8, 0.6, kind="water"), Disc(0.5, 0.4, 0.1, kind="slow", speed=0.5)),
        Boundaries(),
        SHAPE,
        0.1,
    )
    assert medium.speed[2, 2] == 0
    assert medium.speed[16, 16] == 1
    assert medium.speed[25, 32] == pytest.approx(0.25)


def test_erasing_takes_an_absorbing_wall_away_entirely() -> None:
    wall, eraser = Box(0.2, 0.2, 0.5, 0.5, kind="absorbing"), Box(0.1, 0.1, 0.6, 0.6, kind="water")
    assert not make_medium((wall,), Boundaries(), SHAPE, 0.1).open_cells.all()
    assert make_medium((wall, eraser), Boundaries(), SHAPE, 0.1).open_cells.all()


def test_an_absorbing_wall_is_neither_water_nor_reflecting() -> None:
    medium = make_medium((Box(0.25, 0.0, 0.75, 1.0, kind="absorbing"),), Boundaries(), (64, 64), 0.1)
    inside = np.zeros((64, 64), dtype=bool)
    inside[:, 16:48] = True
    assert (medium.damping[inside] == SOAKS).all()
    assert (medium.open_cells == ~inside).all()
    assert (medium.speed > 0).all()


def test_a_stamp_stretches_over_any_grid() -> None:
    mask = np.zeros((4, 4), dtype=np.uint8)
    mask[1, 2] = 1
    stamp = Stamp(4, 4, mask.tobytes())
    for size in (4, 10, 64):
        found = covers(stamp, (size, size))
        y, x = np.nonzero(found)
        assert found.sum() == pytest.approx(size * size / 16, rel=0.6)
        assert (x + 0.5).mean() / size == pytest.approx(0.625, abs=0.13)
        assert (y + 0.5).mean() / size == pytest.approx(0.375, abs=0.13)


@pytest.mark.parametrize("side", ["left", "right", "far", "near"])
def test_a_sponge_lies_at_its_edge_and_grows_towards_it(side: str) -> None:
    damping = sponge(Boundaries(**{side: "absorbing"}), SHAPE, 0.1)
    turned = {"left": damping, "right": damping[:, ::-1], "far": damping.T, "near": damping.T[:, ::-1]}[side]
    assert (np.diff(turned, axis=1) <= 0).all()
    assert turned[:, 0].min() > 0
    assert not turned[:, turned.shape[1] // 2 :].any()


def test_a_sponge_takes_the_same_from_a_wave_on_every_grid() -> None:
    sums = [
        sponge(Boundaries(left="absorbing"), (size, size), 12.8 / size)[0].sum() * 12.8 / size
        for size in (64, 256, 1024)
    ]
    assert sums == pytest.approx([2.5] * 3, rel=0.02)  # the logarithm of the loss there and back


def test_periodic_edges_come_in_pairs() -> None:
    both = Boundaries().with_edge("left", "periodic")
    assert (both.left, both.right) == ("periodic", "periodic")
    assert both.with_edge("right", "fixed") == Boundaries(left="reflecting", right="fixed")
    assert both.with_edge("far", "fixed").left == "periodic"
    assert list(both.codes()) == [2, 2, 0, 0]
    assert list(Boundaries("fixed", "absorbing").codes()) == [1, 3, 0, 0]


@given(arrays.arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 12))))
def test_runs_come_back_as_the_mask_they_were(mask: np.ndarray) -> None:
    assert (runs_to_mask(mask_to_runs(mask), mask.shape[1], mask.shape[0]) == mask).all()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["3 2"], "adds? up to 5"),
        (["3 5 x"], "only whole numbers"),
        (["-1 9"], "only whole numbers"),
        (["8", "8", "8"], "more than 2 rows"),
        (["8"], "1 rows are given, 2 are needed"),
        (["9999999* 8"], "more than 2 rows"),
        (["* 8"], "only whole numbers"),
        (["1.5 6.5"], "only whole numbers"),
        ([""], "add up to 0"),
        (["99999999999999999999 8"], "add up to"),
    ],
)
def test_broken_runs_are_refused(lines: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        runs_to_mask(lines, 8, 2)


def save(path: Path, pixels: np.ndarray) -> str:
    Image.fromarray(pixels).save(path)
    return str(path)


def test_the_dark_part_of_a_picture_becomes_wall(tmp_path: Path) -> None:
    pixels = np.full((6, 8, 3), 255, np.uint8)
    pixels[2:4, 1:5] = 10
    stamp = stamp_from_image(save(tmp_path / "a.png", pixels))
    mask = np.frombuffer(stamp.mask, np.uint8).reshape(stamp.rows, stamp.columns)
    assert (stamp.columns, stamp.rows) == (8, 6)
    assert mask.sum() == 8
    assert mask[2:4, 1:5].all()


def test_on_transparent_ground_the_opaque_part_becomes_wall(tmp_path: Path) -> None:
    pixels = np.zeros((4, 4, 4), np.uint8)
    pixels[1, 2] = (255, 255, 255, 255)
    stamp = stamp_from_image(save(tmp_path / "a.png", pixels))
    assert np.flatnonzero(np.frombuffer(stamp.mask, np.uint8)).tolist() == [6]


def test_grey_of_sixteen_bits_is_dark_below_the_middle(tmp_path: Path) -> None:
    pixels = np.full((2, 3000), 65535, np.uint16)
    pixels[:, :1000] = 20000
    stamp = stamp_from_image(save(tmp_path / "a.png", pixels), largest=300)
    assert np.frombuffer(stamp.mask, np.uint8).reshape(stamp.rows, 300).sum(axis=1).tolist() == [100] * stamp.rows


def test_large_pictures_are_shrunk(tmp_path: Path) -> None:
    stamp = stamp_from_image(save(tmp_path / "a.png", np.zeros((30, 3000), np.uint8)), largest=300)
    assert max(stamp.columns, stamp.rows) == 300


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "a.png: there is no such file"),
        (b"hello", "not a picture"),
        (b"", "not a picture"),
        (b"\x89PNG\r\n\x1a\n", "a.png"),
    ],
)
def test_files_that_are_no_picture_are_refused_by_name(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "a.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        stamp_from_image(str(path))
    assert "\n" not in str(caught.value)


def test_a_truncated_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    data = Path(save(path, noise)).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match=r"picture|truncated"):
        stamp_from_image(str(path))


def test_a_picture_without_dark_parts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no pixel is dark"):
        stamp_from_image(save(tmp_path / "a.png", np.full((4, 4), 255, np.uint8)))


def test_the_folder_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this is a folder"):
        stamp_from_image(str(tmp_path))


def test_a_painter_that_remembers_paints_what_a_fresh_one_does() -> None:
    painter, random = Painter(), np.random.default_rng(5)
    shapes: list[Shape] = []
    for step in range(60):
        where = random.random((3, 2))
        kind = ("reflecting", "absorbing", "slow", "water")[step % 4]
        stroke = Stroke(tuple(map(tuple, where)), 0.1, kind)  # type: ignore[arg-type]
        choice = random.integers(4)
        if choice == 0 and shapes:
            shapes = shapes[: random.integers(len(shapes))]
        elif choice == 1 and shapes:
            shapes = [*shapes[:-1], stroke]
        else:
            shapes = [*shapes, stroke]
        edges = Boundaries(left="absorbing" if step % 7 < 3 else "fixed")
        shape = (48, 64) if step < 50 else (30, 40)
        made, fresh = painter.medium(shapes, edges, shape, 0.1), make_medium(shapes, edges, shape, 0.1)
        assert (made.speed == fresh.speed).all()
        assert (made.damping == fresh.damping).all()


def test_the_sponges_strength_is_its_largest_damping() -> None:
    edges = Boundaries(left="absorbing", sponge=0.3)
    assert sponge(edges, (64, 64), 0.1).max() == pytest.approx(sponge_strength(edges, 64, 0.1), rel=0.05)
    assert sponge_strength(Boundaries("fixed"), 64, 0.1) == 0.0


def test_slow_water_has_a_floor() -> None:
    medium = make_medium((Box(0, 0, 1, 1, kind="slow", speed=0.0),), Boundaries(), SHAPE, 0.1)
    assert math.isclose(float(medium.speed.min()), 0.01, rel_tol=1e-6)
