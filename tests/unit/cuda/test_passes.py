"""Runs of stencil launches on the fake driver: when they become passes of several steps, when they stay launches."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from whitecap import _native

BASE = "solve_0a1b2c3d"
MULTIPROCESSORS = 132  # of the fake device
SIZES = "24 56 56 4"
# near is argument 0, own is argument 1; blocks of 32 x 24 and of 64 x 64 cells, and staged ones of 128 x 120
MODULE = f"""target sm_90
kernel {BASE}_cuda_kernel_forward {SIZES}
kernel {BASE}_cuda_grid2d {SIZES}
kernel {BASE}_cuda_stencil0 {SIZES} 8 8 4 4
kernel {BASE}_cuda_stencil1 {SIZES} 8 8 4 4
kernel {BASE}_cuda_stencil2 {SIZES} 8 8 4 4
table {BASE}_cuda_stencil 2 0 1 3 1 2 12 93 93 0 2 4 16 330 330 0 4 10 12 1100 1100 1
"""

# no table, unknown version, one array twice, fewer shapes than said, no columns, a negative argument, no shapes
BAD_TABLES = [
    "",
    "1 0 1 1 1 2 12 93 93 0",
    "2 0 0 1 1 2 12 93 93 0",
    "2 0 1 2 1 2 12 93 93 0",
    "2 0 1 1 0 2 12 93 93 0",
    "2 -1 1 1 1 2 12 93 93 0",
    "2 0 1 0",
]


def field(array: np.ndarray, access: str) -> _native.Argument:
    image = np.zeros(
        1, [("data", "u8", 2), ("shape", "i4", 4), ("strides", "i4", 4), ("ndim", "u2"), ("rest", "u2", 3)]
    )
    image["shape"][0, : array.ndim] = array.shape
    image["strides"][0, : array.ndim] = array.strides
    image["ndim"] = array.ndim
    return _native.Argument(image.tobytes(), 8, [(0, array.ctypes.data), (8, 0)], access)


class Solver:
    """Records solve(near, own, amount) again and again, the fields in turn."""

    def __init__(self, *shape: int) -> None:
        self.recorder = _native.Recorder()
        self.recorder.module("hash", "m")
        self.recorder.kernel("solve", "hash", BASE)
        self.x, self.y = self.array(*shape), self.array(*shape)

    def array(self, *shape: int) -> np.ndarray:
        array = np.zeros(shape, np.float32)
        self.recorder.region(array.ctypes.data, array.nbytes, 1, array)
        return array

    def step(self, near: np.ndarray, own: np.ndarray, amount: float = 1.0) -> None:
        arguments = [field(near, "read"), field(own, "read_write"), _native.Argument(np.float32(amount).tobytes(), 4)]
        self.recorder.launch("solve", "hash", near.shape, arguments)

    def steps(self, count: int, amount: float = 1.0) -> Solver:
        for _ in range(count):
            self.step(self.x, self.y, amount)
            self.x, self.y = self.y, self.x
        return self

    def capture(self) -> _native.Capture:
        module = {"hash": "hash", "name": "m", "binary_filename": "m.so", "arch": 0}
        alternative = {"module_hash": "hash", "target": "sm_90", "filename": "m", "digest": ""}
        return self.recorder.finish().with_modules([module], [alternative])

    def program(self, module: str = MODULE) -> _native.Program:
        return _native.Program(self.capture(), {"m": module.encode()}, device="cuda")


def entries(fake, program: _native.Program) -> list[str]:
    """The entries that the graph's nodes use, without the base symbol."""
    return [line.split()[1].removeprefix(BASE) for line in fake.graph(program.graph)]


@pytest.mark.parametrize(
    ("launches", "passes"),
    [(4, [2, 2]), (5, [2, 3]), (7, [3, 4]), (16, [8, 8]), (17, [4, 4, 4, 5]), (64, [8] * 8)],
)
def test_a_run_becomes_an_even_number_of_passes_that_do_all_its_steps(fake, launches: int, passes: list[int]):
    program = Solver(64, 64).steps(launches).program()
    assert entries(fake, program) == ["_cuda_stencil0"] * len(passes)
    seen: list[tuple[int, int]] = []

    def look(arguments: ctypes.Array[ctypes.c_void_p]) -> None:
        seen.append(tuple(ctypes.cast(arguments[i], ctypes.POINTER(ctypes.c_int))[0] for i in (6, 7)))

    fake.kernels[f"{BASE}_cuda_stencil0"] = look
    program.launch()
    assert [steps for steps, _ in seen] == passes
    done = np.cumsum([0, *passes[:-1]])
    assert [swapped for _, swapped in seen] == list(done % 2)


def test_passes_read_one_pair_of_buffers_and_write_the_other(fake):
    program = Solver(64, 64).steps(16).program()
    seen: list[tuple[int, ...]] = []

    def look(arguments: ctypes.Array[ctypes.c_void_p]) -> None:
        seen.append(tuple(ctypes.cast(arguments[i], ctypes.POINTER(ctypes.c_uint64))[0] for i in (1, 2, 4, 5)))

    fake.kernels[f"{BASE}_cuda_stencil0"] = look
    program.launch()
    first, second = seen
    assert first[:2] == second[2:]
    assert first[2:] == second[:2]
    assert len(set(first)) == 4


def test_passes_are_ordered_by_programmatic_edges(fake):
    lines = fake.graph((program := Solver(64, 64).steps(16).program()).graph)
    assert [line.split(" after")[1] for line in lines] == ["", " 0p"]
    assert program.device == "cuda"


def test_larger_grids_take_larger_blocks_and_border_blocks_need_no_halo(fake):
    program = Solver(128, 2048).steps(16).program()
    line = fake.graph(program.graph)[0]
    # a tile of 64 x 64 stores 48 x 48, the outermost 8 more on their outer side
    assert f"{BASE}_cuda_stencil1 grid {-(-(2048 - 16) // 48)}x{-(-(128 - 16) // 48)}x1 block 32x16x1" in line


def test_the_largest_grids_take_blocks_that_do_tile_after_tile(fake):
    line = fake.graph((program := Solver(1024, 2048).steps(16).program()).graph)[0]
    # one block a multiprocessor, with shared memory for a tile of both fields
    assert f"{BASE}_cuda_stencil2 grid {MULTIPROCESSORS}x1x1 block 32x12x1 shared {2 * 128 * 120 * 4}" in line
    assert program.device == "cuda"


def test_no_more_blocks_than_tiles_are_launched(fake):
    module = MODULE.replace(" 1100 1100 1", " 1 1 1")
    line = fake.graph((program := Solver(200, 300).steps(16).program(module)).graph)[0]
    assert f"{BASE}_cuda_stencil2 grid {2 * 3}x1x1" in line
    assert program.device == "cuda"


def test_an_entry_that_the_device_has_no_shared_memory_for_is_not_used(fake):
    fake.fail("cuFuncSetAttribute", 1)
    line = fake.graph((program := Solver(1024, 2048).steps(16).program()).graph)[0]
    assert f"{BASE}_cuda_stencil1" in line
    assert program.device == "cuda"


@pytest.mark.parametrize("shape", [(23, 64), (64, 31), (1, 1), (1, 4096)])
def test_grids_smaller_than_a_block_stay_launches(fake, shape: tuple[int, int]):
    assert entries(fake, Solver(*shape).steps(6).program()) == ["_cuda_grid2d"] * 6


def test_short_runs_stay_launches(fake):
    assert entries(fake, Solver(64, 64).steps(3).program()) == ["_cuda_grid2d"] * 3


def test_what_stands_in_between_splits_a_run(fake):
    solver = Solver(64, 64).steps(6)
    solver.recorder.memset(solver.x.ctypes.data, 0, 4)
    solver.steps(6)
    program = solver.program()
    kinds = [line.split()[1].removeprefix(BASE) for line in fake.graph(program.graph)]
    assert kinds == ["_cuda_stencil0"] * 2 + ["set"] + ["_cuda_stencil0"] * 2


def test_another_value_ends_a_run(fake):
    program = Solver(64, 64).steps(4, 1.0).steps(2, 2.0).program()
    assert entries(fake, program) == ["_cuda_stencil0"] * 2 + ["_cuda_grid2d"] * 2


def test_fields_that_do_not_change_roles_stay_launches(fake):
    solver = Solver(64, 64)
    for _ in range(6):
        solver.step(solver.x, solver.y)
    assert entries(fake, solver.program()) == ["_cuda_grid2d"] * 6


def test_overlapping_fields_stay_launches(fake):
    solver = Solver(64, 64)
    whole = solver.array(80, 64)
    solver.x, solver.y = whole[:64], whole[16:]
    assert entries(fake, solver.steps(6).program()) == ["_cuda_grid2d"] * 6


def test_fields_of_another_shape_than_the_launch_stay_launches(fake):
    solver = Solver(64, 64)
    x, y = solver.array(64, 128), solver.array(64, 128)
    for _ in range(6):
        arguments = [field(x, "read"), field(y, "read_write"), _native.Argument(bytes(4), 4)]
        solver.recorder.launch("solve", "hash", (64, 64), arguments)
        x, y = y, x
    assert entries(fake, solver.program()) == ["_cuda_grid2d"] * 6


def test_rows_with_a_gap_between_them_run_in_passes(fake):
    solver = Solver(64, 64)
    solver.x, solver.y = solver.array(64, 100)[:, :64], solver.array(64, 100)[:, :64]
    assert entries(fake, solver.steps(6).program()) == ["_cuda_stencil0"] * 2


def test_without_memory_for_second_buffers_every_launch_is_a_node(fake):
    solver = Solver(512, 512)
    fake.capacity(3 << 20)  # the fields take 2 MiB
    assert entries(fake, solver.steps(6).program()) == ["_cuda_grid2d"] * 6


@pytest.mark.parametrize("table", BAD_TABLES)
def test_tables_that_are_not_understood_are_left_alone(fake, table: str):
    module = MODULE.replace("2 0 1 3 1 2 12 93 93 0 2 4 16 330 330 0 4 10 12 1100 1100 1", table)
    assert module != MODULE
    assert entries(fake, Solver(64, 64).steps(6).program(module)) == ["_cuda_grid2d"] * 6


def test_an_argument_number_beyond_the_launch_is_left_alone(fake):
    module = MODULE.replace("2 0 1 3 1 2", "2 0 9 3 1 2")
    assert entries(fake, Solver(64, 64).steps(6).program(module)) == ["_cuda_grid2d"] * 6


def test_passes_can_be_switched_off(fake, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WHITECAP_CUDA_PASSES", "0")
    assert entries(fake, Solver(64, 64).steps(6).program()) == ["_cuda_grid2d"] * 6


def test_changed_values_are_taken_over_in_place_when_all_launches_agree(fake):
    seen: list[float] = []
    fake.kernels[f"{BASE}_cuda_stencil0"] = lambda arguments: seen.append(
        ctypes.cast(arguments[3], ctypes.POINTER(ctypes.c_float))[0]
    )
    files = {"m": MODULE.encode()}
    keep = [Solver(64, 64).steps(6, 1.0), Solver(64, 64).steps(6, 5.0), Solver(64, 64).steps(4, 1.0).steps(2, 5.0)]
    first, agreed, mixed = (_native.Capture.from_bytes(solver.capture().encode()) for solver in keep)
    program = _native.Program(first, files, device="cuda")
    assert program.update(agreed)
    program.launch()
    assert seen == [5.0, 5.0]
    assert not program.update(mixed)
