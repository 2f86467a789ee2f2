"""CUDA compilation without a GPU: targets, the numerics contract seen in the PTX, and what failures say."""

from __future__ import annotations

import re
import sys

import pytest
from whitecap.capture import cuda_compile
from whitecap.capture.cuda_compile import CudaCompileError, compile_cuda, resolve_target, targets_for_device

SAXPY = """
extern "C" __global__ void saxpy(float a, const float* x, float* y) {
    y[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x];
}
"""
UNKNOWN_TARGETS = ["", "sm_", "sm_35", "sm90", "compute_90", "ptx_", "ptx_1", "x86_64_v3", "sm_90; rm", "SM_90"]


@pytest.fixture(autouse=True)
def _needs_nvrtc(request: pytest.FixtureRequest) -> None:
    if "without_nvrtc" in request.fixturenames:
        return
    try:
        cuda_compile.toolkit_version()
    except CudaCompileError as error:
        pytest.skip(str(error))


@pytest.fixture
def without_nvrtc(monkeypatch: pytest.MonkeyPatch):
    cuda_compile._nvrtc.cache_clear()
    cuda_compile._architectures.cache_clear()
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    yield
    cuda_compile._nvrtc.cache_clear()
    cuda_compile._architectures.cache_clear()


def test_machine_code_is_an_elf_file_for_cuda():
    image = compile_cuda(SAXPY, "saxpy", "sm_90")
    assert image[:4] == b"\x7fELF"
    assert int.from_bytes(image[18:20], "little") == 190  # EM_CUDA
    assert b"saxpy" in image


@pytest.mark.parametrize("arch", ["80", "90", "90a"])
def test_ptx_names_its_architecture(arch: str):
    ptx = compile_cuda(SAXPY, "saxpy", f"ptx_{arch}").decode()
    assert f".target sm_{arch}" in ptx
    assert ".entry saxpy" in ptx


def test_ptx_is_written_in_a_language_version_that_older_drivers_read():
    ptx = compile_cuda(SAXPY, "saxpy", "ptx_80").decode()
    assert re.search(r"^\.version 7\.8$", ptx, re.MULTILINE)


def test_ptx_without_architecture_is_the_oldest_known():
    oldest = min(int(name[4:]) for name in cuda_compile.supported_targets() if name.startswith("ptx_"))
    assert resolve_target("ptx") == f"ptx_{oldest}"
    assert f".target sm_{oldest}" in compile_cuda(SAXPY, "saxpy", "ptx").decode()


def test_multiply_and_add_are_never_contracted():
    ptx = compile_cuda(SAXPY, "saxpy", "ptx").decode()
    assert "fma" not in ptx
    assert re.search(r"mul(\.rn)?\.f32", ptx)


def test_explicit_fused_multiply_add_stays():
    source = SAXPY.replace("a * x[threadIdx.x] + y[threadIdx.x]", "fmaf(a, x[threadIdx.x], y[threadIdx.x])")
    assert "fma.rn.f32" in compile_cuda(source, "saxpy", "ptx").decode()


def test_division_and_square_root_are_the_rounded_ones():
    source = 'extern "C" __global__ void f(float* x) { x[0] = sqrtf(x[1] / x[2]); }'
    ptx = compile_cuda(source, "f", "ptx").decode()
    assert "div.rn.f32" in ptx
    assert "sqrt.rn.f32" in ptx


def test_subnormals_are_kept():
    assert ".ftz" not in compile_cuda(SAXPY, "saxpy", "ptx").decode()


@pytest.mark.parametrize("target", UNKNOWN_TARGETS)
def test_unknown_targets_are_refused_with_the_known_ones(target: str):
    with pytest.raises(CudaCompileError) as refusal:
        compile_cuda(SAXPY, "saxpy", target)
    assert repr(target) in str(refusal.value)
    assert "sm_90" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_wrong_code_is_one_line_with_the_log_kept_apart():
    with pytest.raises(CudaCompileError) as refusal:
        compile_cuda(SAXPY.replace("float a", "flaot a"), "broken", "sm_90")
    assert "broken" in str(refusal.value)
    assert "flaot" in refusal.value.log
    assert "\n" not in str(refusal.value)


def test_headers_cannot_be_included():
    with pytest.raises(CudaCompileError):
        compile_cuda('#include <math.h>\n#include "stdio.h"\n' + SAXPY, "saxpy", "sm_90")


def test_missing_nvrtc_says_how_to_get_it(without_nvrtc: None):
    with pytest.raises(CudaCompileError) as refusal:
        compile_cuda(SAXPY, "saxpy", "sm_90")
    assert "pip install 'whitecap[cuda]'" in str(refusal.value)


def test_a_device_gets_its_machine_code_and_ptx_for_the_rest():
    machine_code, ptx = targets_for_device(90)
    assert machine_code == "sm_90"
    assert ptx == resolve_target("ptx")


def test_a_device_newer_than_the_toolkit_gets_the_newest_ptx():
    newest = max(int(name[4:]) for name in cuda_compile.supported_targets() if name.startswith("ptx_"))
    assert targets_for_device(999) == [f"ptx_{newest}"]


def test_a_minor_version_that_the_toolkit_skips_gets_the_one_below():
    assert targets_for_device(81)[0] == "sm_80"


def test_a_device_older_than_the_toolkit_is_refused():
    with pytest.raises(CudaCompileError, match="sm_20"):
        targets_for_device(20)
