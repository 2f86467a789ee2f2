"""Which binary of a module this GPU takes."""

from __future__ import annotations

import pytest
from whitecap import _native


@pytest.fixture
def one_launch(recording):
    y = recording.array(8, name="y", output=True)
    recording.launch("add", y, y, 1.0)
    return recording


def other_major(arch: int) -> str:
    return "sm_75" if arch // 10 != 7 else "sm_90"


def test_own_machine_code_runs(one_launch, program, read):
    made = program(one_launch)
    made.launch()
    assert set(read(made, "y")) == {1.0}


def test_ptx_of_the_oldest_architecture_runs(one_launch, program, read):
    made = program(one_launch, "ptx_75")
    made.launch()
    assert set(read(made, "y")) == {1.0}


def test_ptx_serves_beside_machine_code_of_another_architecture(one_launch, program, read, gpu):
    made = program(one_launch, other_major(int(gpu["arch"])), "ptx_75")
    made.launch()
    assert set(read(made, "y")) == {1.0}


def test_machine_code_of_another_architecture_alone_is_refused(one_launch, program, gpu):
    other = other_major(int(gpu["arch"]))
    with pytest.raises(_native.NativeError) as refusal:
        program(one_launch, other)
    assert refusal.value.code == "WC_ERROR_MODULE"
    assert f"found {other}" in str(refusal.value)
    assert f"sm_{gpu['arch']}" in str(refusal.value)


def test_ptx_from_the_future_is_refused_with_the_way_out(one_launch, module_for):
    ptx = module_for("ptx_75").replace(b".version 7.8", b".version 99.0")
    with pytest.raises(_native.NativeError, match="newer than the driver"):
        _native.Program(one_launch.capture("ptx_75"), {"ptx_75": ptx}, device="cuda")


@pytest.mark.parametrize("image", [b"", b"garbage", b"\x7fELF" + bytes(60), b".version 7.8\n.target sm_75\nnonsense"])
def test_a_damaged_binary_is_refused(one_launch, gpu, image: bytes):
    target = f"sm_{gpu['arch']}" if not image.startswith(b".v") else "ptx_75"
    with pytest.raises(_native.NativeError) as refusal:
        _native.Program(one_launch.capture(target), {target: image}, device="cuda")
    assert refusal.value.code == "WC_ERROR_MODULE"
    assert "\n" not in str(refusal.value)


def test_a_kernel_with_other_parameters_is_refused_before_it_runs(one_launch, gpu):
    from whitecap.capture.cuda_compile import compile_cuda

    target = f"sm_{gpu['arch']}"
    source = 'extern "C" __global__ void add_0a1b2c3d_cuda_kernel_forward(double only) {}'
    with pytest.raises(_native.NativeError, match="another capture"):
        _native.Program(one_launch.capture(target), {target: compile_cuda(source, "m", target)}, device="cuda")
