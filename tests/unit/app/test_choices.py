"""What flags do beside a preset or a saved scene, on the null renderer."""

import numpy as np
import pytest
from whitecap.app.application import Application
from whitecap.app.arguments import parse
from whitecap.app.choices import apply_document, apply_view, chosen_grid, chosen_scene
from whitecap.app.errors import UsageError
from whitecap.app.lab.checkpoint import save_checkpoint
from whitecap.app.lab.document import Document, save, to_text
from whitecap.app.lab.document import parse as parse_document
from whitecap.app.lab.setup import Setup
from whitecap.app.lab.sources import Source
from whitecap.app.scene import Grid
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage

POSE = "yaw=90 pitch=20 distance=10 target=0,0,0"


@pytest.fixture
def opened():
    """The application that shows what a command line names."""
    applications = []

    def open_what(*arguments):
        options = parse([str(argument) for argument in arguments])[1]
        scene = chosen_scene(options)
        grid = chosen_grid(options, scene)
        application = Application(Simulation(scene, grid), Stage(None, grid))
        applications.append(application)
        apply_document(application, options)
        application.fixed_frame()
        return application

    yield open_what
    for application in applications:
        application.close()


@pytest.fixture
def bay(tmp_path):
    """A saved scene of 48 x 24 cells with a source at its near edge, and still waves 2 high."""
    grid = Grid(48, 24, 8)
    setup = Setup("tank", grid, sources=(Source(y=0.5),))
    save(tmp_path / "bay.toml", Document("Bay", setup=setup, camera=POSE, checkpoint="b.npz"))
    save_checkpoint(tmp_path / "b.npz", {name: np.full(grid.shape, 2.0) for name in ("heights", "heights_prev")})
    return tmp_path / "bay.toml"


@pytest.mark.parametrize(
    ("flags", "grid"),
    [
        ("--width 96", (96, 48, 8)),
        ("--height 12", (24, 12, 8)),
        ("--width 40 --height 30", (40, 30, 8)),
        ("--substeps 20", (48, 24, 20)),
        ("--width 24 --substeps 9", (24, 12, 9)),
        ("--width 1", (1, 1, 8)),
        ("", (48, 24, 8)),
    ],
)
def test_a_saved_scene_is_shown_on_the_grid_that_the_flags_ask_for_with_its_waves(opened, bay, flags, grid):
    simulation = opened(bay, *flags.split()).simulation
    shown = simulation.grid
    assert (simulation.scene.name, shown.width, shown.height, shown.substeps) == ("tank", *grid)
    assert np.median(simulation.heights()) == pytest.approx(2.0, abs=0.1)


def test_the_camera_of_a_saved_scene_stands_there_in_the_first_picture(opened, bay):
    assert opened(bay).camera_pose() == POSE


def test_view_counts_more_than_the_camera_of_a_saved_scene(opened, bay):
    application = opened(bay)
    apply_view(application, "yaw=10 pitch=30 distance=8 target=0,0,0", None)
    assert application.camera_pose() == "yaw=10 pitch=30 distance=8 target=0,0,0"


def test_a_preset_is_shown_on_the_grid_that_the_flags_ask_for(opened):
    usual = opened("--preset", "two-sources").simulation
    changed = opened("--preset", "two-sources", "--width", 64, "--substeps", usual.grid.substeps + 3).simulation
    assert changed.scene.name == usual.scene.name
    assert changed.grid.height / 64 == pytest.approx(usual.grid.height / usual.grid.width, abs=1 / 64)
    assert (changed.grid.width, changed.grid.substeps) == (64, usual.grid.substeps + 3)


def test_a_scene_on_a_shorter_grid_can_be_saved_and_opened(opened, bay):
    document = opened(bay, "--width", 48, "--height", 8).lab.library.current()
    assert parse_document(to_text(document)).setup.grid.shape == (8, 48)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--width", "16384", "--height", "16384"), "--width 16384 --height 16384: grid .* is too large"),
        (("--substeps", "1"), "--substeps 1: refused: .* needs 2 sub-steps"),
    ],
    ids=["too large", "unstable"],
)
def test_a_grid_that_cannot_be_is_refused_as_a_wrong_command_line(opened, flags, says):
    with pytest.raises(UsageError, match=says):
        opened("--preset", "double-slit", *flags)
