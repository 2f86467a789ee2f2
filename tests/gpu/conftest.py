"""What the GPU tests share: the skip with its reason, a hand-written module, and recordings that use it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from whitecap import _native
from whitecap.capture.cuda_compile import CudaCompileError, compile_cuda
from whitecap.capture.cuda_device import cuda_devices, cuda_problem

SOURCE = """
struct Bounds { unsigned shape[2]; unsigned long long size, repeat; };
struct Array { float* data; float* grad; int shape[4]; int strides[4]; unsigned short ndim, flags; int tail; };

// dst += src + amount
extern "C" __global__ void add_0a1b2c3d_cuda_kernel_forward(Bounds bounds, Array dst, Array src, float amount) {
    const unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned long long i = block * blockDim.x + threadIdx.x;
    if (i < bounds.size) dst.data[i] += src.data[i] + amount;
}

// counter -= 1, then wait for as many clock cycles
extern "C" __global__ void wait_0a1b2c3d_cuda_kernel_forward(Bounds bounds, Array counter, Array unused, float cycles) {
    const long long start = clock64();
    while (clock64() - start < (long long)cycles) {}
    if (threadIdx.x == 0) *reinterpret_cast<int*>(counter.data) -= 1;
}

// stops the whole program
extern "C" __global__ void trap_0a1b2c3d_cuda_kernel_forward(Bounds bounds, Array dst, Array src, float amount) {
    asm volatile("trap;");
}

// writes where no array is
extern "C" __global__ void crash_0a1b2c3d_cuda_kernel_forward(Bounds bounds, Array dst, Array src, float amount) {
    *reinterpret_cast<float*>(16) = amount;
}
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name == "test_failure.py")  # last: its own text says why
    here = Path(__file__).parent
    ours = [item for item in items if here in item.path.parents]
    problem = cuda_problem() if ours else None
    for item in ours:
        item.add_marker(pytest.mark.gpu)
        if problem is not None:
            item.add_marker(pytest.mark.skip(reason=f"needs an NVIDIA GPU ({problem})"))


@pytest.fixture(scope="session")
def gpu() -> dict[str, object]:
    """The first GPU: ordinal, name, arch, memory, multiprocessors."""
    return cuda_devices()[0]


@pytest.fixture(scope="session")
def module_for() -> Callable[[str], bytes]:
    """The module of the recordings, compiled for a target."""
    images: dict[str, bytes] = {}

    def compiled(target: str) -> bytes:
        if target not in images:
            try:
                images[target] = compile_cuda(SOURCE, "recordings", target)
            except CudaCompileError as error:
                pytest.skip(str(error))
        return images[target]

    return compiled


class Recording:
    """A recorder with NumPy arrays as regions and the kernels of SOURCE."""

    def __init__(self) -> None:
        self.recorder = _native.Recorder()
        self.recorder.module("hash", "recordings")
        for key in ("add", "wait", "trap", "crash"):
            self.recorder.kernel(key, "hash", f"{key}_0a1b2c3d")
        self._arrays: list[np.ndarray] = []

    def array(self, *shape: int, name: str | None = None, dtype: str = "f4", output: bool = False) -> np.ndarray:
        array = np.zeros(shape, dtype)
        self._arrays.append(array)
        self.recorder.region(array.ctypes.data, array.nbytes, 1, array)
        if name is not None:
            self.recorder.binding(name, array.ctypes.data, output)
        return array

    def launch(self, key: str, dst: np.ndarray, src: np.ndarray, amount: float, size: int | None = None) -> None:
        arguments = [
            _native.Argument(_image(dst), 8, [(0, dst.ctypes.data), (8, 0)], "read_write"),
            _native.Argument(_image(src), 8, [(0, src.ctypes.data), (8, 0)], "read"),
            _native.Argument(np.float32(amount).tobytes(), 4),
        ]
        self.recorder.launch(key, "hash", [size or dst.size], arguments)

    def branch(self, body: Callable[[], object]) -> None:
        self.recorder.begin_branch()
        body()
        self.recorder.end_branch()

    def capture(self, *targets: str) -> _native.Capture:
        module = {"hash": "hash", "name": "recordings", "binary_filename": "recordings.so", "arch": 0}
        alternatives = [{"module_hash": "hash", "target": name, "filename": name, "digest": ""} for name in targets]
        return self.recorder.finish().with_modules([module], alternatives)


def _image(array: np.ndarray) -> bytes:
    fields = [("data", "u8", 2), ("shape", "i4", 4), ("strides", "i4", 4), ("ndim", "u2"), ("rest", "u2", 3)]
    image = np.zeros(1, fields)
    image["shape"][0, : array.ndim] = array.shape
    image["strides"][0, : array.ndim] = array.strides
    image["ndim"] = array.ndim
    return image.tobytes()


@pytest.fixture
def recording() -> Recording:
    return Recording()


@pytest.fixture
def new_recording() -> type[Recording]:
    return Recording


@pytest.fixture
def program(gpu: dict[str, object], module_for: Callable[[str], bytes]) -> Callable[..., _native.Program]:
    """Makes a CUDA program of a recording, for this GPU's own machine code unless other targets are given."""

    def make(recording: Recording, *targets: str) -> _native.Program:
        targets = targets or (f"sm_{gpu['arch']}",)
        return _native.Program(recording.capture(*targets), {name: module_for(name) for name in targets}, device="cuda")

    return make


@pytest.fixture
def read() -> Callable[..., np.ndarray]:
    """A whole parameter of a program, as float32 or another type."""

    def parameter(program: _native.Program, name: str, dtype: str = "f4") -> np.ndarray:
        out = np.empty(program.parameter_size(name) // np.dtype(dtype).itemsize, dtype)
        program.get_parameter(name, out)
        return out

    return parameter
