"""Programs over the kernels of kernels.cpp, recorded through the extension."""

from __future__ import annotations

import struct

import numpy as np
from whitecap import _native

HASH = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
KERNELS = {
    "axpy": "axpy_00000001",
    "stencil": "stencil_00000002",
    "scale": "scale_00000003",
    "countdown": "countdown_00000004",
    "index3": "index3_00000005",
}


def array_argument(array: np.ndarray, access: str = "read_write") -> _native.Argument:
    """The 56-byte image of an array argument."""
    pad = [0] * (4 - array.ndim)
    image = struct.pack("<QQ4i4iHH4x", 0, 0, *array.shape, *pad, *array.strides, *pad, array.ndim, 0)
    return _native.Argument(image, 8, [(0, array.ctypes.data), (8, 0)], access)


def float_argument(value: float) -> _native.Argument:
    return _native.Argument(struct.pack("<f", value), 4, access="read")


def new_recorder(*arrays: np.ndarray) -> _native.Recorder:
    recorder = _native.Recorder()
    recorder.module(HASH, "kernels")
    for key, symbol in KERNELS.items():
        recorder.kernel(key, HASH, symbol)
    for array in arrays:
        recorder.region(array.ctypes.data, array.nbytes, array.itemsize, array)
    return recorder


def with_module(capture: _native.Capture, filename: str = "kernels.so") -> _native.Capture:
    return capture.with_modules([{"hash": HASH, "name": "kernels", "binary_filename": filename, "arch": 0}])


class Stencil:
    """field -> mean of neighbours, times scale[0], in place: two launches and a copy."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.field = np.random.default_rng(7).standard_normal((rows, columns)).astype(np.float32)
        self.next = np.zeros_like(self.field)
        self.scale = np.ones(1, np.float32)

    def capture(self) -> _native.Capture:
        recorder = new_recorder(self.field, self.next, self.scale)
        shape = (self.rows, self.columns)
        recorder.launch(
            "stencil", HASH, shape, [array_argument(self.field, "read"), array_argument(self.next, "write")]
        )
        recorder.launch("scale", HASH, shape, [array_argument(self.next), array_argument(self.scale, "read")])
        recorder.copy(self.field.ctypes.data, self.next.ctypes.data, self.field.nbytes)
        recorder.binding("field", self.field.ctypes.data)
        recorder.binding("scale", self.scale.ctypes.data)
        recorder.binding("field_out", self.field.ctypes.data, output=True)
        return with_module(recorder.finish())


def stencil_reference(values: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """The same step in float64."""
    padded = np.pad(values.astype(np.float64), 1, mode="edge")
    total = padded[1:-1, :-2] + padded[1:-1, 2:] + padded[:-2, 1:-1] + padded[2:, 1:-1]
    return 0.25 * total * scale
