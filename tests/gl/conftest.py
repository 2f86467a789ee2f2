"""One OpenGL context for all tests here, a stage on which surfaces are photographed, and a window on a display."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import shutil
import subprocess
import sys
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

sys.path.insert(0, str(Path(__file__).parent))  # hands.py, imported by name


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


# ---- the window


@pytest.fixture(scope="session")
def x_display() -> Iterator[str]:
    """One server for every file: Xlib ends the process when the one that it is connected to goes away."""
    from hands import x_server

    with x_server() as name:
        yield name


@pytest.fixture(scope="module")
def display(x_display, tmp_path_factory):
    from hands import on_display

    with on_display(x_display, tmp_path_factory.mktemp("window")):
        yield


@pytest.fixture
def open_window(display):
    """Opens a session as after `--fresh` and closes it at the end of the test."""
    from hands import Hand
    from whitecap.app.arguments import parse
    from whitecap.app.session import WindowSession
    from whitecap.app.settings import Settings

    with contextlib.ExitStack() as stack:

        def open_one(*arguments):
            Settings.forget()
            session = WindowSession(parse(list(arguments))[1])
            stack.callback(session.close)
            assert session.open()
            session.application.welcome(still=True)
            return Hand(session)

        yield open_one


@pytest.fixture
def mouse(display):
    """The display's own mouse and keyboard."""
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed: apt-get install xdotool")

    def run(*arguments):
        subprocess.run(["xdotool", *map(str, arguments)], check=True, timeout=20)

    yield run
    for button in (1, 2, 3):
        run("mouseup", button)


@pytest.fixture
def xdotool(tmp_path):
    """The tool on a display of the test's own, for programs started there."""
    from hands import a_display

    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed: apt-get install xdotool")

    def run(*arguments):
        command = ["xdotool", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout

    with a_display(tmp_path):
        yield run
