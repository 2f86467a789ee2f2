"""What is remembered of the last scene, and how it comes back, on the null renderer."""

from pathlib import Path

import pytest
from whitecap.app import last_scene, session
from whitecap.app.application import Application
from whitecap.app.arguments import parse
from whitecap.app.captures import record_and_save
from whitecap.app.lab import document as documents
from whitecap.app.lab.unsaved import unsaved_path
from whitecap.app.lab.walls import Box
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene
from whitecap.app.settings import Settings
from whitecap.app.simulation import Simulation
from whitecap.app.stage import Stage

HEAT = Path(__file__).parents[3] / "examples" / "heat.py"


@pytest.fixture
def run(tmp_path):
    """One run after the other: opens what the flags and the settings say, does something, and remembers."""
    path = tmp_path / "settings.toml"
    opened = []

    def one(*arguments, do=lambda application: None):
        options, settings = parse(arguments)[1], Settings.load(path)
        start = last_scene.first_scene(options, settings)
        application = Application(Simulation(start.scene, start.grid), Stage(None, start.grid), settings=settings)
        opened.append(application)
        if start.trouble:
            application.say(start.trouble)
        if start.recalled:
            last_scene.reopen(application, settings, options)
        last_scene.tell_of_unsaved(application, settings)
        do(application)
        for _ in range(2):
            application.swap.wait()
            application.fixed_frame()
        last_scene.remember(application, settings)
        settings.save(path)
        return application

    yield one
    for application in opened:
        application.close()


def shown(application):
    grid = application.simulation.grid
    return application.simulation.scene.name, grid.width, grid.height, grid.substeps


def test_a_scene_file_comes_back_from_anywhere(run, monkeypatch, tmp_path):
    monkeypatch.chdir(HEAT.parent)
    first = run("--scene", HEAT.name)
    monkeypatch.chdir(tmp_path)
    again = run()
    assert shown(again) == shown(first) == (find_scene(str(HEAT)).name, *Grid().shape, first.simulation.grid.substeps)
    assert again.message == ""
    assert not again.errors


@pytest.mark.parametrize("flags", [("--width", "40", "--height", "24"), ("--substeps", "20"), ()])
@pytest.mark.parametrize("scene", ["tank", str(HEAT)])
def test_the_grid_comes_back_with_the_scene(run, scene, flags):
    first = run("--scene", scene, *flags)
    again = run()
    assert shown(again) == shown(first)
    assert shown(run()) == shown(first)
    assert (again.settings.substeps == 0) == (flags == ())


def test_a_grid_chosen_in_the_panel_comes_back(run):
    run(do=lambda application: application.lab.set_grid(width=48, height=32))
    assert shown(run()) == ("wave", 48, 32, 16)


def test_flags_count_more_than_what_is_remembered(run):
    run("--width", "40", "--height", "24", "--substeps", "20")
    assert shown(run("--substeps", "18")) == ("wave", 40, 24, 18)
    assert shown(run("--width", "30")) == ("wave", 30, 128, 18)
    assert shown(run("--scene", "tank")) == ("tank", 128, 128, 16)


def test_a_capture_from_a_file_comes_back(run, tmp_path):
    path = tmp_path / "theirs.wrp"
    record_and_save(find_scene("wave"), Grid(20, 12, 4), path)
    run(do=lambda application: application.open_capture(path))
    again = run()
    assert shown(again)[:3] == ("theirs.wrp", 20, 12)
    assert again.settings.file == str(path)
    left = run(do=lambda application: application.open_scene("wave"))
    assert left.settings.file == ""
    assert shown(run()) == ("wave", 128, 128, 16)


def test_a_saved_scene_comes_back_on_top_of_the_scene_file_that_it_names(run, tmp_path):
    run("--scene", str(HEAT), do=lambda application: application.lab.library.save(tmp_path / "plate.toml"))
    again = run()
    assert again.simulation.scene.name == find_scene(str(HEAT)).name
    assert again.lab.library.path == tmp_path / "plate.toml"


def test_a_preset_comes_back_with_the_grid_that_was_chosen_for_it(run):
    def choose(application):
        application.lab.open_preset(1)
        application.lab.set_grid(width=96, height=96)

    run(do=choose)
    again = run()
    assert again.lab.library.preset_index == 1
    assert shown(again)[:3] == ("tank", 96, 96)
    assert again.lab.undo() is False
    assert again.lab.setup.sources


def test_a_preset_that_was_left_while_it_was_captured_comes_back_with_its_own_grid(run):
    first = run(do=lambda application: application.lab.open_preset(1))
    own = first.lab.library.document.setup.grid
    settings = Settings()
    settings.preset, first.simulation = "two-sources", Simulation(find_scene("wave"), Grid(16, 16))
    last_scene.remember(first, settings)
    assert (settings.preset, settings.grid_width) == ("two-sources", 0)
    assert own.width != 16


def spoil(path):
    """A scene file that ends in an error of a kind that nobody foresees."""
    path.write_text(HEAT.read_text() + "\nraise RuntimeError('not today')\n")


@pytest.mark.parametrize("harm", [Path.unlink, spoil])
def test_a_scene_file_that_is_gone_or_fails_gives_way_with_a_line(run, tmp_path, harm):
    path = tmp_path / "mine.py"
    path.write_text(HEAT.read_text())
    run("--scene", str(path), "--width", "40", "--height", "24")
    harm(path)
    again = run()
    assert shown(again) == ("wave", 128, 128, 16)
    assert "the last scene did not come back" in again.message
    assert ("no such file" if harm is Path.unlink else "not today") in again.message
    assert "\n" not in again.message
    assert not again.errors


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_text("hello")], ids=["gone", "broken"])
@pytest.mark.parametrize("name", ["bay.toml", "bay.wrp"])
def test_a_file_that_is_gone_or_broken_gives_way_with_a_line(run, tmp_path, name, harm):
    path = tmp_path / name

    def make(application):
        if path.suffix == ".wrp":
            application.save_capture(path)
            application.open_capture(path)
        else:
            application.lab.library.save(path)

    run("--scene", "tank", do=make)
    harm(path)
    again = run()
    assert shown(again) == ("wave", 128, 128, 16)
    assert again.message.startswith("the last scene did not come back (")
    assert name in again.message
    assert not again.errors
    assert again.settings.file == ""


def test_a_preset_that_there_is_no_more_gives_way_with_a_line(run, tmp_path):
    Settings(preset="flood").save(tmp_path / "settings.toml")
    assert "no preset flood" in run().message


def test_sub_steps_that_were_steady_with_other_parameters_only_do_not_come_back(run):
    def calm(application):
        application.lab.set_parameter("k_speed", 1.0)
        application.lab.set_parameter("k_damp", 0.5)
        assert application.lab.set_grid(substeps=1)

    assert shown(run(do=calm)) == ("wave", 128, 128, 1)
    again = run()
    assert shown(again) == ("wave", 128, 128, 16)
    assert again.lab.scheme.stable
    assert "1 sub-step" in again.message


@pytest.mark.parametrize("size", [(16384, 16384), (16384, 0)])
def test_a_grid_that_is_none_costs_a_line_or_nothing(run, tmp_path, size):
    Settings(grid_width=size[0], grid_height=size[1] or 16384).save(tmp_path / "settings.toml")
    again = run()
    assert shown(again) == ("wave", 128, 128, 16)
    assert "too large" in again.message


WALL = Box(0.2, 0.2, 0.4, 0.4)


def draw_a_wall(application):
    application.lab.edit(application.lab.setup.with_(walls=(WALL,)), "Wall")


def test_what_was_drawn_and_not_saved_is_told_of_at_the_next_start_and_can_be_opened(run, capsys):
    run(do=draw_a_wall)
    assert str(unsaved_path()) in capsys.readouterr().err
    again = run(do=lambda application: application.lab.load(unsaved_path()))
    assert str(unsaved_path()) in again.message
    assert again.lab.setup.walls == (WALL,)
    third = run(do=lambda application: application.lab.load(unsaved_path()))  # it was left without being saved again
    assert third.lab.setup.walls == (WALL,)
    third.lab.library.save(unsaved_path().with_name("bay.toml"))
    assert not last_scene.keep_unsaved(third)


def test_a_run_that_leaves_nothing_unsaved_says_nothing(run, capsys):
    run("--scene", "tank", do=lambda application: application.lab.set_parameter("k_speed", 70.0))
    run(do=lambda application: application.lab.open_preset(2))
    assert run().message == ""
    assert capsys.readouterr().err == ""
    assert not unsaved_path().exists()


def test_unsaved_work_that_cannot_be_kept_costs_a_line(run, capsys, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WHITECAP_CONFIG_DIR", str(tmp_path / "file"))
    assert not run(do=draw_a_wall).settings.unsaved
    assert "not saved is lost: cannot write" in capsys.readouterr().err


def test_a_run_that_fails_keeps_what_was_drawn(run, monkeypatch):
    class Failing(session.WindowSession):
        def __init__(self, options):
            self.application = run()

        def open(self):
            draw_a_wall(self.application)
            return True

        def run(self):
            raise RuntimeError("the window is gone")

        def close(self):
            pass

    monkeypatch.setattr(session, "WindowSession", Failing)
    with pytest.raises(RuntimeError, match="the window is gone"):
        session.run_in_window(parse([])[1])
    assert documents.load(unsaved_path()).setup.walls == (WALL,)


def test_nothing_remembered_is_the_default_without_a_word(run):
    first = run()
    assert shown(first) == ("wave", 128, 128, 16)
    assert first.message == ""
