"""Several steps of a stencil in one launch: the same bits as single launches and as the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from whitecap import capture as wc


@wc.func
def sample(a: wc.array2d(dtype=wc.float32), i: wc.int32, j: wc.int32) -> wc.float32:
    return a[wc.clamp(i, 0, a.shape[0] - 1), wc.clamp(j, 0, a.shape[1] - 1)]


@wc.kernel
def five_points(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32), rate: wc.float32):
    i, j = wc.tid()
    around = sample(a, i, j + 1) + sample(a, i, j - 1) + sample(a, i + 1, j) + sample(a, i - 1, j)
    b[i, j] = a[i, j] + rate * (around - 4.0 * a[i, j]) - 0.1 * b[i, j]


@wc.kernel
def nine_points(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32), rate: wc.float32):
    i, j = wc.tid()
    corners = sample(a, i - 1, j - 1) + 2.0 * sample(a, i - 1, j + 1)
    corners = corners + 3.0 * sample(a, i + 1, j - 1) + 4.0 * sample(a, i + 1, j + 1)
    b[i, j] = 0.5 * a[i, j] + rate * corners + 0.25 * b[i, j]


@wc.kernel
def sometimes(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32), rate: wc.float32):
    i, j = wc.tid()
    if sample(a, i, j - 1) > sample(a, i + 1, j) and (i + j) % 3 != 0:
        b[i, j] = a[i, j] * rate
        if j > 5:
            b[i, j] = b[i, j] + wc.float32(i) * 0.001


def run(kernel: wc.Kernel, device: str, shape: tuple[int, int], steps: int) -> tuple[wc.Graph, bytes]:
    """Three launches of a graph of `steps` steps, from random fields."""
    random = np.random.default_rng(steps)
    x, y = (wc.array(random.random(shape, np.float32), dtype=wc.float32, device=device) for _ in range(2))
    with wc.ScopedCapture(device=device) as capture:
        near, own = x, y
        for _ in range(steps):
            wc.launch(kernel, dim=shape, inputs=[near, own, 0.11], device=device)
            near, own = own, near
    capture.graph.launch(3)
    capture.graph.synchronize()
    return capture.graph, x.numpy().tobytes() + y.numpy().tobytes()


def node_count(graph: wc.Graph) -> int:
    driver = pytest.importorskip("cuda.bindings.driver")
    error, _, count = driver.cuGraphGetNodes(driver.CUgraph(graph.program.graph), 0)
    assert int(error) == 0
    return int(count)


SHAPES = [(64, 64), (24, 32), (131, 97), (97, 131), (25, 300), (300, 33), (200, 256), (513, 515), (1000, 1030)]


@pytest.mark.parametrize("kernel", [five_points, nine_points, sometimes], ids=lambda kernel: kernel.key)
@pytest.mark.parametrize("steps", [4, 5, 7, 16, 17])
def test_passes_give_the_bits_of_the_cpu(kernel: wc.Kernel, steps: int):
    for shape in SHAPES:
        graph, bits = run(kernel, "cuda", shape, steps)
        assert node_count(graph) == 2 * -(-steps // 16)
        assert bits == run(kernel, "cpu", shape, steps)[1], f"{shape[1]} x {shape[0]}"


@pytest.mark.parametrize("kernel", [five_points, nine_points, sometimes], ids=lambda kernel: kernel.key)
@pytest.mark.parametrize(
    ("shape", "steps"), [((2000, 3001), 16), ((2211, 2048), 23), ((1024, 1030), 16), ((1500, 1500), 9)]
)
def test_passes_give_the_bits_of_single_launches(
    monkeypatch: pytest.MonkeyPatch, kernel: wc.Kernel, shape: tuple[int, int], steps: int
):
    """Grids large enough for blocks that do tile after tile; with rows that are aligned and rows that are not."""
    graph, passes = run(kernel, "cuda", shape, steps)
    monkeypatch.setenv("WHITECAP_CUDA_PASSES", "0")
    single, launches = run(kernel, "cuda", shape, steps)
    assert (node_count(graph), node_count(single)) == (2 * -(-steps // 16), steps)
    assert passes == launches


def test_grids_below_a_block_run_launch_by_launch():
    for shape in ((23, 64), (64, 31), (1, 1), (2, 500)):
        graph, bits = run(five_points, "cuda", shape, 6)
        assert node_count(graph) == 6
        assert bits == run(five_points, "cpu", shape, 6)[1]


def test_ptx_runs_in_passes_too(tmp_path):
    shape, steps = (100, 100), 6
    reference = run(five_points, "cpu", shape, steps)[1]
    random = np.random.default_rng(steps)
    x, y = (wc.array(random.random(shape, np.float32), dtype=wc.float32, device="cuda") for _ in range(2))
    with wc.ScopedCapture(device="cuda") as capture:
        near, own = x, y
        for _ in range(steps):
            wc.launch(five_points, dim=shape, inputs=[near, own, 0.11], device="cuda")
            near, own = own, near
    wc.capture_save(capture.graph, tmp_path / "ptx", inputs={"x": x, "y": y}, targets=["ptx_75"])
    loaded = wc.capture_load(tmp_path / "ptx", device="cuda")
    loaded.launch(3)
    assert node_count(loaded) == 2
    out = [np.empty(shape, np.float32) for _ in range(2)]
    for name, part in zip("xy", out, strict=True):
        loaded.get_param(name, part)
    assert b"".join(part.tobytes() for part in out) == reference
