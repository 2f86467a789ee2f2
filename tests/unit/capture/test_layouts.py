"""Layouts that cross the border to native code: structs against ctypes and NumPy, arguments against the format."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np
import pytest
import whitecap.capture as wp
from whitecap.capture.arguments import ArgumentPacker

C_TYPES: dict[str, Any] = {
    "bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double,
    "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32, "int64": ctypes.c_int64,
    "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64,
}  # fmt: skip


def c_layout(fields: list[tuple[str, Any]]) -> Any:
    return type("Layout", (ctypes.Structure,), {"_fields_": fields})


@wp.struct
class Mixed:
    a: wp.int8
    b: wp.float64
    c: wp.bool
    d: wp.int16
    e: wp.uint8
    f: wp.int32
    g: wp.uint64
    h: wp.int8


@wp.struct
class Shapes:
    a: wp.int8
    v: wp.vec3
    b: wp.uint16
    m: wp.mat22
    w: wp.vec2d
    k: wp.vec4i


@wp.struct
class Nested:
    a: wp.int8
    inner: Mixed
    b: wp.int16


@wp.struct
class WithArray:
    count: int
    data: wp.array(dtype=float)
    where: wp.vec3


def test_scalars_lie_as_c_lays_them_out() -> None:
    fields = [(field.name, C_TYPES[field.type.name]) for field in Mixed.fields]
    layout = c_layout(fields)
    assert ctypes.sizeof(layout) == Mixed.size
    assert ctypes.alignment(layout) == Mixed.alignment
    for field in Mixed.fields:
        assert getattr(layout, field.name).offset == field.offset


def test_vectors_and_matrices_lie_as_arrays_of_their_scalars() -> None:
    layout = c_layout(
        [
            ("a", ctypes.c_int8),
            ("v", ctypes.c_float * 3),
            ("b", ctypes.c_uint16),
            ("m", ctypes.c_float * 4),
            ("w", ctypes.c_double * 2),
            ("k", ctypes.c_int32 * 4),
        ]
    )
    assert ctypes.sizeof(layout) == Shapes.size
    for field in Shapes.fields:
        assert getattr(layout, field.name).offset == field.offset


def test_structs_lie_inside_structs_as_in_c() -> None:
    inner = c_layout([(field.name, C_TYPES[field.type.name]) for field in Mixed.fields])
    layout = c_layout([("a", ctypes.c_int8), ("inner", inner), ("b", ctypes.c_int16)])
    assert ctypes.sizeof(layout) == Nested.size
    assert [getattr(layout, f.name).offset for f in Nested.fields] == [f.offset for f in Nested.fields]


@pytest.mark.parametrize("type", [Mixed, Shapes, Nested], ids=lambda type: type.name)
def test_numpy_sees_the_same_layout(type: Any) -> None:
    dtype = type.numpy_dtype()
    assert dtype.itemsize == type.size
    assert {name: offset for name, (_, offset, *_) in dtype.fields.items()} == {f.name: f.offset for f in type.fields}


def test_a_struct_with_an_array_has_the_size_that_warp_gives_it() -> None:
    # int, array, vec3 with the array first: 72 bytes, alignment 8 (format notes 4.1); here the int comes first.
    assert (WithArray.size, WithArray.alignment) == (80, 8)
    assert [field.offset for field in WithArray.fields] == [0, 8, 64]


@wp.kernel
def takes_everything(
    flag: wp.bool, small: wp.int8, n: int, x: float, v: wp.vec3, a: wp.array2d(dtype=float), s: WithArray
):
    a[0, 0] = x


def pack(name: str, value: Any) -> tuple[bytes, list[tuple[int, int]]]:
    parameter = next(p for p in takes_everything.form.parameters if p.name == name)
    pointers: list[tuple[int, int]] = []
    packer = ArgumentPacker(takes_everything)
    return packer.image(name, parameter.type, value, 0, pointers, wp.get_device("cpu")), sorted(pointers)


def test_scalars_and_vectors_pack_to_their_bytes() -> None:
    assert pack("flag", True)[0] == b"\x01"
    assert pack("small", -2)[0] == b"\xfe"
    assert pack("n", 258)[0] == struct.pack("<i", 258)
    assert pack("x", 1)[0] == struct.pack("<f", 1.0)
    assert pack("v", (1, 2, 3))[0] == pack("v", wp.vec3(1.0, 2.0, 3.0))[0] == struct.pack("<3f", 1, 2, 3)


def test_an_array_packs_to_56_bytes_with_two_pointers() -> None:
    a = wp.zeros((3, 5))
    image, pointers = pack("a", a)
    assert struct.unpack("<QQ4i4iHHi", image) == (0, 0, 3, 5, 0, 0, 20, 4, 0, 0, 2, 0, 0)
    assert pointers == [(0, a.ptr), (8, 0)]


def test_no_array_packs_to_null_pointers() -> None:
    image, pointers = pack("a", None)
    assert len(image) == 56
    assert pointers == [(0, 0), (8, 0)]


def test_arrays_inside_structs_keep_their_offsets() -> None:
    data = wp.zeros(4)
    image, pointers = pack("s", WithArray(count=9, data=data, where=wp.vec3(1.0, 2.0, 3.0)))
    assert struct.unpack_from("<i", image, 0) == (9,)
    assert struct.unpack_from("<3f", image, 64) == (1.0, 2.0, 3.0)
    assert pointers == [(8, data.ptr), (16, 0)]


# (parameter, value, words of the message)
MISFITS = [
    ("n", 1.5, "argument `n`: int32 needed, float 1.5 given"),
    ("n", 2**31, "it holds -2147483648 to 2147483647"),
    ("small", 128, "it holds -128 to 127"),
    ("x", "1", "float32 needed, str '1' given"),
    ("x", True, "float32 needed, bool True given"),
    ("flag", 1, "bool needed, int 1 given"),
    ("v", (1, 2), "vec3f needed"),
    ("v", "xyz", "vec3f needed"),
    ("a", np.zeros((2, 2)), "array(dtype=float32, ndim=2) needed, ndarray"),
    ("s", 3, "WithArray needed, int 3 given"),
]


@pytest.mark.parametrize(("name", "value", "words"), MISFITS)
def test_argument_that_does_not_fit_is_refused(name: str, value: Any, words: str) -> None:
    with pytest.raises(wp.CaptureError) as caught:
        pack(name, value)
    assert words in str(caught.value)
    assert "takes_everything" in str(caught.value)


@pytest.mark.parametrize("shape", [(4,), (2, 2, 2)])
def test_array_of_another_rank_or_type_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(wp.CaptureError, match="ndim=2"):
        pack("a", wp.zeros(shape))
    with pytest.raises(wp.CaptureError, match="float32"):
        pack("a", wp.zeros((2, 2), dtype=wp.float64))


@pytest.mark.parametrize(
    ("dim", "words"),
    [
        (-1, "integers from 0"),
        (2**31, "integers from 0"),
        (1.5, "integers from 0"),
        ((1, 1, 1, 1, 1), "give 1 to 4"),
        ((), "1 to 4"),
    ],
)
def test_launch_dimensions_that_make_no_sense_are_refused(dim: Any, words: str) -> None:
    with pytest.raises(wp.CaptureError, match=words):
        wp.launch(takes_everything, dim, inputs=[True, 1, 1, 1.0, (1, 2, 3), wp.zeros((1, 1)), WithArray()])


def test_wrong_number_of_arguments_is_refused_by_name() -> None:
    with pytest.raises(wp.CaptureError, match=r"2 arguments given, 7 needed \(flag, small, n, x, v, a, s\)"):
        wp.launch(takes_everything, 1, inputs=[True, 1])


def test_struct_values_know_their_fields() -> None:
    value = Mixed(f=3)
    assert value.f == 3
    assert value.b == 0.0
    with pytest.raises(AttributeError, match="no field 'z'; it has a, b"):
        value.z = 1
    with pytest.raises(AttributeError, match="no field 'z'"):
        Mixed(z=1)
