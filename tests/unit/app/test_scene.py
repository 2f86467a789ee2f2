"""Scene declarations: what is allowed, how params are packed, how scenes are found."""

from pathlib import Path

import numpy as np
import pytest
from whitecap.app.errors import UserError, is_foreseen
from whitecap.app.scene import Grid, Parameter, Scene, time_step
from whitecap.app.scenes import find_scene, wave
from whitecap.app.simulation import Simulation
from whitecap.capture.errors import KernelError

HEAT = Path(__file__).parents[3] / "examples" / "heat.py"


@pytest.mark.parametrize(
    "wrong",
    [
        {"width": 0},
        {"height": -3},
        {"width": 128.0},
        {"substeps": 0},
        {"substeps": 1025},
        {"width": 16385},
        {"width": 16384, "height": 16384},
        {"cell": 0.0},
        {"cell": float("nan")},
        {"cell": float("inf")},
    ],
    ids=str,
)
def test_a_grid_refuses(wrong):
    with pytest.raises(UserError):
        Grid(**wrong)


def test_a_grid_refuses_changes_as_it_refuses_arguments():
    with pytest.raises(UserError, match="substeps 0"):
        Grid().with_(substeps=0)


def test_a_frame_lasts_a_sixtieth_of_a_second_whatever_the_sub_steps():
    for substeps in (1, 7, 16, 64):
        assert Grid(substeps=substeps).dt * substeps == pytest.approx(1 / 60)
    assert time_step(Grid(), 0.5) == pytest.approx(Grid().dt / 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"low": 2.0, "high": 1.0},
        {"default": 5.0},
        {"high": float("inf")},
        {"low": 0.0, "scale": "log"},
    ],
    ids=str,
)
def test_a_parameter_refuses(wrong):
    with pytest.raises(UserError, match="parameter x"):
        Parameter(**{"name": "x", "label": "X", "default": 0.5, "low": 0.0, "high": 1.0, **wrong})


def test_a_parameter_holds_values_to_its_range():
    parameter = Parameter("x", "X", 0.5, 0.0, 1.0)
    assert [parameter.clamp(value) for value in (-1.0, 0.25, 7.0, float("nan"))] == [0.0, 0.25, 1.0, 0.5]


def test_params_hold_the_values_and_the_time_step_in_the_order_of_the_struct():
    scene = find_scene("wave")
    packed = scene.pack({**scene.defaults(), "k_speed": 61.0}, Grid(), 0.001)
    assert packed.nbytes == 20
    np.testing.assert_allclose(packed.view(np.float32), [61.0, 1000.0, 5.0, 0.3, 0.001], rtol=1e-6)


def test_the_wave_scene_records_seventeen_launches_and_names_its_arrays():
    recorded = find_scene("wave").record(Grid())
    assert recorded.graph.capture.launch_count == 17
    assert list(recorded.inputs) == ["heights", "heights_prev", "mouse_pos", "params"]
    assert list(recorded.outputs) == ["heights_out", "heights_prev_out"]


@pytest.mark.parametrize("substeps", [1, 2, 3, 16])
def test_state_ends_in_the_arrays_it_began_in(substeps):
    recorded = find_scene("wave").record(Grid(4, 4, substeps))
    assert recorded.outputs["heights_out"] is recorded.inputs["heights"]
    assert recorded.outputs["heights_prev_out"] is recorded.inputs["heights_prev"]


def test_recording_executes_nothing():
    recorded = find_scene("wave").record(Grid(8, 8, 2))
    assert not recorded.inputs["heights"].numpy().any()


SCENE = """
from whitecap.app.scene import Scene

class Mine(Scene):
    name = "mine"
"""


def test_a_scene_is_found_in_a_file_of_the_user(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SCENE)
    assert find_scene(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def f(:\n", r"broken\.py:1: SyntaxError"),
        ("import there_is_no_such_module\n", r"broken\.py:1: ModuleNotFoundError"),
        ("\n\nx = undefined\n", r"broken\.py:3: NameError"),
        ("\n1 / 0\n", r"broken\.py:2: ZeroDivisionError: division by zero"),
        ("raise RuntimeError\n", r"broken\.py:1: RuntimeError$"),
        ("open('/there is no such file')\n", r"broken\.py:1: FileNotFoundError"),
        ("import sys\nsys.exit(5)\n", r"broken\.py:2: SystemExit: 5"),
        (SCENE + "\n    def __init__(self):\n        self.nothing\n", r"broken\.py:\d+: AttributeError"),
        ("", "found none"),
        (SCENE + "\nclass Other(Mine):\n    name = 'other'\n", "found Mine, Other"),
        (SCENE.replace('name = "mine"', "pass"), "has no `name`"),
    ],
    ids=["syntax", "import", "name", "arithmetic", "any", "file", "exit", "making", "empty", "two", "nameless"],
)
@pytest.mark.parametrize("relative", [False, True])
def test_a_scene_file_is_refused_with_its_line(tmp_path, monkeypatch, text, says, relative):
    path = tmp_path / "broken.py"
    path.write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=says):
        find_scene("./broken.py" if relative else str(path))


def test_an_error_in_a_kernel_keeps_its_own_place(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text(
        "from whitecap import capture as wc\n"
        "from whitecap.app.scene import Scene\n"
        "\n\n"
        "@wc.kernel\n"
        "def k(a: wc.array(dtype=wc.float32)):\n"
        "    a[0] = no_such(3)\n"
        "\n\n"
        "class Mine(Scene):\n"
        "    name = 'mine'\n"
        "\n"
        "    def record(self, grid):\n"
        "        with wc.ScopedCapture():\n"
        "            wc.launch(k, 1, inputs=[wc.zeros(4, dtype=wc.float32)])\n"
    )
    with pytest.raises(KernelError) as caught:
        Simulation(find_scene(str(path)))
    assert caught.value.summary.startswith("broken.py:7: ")


@pytest.mark.parametrize("name", ["nope", "", "./nope.py", "nope.py", "/"])
def test_an_unknown_scene_is_refused(name):
    with pytest.raises(UserError, match="--scene"):
        find_scene(name)


def test_an_unknown_parameter_is_refused_with_the_known_ones():
    with pytest.raises(UserError, match=r"no parameter 'speed'.*k_speed, k_damp, radius, magnitude"):
        find_scene("wave").parameter("speed")


def test_a_scene_without_record_says_so():
    with pytest.raises(NotImplementedError, match=r"Scene\.record"):
        Scene().record(Grid())


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("1 / 0", r"broken\.py:9: ZeroDivisionError"),
        ("[][1]", r"broken\.py:9: IndexError"),
        ("grid.depth", r"broken\.py:9: AttributeError"),
        ("wc.zeros('many', dtype=wc.float32)", r"broken\.py:9: .*extents"),
        ("raise RuntimeError('boom')", r"broken\.py:9: RuntimeError: boom"),
        ("open('/there is no such file')", r"broken\.py:9: FileNotFoundError"),
        ("raise SystemExit", r"broken\.py:9: SystemExit"),
        ("return 3", r"broken\.py: record returned int: it must return a RecordedScene"),
        ("return super().record(grid)", r"broken\.py:9: NotImplementedError"),
    ],
    ids=["arithmetic", "index", "attribute", "toolkit", "any", "file", "exit", "result", "missing"],
)
def test_what_fails_while_recording_is_one_line_with_its_place(tmp_path, broken, says):
    path = tmp_path / "broken.py"
    path.write_text(
        "from whitecap import capture as wc\n"
        "from whitecap.app.scene import Scene\n"
        "\n\n"
        "class Mine(Scene):\n"
        "    name = 'mine'\n"
        "\n"
        "    def record(self, grid):\n"
        f"        {broken}\n"
    )
    with pytest.raises(Exception, match=says) as caught:
        Simulation(find_scene(str(path)))
    assert is_foreseen(caught.value)


def test_a_file_is_captured_without_the_kernels_of_another_one_of_its_name(tmp_path):
    path, text = tmp_path / "mine.py", HEAT.read_text()
    path.write_text(text)
    alone = find_scene(str(path)).module_hash()
    path.write_text(text.replace("def warm_up(", "def older(").replace("launch(warm_up", "launch(older"))
    assert find_scene(str(path)).module_hash() != alone
    path.write_text(text)
    assert find_scene(str(path)).module_hash() == alone


def test_the_hash_of_a_scene_follows_its_source(tmp_path):
    path = tmp_path / "mine.py"
    text = Path(wave.__file__).read_text().replace("from ...", "from whitecap").replace("from ..", "from whitecap.app.")
    path.write_text(text)
    first = find_scene(str(path)).module_hash()
    assert find_scene(str(path)).module_hash() == first
    path.write_text(text.replace("2.0 * h", "1.9 * h"))
    assert find_scene(str(path)).module_hash() != first
