"""What the library says when there is no usable CUDA driver. Each case needs a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ASK = """
from whitecap import _native
try:
    print(_native.cuda_devices())
except _native.NativeError as error:
    print(error.code, error)
"""


def ask(driver: str, **environment: str) -> str:
    variables = {**os.environ, "WHITECAP_CUDA_DRIVER": driver, **environment}
    result = subprocess.run([sys.executable, "-c", ASK], env=variables, capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_a_missing_driver_is_named_with_what_is_needed_and_the_way_out():
    said = ask("libcuda_that_is_missing.so.1")
    assert said.startswith("WC_ERROR_DEVICE")
    assert "libcuda_that_is_missing.so.1" in said
    assert "12.4" in said
    assert "use the CPU" in said
    assert "\n" not in said


def test_a_library_that_is_no_driver_is_refused():
    assert "is not a working CUDA driver" in ask("libm.so.6")


def test_an_old_driver_is_refused_with_both_versions(fake_library: Path):
    said = ask(str(fake_library), FAKE_CUDA_VERSION="11080")
    assert "CUDA 11.8" in said
    assert "12.4 or newer" in said
    assert "update it" in said


def test_the_oldest_supported_driver_is_accepted(fake_library: Path):
    assert "Fake GPU" in ask(str(fake_library), FAKE_CUDA_VERSION="12040")


def test_a_driver_without_a_gpu_says_where_to_look(fake_library: Path):
    said = ask(str(fake_library), FAKE_CUDA_EMPTY="1")
    assert said.startswith("WC_ERROR_DEVICE")
    assert "CUDA_VISIBLE_DEVICES" in said


@pytest.mark.parametrize("error", ["3", "802", "999"])
def test_a_driver_that_does_not_start_is_one_line(fake_library: Path, error: str):
    said = ask(str(fake_library), FAKE_CUDA_INIT=error)
    assert f"error {error}" in said
    assert "\n" not in said


OPEN = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "cuda":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from whitecap.app.backend import choose_device
from whitecap.app.fallback import open_simulation
from whitecap.app.scene import Grid
from whitecap.app.scenes import find_scene

device, reason = choose_device("auto")
simulation, problem = open_simulation(find_scene("wave"), Grid(32, 32, 4), device, "auto")
simulation.frame()
print(device, simulation.device, simulation.frames, problem)
"""


def test_a_gpu_without_its_compiler_is_left_for_the_cpu_with_the_remedy(fake_library: Path, tmp_path: Path):
    variables = {**os.environ, "WHITECAP_CUDA_DRIVER": str(fake_library), "WHITECAP_CACHE_DIR": str(tmp_path)}
    result = subprocess.run([sys.executable, "-c", OPEN], env=variables, capture_output=True, text=True, check=True)
    device, used, frames, problem = result.stdout.strip().split(" ", 3)
    assert (device, used, frames) == ("cuda", "cpu", "1")
    assert "NVRTC" in problem
    assert "pip install 'whitecap[cuda]'" in problem
