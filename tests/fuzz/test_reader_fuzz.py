"""Damaged files: every mutation of a good file is refused with a NativeError or is a capture that encodes again.

The mutations are seeded, so a failure repeats; the seed and index are in the message. Memory is watched through the
process's peak: a small file must not make a large allocation.
"""

from __future__ import annotations

import random
import resource
import struct
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from whitecap import _native

HASH = "ab" * 32
INTERESTING = [0, 1, 2, 3, 7, 8, 18, 63, 64, 255, 256, 1023, 1024, 65535, 2**31 - 1, 2**31, 2**32 - 1]
WIDE = [2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1]
MOST_EXTRA_KIB = 64 * 1024


def argument(array: np.ndarray, access: str = "read") -> _native.Argument:
    pad = [0] * (4 - array.ndim)
    image = struct.pack("<QQ4i4iHH4x", 0, 0, *array.shape, *pad, *array.strides, *pad, array.ndim, 0)
    return _native.Argument(image, 8, [(0, array.ctypes.data), (8, 0)], access)


def good_file() -> bytes:
    """A small capture with launches, memory operations, both conditionals, bindings and an extension section."""
    a, b, flag = np.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32), np.zeros(1, np.int32)
    recorder = _native.Recorder()
    recorder.module(HASH, "waves")
    for key in ("one", "two"):
        recorder.kernel(key, HASH, f"{key}_12345678")
    for array in (a, b, flag):
        recorder.region(array.ctypes.data, array.nbytes, 4, array)
    recorder.launch("one", HASH, (3, 4), [argument(a), argument(b, "write")])
    recorder.copy(a.ctypes.data, b.ctypes.data, 48)
    recorder.memset(b.ctypes.data, 0, 16)
    recorder.tile(b.ctypes.data, b"\x00\x00\x80\x3f", 12)
    recorder.begin_branch()
    recorder.launch("two", HASH, (2,), [_native.Argument(b"\x01\x00\x00\x00", 4), argument(flag, "read_write")])
    recorder.end_branch()
    recorder.conditional(flag.ctypes.data, True, 1)
    for value in (1, 2):
        recorder.begin_branch()
        recorder.memset(a.ctypes.data, value, 4)
        recorder.end_branch()
    recorder.conditional(flag.ctypes.data, False, 2)
    recorder.binding("a", a.ctypes.data)
    recorder.binding("b", b.ctypes.data, True)
    modules = [{"hash": HASH, "name": "waves", "binary_filename": "waves.so", "arch": 0}]
    other = [{"module_hash": HASH, "target": "x86_64_v3", "filename": "waves.v3.so", "digest": "cd" * 32}]
    return recorder.finish().with_modules(modules, other).encode()


def without_digest(data: bytes) -> bytes:
    """The same file with an empty digest in its extension section, so that damage is not noticed by that alone."""
    entry = 64 + 3 * 32
    kind, _, offset, size, _ = struct.unpack_from("<IIQQQ", data, entry)
    assert kind == int.from_bytes(b"WCAP", "little")
    assert offset + size == len(data)
    shorter = bytearray(data[:-68] + struct.pack("<I", 0))
    struct.pack_into("<QQ", shorter, entry + 16, size - 64, size - 64)
    return bytes(shorter)


def flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def put_number(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) - 8)
    if rng.random() < 0.7:
        struct.pack_into("<I", data, at, rng.choice(INTERESTING))
    else:
        struct.pack_into("<Q", data, at, rng.choice(INTERESTING + WIDE))


def put_aligned_number(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) // 4 - 2) * 4 + rng.choice([0, 0, 2])
    value = int.from_bytes(data[at : at + 4], "little") + rng.choice([-8, -4, -1, 1, 4, 8])
    struct.pack_into("<I", data, at, value % 2**32)


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def remove_middle(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    del data[start : start + rng.randrange(1, 64)]


def repeat_middle(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    data[start:start] = data[start : start + rng.randrange(1, 64)]


def move_block(data: bytearray, rng: random.Random) -> None:
    size = rng.randrange(1, 64)
    source, target = rng.randrange(len(data) - size), rng.randrange(len(data) - size)
    data[target : target + size] = data[source : source + size]


def noise(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    size = min(rng.randrange(1, 32), len(data) - start)
    data[start : start + size] = rng.randbytes(size)


MUTATIONS: list[Callable[[bytearray, random.Random], None]] = [
    flip_bits,
    put_number,
    put_aligned_number,
    cut,
    remove_middle,
    repeat_middle,
    move_block,
    noise,
]


def mutated(original: bytes, seed: int, count: int) -> Iterator[tuple[int, bytes]]:
    rng = random.Random(seed)
    for index in range(count):
        data = bytearray(original)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            if len(data) > 128:
                rng.choice(MUTATIONS)(data, rng)
        yield index, bytes(data)


def read(data: bytes) -> _native.Capture | None:
    """The capture, or None when it was refused in the way that it should be."""
    try:
        return _native.Capture.from_bytes(data)
    except _native.NativeError as refusal:
        error = refusal
    assert error.code in {"WC_ERROR_FORMAT", "WC_ERROR_VERSION", "WC_ERROR_LIMIT", "WC_ERROR_UNSUPPORTED"}
    assert str(error)
    assert "\n" not in str(error)
    return None


def peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("seed", range(8))
def test_mutated_files_are_refused_or_valid(seed: int) -> None:
    original = without_digest(good_file())
    before = peak_kib()
    accepted = refused = 0
    for index, data in mutated(original, seed, 2500):
        capture = read(data)
        if capture is None:
            refused += 1
            continue
        accepted += 1
        again = _native.Capture.from_bytes(capture.encode())
        assert again.encode() == capture.encode(), f"seed {seed}, mutation {index}"
        assert len(again.operations) == len(capture.operations)
    assert refused > 1000  # the mutations do reach the rules
    assert accepted > 20
    assert peak_kib() - before < MOST_EXTRA_KIB


def test_every_single_byte_matters_or_is_ignored_without_harm() -> None:
    original = without_digest(good_file())
    for at in range(len(original)):
        for value in (0x00, 0x01, 0x7F, 0x80, 0xFF):
            data = bytearray(original)
            data[at] = value
            read(bytes(data))


def test_every_length_is_refused() -> None:
    original = good_file()
    for size in range(len(original)):
        assert read(original[:size]) is None


def test_counts_and_sizes_of_all_ones_allocate_nothing() -> None:
    original = without_digest(good_file())
    before = peak_kib()
    for at in range(0, len(original) - 8):
        data = bytearray(original)
        data[at : at + 8] = b"\xff" * 8
        read(bytes(data))
    assert peak_kib() - before < MOST_EXTRA_KIB


def test_random_bytes_behind_a_good_header_are_refused() -> None:
    rng = random.Random(11)
    header = good_file()[: 64 + 4 * 32]
    for size in (0, 1, 100, 1000, 5000):
        for _ in range(100):
            assert read(header + rng.randbytes(size)) is None


@pytest.mark.parametrize("depth", [64, 65, 1000, 20000])
def test_deep_nesting_is_limited(depth: int) -> None:
    stream = b""
    count = 0
    for _ in range(depth):
        head = struct.pack("<IIi4xQIIII", 7, 40 + len(stream), 1, 0, len(stream), count, 0, 0)
        stream, count = head + stream, 1
    metadata = struct.pack("<II6sI5I", 18, 6, b"1.19.0", 0, 0, 0, 0, 0, 0)
    memory = struct.pack("<IIIQB7x", 1, 1, 1, 16, 0)
    operations = struct.pack("<I", 1) + stream
    out, offset = b"", 160
    for type_, section in enumerate((metadata, memory, operations), 1):
        out += struct.pack("<IIQQQ", type_, 0, offset, len(section), len(section))
        offset += len(section)
    header = struct.pack("<4sIIIQB3xI32x", b"WRP1", 18, 0, 3, 64, 1, 0)
    capture = read(header + out + metadata + memory + operations)
    assert (capture is not None) == (depth <= 64)
