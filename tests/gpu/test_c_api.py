"""The C API on CUDA, called as a host program would: from the shared library, without the extension."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest
from whitecap import _native
from whitecap import capture as wc
from whitecap.app.scene import Grid
from whitecap.app.scenes.wave import WaveScene

GRID = Grid(width=65, height=33, substeps=5)
CUDA, CPU = 0, 1


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    """libwhitecap of the build folder, or what WHITECAP_LIBRARY names."""
    places = [os.environ.get("WHITECAP_LIBRARY", ""), *Path(__file__).parents[2].glob("build*/**/libwhitecap.so")]
    path = next((str(place) for place in places if place and Path(place).is_file()), None)
    if path is None:
        pytest.skip("needs libwhitecap.so: build it with CMake or name it in WHITECAP_LIBRARY")
    library = ctypes.CDLL(path)
    pointers = "wp_apic_load_graph wp_apic_load_graph_from_bytes wp_apic_get_param_ptr wp_apic_get_cuda_graph "
    pointers += "wp_apic_get_cuda_graph_exec wc_cuda_stream wc_cuda_context"
    for name in pointers.split():
        getattr(library, name).restype = ctypes.c_void_p
    for name in ("wp_apic_launch", "wp_apic_set_param", "wp_apic_get_param"):
        getattr(library, name).restype = ctypes.c_bool
    for name in ("wp_get_error_string", "wc_last_error_message"):
        getattr(library, name).restype = ctypes.c_char_p
    library.wp_apic_get_param_size.restype = ctypes.c_size_t
    return library


@pytest.fixture(scope="module")
def wave_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scene = WaveScene().record(GRID)
    target = f"sm_{_native.cuda_devices()[0]['arch']}"
    return wc.capture_save(scene.graph, tmp_path_factory.mktemp("c") / "wave", scene.inputs, scene.outputs, [target])


@pytest.fixture
def graph(library: ctypes.CDLL, wave_file: Path):
    handle = library.wp_apic_load_graph(None, str(wave_file).encode(), CUDA)
    assert handle, library.wp_get_error_string()
    yield ctypes.c_void_p(handle)
    library.wp_apic_destroy_graph(ctypes.c_void_p(handle))


def pressed() -> np.ndarray:
    return np.array([[30, 10]], np.float32)


def expected(wave_file: Path, frames: int) -> np.ndarray:
    loaded = wc.capture_load(wave_file, device="cuda")
    loaded.set_param("mouse_pos", pressed())
    loaded.launch(frames)
    out = np.empty(GRID.shape, np.float32)
    loaded.get_param("heights_out", out)
    assert np.abs(out).max() > 0
    return out


def read(library: ctypes.CDLL, graph: ctypes.c_void_p) -> np.ndarray:
    out = np.empty(GRID.shape, np.float32)
    size = ctypes.c_size_t(out.nbytes)
    assert library.wp_apic_get_param(graph, b"heights_out", out.ctypes.data_as(ctypes.c_void_p), size)
    return out


def press(library: ctypes.CDLL, graph: ctypes.c_void_p) -> None:
    mouse = pressed()
    assert library.wp_apic_set_param(graph, b"mouse_pos", mouse.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(8))


def test_parameters_and_launches_on_the_default_stream(library, graph, wave_file):
    press(library, graph)
    for _ in range(4):
        assert library.wp_apic_launch(graph, None)
    np.testing.assert_array_equal(read(library, graph), expected(wave_file, 4))


def test_the_executable_graph_is_the_callers_to_launch(library, graph, wave_file):
    driver = pytest.importorskip("cuda.bindings.driver")
    executable = library.wp_apic_get_cuda_graph_exec(graph)
    assert executable == library.wp_apic_get_cuda_graph_exec(graph)
    assert library.wp_apic_get_cuda_graph(graph) == library.wp_apic_get_cuda_graph(graph)
    press(library, graph)
    context = driver.CUcontext(library.wc_cuda_context(graph))
    assert int(driver.cuCtxPushCurrent(context)[0]) == 0
    for _ in range(2):
        assert int(driver.cuGraphLaunch(driver.CUgraphExec(executable), 0)[0]) == 0
    assert int(driver.cuCtxSynchronize()[0]) == 0
    driver.cuCtxPopCurrent()
    np.testing.assert_array_equal(read(library, graph), expected(wave_file, 2))


def test_copies_and_launches_on_a_stream_of_the_callers(library, graph, wave_file):
    stream = _native.CudaStream()
    mouse, out = pressed(), np.empty(GRID.shape, np.float32)
    handle = ctypes.c_void_p(stream.handle)
    sizes = ctypes.c_size_t(8), ctypes.c_size_t(out.nbytes)
    assert library.wc_set_param(graph, b"mouse_pos", mouse.ctypes.data_as(ctypes.c_void_p), sizes[0], handle) == 0
    assert library.wc_launch(graph, handle) == 0
    assert library.wc_get_param(graph, b"heights_out", out.ctypes.data_as(ctypes.c_void_p), sizes[1], handle) == 0
    np.testing.assert_array_equal(out, expected(wave_file, 1))


def test_parameters_may_come_from_device_memory(library, graph, wave_file):
    address = _native.cuda_allocate(8)
    _native.cuda_upload(address, pressed())
    assert library.wp_apic_set_param(graph, b"mouse_pos", ctypes.c_void_p(address), ctypes.c_size_t(8))
    assert library.wp_apic_launch(graph, None)
    np.testing.assert_array_equal(read(library, graph), expected(wave_file, 1))
    _native.cuda_free(address)


def test_the_parameters_memory_is_on_the_device(library, graph):
    pointer = library.wp_apic_get_param_ptr(graph, b"mouse_pos")
    _native.cuda_upload(pointer, pressed())
    out = np.empty((1, 2), np.float32)
    _native.cuda_download(out, pointer)
    np.testing.assert_array_equal(out, pressed())
    assert library.wp_apic_get_param_ptr(graph, b"nothing") is None


def test_a_capture_is_loaded_from_memory(library, wave_file):
    class ModuleBytes(ctypes.Structure):
        _fields_ = (("filename", ctypes.c_char_p), ("data", ctypes.c_void_p), ("size", ctypes.c_size_t))

    files = {path.name: path.read_bytes() for path in wave_file.with_name("wave_modules").iterdir()}
    modules = (ModuleBytes * len(files))()
    for module, (name, content) in zip(modules, files.items(), strict=True):
        module.filename, module.size = name.encode(), len(content)
        module.data = ctypes.cast(ctypes.c_char_p(content), ctypes.c_void_p)
    data = wave_file.read_bytes()
    handle = library.wp_apic_load_graph_from_bytes(None, data, ctypes.c_size_t(len(data)), modules, len(files), CUDA)
    assert handle, library.wp_get_error_string()
    graph = ctypes.c_void_p(handle)
    press(library, graph)
    assert library.wp_apic_launch(graph, None)
    np.testing.assert_array_equal(read(library, graph), expected(wave_file, 1))
    library.wp_apic_destroy_graph(graph)


@pytest.mark.parametrize(("name", "size"), [(b"mouse_pos", 7), (b"mouse_pos", 0), (b"nothing", 8)])
def test_wrong_parameters_are_refused_with_a_message(library, graph, name, size):
    assert not library.wp_apic_set_param(graph, name, pressed().ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(size))
    assert name in library.wp_get_error_string()


def test_the_files_device_must_be_the_one_asked_for(library, wave_file):
    assert library.wp_apic_load_graph(None, str(wave_file).encode(), CPU) is None
    assert library.wp_get_error_string()
