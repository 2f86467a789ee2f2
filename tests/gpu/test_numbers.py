"""The numerics contract: the CPU and the GPU give the same bits, frame after frame."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from whitecap import capture as wc
from whitecap.app.scene import Grid
from whitecap.app.scenes.wave import WaveScene

FRAMES = 10_000
GRIDS = [(128, 128, 16), (97, 131, 16), (131, 97, 7), (1, 1, 2), (1, 64, 3), (2, 2, 16), (33, 8, 5), (512, 300, 9)]


def saved(folder: Path, grid: Grid, targets: list[str]) -> Path:
    scene = WaveScene().record(grid)
    return wc.capture_save(scene.graph, folder / "wave", scene.inputs, scene.outputs, targets)


def state(graph: wc.Graph) -> bytes:
    parts = []
    for name in ("heights", "heights_prev"):
        part = np.empty(graph.params[name]["size"], np.uint8)
        graph.get_param(name, part)
        parts.append(part.tobytes())
    return b"".join(parts)


@pytest.mark.parametrize(("width", "height", "substeps"), GRIDS)
def test_thousands_of_frames_with_random_ripples_have_the_same_bits(
    tmp_path: Path, gpu: dict[str, object], capsys: pytest.CaptureFixture[str], width: int, height: int, substeps: int
):
    grid = Grid(width=width, height=height, substeps=substeps)
    targets = [wc.config.cpu_target or "x86_64_v3", f"sm_{gpu['arch']}"]
    path = saved(tmp_path, grid, targets)
    cpu, cuda = wc.capture_load(path, device="cpu"), wc.capture_load(path, device="cuda")
    frames = FRAMES if (width, height) in ((128, 128), (97, 131)) else FRAMES // 20
    random = np.random.default_rng(width * 1000 + height)
    scene = WaveScene()
    for frame in range(frames):
        mouse = (random.random((1, 2), np.float32) * (width, height)).astype(np.float32)
        if frame % 3 == 2:
            mouse[:] = -1000
        inputs = {"mouse_pos": mouse}
        if frame % 50 == 0:
            values = {
                "k_speed": 20 + 40 * random.random(),
                "k_damp": 1000 * random.random(),
                "radius": 5.0,
                "magnitude": 0.3,
            }
            inputs["params"] = scene.pack(values, grid, grid.dt)
        for graph in (cpu, cuda):
            for name, value in inputs.items():
                graph.set_param(name, value)
            graph.launch()
        if frame % 1000 == 999:
            assert state(cpu) == state(cuda), f"the bits differ by frame {frame}"
    digests = [hashlib.sha256(state(graph)).hexdigest()[:16] for graph in (cpu, cuda)]
    with capsys.disabled():
        print(
            f"\n  {width} x {height}, {substeps} sub-steps, {frames} frames: cpu {digests[0]}, cuda {digests[1]}",
            end=" ",
        )
    assert digests[0] == digests[1]
    heights = np.frombuffer(state(cuda), np.float32)
    assert np.isfinite(heights).all()
    assert np.abs(heights).max() > 0


def test_ptx_gives_the_same_bits_as_machine_code(tmp_path: Path, gpu: dict[str, object]):
    grid = Grid(width=97, height=131, substeps=5)
    results = set()
    for target in (f"sm_{gpu['arch']}", "ptx_75", "ptx_80"):
        graph = wc.capture_load(saved(tmp_path / target, grid, [target]), device="cuda")
        graph.set_param("mouse_pos", np.array([[40, 30]], np.float32))
        graph.launch(100)
        results.add(state(graph))
    assert len(results) == 1


def test_a_live_capture_and_its_file_give_the_same_bits(tmp_path: Path):
    heights, path = wc.zeros((64, 64), dtype=wc.float32, device="cuda"), tmp_path / "live"
    heights.assign(np.random.default_rng(3).random((64, 64), np.float32))
    with wc.ScopedCapture(device="cuda") as capture:
        for _ in range(4):
            wc.launch(smooth, dim=(64, 64), inputs=[heights, heights])
    wc.capture_save(capture.graph, path, inputs={"heights": heights})
    loaded = wc.capture_load(path, device="cuda")
    for _ in range(3):
        wc.capture_launch(capture.graph)
        loaded.launch()
    out = np.empty((64, 64), np.float32)
    loaded.get_param("heights", out)
    np.testing.assert_array_equal(heights.numpy(), out)


@wc.kernel
def smooth(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, j] * 0.5 + 1.0
