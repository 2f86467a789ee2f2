"""A second reader of `.wrp` files, for tests: written from the format notes alone, with nothing but `struct`.

It accounts for every byte: gaps, overlaps and non-zero reserved bytes are errors. It knows launches, copies, memsets,
tiles and conditionals, which is what the toolkit writes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any


class Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        assert self.at + size <= len(self.data), "beyond the end"
        self.at += size
        return self.data[self.at - size : self.at]

    def unpack(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def u32(self) -> int:
        return int(self.unpack("I")[0])

    def text(self) -> str:
        return self.take(self.u32()).decode()

    def zeros(self, size: int) -> None:
        assert not any(self.take(size)), "reserved bytes that aren't zero"

    def end(self) -> None:
        assert self.at == len(self.data), f"{len(self.data) - self.at} bytes left over"


@dataclass
class Launch:
    key: str
    hash: str
    shape: tuple[int, ...]
    ndim: int
    size: int
    dim: int
    config: tuple[int, ...]  # max_blocks, block_dim, smem_bytes, grid_stride, is_forward, cluster_dim
    values: list[bytes] = field(default_factory=list)
    aligns: list[int] = field(default_factory=list)
    relocations: list[list[tuple[int, int, int, int]]] = field(
        default_factory=list
    )  # offset, region, region offset, kind


@dataclass
class File:
    device: int
    arch: int
    producer: str
    modules: list[dict[str, Any]]
    kernels: list[dict[str, Any]]
    bindings: list[tuple[str, int]]
    regions: dict[int, bytes]
    operations: list[Any]
    sections: dict[int, bytes]


def read(data: bytes) -> File:
    head = Cursor(data)
    assert head.take(4) == b"WRP1"
    version, flags, count, table, device = head.unpack("IIIQB")
    assert (version, flags, table) == (18, 0, 64)
    head.zeros(3)
    arch = head.u32()
    head.zeros(32)
    assert head.at == 64
    sections: dict[int, bytes] = {}
    expected = 64 + 32 * count
    for _ in range(count):
        kind, flags, offset, size, plain = head.unpack("IIQQQ")
        assert (flags, size) == (0, plain)
        assert offset == expected, "a gap or an overlap between sections"
        assert kind not in sections
        sections[kind] = data[offset : offset + size]
        expected = offset + size
    assert expected == len(data)
    file = File(device, arch, "", [], [], [], {}, [], sections)
    _metadata(Cursor(sections[1]), file)
    _memory(Cursor(sections[2]), file)
    operations = Cursor(sections[3])
    file.operations = _operations(operations, operations.u32())
    operations.end()
    return file


def _metadata(cursor: Cursor, file: File) -> None:
    assert cursor.u32() == 18
    file.producer = cursor.text()
    assert cursor.u32() == file.arch
    modules, kernels, bindings, meshes, locations = cursor.unpack("5I")
    assert (meshes, locations) == (0, 0)
    for _ in range(modules):
        module: dict[str, Any] = {
            "hash": cursor.text(),
            "name": cursor.text(),
            "file": cursor.text(),
            "arch": cursor.u32(),
        }
        module["digests"] = (cursor.text(), cursor.text(), cursor.text())
        module["kind"], module["reason"] = cursor.unpack("BB")
        cursor.zeros(16)
        file.modules.append(module)
    for _ in range(kernels):
        kernel: dict[str, Any] = {
            "key": cursor.text(),
            "hash": cursor.text(),
            "forward": cursor.text(),
            "backward": cursor.text(),
        }
        kernel["smem"], kernel["backward_smem"], kernel["block_dim"] = cursor.unpack("III")
        file.kernels.append(kernel)
    for _ in range(bindings):
        file.bindings.append((cursor.text(), cursor.u32()))
    cursor.end()


def _memory(cursor: Cursor, file: File) -> None:
    for _ in range(cursor.u32()):
        number, element, size, has_data = cursor.unpack("IIQB")
        cursor.zeros(7)
        assert element == 1
        assert has_data == 1
        assert number not in file.regions
        file.regions[number] = cursor.take(size)
    assert list(file.regions) == sorted(file.regions)
    cursor.end()


def _operations(cursor: Cursor, count: int) -> list[Any]:
    return [_operation(cursor) for _ in range(count)]


def _operation(cursor: Cursor) -> Any:
    kind, size = cursor.unpack("II")
    body = Cursor(cursor.take(size - 8))
    if kind == 1:
        result: Any = _launch(body)
    elif kind == 4:
        dst, src, dst_offset, src_offset, length = body.unpack("iiQQQ")
        result = ("copy", dst, src, dst_offset, src_offset, length)
    elif kind == 5:
        region, value, offset, length = body.unpack("iiQQ")
        result = ("memset", region, value, offset, length)
    elif kind == 10:
        region, length, offset, repeats = body.unpack("iIQQ")
        result = ("tile", region, body.take(length), offset, repeats)
    elif kind in (7, 8):
        region = body.unpack("i")[0]
        body.zeros(4)
        offset, size_a, count_a, size_b, count_b = body.unpack("QIIII")
        branches = []
        for length, number in ((size_a, count_a), (size_b, count_b)):
            inner = Cursor(body.take(length))
            branches.append(_operations(inner, number))
            inner.end()
        result = ("if" if kind == 7 else "while", region, offset, *branches)
    else:
        raise AssertionError(f"operation {kind}")
    body.end()
    return result


def _launch(cursor: Cursor) -> Launch:
    shape = cursor.unpack("4I")
    ndim, size, dim, blocks, block_dim, smem, stride, forward, cluster = cursor.unpack("iQQiiiiBB")
    cursor.zeros(2)
    key_length, hash_length, parameters = cursor.unpack("HHH")
    cursor.zeros(2)
    relocation_count, value_size = cursor.unpack("II")
    key, module_hash = cursor.take(key_length).decode(), cursor.take(hash_length).decode()
    launch = Launch(key, module_hash, shape, ndim, size, dim, (blocks, block_dim, smem, stride, forward, cluster))
    bindings = [cursor.unpack("HHIII") for _ in range(parameters)]
    relocations = []
    for _ in range(relocation_count):
        relocations.append(cursor.unpack("IiQB"))
        cursor.zeros(7)
    values = cursor.take(value_size)
    position = 0
    for number, (index, count, offset, length, align) in enumerate(bindings):
        assert index == number + 1
        assert offset % align == 0
        launch.values.append(values[offset : offset + length])
        launch.aligns.append(align)
        launch.relocations.append(relocations[position : position + count])
        position += count
    assert position == relocation_count
    return launch
