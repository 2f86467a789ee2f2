"""`config.verify`: after a launch, says which array access went outside, where it stands and what the index was."""

from __future__ import annotations

import ctypes
from functools import cache

from . import binaries
from .digest import full_digest
from .errors import KernelError
from .module import ModuleText

# The one place where all modules of the process leave what they find; see verify.hpp.
_SOURCE = """\
extern "C" struct wc_fault_t {
    int taken, site, dimension, extent;
    long long index;
    unsigned long long module;
} wc_fault;
__attribute__((visibility("default"))) wc_fault_t wc_fault = {};
"""

_texts: dict[int, ModuleText] = {}


class _Fault(ctypes.Structure):
    _fields_ = (
        ("taken", ctypes.c_int),
        ("site", ctypes.c_int),
        ("dimension", ctypes.c_int),
        ("extent", ctypes.c_int),
        ("index", ctypes.c_int64),
        ("module", ctypes.c_uint64),
    )


@cache
def _fault() -> _Fault:
    """The shared record; loaded so that modules find its symbol."""
    path, _ = binaries.cpu_binary(ModuleText("verify", full_digest(_SOURCE), _SOURCE, _SOURCE))
    return _Fault.in_dll(ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL), "wc_fault")


def prepare(text: ModuleText) -> None:
    """Before a module with checks is loaded."""
    if text.sites:
        _fault()
        _texts[text.number] = text


def raise_fault() -> None:
    """KernelError for the first access outside an array since the last call, if there was one."""
    if not _texts or not _fault().taken:
        return
    fault = _fault()
    text = _texts[fault.module]
    fault.taken = 0
    raise KernelError(
        f"index {fault.index} of dimension {fault.dimension}, whose extent is {fault.extent}",
        "keep indices inside, for example with `wp.clamp(i, 0, a.shape[0] - 1)`, or launch fewer threads",
        text.sites[fault.site],
        text.name,
    )
