"""Options of the compiler floor, for the whole process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Config:
    """Set attributes of `whitecap.capture.config`; they count for kernels that haven't been built yet.

    fuse_fp: fuse multiply-adds by the rule of fuse.py (part of a module's hash).
    verify: check every array index on the CPU; a launch that went outside raises KernelError (part of the hash; slow).
    line_directives: `#line` back to the Python file in compiled text, for debuggers and profilers.
    cpu_target: processor level to compile for ("x86_64_v3", ...); None: the best that this machine runs.
    cache_limit_bytes: bound of the folder of compiled modules; the least recently used go first.
    quiet: accepted for Warp scripts; this toolkit prints nothing.
    """

    fuse_fp: bool = True
    verify: bool = False
    line_directives: bool = False
    cpu_target: str | None = None
    cache_limit_bytes: int = 256 << 20
    quiet: bool = True


config = Config()
