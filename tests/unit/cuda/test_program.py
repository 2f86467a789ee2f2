"""CUDA programs on the fake driver: what goes into the graph, in which order, and what every failure leaves behind."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
from whitecap import _native

BASE = "add_0a1b2c3d"
# launch_bounds of rank 1, two array arguments, one float
ADD = f"kernel {BASE}_cuda_kernel_forward 24 56 56 4"
STENCIL_2D = f"kernel {BASE}_cuda_kernel_forward 24 56 56 4\nkernel {BASE}_cuda_grid2d 24 56 56 4"
MODULES = {"m.sm_90.cubin": f"target sm_90\n{ADD}".encode()}


def array_image(array: np.ndarray) -> bytes:
    image = np.zeros(
        1, [("data", "u8", 2), ("shape", "i4", 4), ("strides", "i4", 4), ("ndim", "u2"), ("rest", "u2", 3)]
    )
    image["shape"][0, : array.ndim] = array.shape
    image["strides"][0, : array.ndim] = array.strides
    image["ndim"] = array.ndim
    return image.tobytes()


def argument(value: np.ndarray | float, access: str = "unknown") -> _native.Argument:
    if isinstance(value, np.ndarray):
        return _native.Argument(array_image(value), 8, [(0, value.ctypes.data), (8, 0)], access)
    return _native.Argument(np.float32(value).tobytes(), 4)


class Recording:
    """A recorder with arrays as regions, and a launch of the one kernel `add(dst, src, amount)`."""

    def __init__(self) -> None:
        self.recorder = _native.Recorder()
        self.recorder.module("hash", "m")
        self.recorder.kernel("add", "hash", BASE)
        self.arrays: list[np.ndarray] = []

    def array(self, *shape: int, name: str | None = None, dtype: str = "f4", output: bool = False) -> np.ndarray:
        array = np.zeros(shape, dtype)
        self.arrays.append(array)
        self.recorder.region(array.ctypes.data, array.nbytes, 1, array)
        if name is not None:
            self.recorder.binding(name, array.ctypes.data, output)
        return array

    def add(self, dst: np.ndarray, src: np.ndarray, amount: float = 1.0, known: bool = True) -> None:
        accesses = ("read_write", "read") if known else ("unknown", "unknown")
        arguments = [argument(dst, accesses[0]), argument(src, accesses[1]), argument(amount)]
        self.recorder.launch("add", "hash", dst.shape, arguments)

    def capture(self, *targets: str) -> _native.Capture:
        """For CUDA, with these module files."""
        files = targets or ("sm_90",)
        suffix = {True: ".cubin", False: ".ptx"}
        names = [f"m.{target}{suffix[target.startswith('sm')]}" for target in files]
        alternatives = [
            {"module_hash": "hash", "target": target, "filename": name, "digest": ""}
            for target, name in zip(files, names, strict=True)
        ]
        module = {"hash": "hash", "name": "m", "binary_filename": "m.x86_64.so", "arch": 0}
        return self.recorder.finish().with_modules([module], alternatives)


def run_add(shape: tuple[int, ...]) -> Callable[[object], None]:
    """The kernel: dst += src + amount, element by element."""

    def kernel(arguments: ctypes.Array[ctypes.c_void_p]) -> None:
        count = int(np.prod(shape))
        dst, src = (ctypes.cast(arguments[i], ctypes.POINTER(ctypes.c_uint64))[0] for i in (1, 2))
        amount = ctypes.cast(arguments[3], ctypes.POINTER(ctypes.c_float))[0]
        target = np.ctypeslib.as_array(ctypes.cast(dst, ctypes.POINTER(ctypes.c_float)), (count,))
        target += np.ctypeslib.as_array(ctypes.cast(src, ctypes.POINTER(ctypes.c_float)), (count,)) + np.float32(amount)

    return kernel


def cuda(capture: _native.Capture, modules: dict[str, bytes] = MODULES) -> _native.Program:
    return _native.Program(capture, modules, device="cuda")


def get(program: _native.Program, name: str) -> np.ndarray:
    out = np.empty(program.parameter_size(name) // 4, np.float32)
    program.get_parameter(name, out)
    return out


def nodes(fake, program: _native.Program) -> list[str]:
    return fake.graph(program.graph)


def test_a_cpu_recording_runs_on_cuda_with_its_contents(fake):
    recording = Recording()
    x, y = recording.array(8, name="x"), recording.array(8, name="y", output=True)
    x[:], y[:] = np.arange(8), 100
    recording.add(y, x, 0.5)
    fake.kernels[f"{BASE}_cuda_kernel_forward"] = run_add((8,))
    program = cuda(recording.capture())
    program.launch(2)
    np.testing.assert_array_equal(get(program, "y"), 100 + 2 * (np.arange(8) + 0.5))
    assert program.device == "cuda"


def test_inputs_take_effect_in_the_next_launch(fake):
    recording = Recording()
    x, y = recording.array(8, name="x"), recording.array(8, name="y", output=True)
    recording.add(y, x, 0.0)
    fake.kernels[f"{BASE}_cuda_kernel_forward"] = run_add((8,))
    program = cuda(recording.capture())
    program.set_parameter("x", np.full(8, 3, np.float32))
    program.launch()
    program.set_parameter("x", np.full(8, 4, np.float32))
    program.launch()
    np.testing.assert_array_equal(get(program, "y"), np.full(8, 7, np.float32))


def test_launches_that_share_nothing_become_parallel_branches(fake):
    recording = Recording()
    a, b, shared = recording.array(8), recording.array(8), recording.array(8)
    recording.add(a, shared)
    recording.add(b, shared)
    recording.add(a, b)
    lines = nodes(fake, cuda(recording.capture()))
    assert [line.split(" after")[1] for line in lines] == ["", "", " 0 1"]


def test_unknown_accesses_make_a_chain(fake):
    recording = Recording()
    a, b, c = (recording.array(8) for _ in range(3))
    recording.add(a, a)
    recording.add(b, b, known=False)
    recording.add(c, c)
    lines = nodes(fake, cuda(recording.capture()))
    assert [line.split(" after")[1] for line in lines] == ["", " 0", " 1"]


def test_halves_of_one_region_are_independent(fake):
    recording = Recording()
    whole = recording.array(16)
    recording.add(whole[:8], whole[:8])
    recording.add(whole[8:], whole[8:])
    lines = nodes(fake, cuda(recording.capture()))
    assert [line.split(" after")[1] for line in lines] == ["", ""]


def test_two_buffers_in_turn_make_a_chain_without_spare_edges(fake):
    recording = Recording()
    a, b = recording.array(8), recording.array(8)
    for step in range(6):
        recording.add(*((a, b) if step % 2 == 0 else (b, a)))
    lines = nodes(fake, cuda(recording.capture()))
    assert [line.split(" after")[1] for line in lines] == ["", " 0", " 1", " 2", " 3", " 4"]


def test_2d_entries_get_tiles_and_programmatic_edges(fake):
    recording = Recording()
    a, b = recording.array(97, 131), recording.array(97, 131)
    recording.add(a, b)
    recording.add(b, a)
    program = cuda(recording.capture(), {"m.sm_90.cubin": f"target sm_90\n{STENCIL_2D}".encode()})
    assert fake.graph(program.graph) == [
        f"0 {BASE}_cuda_grid2d grid 5x13x1 block 32x8x1 after",
        f"1 {BASE}_cuda_grid2d grid 5x13x1 block 32x8x1 after 0p",
    ]


@pytest.mark.parametrize(
    ("shape", "grid"),
    [((1000, 1000), "32x125"), ((4096, 1024), "32x256"), ((4096, 4096), "128x64"), ((1, 9999), "313x1")],
)
def test_a_kernel_of_idle_threads_gets_fewer_blocks_on_large_grids(fake, shape: tuple[int, int], grid: str):
    recording = Recording()
    array = recording.array(*shape)
    recording.add(array, array)
    module = f"target sm_90\n{STENCIL_2D}\nkernel {BASE}_cuda_bands2d 24 56 56 4"
    (line,) = fake.graph((program := cuda(recording.capture(), {"m.sm_90.cubin": module.encode()})).graph)
    blocks = int(np.ceil(shape[0] / 8) * np.ceil(shape[1] / 32))
    entry = "bands2d" if blocks >= 16384 else "grid2d"
    assert f"_cuda_{entry} grid {grid}x1 block 32x8x1" in line
    assert program.device == "cuda"


def test_ptx_of_an_older_architecture_gets_ordinary_edges(fake):
    recording = Recording()
    a, b = recording.array(8, 8), recording.array(8, 8)
    recording.add(a, b)
    recording.add(b, a)
    program = cuda(recording.capture("ptx_80"), {"m.ptx_80.ptx": f"target ptx_80\n{STENCIL_2D}".encode()})
    assert fake.graph(program.graph)[1].endswith("after 0")


@pytest.mark.parametrize(("count", "grid"), [(1, "1x1x1"), (256, "1x1x1"), (257, "2x1x1"), (1 << 25, "65536x2x1")])
def test_lean_launches_fill_x_then_y(fake, count: int, grid: str):
    recording = Recording()
    small = recording.array(8)
    arguments = [argument(small, "read_write"), argument(small, "read"), argument(1.0)]
    recording.recorder.launch("add", "hash", [count], arguments)
    assert f"grid {grid} block 256x1x1" in nodes(fake, cuda(recording.capture()))[0]


def test_memory_operations_become_nodes_of_their_kind(fake):
    recording = Recording()
    a, b = recording.array(6, name="a"), recording.array(6, name="b", output=True)
    b[:] = np.arange(6)
    recording.recorder.copy(a.ctypes.data, b.ctypes.data + 4, 8)
    recording.recorder.memset(a.ctypes.data + 8, 0xFF, 4)
    recording.recorder.tile(a.ctypes.data + 12, np.float32(7).tobytes(), 3)
    program = cuda(recording.capture())
    program.launch()
    kinds = [line.split()[1] for line in fake.graph(program.graph)]
    assert kinds == ["copy", "set", "set"]
    expected = np.array([1, 2, np.nan, 7, 7, 7], np.float32)
    np.testing.assert_array_equal(get(program, "a"), expected)


@pytest.mark.parametrize(("value", "kernel"), [(b"abc", "wc_tile_bytes"), (b"01234567", "wc_tile_words")])
def test_fills_that_no_memset_expresses_use_a_helper_kernel(fake, value: bytes, kernel: str):
    recording = Recording()
    a = recording.array(12, name="a")
    recording.recorder.tile(a.ctypes.data, value, 48 // len(value))
    program = cuda(recording.capture())
    program.launch()
    assert kernel in fake.graph(program.graph)[0]
    assert get(program, "a").tobytes() == value * (48 // len(value))


def test_regions_are_zero_or_as_recorded_and_aligned(fake):
    recording = Recording()
    a, b = recording.array(3, name="a"), recording.array(5, name="b")
    a[:] = 4
    program = cuda(recording.capture())
    np.testing.assert_array_equal(get(program, "a"), [4, 4, 4])
    np.testing.assert_array_equal(get(program, "b"), np.zeros(5))
    assert program.parameter_pointer("a") % 256 == program.parameter_pointer("b") % 256 == 0
    assert program.memory_bytes >= a.nbytes + b.nbytes


def conditional(recording: Recording, condition: np.ndarray, loop: bool, *branches: Callable[[], None]) -> None:
    for branch in branches:
        recording.recorder.begin_branch()
        branch()
        recording.recorder.end_branch()
    recording.recorder.conditional(condition.ctypes.data, loop, len(branches))


@pytest.mark.parametrize("value", [0, 1, -5])
def test_if_runs_one_branch_even_when_it_changes_the_condition(fake, value: int):
    recording = Recording()
    condition, out = recording.array(1, name="c", dtype="i4"), recording.array(1, name="out", output=True)
    condition[0] = value
    c, o = condition.ctypes.data, out.ctypes.data
    conditional(
        recording,
        condition,
        False,
        lambda: (recording.recorder.tile(o, np.float32(1).tobytes(), 1), recording.recorder.memset(c, 0, 4)),
        lambda: (recording.recorder.tile(o, np.float32(2).tobytes(), 1), recording.recorder.memset(c, 1, 4)),
    )
    program = cuda(recording.capture())
    program.launch()
    assert get(program, "out")[0] == (1 if value else 2)


def test_while_repeats_until_its_condition_is_zero_and_nests(fake):
    recording = Recording()
    left = recording.array(1, name="left", dtype="i4")
    total = recording.array(1, name="total", output=True)
    left[0] = 3

    def count_down(arguments: ctypes.Array[ctypes.c_void_p]) -> None:
        ctypes.cast(program.parameter_pointer("left"), ctypes.POINTER(ctypes.c_int))[0] -= 1

    def body() -> None:
        conditional(recording, left, False, lambda: recording.add(total, total))

    conditional(recording, left, True, body)
    fake.kernels[f"{BASE}_cuda_kernel_forward"] = count_down
    program = cuda(recording.capture())
    program.launch()
    assert fake.launched.count(f"{BASE}_cuda_kernel_forward") == 3
    depths = [(len(line) - len(line.lstrip())) // 2 for line in fake.graph(program.graph)]
    kinds = [line.split()[1] for line in fake.graph(program.graph)]
    assert list(zip(depths, kinds, strict=True)) == [
        (0, "wc_condition"),
        (0, "while"),
        (1, "wc_condition"),
        (1, "if"),
        (2, f"{BASE}_cuda_kernel_forward"),
        (1, "wc_condition"),
    ]


def test_only_launch_values_may_change_in_place(fake):
    def recorded(amount: float, twice: bool = False) -> _native.Capture:
        recording = Recording()
        keep.append(recording)
        y = recording.array(8, name="y", output=True)
        recording.add(y, y, amount)
        if twice:
            recording.add(y, y, amount)
        return recording.capture().retargeted("cuda", 90)

    keep: list[Recording] = []
    fake.kernels[f"{BASE}_cuda_kernel_forward"] = run_add((8,))
    program = cuda(_native.Capture.from_bytes(recorded(1.0).encode()))
    assert program.update(_native.Capture.from_bytes(recorded(5.0).encode()))
    assert fake.calls("cuGraphInstantiateWithFlags") >= 1
    program.launch()
    np.testing.assert_array_equal(get(program, "y"), np.full(8, 5, np.float32))
    assert not program.update(_native.Capture.from_bytes(recorded(5.0, twice=True).encode()))
    program.launch()
    np.testing.assert_array_equal(get(program, "y"), np.full(8, 15, np.float32))


# ---- modules -------------------------------------------------------------------------------------------------------


def one_launch() -> Recording:
    recording = Recording()
    y = recording.array(8, name="y", output=True)
    recording.add(y, y)
    return recording


def test_ptx_serves_when_the_machine_code_is_for_another_gpu(fake):
    recording = one_launch()
    files = {"m.sm_80.cubin": f"target sm_80\n{ADD}".encode(), "m.ptx_75.ptx": f"target ptx_75\n{ADD}".encode()}
    cuda(recording.capture("sm_80", "ptx_75"), files).launch()
    assert fake.launched == [f"{BASE}_cuda_kernel_forward"]


def test_ptx_of_a_newer_toolkit_falls_back_to_older_ptx(fake):
    recording = one_launch()
    files = {"m.ptx_90.ptx": b"target ptx_future\n", "m.ptx_75.ptx": f"target ptx_75\n{ADD}".encode()}
    cuda(recording.capture("ptx_90", "ptx_75"), files).launch()
    assert fake.launched == [f"{BASE}_cuda_kernel_forward"]


def refused(capture: _native.Capture, modules: dict[str, bytes] = MODULES) -> _native.NativeError:
    with pytest.raises(_native.NativeError) as refusal:
        cuda(capture, modules)
    assert "\n" not in str(refusal.value)
    return refusal.value


def test_machine_code_for_another_gpu_alone_is_refused_with_found_and_needed(fake):
    error = refused(one_launch().capture("sm_80"), {"m.sm_80.cubin": b"target sm_80\n"})
    assert error.code == "WC_ERROR_MODULE"
    assert "sm_80" in str(error)
    assert "Fake GPU needs sm_90" in str(error)
    assert "--target sm_90" in str(error)


def test_ptx_of_a_newer_toolkit_alone_says_update_the_driver(fake):
    error = refused(one_launch().capture("ptx_90"), {"m.ptx_90.ptx": b"target ptx_future\n"})
    assert "newer than the driver" in str(error)
    assert "fake compiler: not for this device" in str(error)


def test_a_capture_without_cuda_binaries_is_refused(fake):
    recording = one_launch()
    module = {"hash": "hash", "name": "m", "binary_filename": "m.x86_64.so", "arch": 0}
    error = refused(recording.recorder.finish().with_modules([module]))
    assert "no CUDA binary" in str(error)


def test_a_missing_kernel_is_named(fake):
    error = refused(one_launch().capture(), {"m.sm_90.cubin": b"target sm_90\n"})
    assert error.code == "WC_ERROR_SYMBOL"
    assert f"{BASE}_cuda_kernel_forward" in str(error)


@pytest.mark.parametrize("sizes", ["24 56 56 8", "24 56 56", "24 56 56 4 4", "32 56 56 4"])
def test_parameters_that_do_not_match_the_kernel_are_refused(fake, sizes: str):
    error = refused(
        one_launch().capture(), {"m.sm_90.cubin": f"target sm_90\nkernel {BASE}_cuda_kernel_forward {sizes}".encode()}
    )
    assert error.code == "WC_ERROR_MODULE"
    assert "another capture" in str(error)


def test_a_second_program_of_the_same_kernels_loads_nothing(fake):
    first = cuda(one_launch().capture())
    loaded = fake.calls("cuModuleLoadDataEx")
    second = cuda(one_launch().capture())
    assert fake.calls("cuModuleLoadDataEx") == loaded
    first.launch()
    second.launch()


def test_a_context_that_is_new_gets_its_own_modules(fake):
    cuda(one_launch().capture()).launch()
    loaded = fake.calls("cuModuleLoadDataEx")
    cuda(one_launch().capture()).launch()  # the primary context went with the first program
    assert fake.calls("cuModuleLoadDataEx") == loaded + 1


# ---- failures ------------------------------------------------------------------------------------------------------

CALLS_OF_A_PROGRAM = [
    "cuDevicePrimaryCtxRetain",
    "cuStreamCreate",
    "cuMemAlloc_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuModuleLoadDataEx",
    "cuModuleGetFunction",
    "cuFuncLoad",
    "cuFuncSetAttribute",
    "cuGraphCreate",
    "cuGraphConditionalHandleCreate",
    "cuGraphAddNode_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphUpload",
    "cuStreamSynchronize",
]


def everything() -> Recording:
    """A launch, a fill with a helper kernel, and an IF."""
    recording = one_launch()
    condition = recording.array(1, dtype="i4")
    recording.recorder.tile(recording.arrays[0].ctypes.data, b"abc", 3)
    conditional(recording, condition, False, lambda: recording.recorder.memset(condition.ctypes.data, 0, 4))
    return recording


@pytest.mark.parametrize("call", CALLS_OF_A_PROGRAM)
def test_any_failing_call_names_itself_and_leaves_nothing(fake, call: str):
    capture = everything().capture()
    fake.fail(call, 999)
    error = refused(capture)
    assert call.split("_")[0].replace("WithFlags", "") in str(error)  # the manual's name of the call
    assert fake.live() == ""
    fake.heal()
    cuda(capture).launch()  # the process stays usable


def test_out_of_memory_says_how_much_and_leaves_nothing(fake):
    recording = one_launch()
    recording.array(1 << 20)
    capture = recording.capture()
    fake.capacity(1 << 20)
    error = refused(capture)
    assert error.code == "WC_ERROR_MEMORY"
    assert "4.0 MiB needed" in str(error)
    assert "1.0 MiB of 1.0 MiB free" in str(error)
    assert fake.live() == ""
    fake.heal()
    cuda(capture).launch()


def test_a_lost_context_is_reported_with_its_cause_then_as_stopped(fake):
    program = cuda(one_launch().capture())
    fake.fail("cuGraphLaunch", 700)
    with pytest.raises(_native.NativeError, match="CUDA_ERROR_ILLEGAL_ADDRESS") as first:
        program.launch()
    assert first.value.code == "WC_ERROR_CUDA"
    with pytest.raises(_native.NativeError, match=r"stopped earlier.*CUDA_ERROR_ILLEGAL_ADDRESS") as second:
        program.launch()
    assert second.value.code == "WC_ERROR_STATE"


def test_a_passing_failure_leaves_the_program_usable(fake):
    program = cuda(one_launch().capture())
    fake.fail("cuGraphLaunch", 1)
    with pytest.raises(_native.NativeError, match="CUDA_ERROR_INVALID_VALUE"):
        program.launch()
    program.launch()


@pytest.mark.parametrize("size", [0, 31, 33])
def test_parameters_of_another_size_are_refused(fake, size: int):
    program = cuda(one_launch().capture())
    with pytest.raises(_native.NativeError, match="32") as refusal:
        program.set_parameter("y", bytes(size))
    assert refusal.value.code == "WC_ERROR_PARAMETER"
    with pytest.raises(_native.NativeError, match="the capture has"):
        program.get_parameter("z", bytearray(32))


# ---- the caller's graphs and streams --------------------------------------------------------------------------------


def test_the_program_goes_into_a_graph_of_the_callers_as_a_child(fake):
    program = cuda(one_launch().capture())
    parent = fake.new_graph()
    first = program.add_to_graph(parent)
    program.add_to_graph(parent, [first])
    assert fake.graph(parent) == ["0 child after", "1 child after 0"]


def test_a_program_with_conditionals_goes_in_node_by_node(fake):
    program = cuda(everything().capture())
    parent = fake.new_graph()
    program.add_to_graph(parent)
    kinds = [line.split()[1] for line in fake.graph(parent) if not line.startswith(" ")]
    assert "child" not in kinds
    assert kinds[-1] == "empty"
    assert "if" in kinds


def test_a_launch_on_a_capturing_stream_joins_the_capture(fake):
    program = cuda(one_launch().capture())
    stream, graph = fake.new_stream(), fake.new_graph()
    fake.begin_capture(stream, graph)
    program.launch(2, stream)
    assert fake.graph(graph) == ["0 child after", "1 child after 0"]
    assert fake.launched == []


def test_capturing_is_refused_on_a_stream_that_does_not(fake):
    program = cuda(one_launch().capture())
    with pytest.raises(_native.NativeError, match="not capturing") as refusal:
        program.add_to_capture(fake.new_stream())
    assert refusal.value.code == "WC_ERROR_STATE"


def test_closing_waits_for_the_callers_stream(fake):
    program = cuda(one_launch().capture())
    program.launch(1, fake.new_stream())
    waited = fake.calls("cuEventSynchronize")
    del program
    assert fake.calls("cuEventSynchronize") == waited + 1
