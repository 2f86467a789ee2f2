"""`whitecap --smoke`: ten frames with a ripple, live, saved, loaded and replayed, checked against float64."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .captures import record_and_save, targets_for
from .capturing import print_capture, print_grid
from .errors import CheckError, UsageError
from .lab.stability import Scheme
from .reference import WaveReference
from .scene import FRAME_RATE, OFF_GRID, Grid, RecordedScene
from .scenes import find_scene

if TYPE_CHECKING:
    from .. import capture as wc

FRAMES = 10
TOLERANCE = 2e-5
"""Largest difference from float64 that passes, in height units; the ripple is about 0.9 high."""

State = tuple[np.ndarray, np.ndarray]
Stroke = list[tuple[float, float]]


def smoke(grid: Grid, device: str = "cpu") -> int:
    """Runs the check and prints what it found. Raises CheckError, or the error that stopped it."""
    from .. import capture as wc

    _require_stable(grid)
    stroke = _stroke(grid)
    with tempfile.TemporaryDirectory(prefix="whitecap-smoke-") as folder:
        path = Path(folder) / "wave.wrp"
        recorded = record_and_save(find_scene("wave"), grid, path, targets_for(device))
        loaded = wc.capture_load(str(path), device=device)
        print_grid(grid)
        print_capture(loaded.capture)
        live_state = _run_live(recorded, stroke)
        file_state = _run_loaded(loaded, grid, stroke)
    difference = check_numbers(file_state, grid, stroke)
    print(f"largest difference from float64 {difference:.1e} (at most {TOLERANCE:.0e})")
    check_bits(live_state, file_state)
    print("the saved file replays bit for bit like the live capture")
    print(f"smoke OK ({FRAMES} graph launches)")
    return 0


def _require_stable(grid: Grid) -> None:
    """An unstable scheme agrees with nothing, and that is no fault of the machine."""
    reference = WaveReference(grid)
    scheme = Scheme(reference.k_speed, reference.k_damp, 1.0 / FRAME_RATE, grid.substeps, grid.cell)
    if not scheme.stable:
        raise UsageError(
            f"--substeps {grid.substeps}: the waves are unstable at so few sub-steps, which proves nothing; "
            f"give {scheme.smallest_substeps()} or more"
        )


def check_numbers(state: State, grid: Grid, stroke: Stroke) -> float:
    """The largest difference from the float64 reference, or CheckError when it is not within TOLERANCE."""
    reference = WaveReference(grid)
    for mouse in stroke:
        reference.frame(mouse)
    if np.abs(reference.heights).max() < 1e-3:
        raise CheckError(f"smoke: the ripple left no trace on {grid.width} x {grid.height} cells; nothing was checked")
    pairs = zip(state, (reference.heights, reference.heights_prev))
    difference = max(float(np.abs(ours - theirs).max()) for ours, theirs in pairs)
    if not difference <= TOLERANCE:
        raise CheckError(
            f"smoke: after {FRAMES} frames the heights are {difference:.3g} away from the float64 reference, "
            f"at most {TOLERANCE:g} is allowed; run `whitecap doctor` and report both"
        )
    return difference


def check_bits(live: State, loaded: State) -> None:
    """CheckError when the two replays differ in a single bit."""
    for name, ours, theirs in zip(("heights", "heights_prev"), live, loaded):
        unequal = int(np.count_nonzero(ours.view(np.uint32) != theirs.view(np.uint32)))
        if unequal:
            raise CheckError(f"smoke: {unequal} of {ours.size} {name} differ between live capture and saved file")


def _stroke(grid: Grid) -> Stroke:
    """Where the brush is in each frame: down and moving for three, then lifted."""
    x, y = grid.width * 0.37, grid.height * 0.61
    return [(x + 1.5 * k, y - 0.75 * k) if k < 3 else OFF_GRID for k in range(FRAMES)]


def _run_live(recorded: RecordedScene, stroke: Stroke) -> State:
    for mouse in stroke:
        recorded.inputs["mouse_pos"].assign(np.array([mouse], dtype=np.float32))
        recorded.graph.launch()
    return recorded.outputs["heights_out"].numpy().copy(), recorded.outputs["heights_prev_out"].numpy().copy()


def _run_loaded(graph: wc.Graph, grid: Grid, stroke: Stroke) -> State:
    for mouse in stroke:
        graph.set_param("mouse_pos", np.array([mouse], dtype=np.float32))
        graph.launch()
    state = np.empty(grid.shape, dtype=np.float32), np.empty(grid.shape, dtype=np.float32)
    for name, data in zip(("heights_out", "heights_prev_out"), state):
        graph.get_param(name, data)
    return state
