"""Warp loads what we save, and we read what Warp saves."""

from __future__ import annotations

import json
import platform
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import whitecap.capture as wp
from whitecap import _native

from . import flat_wave

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="Warp's objects are known for x86-64 only"),
]

HEIGHT, WIDTH, FRAMES = 97, 131, 10


@pytest.fixture
def literal(tmp_path: Path) -> tuple[Path, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Our capture of the literal frame for both loaders, another start, and what we make of it."""
    graph, current, previous, mouse = flat_wave.record(HEIGHT, WIDTH, 16)
    path = wp.capture_save(
        graph, tmp_path / "ours", warp_objects=True,
        inputs={"heights": current, "heights_prev": previous, "mouse_pos": mouse}, outputs={"heights_out": current},
    )  # fmt: skip
    start = (np.random.default_rng(3).random(HEIGHT * WIDTH, dtype=np.float32) - 0.5) * 0.1
    loaded = wp.capture_load(path)
    loaded.set_param("heights", start)
    loaded.launch(FRAMES)
    return path, start, np.frombuffer(loaded.view("heights_out"), np.float32).copy()


def test_warp_replays_our_file_with_the_same_bits(
    run_warp: Callable[..., str], tmp_path: Path, literal: tuple[Path, np.ndarray[Any, Any], np.ndarray[Any, Any]]
) -> None:
    path, start, expected = literal
    np.save(tmp_path / "start.npy", start)
    printed = run_warp("replay", path, FRAMES, "heights", tmp_path / "start.npy", "heights_out", tmp_path / "out.npy")
    assert "('heights_out', {'size': 50828})" in printed
    assert np.load(tmp_path / "out.npy").tobytes() == expected.tobytes()


def test_both_ways_of_running_the_literal_script_agree(warp_python: str, tmp_path: Path) -> None:
    """The prior art's own script, once as it is and once with its import line changed."""
    outputs = []
    script = Path(__file__).with_name("flat_wave.py").read_text()
    for python, line in ((warp_python, "import warp as wp"), (sys.executable, "import whitecap.capture as wp")):
        path = tmp_path / f"script_{len(outputs)}.py"
        path.write_text(script.replace("import whitecap.capture as wp", line))
        result = subprocess.run(
            [python, str(path), str(tmp_path / "out.npy")], capture_output=True, text=True, check=True
        )
        outputs.append((np.load(tmp_path / "out.npy"), json.loads(result.stdout.splitlines()[-1])))
    (theirs, their_facts), (ours, our_facts) = outputs
    assert their_facts == our_facts
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-5)


@pytest.fixture(scope="module")
def warp_files(warp_python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("warp")
    script = Path(__file__).parent / "scripts" / "record.py"
    subprocess.run([warp_python, str(script), str(folder)], check=True, capture_output=True, timeout=240)
    return folder


KINDS = {
    "axpy": ["launch"],
    "struct": ["launch"],
    "cells": ["launch"],
    "memory": ["memset", "tile", "copy"],
    "branches": ["while", "if"],
}


@pytest.mark.parametrize("name", KINDS)
def test_we_read_and_validate_what_warp_saves(warp_files: Path, name: str) -> None:
    capture = _native.Capture.from_file(str(warp_files / name))
    assert capture.device == "cpu"
    assert capture.producer == "1.19.0"
    assert capture.whitecap_producer == ""
    assert [operation["kind"] for operation in capture.operations] == KINDS[name]
    for module in capture.modules:
        assert (warp_files / f"{name}_modules" / module["binary_filename"]).is_file()
    for kernel in capture.kernels:
        assert kernel["forward_name"].endswith("_cpu_forward")


def expected_cells() -> np.ndarray[Any, Any]:
    i, j, k, m = np.indices((2, 3, 4, 5))
    return (i + 10 * j + 100 * k + 1000 * m).astype(np.int32).reshape(-1)


# (file, output, type, what one replay gives)
REPLAYS = [
    ("axpy", "y", np.float32, [1, 3, 5, 7]),
    ("struct", "y", np.float32, [5, 8, 11, 14]),
    ("cells", "a", np.int32, expected_cells().tolist()),
    ("memory", "target", np.float32, [0, 1, 2, 2.5, 2.5, 2.5, 2.5, 2.5]),
    ("branches", "steps", np.int32, [5]),
]


@pytest.mark.parametrize(("name", "output", "dtype", "expected"), REPLAYS, ids=[entry[0] for entry in REPLAYS])
def test_we_replay_what_warp_saves(warp_files: Path, name: str, output: str, dtype: Any, expected: list[float]) -> None:
    graph = wp.capture_load(warp_files / name)
    graph.launch()
    assert np.frombuffer(graph.view(output), dtype).tolist() == expected


def test_arguments_of_a_warp_launch_are_understood(warp_files: Path) -> None:
    capture = _native.Capture.from_file(str(warp_files / "axpy"))
    (launch,) = capture.operations
    assert launch["kernel"] == "axpy"
    assert tuple(launch["shape"]) == (4,)
    assert [argument["size"] for argument in launch["arguments"]] == [4, 56, 56]
    assert launch["arguments"][0]["bytes"] == struct.pack("<f", 2.0)
    regions = {binding["name"]: binding["region"] for binding in capture.bindings}
    assert launch["arguments"][1]["regions"] == [regions["x"]]
    assert launch["arguments"][2]["regions"] == [regions["y"]]


def test_struct_arguments_have_the_layout_that_we_compute(warp_files: Path) -> None:
    @wp.struct
    class Weights:
        scale: float
        data: wp.array(dtype=float)
        offset: wp.vec3

    capture = _native.Capture.from_file(str(warp_files / "struct"))
    argument = capture.operations[0]["arguments"][0]
    assert argument["size"] == Weights.size
    offsets = {field.name: field.offset for field in Weights.fields}
    assert struct.unpack_from("<f", argument["bytes"], offsets["scale"]) == (3.0,)
    assert struct.unpack_from("<3f", argument["bytes"], offsets["offset"]) == (0.0, 5.0, 0.0)


@pytest.mark.parametrize("name", KINDS)
def test_what_we_write_back_loads_again_unchanged(warp_files: Path, name: str) -> None:
    capture = _native.Capture.from_file(str(warp_files / name))
    again = _native.Capture.from_bytes(capture.encode())
    for part in ("operations", "regions", "bindings", "kernels", "modules"):
        assert getattr(again, part) == getattr(capture, part)
