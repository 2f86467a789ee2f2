"""The pybind11 module `whitecap._native`: recording, the file format and replay, as Python sees them.

Every call that can take a millisecond releases the GIL. Failures raise `NativeError`, whose `code` is an id of
`include/whitecap/errors.h` ("WC_ERROR_FORMAT") and whose text is one line for a person.
Pointers are plain integers; `owner` objects are kept alive as long as what points at their memory.
"""

from collections.abc import Sequence
from typing import Any, Literal

__version__: str

Device = Literal["cpu", "cuda"]

class NativeError(RuntimeError):
    code: str

class Argument:
    """One launch argument: its byte image, alignment, and where pointers stand in it.

    pointers: (offset in value, address) pairs; address 0 is a null pointer. The bytes there are overwritten.
    access: "unknown", "read", "write" or "read_write", for the memory that the pointers reach.
    """

    def __init__(
        self, value: bytes, align: int, pointers: Sequence[tuple[int, int]] = ..., access: str = ...
    ) -> None: ...

class Recorder:
    """Builds a Capture: nothing executes while recording. Recording needs no device."""

    def __init__(self) -> None: ...
    def region(self, pointer: int, size: int, element_size: int = 1, owner: object = None) -> int:
        """Id of the region at `pointer` (whole base allocation, bytes); the same id when it is known already."""
    def find_region(self, pointer: int) -> int | None:
        """Id of the region that holds the address, or None."""
    def module(self, hash: str, name: str) -> None: ...
    def kernel(self, key: str, module_hash: str, base_symbol: str) -> None:
        """`base_symbol` is the symbol without its device suffix ("wave_solve_1a2b3c4d")."""
    def launch(
        self, key: str, module_hash: str, shape: Sequence[int], arguments: Sequence[Argument], size: int | None = None
    ) -> None:
        """shape: 1 to 4 extents. size: total threads when it is not their product."""
    def copy(self, dst: int, src: int, size: int) -> None:
        """Addresses inside known regions, bytes."""
    def memset(self, dst: int, value: int, size: int) -> None: ...
    def tile(self, dst: int, value: bytes, count: int) -> None: ...
    def begin_branch(self) -> None: ...
    def end_branch(self) -> None: ...
    def conditional(self, condition: int, loop: bool, branches: int) -> None:
        """IF with 1 or 2 branches, or WHILE with 1: takes the branches ended last, in order.

        condition: address of an i32.
        """
    def binding(self, name: str, pointer: int, output: bool = False) -> None:
        """Names the whole region that holds `pointer`. Inputs before outputs."""
    def finish(self) -> Capture: ...

class Capture:
    """A decoded program. Immutable; the methods that change something return another one."""

    @staticmethod
    def from_file(path: str) -> Capture:
        """Reads and validates. Adds `.wrp` when the path does not end in it."""
    @staticmethod
    def from_bytes(data: bytes) -> Capture: ...
    @property
    def device(self) -> Device: ...
    @property
    def target_arch(self) -> int: ...
    @property
    def producer(self) -> str: ...
    @property
    def whitecap_producer(self) -> str: ...
    @property
    def modules(self) -> list[dict[str, Any]]:
        """hash, name, binary_filename, arch, binary_digest"""
    @property
    def alternatives(self) -> list[dict[str, str]]:
        """module_hash, target, filename, digest"""
    @property
    def kernels(self) -> list[dict[str, Any]]:
        """key, module_hash, forward_name, backward_name, forward_smem, backward_smem, block_dim"""
    @property
    def bindings(self) -> list[dict[str, Any]]:
        """name, region, size (bytes), output (bool)"""
    @property
    def regions(self) -> list[dict[str, Any]]:
        """id, element_size, size, has_data"""
    @property
    def operations(self) -> list[dict[str, Any]]:
        """kind ("launch", "copy", "upload", "memset", "tile", "if", "while", ...) and its fields.

        launch: kernel, module_hash, shape, size, forward, block_dim, arguments (each: size, bytes, regions, access).
        copy: dst_region, dst_offset, src_region, src_offset, size. upload: region, offset, size.
        memset: region, offset, size, value. tile: region, offset, count, value.
        if, while: region, offset, branches (lists of operations).
        Kinds that no program runs yet: type, size (of the record).
        """
    @property
    def launch_count(self) -> int: ...
    def retargeted(self, device: Device, arch: int = 0) -> Capture: ...
    def with_modules(self, modules: Sequence[dict[str, Any]], alternatives: Sequence[dict[str, str]] = ...) -> Capture:
        """modules: hash, name, binary_filename, arch. alternatives: as the property."""
    def with_parameters(self, inputs: Sequence[tuple[str, int]], outputs: Sequence[tuple[str, int]]) -> Capture:
        """The same program with these bindings: name and an address inside the region (recorded captures only)."""
    def encode(self) -> bytes:
        """The `.wrp` bytes. External regions are read now (contents at save time)."""

class Program:
    """A capture made runnable. One thread at a time."""

    def __init__(
        self,
        capture: Capture,
        modules: str | dict[str, bytes],
        device: Device = "cpu",
        threads: int = 0,
        ordinal: int = 0,
        row_chains: bool = True,
    ) -> None:
        """modules: the folder that holds the binaries, or file name -> bytes. threads 0: chosen from the machine.

        row_chains: on the CPU, consecutive launches over the rows of a large grid run rows first, with the same bits.
        """
    @property
    def device(self) -> Device: ...
    @property
    def capture(self) -> Capture: ...
    @property
    def memory_bytes(self) -> int: ...
    def parameter_size(self, name: str) -> int: ...
    def parameter_pointer(self, name: str) -> int: ...
    def set_parameter(self, name: str, data: Any) -> None:
        """data: any contiguous buffer of exactly the parameter's size."""
    def get_parameter(self, name: str, out: Any) -> None:
        """out: a writable contiguous buffer of exactly the parameter's size."""
    def view(self, name: str) -> memoryview:
        """The region itself as writable bytes, without a copy. CPU only. Keeps the program alive."""
    def launch(self, count: int = 1, stream: int = 0) -> None:
        """count replays in a row. stream: a CUstream, 0 = the program's own; ignored on the CPU."""
    def synchronize(self) -> None: ...
    @property
    def stream(self) -> int:
        """CUstream of the program's own; 0 on the CPU, as `context` and `graph` are."""
    @property
    def context(self) -> int: ...
    @property
    def graph(self) -> int: ...
    def update(self, capture: Capture) -> bool:
        """Takes over a capture that differs in plain argument values only, in place. False: build a new program."""
    def add_to_graph(self, graph: int, after: Sequence[int] = ()) -> int:
        """Adds the whole program to a CUgraph of the caller's, after these nodes; the node that ends it."""
    def add_to_capture(self, stream: int) -> None:
        """Adds the whole program to the capture that the stream is in."""

class CpuModule:
    """A host shared library with kernels, for launches that run at once."""

    def __init__(self, path: str) -> None: ...
    @property
    def path(self) -> str: ...
    def launch(
        self,
        base_symbol: str,
        shape: Sequence[int],
        arguments: Sequence[Argument],
        size: int | None = None,
        threads: int = 0,
    ) -> None: ...

def cpu_targets() -> list[str]:
    """What this processor runs, best first: ["x86_64_v4", "x86_64_v3", "x86_64_v2", "x86_64"] or ["aarch64"]."""

def thread_count() -> int:
    """Threads of the shared pool, the caller's included."""

def set_thread_count(count: int) -> None:
    """0: one a physical core that this process may use."""

# CUDA. `ordinal` numbers the GPUs from 0. Live memory, copies and launches use the default stream of the current
# context, else of the device's primary one; `stream` 0 is that stream, other values are driver handles. Without a
# usable driver every call raises NativeError (WC_ERROR_DEVICE).

def cuda_driver_version() -> int:
    """1000 * major + 10 * minor of the CUDA version that the driver is for."""

def cuda_devices() -> list[dict[str, Any]]:
    """ordinal, name, arch (10 * major + minor), memory (bytes), multiprocessors"""

def cuda_memory_info(ordinal: int = 0) -> tuple[int, int]:
    """Free and total bytes."""

def cuda_allocate(size: int, ordinal: int = 0) -> int: ...
def cuda_free(pointer: int, ordinal: int = 0) -> None: ...
def cuda_upload(pointer: int, data: Any, ordinal: int = 0) -> None: ...
def cuda_download(out: Any, pointer: int, ordinal: int = 0) -> None: ...
def cuda_copy(dst: int, src: int, size: int, ordinal: int = 0) -> None: ...
def cuda_fill(pointer: int, value: bytes, count: int, ordinal: int = 0) -> None:
    """`count` copies of `value`, back to back."""

def cuda_synchronize(ordinal: int = 0) -> None: ...

class CudaStream:
    """A stream of its own, not ordered with the default one."""

    def __init__(self, ordinal: int = 0) -> None: ...
    @property
    def handle(self) -> int: ...
    def synchronize(self) -> None: ...

class CudaEvent:
    def __init__(self, ordinal: int = 0) -> None: ...
    def record(self, stream: int = 0) -> None: ...
    @property
    def done(self) -> bool: ...
    def synchronize(self) -> None: ...
    def since(self, start: CudaEvent) -> float:
        """Milliseconds from `start` to this event."""

class CudaModule:
    """A cubin or PTX with kernels, for launches that run at once."""

    def __init__(self, image: bytes, ordinal: int = 0) -> None: ...
    def launch(
        self, base_symbol: str, shape: Sequence[int], arguments: Sequence[Argument], size: int | None = None
    ) -> None: ...

def cuda_gl_devices() -> list[int]:
    """Ordinals of the CUDA devices behind the current OpenGL context."""

class CudaGLBuffer:
    """An OpenGL buffer object shared with CUDA. The OpenGL context must be current in every call, deletion included."""

    def __init__(self, buffer: int, ordinal: int = 0) -> None: ...
    def copy_from(self, pointer: int, size: int, stream: int = 0) -> None:
        """Maps, copies from device memory and unmaps on `stream`, without waiting."""

class CudaPinnedBuffer:
    """Page-locked host memory; supports the buffer protocol (bytes, writable)."""

    def __init__(self, size: int, ordinal: int = 0) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def copy_from(self, pointer: int, stream: int = 0) -> None:
        """Copies the whole buffer from device memory, after the work on `stream`, and waits for it."""
