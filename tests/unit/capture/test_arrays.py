"""Arrays on the CPU: making, viewing, copying, and what they refuse."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
import whitecap.capture as wp
from whitecap.capture.dtypes import ArrayType


@wp.struct
class Point:
    mass: wp.float64
    place: wp.vec3
    alive: wp.bool


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        ([1, 2, 3], None, wp.int32),
        ([1.0, 2.0], None, wp.float32),
        (np.arange(3, dtype=np.int64), None, wp.int64),
        (np.zeros((2, 3)), float, wp.float32),
        ([[1, 2], [3, 4]], wp.uint8, wp.uint8),
        ([(1, 2), (3, 4)], wp.vec2, wp.vec2),
        (np.zeros((2, 5, 3), np.float32), wp.vec3, wp.vec3),
        ([True, False], bool, wp.bool),
        (np.zeros((4, 2, 2), np.float32), wp.mat22, wp.mat22),
    ],
)
def test_arrays_hold_a_copy_of_their_data(data: Any, dtype: Any, expected: Any) -> None:
    a = wp.array(data, dtype=dtype)
    assert a.dtype == expected
    np.testing.assert_array_equal(a.numpy(), np.asarray(data))
    assert a.numpy().dtype == expected.numpy_dtype().base
    assert not np.shares_memory(a.numpy(), np.asarray(data))
    assert a.strides[-1] == expected.size
    assert a.is_contiguous


def test_numpy_is_a_view_that_keeps_the_memory_alive() -> None:
    a = wp.array([1.0, 2.0, 3.0])
    view = a.numpy()
    view[1] = 20.0
    assert a.numpy().tolist() == [1, 20, 3]
    del a
    gc.collect()
    hogs = [np.full(3, 7, np.float32) for _ in range(1000)]
    assert view.tolist() == [1, 20, 3]
    assert len(hogs) == 1000


def test_struct_arrays_are_structured_in_numpy() -> None:
    first = Point(mass=2.0, alive=True)
    first.place = (1, 2, 3)
    a = wp.array([first, Point(mass=4.0)])
    assert a.dtype is Point
    assert a.numpy()["mass"].tolist() == [2, 4]
    assert a.numpy()["place"].tolist() == [[1, 2, 3], [0, 0, 0]]
    b = wp.array(a.numpy(), dtype=Point)
    assert b.numpy().tobytes() == a.numpy().tobytes()
    packed = np.zeros(1, [("mass", "f8"), ("place", "f4", 3), ("alive", "?")])
    packed["mass"] = 9
    assert wp.array(packed, dtype=Point).numpy()["mass"].tolist() == [9]


@pytest.mark.parametrize("address_bits", [64])
def test_memory_is_aligned_to_a_cache_line(address_bits: int) -> None:
    assert all(wp.zeros(n, dtype=wp.uint8).ptr % address_bits == 0 for n in (1, 3, 100, 4096))


def test_makers() -> None:
    assert wp.zeros((2, 3)).numpy().tolist() == [[0] * 3] * 2
    assert wp.ones(3, dtype=int).numpy().tolist() == [1, 1, 1]
    assert wp.full((2, 2), 2.5).numpy().tolist() == [[2.5, 2.5]] * 2
    assert wp.full(2, wp.vec2(1.0, 2.0), dtype=wp.vec2).numpy().tolist() == [[1, 2], [1, 2]]
    assert wp.full(2, 7).dtype is wp.int32
    assert wp.empty(4, dtype=wp.float64).shape == (4,)
    source = wp.array([[1, 2], [3, 4]], dtype=wp.int16)
    assert wp.zeros_like(source).numpy().tolist() == [[0, 0], [0, 0]]
    assert wp.empty_like(source).dtype is wp.int16
    copy = wp.clone(source)
    copy.numpy()[0, 0] = 9
    assert source.numpy()[0, 0] == 1
    assert wp.from_numpy(np.eye(3, dtype=np.float32)).numpy().trace() == 3


def test_views_share_memory() -> None:
    a = wp.zeros((4, 6), dtype=int)
    a[1].fill_(5)
    a[2:4].fill_(7)
    assert a.numpy().sum(1).tolist() == [0, 30, 42, 42]
    b = a.reshape((2, 12))
    b[0].zero_()
    assert a.numpy().sum() == 84
    assert a.reshape(-1, 3).shape == (8, 3)
    assert a.flatten().shape == (24,)
    assert a[-1].numpy().tolist() == [7] * 6
    assert a[1:].ptr == a.ptr + 24


def test_assign_takes_lists_arrays_and_numpy() -> None:
    a = wp.zeros((2, 2))
    a.assign([[1, 2], [3, 4]])
    assert a.numpy().tolist() == [[1, 2], [3, 4]]
    a.assign(np.full((2, 2), 6.0))
    assert a.numpy().tolist() == [[6, 6], [6, 6]]
    a.assign(wp.ones((2, 2)))
    assert a.numpy().tolist() == [[1, 1], [1, 1]]
    params = wp.zeros(1, dtype=Point)
    params.assign([Point(mass=3.0)])
    assert params.numpy()["mass"][0] == 3


def test_fill_understands_every_element_type() -> None:
    a = wp.zeros(3, dtype=Point)
    a.fill_(Point(mass=1.5, alive=True))
    assert a.numpy()["mass"].tolist() == [1.5] * 3
    a.zero_()
    assert not a.numpy()["alive"].any()
    v = wp.zeros(2, dtype=wp.vec3)
    v.fill_((1, 2, 3))
    assert v.numpy().tolist() == [[1, 2, 3]] * 2


def test_arrays_of_no_elements_are_allowed() -> None:
    a = wp.zeros((0, 5))
    assert a.numpy().shape == (0, 5)
    a.fill_(1.0)
    wp.copy(a, wp.zeros((0, 5)))


def test_without_data_array_is_an_annotation() -> None:
    assert wp.array(dtype=float) == ArrayType(wp.float32, 1)
    assert wp.array(dtype=wp.vec2, ndim=3) == ArrayType(wp.vec2, 3)
    assert wp.array2d(dtype=int) == ArrayType(wp.int32, 2)
    assert wp.array[float] == ArrayType(wp.float32, 1)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: wp.zeros(-1), "extents are integers"),
        (lambda: wp.zeros((1, 2, 3, 4, 5)), "1 to 4 dimensions"),
        (lambda: wp.zeros(()), "1 to 4 dimensions"),
        (lambda: wp.zeros(1.5), "extents are integers"),  # type: ignore[arg-type]
        (lambda: wp.zeros(2, dtype=str), "no element type"),
        (lambda: wp.zeros(2, dtype=np.complex64), "complex64 is no element type"),
        (lambda: wp.array(["x"], dtype=float), "the data doesn't fit"),
        (lambda: wp.array([1, 2, 3], dtype=wp.vec2), "last extents"),
        (lambda: wp.array([1.0], requires_grad=True), "no gradients"),
        (lambda: wp.array([1.0, 2.0], ndim=2), "1 dimensions"),
        (lambda: wp.zeros((2, 3)).reshape(4), "has 6 elements"),
        (lambda: wp.zeros((2, 3)).reshape(-1, 4), "has 6 elements"),
        (lambda: wp.zeros(3)[0], "a.numpy"),
        (lambda: wp.zeros((2, 2))[5], "leading rows"),
        (lambda: wp.zeros((4, 2))[::2], "leading rows"),
        (lambda: wp.zeros(3).__setitem__(0, 1.0), "a.assign"),
        (lambda: wp.zeros(3).assign([1, 2]), "doesn't fit into"),
        (lambda: wp.zeros(3).fill_("x"), "not a float32"),
        (lambda: wp.copy(wp.zeros(3), wp.zeros(4)), "doesn't fit into"),
        (lambda: wp.copy(wp.zeros(3), wp.zeros(3, dtype=wp.float64)), "don't fit into"),
        (lambda: wp.copy(wp.zeros(3), wp.zeros(3), dest_offset=1), "doesn't fit into"),
        (lambda: wp.get_device("tpu"), "no such device"),
        (lambda: wp.get_device("cuda:x"), "no such device"),
    ],
)
def test_misuse_is_one_clear_line(action: Any, words: str) -> None:
    with pytest.raises(wp.CaptureError) as caught:
        action()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_default_device_can_be_scoped() -> None:
    with wp.ScopedDevice("cpu") as device:
        assert device.is_cpu
        assert wp.zeros(1).device is device
    assert str(wp.get_device()) == "cpu"
    assert not hasattr(wp.zeros(1), "__cuda_array_interface__")


def test_vectors_on_the_host() -> None:
    v = wp.vec3(1, 2, 3)
    assert (v.x, v.y, v.z) == (1, 2, 3)
    assert (v * 2 + 1).tolist() == [3, 5, 7]
    assert wp.vec2().tolist() == [0, 0]
    assert wp.vec4(5.0).tolist() == [5] * 4
    assert wp.vec2i(1, 2).dtype == np.int32  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="2 components given, 3 needed"):
        wp.vec3(1, 2)
    with pytest.raises(AttributeError, match="no component 'w'"):
        _ = v.w
    assert wp.mat22(1, 2, 3, 4).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="3 numbers given, 4 needed"):
        wp.mat22(1, 2, 3)


def test_importing_the_toolkit_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    script = (
        "import sys, whitecap.capture\n"
        "heavy = {'cuda', 'pyglet', 'moderngl', 'imgui_bundle', 'whitecap.app', 'PIL', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
