#!/usr/bin/env python3
"""The wave frame on the CPU: replay here beside NumPy's array expressions, measured in turns in one run.

    python benchmarks/bench_cpu.py                       128^2 to 2048^2, a table
    python benchmarks/bench_cpu.py --sizes 512 --threads 1

One frame is one displacement and sixteen sub-steps, float32 on both sides; figures are medians.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from whitecap import capture as wc
from whitecap.app.scene import Grid
from whitecap.app.scenes.wave import WaveScene

ROUNDS = 7
SECONDS_A_ROUND = 0.2


def replay(size: int, threads: int, folder: Path) -> Callable[[], None]:
    """One frame of a capture that was saved and loaded."""
    scene = WaveScene()
    recorded = scene.record(Grid(width=size, height=size))
    path = wc.capture_save(recorded.graph, folder / f"wave{size}", recorded.inputs, recorded.outputs)
    graph = wc.capture_load(path, device="cpu", threads=threads)
    return graph.launch


def numpy_frame(size: int) -> Callable[[], None]:
    """The same frame as whole-array expressions; the displacement is left out, as nothing is pressed."""
    grid = Grid(width=size, height=size)
    values = WaveScene().defaults()
    dt2, speed = np.float32(grid.dt**2), np.float32(values["k_speed"] / grid.cell**2)
    damp = np.float32(values["k_damp"])
    heights, previous = (np.zeros(grid.shape, np.float32) for _ in range(2))

    def frame() -> None:
        nonlocal heights, previous
        for _ in range(grid.substeps):
            edges = np.pad(heights, 1, mode="edge")
            around = edges[1:-1, 2:] + edges[1:-1, :-2] + edges[2:, 1:-1] + edges[:-2, 1:-1]
            force = speed * (around - 4 * heights) - damp * (heights - previous)
            previous, heights = heights, 2 * heights - previous + dt2 * force

    return frame


def milliseconds(frame: Callable[[], None], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        frame()
    return (time.perf_counter() - start) / count * 1e3


def medians(frames: list[Callable[[], None]]) -> list[float]:
    """Milliseconds a frame of each, in turns, so that a busy moment meets all of them."""
    counts = [max(1, int(SECONDS_A_ROUND * 1e3 / milliseconds(frame, 2))) for frame in frames]
    rounds = [[milliseconds(frame, count) for frame, count in zip(frames, counts)] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 256, 512, 1024, 2048])
    parser.add_argument("--threads", type=int, default=0, help="0: chosen from the machine (default)")
    options = parser.parse_args()
    print("| grid | NumPy ms | Whitecap ms | times faster |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            theirs, ours = medians([numpy_frame(size), replay(size, options.threads, Path(folder))])
            print(f"| {size}^2 | {theirs:.3f} | {ours:.3f} | {theirs / ours:.1f} |", flush=True)


if __name__ == "__main__":
    main()
