"""The view without OpenGL has the calls of the real one and keeps their promises."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from whitecap.app.camera import Camera
from whitecap.app.view.look import Look
from whitecap.app.view.null import NullRenderer, NullSurface
from whitecap.app.view.renderer import Renderer
from whitecap.app.view.surface import Surface


@pytest.mark.parametrize(("real", "null"), [(Renderer, NullRenderer), (Surface, NullSurface)])
def test_every_public_call_is_there_with_the_same_parameters(real: type, null: type) -> None:
    for name, member in inspect.getmembers(real, inspect.isfunction):
        if not name.startswith("_"):
            assert list(inspect.signature(member).parameters) == list(inspect.signature(getattr(null, name)).parameters)


def test_heights_come_back() -> None:
    surface = NullSurface(None, 5, 3, 0.1)
    heights = np.arange(15, dtype=np.float32).reshape(3, 5)
    surface.upload(heights)
    assert np.array_equal(surface.read_heights(), heights)
    assert surface.extremes() == (0.0, 14.0)
    assert surface.changes == 1


def test_a_buffer_of_another_size_is_refused() -> None:
    surface = NullSurface(None, 5, 3, 0.1)
    with pytest.raises(ValueError, match="do not fit"):
        surface.upload(np.zeros(16, np.float32))


def test_broken_heights_show_up() -> None:
    surface = NullSurface(None, 4, 4, 0.1)
    surface.upload(np.array([0.0] * 15 + [np.nan], np.float32))
    assert surface.extremes() == (-np.inf, np.inf)


def test_the_renderer_remembers_what_it_was_asked_to_show() -> None:
    renderer, surface, camera = NullRenderer(), NullSurface(None, 4, 4, 0.1), Camera()
    renderer.draw(surface, camera, Look(), (0, 10))
    assert renderer.frames == 0
    renderer.draw(surface, camera, Look(mode="data"), (20, 10))
    assert renderer.frames == 1
    assert renderer.last["size"] == (20, 10)
    assert renderer.colorbar is not None
