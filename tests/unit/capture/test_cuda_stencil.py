"""Which kernels may run several steps in one CUDA launch, and what their entries say."""

from __future__ import annotations

import re

import pytest
from whitecap import capture as wc
from whitecap.capture.cuda_compile import CudaCompileError, compile_cuda
from whitecap.capture.cuda_stencil import SHAPES, find_stencil
from whitecap.capture.plan import plan_kernel

Grid = wc.array2d(dtype=wc.float32)


@wc.func
def sample(a: wc.array2d(dtype=wc.float32), i: wc.int32, j: wc.int32) -> wc.float32:
    return a[wc.clamp(i, 0, a.shape[0] - 1), wc.clamp(j, 0, a.shape[1] - 1)]


@wc.kernel(module="unique")
def five_points(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32), rate: wc.float32):
    i, j = wc.tid()
    around = sample(a, i, j + 1) + sample(a, i, j - 1) + sample(a, i + 1, j) + sample(a, i - 1, j)
    b[i, j] = b[i, j] * 0.5 + rate * (around - 4.0 * a[i, j])


@wc.kernel(module="unique")
def nine_points(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    row = wc.clamp(i - 1, 0, a.shape[0] - 1)
    column = wc.clamp(j + 1, 0, b.shape[1] - 1)
    b[i, j] = a[row, column] + sample(a, i + 1, j - 1) + a[i, j]


@wc.kernel(module="unique")
def sometimes(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32), limits: wc.array(dtype=wc.float32)):
    limit = limits[0]
    i, j = wc.tid()
    if sample(a, i, j - 1) > limit:
        b[i, j] = a[i, j]
        if j > 3:
            b[i, j] = b[i, j] + 1.0


def stencil_of(kernel):
    return find_stencil(kernel.form, plan_kernel(kernel.form))


def test_a_five_point_kernel_is_a_stencil_with_its_five_cells():
    stencil = stencil_of(five_points)
    assert (stencil.near, stencil.own) == ("a", "b")
    assert stencil.offsets == ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))


def test_indices_in_variables_and_corners_are_understood():
    assert stencil_of(nine_points).offsets == ((-1, 1), (0, 0), (1, -1))


def test_conditional_writes_and_values_that_are_the_same_for_all_threads_are_allowed():
    assert stencil_of(sometimes).offsets == ((0, -1), (0, 0))


@wc.kernel(module="unique")
def unclamped(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, j + 1]


@wc.kernel(module="unique")
def distance_two(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, wc.clamp(j + 2, 0, a.shape[1] - 1)]


@wc.kernel(module="unique")
def clamped_to_a_number(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32), last: wc.int32):
    i, j = wc.tid()
    b[i, j] = a[i, wc.clamp(j + 1, 0, last)]


@wc.kernel(module="unique")
def clamped_too_early(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, wc.clamp(j + 1, 0, a.shape[1] - 2)]


@wc.kernel(module="unique")
def clamped_by_the_other_side(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, wc.clamp(j + 1, 0, a.shape[0] - 1)]


@wc.kernel(module="unique")
def periodic(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, (j + 1) % a.shape[1]]


@wc.kernel(module="unique")
def transposed(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[j, i]


@wc.kernel(module="unique")
def own_neighbour(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, j] + sample(b, i, j + 1)


@wc.kernel(module="unique")
def writes_beside(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, wc.clamp(j + 1, 0, b.shape[1] - 1)] = a[i, j]


@wc.kernel(module="unique")
def writes_both(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = a[i, j]
    a[i, j] = 0.0


@wc.kernel(module="unique")
def a_third_field(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32), c: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    b[i, j] = sample(a, i, j + 1) * c[i, j]


@wc.kernel(module="unique")
def atomic(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    wc.atomic_add(b, i, j, sample(a, i, j + 1))


@wc.kernel(module="unique")
def double_precision(a: wc.array2d(dtype=wc.float64), b: wc.array2d(dtype=wc.float64)):
    i, j = wc.tid()
    b[i, j] = a[i, wc.clamp(j + 1, 0, a.shape[1] - 1)]


@wc.kernel(module="unique")
def one_dimension(a: wc.array(dtype=wc.float32), b: wc.array(dtype=wc.float32)):
    i = wc.tid()
    b[i] = a[wc.clamp(i + 1, 0, a.shape[0] - 1)]


@wc.kernel(module="unique")
def index_that_changes(a: wc.array2d(dtype=wc.float32), b: wc.array2d(dtype=wc.float32)):
    i, j = wc.tid()
    j = j + 1
    b[i, j] = a[i, j]


NO_STENCILS = [
    unclamped, distance_two, clamped_to_a_number, clamped_too_early, clamped_by_the_other_side, periodic, transposed,
    own_neighbour, writes_beside, writes_both, a_third_field, atomic, double_precision, one_dimension,
    index_that_changes,
]  # fmt: skip


@pytest.mark.parametrize("kernel", NO_STENCILS, ids=lambda kernel: kernel.key)
def test_anything_else_is_left_alone(kernel):
    assert stencil_of(kernel) is None
    assert f"{kernel.base_symbol}_cuda_stencil" not in kernel.module.text().source


@pytest.mark.parametrize("kernel", [five_points, nine_points, sometimes], ids=lambda kernel: kernel.key)
def test_the_entries_compile_and_their_table_is_in_the_binary(kernel):
    source = kernel.module.text().source
    numbers = re.search(rf"{kernel.base_symbol}_cuda_stencil\[\] = {{([\d, ]+)}};", source)
    table = [int(part) for part in numbers[1].split(",")]
    assert table[:4] == [2, 0, 1, len(SHAPES)]
    assert len(table) == 4 + 6 * len(SHAPES)
    try:
        ptx = compile_cuda(source, kernel.key, "ptx_90").decode()
    except CudaCompileError as error:
        if "NVRTC, which is missing" in str(error):
            pytest.skip(str(error))
        raise
    entries = re.findall(rf"\.entry {kernel.base_symbol}_cuda_stencil(\d)\(", ptx)
    assert sorted(entries) == [str(index) for index in range(len(SHAPES))]
    assert re.search(rf"\.global .*\b{kernel.base_symbol}_cuda_stencil\[", ptx)
    waiting = re.findall(r"\.entry \w+_cuda_(?:grid2d|bands2d|stencil\d)\(", ptx)
    assert ptx.count("griddepcontrol.wait") == len(waiting) >= 1 + len(SHAPES)
    assert ".local" not in ptx  # both fields stay in registers


def test_corners_are_shuffled_only_for_kernels_that_look_at_them():
    assert "diagonal = false" in five_points.module.text().source
    assert "diagonal = true" in nine_points.module.text().source
