"""The extension module: recording, encoding and replay from Python; errors; who keeps memory alive."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from whitecap import _native

from .programs import HASH, Stencil, array_argument, float_argument, new_recorder, stencil_reference, with_module


def expect(code: str, fragment: str):
    """The call inside raises a one-line NativeError with this code and text."""

    class Expectation:
        def __enter__(self) -> None:
            self.context = pytest.raises(_native.NativeError)
            self.info = self.context.__enter__()

        def __exit__(self, *args: object) -> bool:
            suppressed = self.context.__exit__(*args)
            message = str(self.info.value)
            assert self.info.value.code == code, message
            assert fragment in message
            assert "\n" not in message
            return bool(suppressed)

    return Expectation()


def modules_of(kernels: Path) -> dict[str, bytes]:
    return {"kernels.so": kernels.read_bytes()}


def test_a_live_capture_replays_on_the_arrays_of_the_caller(kernels: Path) -> None:
    data = Stencil(97, 131)
    expected = stencil_reference(data.field)
    before = data.field.copy()
    program = _native.Program(data.capture(), str(kernels.parent))
    assert np.array_equal(data.field, before)
    program.launch()
    np.testing.assert_allclose(data.field, expected, rtol=1e-6, atol=1e-6)


def test_a_decoded_capture_replays_on_memory_of_its_own_with_the_same_bits(kernels: Path) -> None:
    data = Stencil(33, 40)
    capture = data.capture()
    loaded = _native.Program(_native.Capture.from_bytes(capture.encode()), modules_of(kernels))
    live = _native.Program(capture, str(kernels.parent))
    out = np.empty_like(data.field)
    loaded.launch(5)
    loaded.get_parameter("field_out", out)
    live.launch(count=5)
    assert out.tobytes() == data.field.tobytes()


def test_encoding_reads_arrays_at_the_moment_of_the_call() -> None:
    data = Stencil(3, 3)
    capture = data.capture()
    first = capture.encode()
    assert capture.encode() == first
    data.field += 1
    assert capture.encode() != first


def test_properties_show_the_program() -> None:
    capture = Stencil(4, 6).capture()
    assert capture.device == "cpu"
    assert capture.target_arch == 0
    assert capture.producer == "1.19.0"
    assert capture.whitecap_producer == f"whitecap {_native.__version__}"
    assert capture.launch_count == 2
    assert [region["size"] for region in capture.regions] == [96, 96, 4]
    assert [(b["name"], b["size"], b["output"]) for b in capture.bindings] == [
        ("field", 96, False),
        ("scale", 4, False),
        ("field_out", 96, True),
    ]
    assert [operation["kind"] for operation in capture.operations] == ["launch", "launch", "copy"]
    launch = capture.operations[0]
    assert launch["kernel"] == "stencil"
    assert launch["shape"] == (4, 6)
    assert [argument["access"] for argument in launch["arguments"]] == ["read", "write"]
    assert [argument["regions"] for argument in launch["arguments"]] == [[1], [2]]
    assert capture.modules[0]["binary_filename"] == "kernels.so"
    assert {kernel["forward_name"] for kernel in capture.kernels} >= {"stencil_00000002_cpu_forward"}


def test_branches_show_as_nested_lists() -> None:
    counter, ticks = np.array([3], np.int32), np.array([0], np.int32)
    recorder = new_recorder(counter, ticks)
    recorder.begin_branch()
    recorder.launch("countdown", HASH, (1,), [array_argument(counter), array_argument(ticks)])
    recorder.end_branch()
    recorder.conditional(counter.ctypes.data, loop=True, branches=1)
    operations = recorder.finish().operations
    assert operations[0]["kind"] == "while"
    assert operations[0]["branches"][0][0]["kernel"] == "countdown"


def test_retargeting_gives_the_names_of_cuda() -> None:
    cuda = Stencil(4, 6).capture().retargeted("cuda", 90)
    assert (cuda.device, cuda.target_arch) == ("cuda", 90)
    assert cuda.operations[0]["block_dim"] == 256
    assert "stencil_00000002_cuda_kernel_forward" in {kernel["forward_name"] for kernel in cuda.kernels}


def test_parameters_can_be_named_after_recording() -> None:
    data = Stencil(4, 6)
    named = data.capture().with_parameters([("in", data.field.ctypes.data)], [("out", data.next.ctypes.data)])
    assert [(b["name"], b["output"]) for b in named.bindings] == [("in", False), ("out", True)]
    with expect("WC_ERROR_ARGUMENT", 'parameter "elsewhere"'):
        named.with_parameters([("elsewhere", 8)], [])


def test_parameters_are_copied_both_ways(kernels: Path) -> None:
    data = Stencil(4, 6)
    program = _native.Program(_native.Capture.from_bytes(data.capture().encode()), modules_of(kernels))
    program.set_parameter("field", np.full((4, 6), 2, np.float32))
    program.set_parameter("scale", b"\x00\x00\x00\x3f")  # 0.5
    program.launch()
    out = bytearray(96)
    program.get_parameter("field_out", out)
    assert np.frombuffer(out, np.float32).tolist() == [1.0] * 24
    assert program.parameter_size("field") == 96
    assert program.memory_bytes == 96 + 96 + 4


def test_wrong_parameters_are_refused(kernels: Path) -> None:
    program = _native.Program(Stencil(4, 6).capture(), str(kernels.parent))
    with expect("WC_ERROR_PARAMETER", '"field": 4 bytes given, it has 96'):
        program.set_parameter("field", b"1234")
    with expect("WC_ERROR_PARAMETER", '"wave" does not exist; the capture has field, scale, field_out'):
        program.parameter_size("wave")
    with expect("WC_ERROR_ARGUMENT", "an object of type int given, needed is a contiguous buffer"):
        program.set_parameter("field", 3)
    with expect("WC_ERROR_ARGUMENT", "needed is a contiguous writable buffer"):
        program.get_parameter("field", bytes(96))
    with expect("WC_ERROR_ARGUMENT", "contiguous"):
        program.set_parameter("field", np.zeros((4, 12), np.float32)[:, ::2])


def test_a_view_is_the_region_itself_and_keeps_the_program_alive(kernels: Path) -> None:
    program = _native.Program(_native.Capture.from_bytes(Stencil(4, 6).capture().encode()), modules_of(kernels))
    view = np.frombuffer(program.view("field"), np.float32)
    view[:] = 3
    program.launch()
    assert view.tolist() == [3.0] * 24
    pointer = program.parameter_pointer("field")
    assert view.ctypes.data == pointer
    del program
    gc.collect()
    assert view.sum() == 72


def test_views_and_programs_are_released(kernels: Path) -> None:
    data = Stencil(64, 64)
    alive = weakref.ref(data.field)
    program = _native.Program(data.capture(), str(kernels.parent))
    view = program.view("field")
    del data
    gc.collect()
    assert alive() is not None  # the program works on this array
    del program
    assert alive() is not None  # and the view is of it
    del view
    gc.collect()
    assert alive() is None


def test_a_recorder_keeps_the_owners_of_its_regions() -> None:
    array = np.zeros(4, np.float32)
    alive = weakref.ref(array)
    recorder = new_recorder(array)
    del array
    gc.collect()
    assert alive() is not None
    capture = recorder.finish()
    del recorder
    gc.collect()
    assert alive() is not None
    del capture
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_bits(kernels: Path, threads: int) -> None:
    one, many = Stencil(257, 301), Stencil(257, 301)
    _native.Program(one.capture(), str(kernels.parent), threads=1).launch(10)
    _native.Program(many.capture(), str(kernels.parent), threads=threads).launch(10)
    assert one.field.tobytes() == many.field.tobytes()


def test_programs_on_several_python_threads_give_the_same_bits(kernels: Path) -> None:
    expected = Stencil(300, 300)
    _native.Program(expected.capture(), str(kernels.parent), threads=1).launch(30)
    sets = [Stencil(300, 300) for _ in range(4)]
    programs = [_native.Program(data.capture(), str(kernels.parent)) for data in sets]
    workers = [threading.Thread(target=program.launch, args=(30,)) for program in programs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(data.field.tobytes() == expected.field.tobytes() for data in sets)


def test_a_module_launches_at_once(kernels: Path) -> None:
    module = _native.CpuModule(str(kernels))
    assert module.path == str(kernels)
    x, y = np.arange(100_000, dtype=np.float32), np.ones(100_000, np.float32)
    module.launch("axpy_00000001", (100_000,), [float_argument(2), array_argument(x), array_argument(y)])
    assert np.array_equal(y, 1 + 2 * x)
    module.launch("axpy_00000001", (100_000,), [float_argument(1), array_argument(x), array_argument(y)], size=10)
    assert y[9] == 1 + 3 * 9
    assert y[10] == 1 + 2 * 10


def test_modules_and_launches_that_cannot_be_are_refused(kernels: Path, tmp_path: Path) -> None:
    module = _native.CpuModule(str(kernels))
    with expect("WC_ERROR_SYMBOL", 'has no kernel "waves_1_cpu_forward"'):
        module.launch("waves_1", (4,), [])
    with expect("WC_ERROR_ARGUMENT", "a shape of 5 extents"):
        module.launch("axpy_00000001", (1, 1, 1, 1, 1), [])
    with expect("WC_ERROR_ARGUMENT", "300 threads"):
        module.launch("axpy_00000001", (1,), [], threads=300)
    with expect("WC_ERROR_IO", "absent.so: cannot be opened"):
        _native.CpuModule(str(tmp_path / "absent.so"))
    broken = tmp_path / "broken.so"
    broken.write_bytes(kernels.read_bytes()[:3000])
    with expect("WC_ERROR_MODULE", "cut short"):
        _native.CpuModule(str(broken))


def test_a_replaced_module_file_is_read_anew_and_the_loaded_one_stays(kernels: Path, tmp_path: Path) -> None:
    path = tmp_path / "module.so"
    path.write_bytes(kernels.read_bytes())
    module = _native.CpuModule(str(path))
    path.write_bytes(b"something else")  # in place: the same inode
    with expect("WC_ERROR_MODULE", "is no shared library"):
        _native.CpuModule(str(path))
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    module.launch("axpy_00000001", (4,), [float_argument(2), array_argument(x), array_argument(y)])
    assert y.tolist() == [3.0] * 4


def test_arguments_that_cannot_be_are_refused() -> None:
    with expect("WC_ERROR_ARGUMENT", "alignment 3"):
        _native.Argument(b"1234", 3)
    with expect("WC_ERROR_ARGUMENT", "a pointer at byte 1 of a value of 8 bytes"):
        _native.Argument(bytes(8), 8, [(1, 0)])
    with expect("WC_ERROR_ARGUMENT", 'access "append", allowed are'):
        _native.Argument(b"1234", 4, access="append")


def test_programs_that_cannot_be_are_refused(kernels: Path, tmp_path: Path) -> None:
    capture = Stencil(3, 3).capture()
    with expect("WC_ERROR_MODULE", "kernels.so does not exist"):
        _native.Program(capture, str(tmp_path))
    with expect("WC_ERROR_MODULE", '"kernels.so" is not among the 0'):
        _native.Program(capture, {})
    with expect("WC_ERROR_ARGUMENT", 'device "tpu"'):
        _native.Program(capture, str(kernels.parent), device="tpu")  # type: ignore[arg-type]
    with expect("WC_ERROR_ARGUMENT", "threads: -1"):
        _native.Program(capture, str(kernels.parent), threads=-1)
    program = _native.Program(capture, str(kernels.parent))
    with expect("WC_ERROR_ARGUMENT", "count -1"):
        program.launch(-1)
    with expect("WC_ERROR_UNSUPPORTED", 'make it with device="cuda"'):
        program.add_to_capture(0)
    assert (program.stream, program.context, program.graph) == (0, 0, 0)
    assert not program.update(capture)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with expect("WC_ERROR_IO", "wave.wrp: cannot be opened: No such file"):
        _native.Capture.from_file(str(tmp_path / "wave"))
    folder = tmp_path / "folder.wrp"
    folder.mkdir()
    with expect("WC_ERROR_IO", "is not a regular file"):
        _native.Capture.from_file(str(folder))
    empty = tmp_path / "empty.wrp"
    empty.touch()
    with expect("WC_ERROR_FORMAT", "empty.wrp: header, offset 0x0: a `.wrp` file begins with a header of 64 bytes"):
        _native.Capture.from_file(str(empty))
    text = tmp_path / "text.wrp"
    text.write_text("x" * 100)
    with expect("WC_ERROR_FORMAT", 'text.wrp: header, offset 0x0: the file begins with 0x78787878, not with "WRP1"'):
        _native.Capture.from_file(str(text))


def test_a_capture_read_from_a_file_is_the_one_that_was_written(tmp_path: Path) -> None:
    data = Stencil(5, 4).capture().encode()
    (tmp_path / "five.wrp").write_bytes(data)
    assert _native.Capture.from_file(str(tmp_path / "five")).encode() == data


def test_a_capture_keeps_its_bytes_whatever_becomes_of_its_file(kernels: Path, tmp_path: Path) -> None:
    scene = Stencil(5, 4)
    data = scene.capture().encode()
    file = tmp_path / "five.wrp"
    file.write_bytes(data)
    capture = _native.Capture.from_file(str(file))
    derived = capture.with_modules([])
    file.write_bytes(b"short")  # in place: what a mapping of it would show
    assert capture.encode() == data
    file.unlink()
    del capture
    gc.collect()
    assert derived.encode() == data
    field = np.empty_like(scene.field)
    _native.Program(derived, modules_of(kernels)).get_parameter("field", field)
    assert (field == scene.field).all()


def test_a_capture_keeps_nothing_of_the_buffer_that_it_was_read_from() -> None:
    data = Stencil(5, 4).capture().encode()
    buffer = bytearray(data)
    capture = _native.Capture.from_bytes(buffer)
    buffer[:] = bytes(len(buffer))
    assert capture.encode() == data


def test_records_without_their_fields_are_refused() -> None:
    capture = new_recorder().finish()
    with expect("WC_ERROR_ARGUMENT", 'a record lacks "name"'):
        capture.with_modules([{"hash": HASH}])
    with expect("WC_ERROR_ARGUMENT", '"arch" has the wrong type'):
        capture.with_modules([{"hash": HASH, "name": "k", "binary_filename": "k.so", "arch": "sm_90"}])
    with expect("WC_ERROR_STATE", "has no binary file yet"):
        capture.encode()
    assert with_module(capture).encode()


def test_the_thread_count_can_be_set() -> None:
    try:
        _native.set_thread_count(3)
        assert _native.thread_count() == 3
    finally:
        _native.set_thread_count(0)
    assert _native.thread_count() >= 1
    with expect("WC_ERROR_ARGUMENT", "-1"):
        _native.set_thread_count(-1)


def test_the_processor_runs_its_own_targets() -> None:
    targets = _native.cpu_targets()
    assert targets[-1] in {"x86_64", "aarch64"}
    assert len(set(targets)) == len(targets)
