"""The wave frame from kernels to numbers: against NumPy in float64, and two ways of writing it against each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import whitecap.capture as wp

from .wave_frames import Frame, reference

SIZES = [(128, 128), (97, 131), (131, 97), (1, 64), (64, 1), (1, 1), (2, 2), (3, 5)]


@pytest.mark.parametrize("substeps", [16, 15])
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("flat", [True, False], ids=["1-D", "2-D"])
def test_frames_agree_with_numpy_float64(size: tuple[int, int], substeps: int, flat: bool) -> None:
    mouse = (size[1] / 2, size[0] / 3)
    frame = Frame(*size, substeps, flat, mouse)
    frame.graph.launch(20)
    expected = reference(*size, substeps, mouse, 20)
    np.testing.assert_allclose(frame.heights(), expected, rtol=0, atol=1e-4 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("substeps", [16, 7, 1])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_both_ways_of_writing_the_frame_give_the_same_bits(size: tuple[int, int], substeps: int) -> None:
    flat, grid = (Frame(*size, substeps, way, (3.0, 2.0)) for way in (True, False))
    for _ in range(5):
        flat.graph.launch()
        grid.graph.launch()
    assert flat.heights().tobytes() == grid.heights().tobytes()


@pytest.mark.parametrize("flat", [True, False], ids=["1-D", "2-D"])
def test_one_and_two_threads_give_the_same_bits(flat: bool, tmp_path: Path) -> None:
    frame = Frame(97, 131, 16, flat, (40.0, 50.0))
    path = wp.capture_save(frame.graph, tmp_path / "wave", inputs={"now": frame.current, "before": frame.previous})
    results = []
    for threads in (1, 2):
        graph = wp.capture_load(path, threads=threads)
        graph.launch(30)
        results.append(bytes(graph.view("now")))
    assert results[0] == results[1]


def test_overlapping_and_strided_arrays_take_the_general_walk_with_the_same_bits() -> None:
    from . import wave_kernels as kernels

    height, width = 37, 53
    start = np.random.default_rng(1).random((height, width), dtype=np.float32)
    params = wp.array([kernels.Params(k_speed=60.0, k_damp=1000.0, dt=1e-3)])
    dense = [wp.array(start), wp.array(start)]
    wp.launch(kernels.solve, (height, width), inputs=[*dense, params, 10.0])
    # The same heights as every other column of a wider array.
    wide = [wp.zeros((height, width, 2)) for _ in range(2)]
    strided = []
    for array in wide:
        array.numpy()[:, :, 0] = start
        strided.append(array._view((height, width), array.strides[:2], array.ptr))
    wp.launch(kernels.solve, (height, width), inputs=[*strided, params, 10.0])
    assert strided[0].numpy().tobytes() == dense[0].numpy().tobytes()
    assert not wide[0].numpy()[:, :, 1].any()


def test_a_repeated_launch_index_covers_every_cell() -> None:
    """An extent beyond the kernel's rank makes several threads share a coordinate; the sum shows each of them."""
    from . import language_kernels as kernels

    counts = wp.zeros(4, dtype=int)
    wp.launch(kernels.sums, (3, 1000), inputs=[wp.zeros(2), counts, wp.zeros(3, dtype=int)])
    assert counts.numpy()[0] == 3000
