#!/usr/bin/env python3
"""The wave frame here and in NVIDIA Warp, side by side on one GPU.

    python benchmarks/bench_warp.py                                   128^2 to 8192^2, a table
    python benchmarks/bench_warp.py --sizes 128 1024 --json out.json

One frame is one displacement and sixteen sub-steps. Both sides capture it, save it, load the file and replay it with
back-to-back launches on one stream; figures are medians of batches timed with CUDA events. Without Warp in the
environment (pip install warp-lang==1.19.0) only our side runs.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from whitecap import _native
from whitecap import capture as wc
from whitecap.app.scene import Grid
from whitecap.app.scenes.wave import WaveScene

SIZES = [128, 256, 512, 1024, 2048, 4096, 8192]
SUBSTEPS = 16
FRAMES_COMPARED = 20


class Side(Protocol):
    name: str

    def capture(self, size: int, substeps: int, start: np.ndarray, path: Path) -> None: ...
    def load(self, path: Path) -> Any: ...
    def launch(self, graph: Any) -> None: ...
    def synchronize(self) -> None: ...
    def batch_milliseconds(self, graph: Any, count: int) -> float: ...
    def heights(self, graph: Any, size: int) -> np.ndarray: ...
    def shipped(self) -> int: ...


class Ours:
    name = f"Whitecap {_native.__version__}"

    def __init__(self) -> None:
        self.target = f"sm_{_native.cuda_devices()[0]['arch']}"

    def capture(self, size: int, substeps: int, start: np.ndarray, path: Path) -> None:
        scene = WaveScene()
        with wc.ScopedDevice("cuda"):
            recorded = scene.record(Grid(width=size, height=size, substeps=substeps))
        for name in ("heights", "heights_prev"):
            recorded.inputs[name].assign(start)
        recorded.inputs["mouse_pos"].assign(np.array([[size / 2, size / 3]], np.float32))
        wc.capture_save(recorded.graph, path, recorded.inputs, recorded.outputs, [self.target])

    def load(self, path: Path) -> wc.Graph:
        return wc.capture_load(path, device="cuda")

    def launch(self, graph: wc.Graph) -> None:
        graph.launch()

    def synchronize(self) -> None:
        _native.cuda_synchronize()

    def batch_milliseconds(self, graph: wc.Graph, count: int) -> float:
        begin, end = _native.CudaEvent(), _native.CudaEvent()
        begin.record(graph.program.stream)
        graph.launch(count)
        end.record(graph.program.stream)
        end.synchronize()
        return end.since(begin)

    def heights(self, graph: wc.Graph, size: int) -> np.ndarray:
        out = np.empty((size, size), np.float32)
        graph.get_param("heights_out", out)
        return out

    def shipped(self) -> int:
        built = Path(__file__).parents[1].glob("build/**/libwhitecap.so")
        library = Path(os.environ.get("WHITECAP_LIBRARY") or next(built, _native.__file__))
        return library.stat().st_size


def measure(side: Side, size: int, batches: int, folder: Path) -> dict[str, Any]:
    """One side at one size. Times in microseconds or milliseconds as the names say, sizes in bytes."""
    start = (np.random.default_rng(size).random((size, size), np.float32) - 0.5) * np.float32(0.1)
    path = folder / f"{type(side).__name__}_{size}"
    side.capture(size, SUBSTEPS, start, path)  # compiles what isn't compiled yet
    begin = time.perf_counter()
    side.capture(size, SUBSTEPS, start, path)
    capture_ms = (time.perf_counter() - begin) * 1e3
    free = _native.cuda_memory_info()[0]
    graph = side.load(path)
    side.launch(graph)
    side.synchronize()
    memory = free - _native.cuda_memory_info()[0]
    for _ in range(FRAMES_COMPARED - 1):
        side.launch(graph)
    heights = side.heights(graph, size)
    count = max(4, min(400, int(2e8 / size**2)))
    side.batch_milliseconds(graph, count)
    frames = [side.batch_milliseconds(graph, count) / count * 1e3 for _ in range(batches)]
    loads = []
    for _ in range(3):
        del graph
        gc.collect()
        begin = time.perf_counter()
        graph = side.load(path)
        side.launch(graph)
        side.synchronize()
        loads.append((time.perf_counter() - begin) * 1e3)
    files = [path.with_suffix(".wrp"), *path.with_name(f"{path.name}_modules").iterdir()]
    return {
        "side": side.name,
        "size": size,
        "us_per_frame": statistics.median(frames),
        "spread_us": [min(frames), max(frames)],
        "load_ms": statistics.median(loads),
        "capture_ms": capture_ms,
        "memory": memory,
        "module_bytes": sum(file.stat().st_size for file in files[1:]),
        "heights": heights,
    }


def peer() -> Side | None:
    try:
        from warp_peer import WarpPeer
    except ImportError as error:
        print(f"Warp is missing ({error}); only our side runs", file=sys.stderr)
        return None
    return WarpPeer()


COLUMNS = (
    ("us a frame", lambda result: f"{result['us_per_frame']:.1f}"),
    ("load ms", lambda result: f"{result['load_ms']:.1f}"),
    ("capture ms", lambda result: f"{result['capture_ms']:.1f}"),
    ("GPU MiB", lambda result: f"{result['memory'] / 2**20:.0f}"),
)


def table(rows: list[list[dict[str, Any]]]) -> str:
    """One line a grid size: each figure of every side next to each other, then how much faster the first one is."""
    names = [result["side"] for result in rows[0]]
    head = ["grid", *(f"{name}: {figure}" for figure, _ in COLUMNS for name in names)]
    lines = [[f"{row[0]['size']}^2", *(show(result) for _, show in COLUMNS for result in row)] for row in rows]
    if len(names) > 1:
        head += ["times faster", "largest difference"]
        for line, (ours, theirs) in zip(lines, rows, strict=True):
            difference = np.abs(ours["heights"] - theirs["heights"]).max()
            line += [f"{theirs['us_per_frame'] / ours['us_per_frame']:.1f}", f"{difference:.0e}"]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--batches", type=int, default=9, help="timed batches, at least 7")
    parser.add_argument("--json", type=Path, help="also write every figure here")
    args = parser.parse_args()
    device = _native.cuda_devices()[0]
    version = _native.cuda_driver_version()
    sides: list[Side] = [Ours()] + ([other] if (other := peer()) else [])
    print(
        f"{date.today()}, {device['name']}, driver for CUDA {version // 1000}.{version % 1000 // 10}, "
        f"Python {platform.python_version()}, {', '.join(side.name for side in sides)}; "
        f"{' '.join(['python', *sys.argv])}\n"
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in args.sizes:
            rows.append([measure(side, size, max(args.batches, 7), Path(folder)) for side in sides])
            print(size, *(f"{r['side']} {r['us_per_frame']:.2f} us" for r in rows[-1]), file=sys.stderr, flush=True)
    print(table(rows) + "\n")
    for side, result in zip(sides, rows[0], strict=True):
        modules = result["module_bytes"] / 1e3
        print(f"{side.name}: native library {side.shipped() / 1e6:.2f} MB, modules of one target {modules:.0f} kB")
    if args.json:
        figures = [{key: value for key, value in result.items() if key != "heights"} for row in rows for result in row]
        args.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
