"""One OpenGL context for all tests here, and a stage on which surfaces are photographed."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from pathlib import Path

import moderngl
import numpy as np
import pytest
from whitecap.app.camera import Camera, Pose
from whitecap.app.gl_context import GLUnavailable, close_offscreen, facts, offscreen_context
from whitecap.app.view.look import Look
from whitecap.app.view.picture import OffscreenTarget
from whitecap.app.view.renderer import Renderer
from whitecap.app.view.scene_block import Hover
from whitecap.app.view.surface import Surface


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent and not Path(item.fspath).name.startswith("test_window"):
            item.add_marker(pytest.mark.gl)


@pytest.fixture(scope="module")
def context() -> Iterator[moderngl.Context]:
    try:
        made = offscreen_context()
    except GLUnavailable as error:
        pytest.skip(str(error))
    yield made
    close_offscreen(made)


@pytest.fixture(scope="module")
def is_software(context: moderngl.Context) -> bool:
    return facts(context).is_software


@pytest.fixture(autouse=True)
def _no_gl_error(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test may leave an OpenGL error behind."""
    yield
    if "context" in request.fixturenames:
        assert request.getfixturevalue("context").error == "GL_NO_ERROR"


class Stage:
    """A renderer, and one call that makes a surface, draws it and gives the pixels."""

    def __init__(self, context: moderngl.Context) -> None:
        self.context = context
        self.renderer = Renderer(context)
        self.camera = Camera()

    def photograph(
        self,
        heights: np.ndarray,
        look: Look,
        pose: Pose | str = "home",
        size: tuple[int, int] = (320, 200),
        hover: Hover | None = None,
        walls: np.ndarray | None = None,
        cell: float = 0.1,
    ) -> np.ndarray:
        """(H, W, 3) uint8, top row first. pose: a Pose, or the name of a view."""
        surface = Surface(self.context, heights.shape[1], heights.shape[0], cell)
        # Twice, so that what is read one change later (the automatic range) is about these heights too.
        for _ in range(2):
            surface.upload(np.ascontiguousarray(heights, dtype=np.float32))
        surface.set_walls(walls)
        self.camera = Camera(surface.grid.extent)
        self.camera.aspect = size[0] / size[1]
        if isinstance(pose, Pose):
            self.camera.pose = pose
        else:
            getattr(self.camera, pose)()
            self.camera.update(60.0)
        target = OffscreenTarget(self.context, *size)
        self.renderer.draw(surface, self.camera, look, size, target.framebuffer, hover)
        pixels = target.read()
        target.release()
        surface.release()
        return pixels


@pytest.fixture(scope="module")
def stage(context: moderngl.Context) -> Iterator[Stage]:
    made = Stage(context)
    yield made
    made.renderer.release()


@pytest.fixture
def count_objects(context: moderngl.Context) -> Callable[[], dict[str, int]]:
    """Counts the OpenGL objects that exist, by asking OpenGL itself about each possible name."""
    library = ctypes.CDLL(ctypes.util.find_library("GL"))
    kinds = ["Texture", "Buffer", "Framebuffer", "Renderbuffer", "VertexArray", "Program", "Query"]

    def count() -> dict[str, int]:
        # A program that is deleted while it is in use stays until another one is used.
        library.glUseProgram(0)
        context.finish()
        return {kind: sum(bool(getattr(library, f"glIs{kind}")(name)) for name in range(1, 3000)) for kind in kinds}

    return count
