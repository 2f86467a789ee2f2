"""Targets off the screen."""

from __future__ import annotations

import numpy as np
import pytest
from whitecap.app.errors import UserError
from whitecap.app.view.picture import OffscreenTarget


@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (640, 480)])
def test_pixels_come_back_with_the_top_row_first(context, size: tuple[int, int], samples: int) -> None:
    target = OffscreenTarget(context, *size, samples=samples)
    target.framebuffer.use()
    target.framebuffer.clear(0.0, 0.0, 1.0)
    target.framebuffer.clear(1.0, 0.0, 0.0, viewport=(0, size[1] - 1, size[0], 1))
    pixels = target.read()
    assert pixels.shape == (size[1], size[0], 3)
    assert pixels.dtype == np.uint8
    assert (pixels[0] == (255, 0, 0)).all()
    assert (pixels[1:] == (0, 0, 255)).all()
    target.release()


@pytest.mark.parametrize("size", [(0, 10), (10, 0), (-5, 10), (10**7, 10)])
def test_impossible_sizes_are_refused_in_one_line(context, size: tuple[int, int]) -> None:
    with pytest.raises(UserError, match=r"picture: .* pixels were asked for; this OpenGL draws 1 to \d+") as caught:
        OffscreenTarget(context, *size)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("samples", [0, 2, 64])
def test_targets_give_everything_back(context, count_objects, samples: int) -> None:
    before = count_objects()
    for _ in range(5):
        OffscreenTarget(context, 32, 32, samples=samples).release()
    assert count_objects() == before
