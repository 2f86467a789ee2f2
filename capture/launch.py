"""`launch(kernel, dim, inputs=[...])`: checks and packs arguments, then runs the kernel or records it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import record
from .arguments import ArgumentPacker
from .arrays import array
from .device import Device, DeviceLike, get_device
from .errors import CaptureError
from .kernel import Kernel

MAX_EXTENT = 2**31 - 1


def launch(
    kernel: Kernel,
    dim: int | Sequence[int],
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = (),
    device: DeviceLike = None,
    block_dim: int = 256,
    record_tape: bool = False,
) -> None:
    """Runs a kernel over `dim` threads (an extent, or up to 4 of them; the last is the fastest), or records it.

    inputs, outputs: arguments in the order of the kernel's parameters. None stands for an array that isn't there.
    device: that of the arrays when it isn't given. block_dim and record_tape are accepted for Warp scripts.
    CaptureError: arguments that don't fit; KernelError: a kernel that the language has no meaning for.
    """
    if not isinstance(kernel, Kernel):
        raise CaptureError(f"launch() of {type(kernel).__name__}: give a function decorated with @kernel")
    form = kernel.form
    values = [*inputs, *outputs]
    if len(values) != len(form.parameters):
        names = ", ".join(parameter.name for parameter in form.parameters)
        raise CaptureError(
            f"launch of {kernel.key}: {len(values)} arguments given, {len(form.parameters)} needed ({names})"
        )
    shape, size = _shape(kernel, dim, form.rank)
    where = _device(kernel, device, values)
    recording = record.current()
    if recording is not None and where is not recording.device:
        raise CaptureError(f"launch of {kernel.key} on {where} in a capture on {recording.device}: use one device")
    if kernel.packer is None:
        kernel.packer = ArgumentPacker(kernel)
    arguments = kernel.packer.pack(values, where, recording)
    if size == 0:
        return
    if recording is not None:
        recording.launch(kernel, shape, arguments, size)
    else:
        where.launch(kernel, shape, arguments, size)


def _shape(kernel: Kernel, dim: int | Sequence[int], rank: int) -> tuple[list[int], int]:
    """Extents for the kernel's rank, and the number of threads.

    Missing extents are 1. Extents beyond the rank repeat every coordinate that many times, as in Warp.
    """
    extents: list[Any] = list(dim) if isinstance(dim, list | tuple) else [dim]
    for extent in extents:
        if not isinstance(extent, int | np.integer) or not 0 <= extent <= MAX_EXTENT:
            raise CaptureError(f"launch of {kernel.key}: dim={dim!r}; extents are integers from 0 to {MAX_EXTENT}")
    if not 1 <= len(extents) <= 4:
        raise CaptureError(f"launch of {kernel.key}: dim={dim!r} has {len(extents)} extents; give 1 to 4")
    extents = [int(extent) for extent in extents]
    return (extents + [1] * rank)[:rank], math.prod(extents)


def _device(kernel: Kernel, device: DeviceLike, values: Sequence[Any]) -> Device:
    """The device asked for, else that of the first array, else that of the capture."""
    if device is not None:
        return get_device(device)
    for value in values:
        if isinstance(value, array):
            return value.device
    recording = record.current()
    return recording.device if recording is not None else get_device(None)
