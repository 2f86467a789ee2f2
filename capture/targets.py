"""What modules are built for: a processor level ("x86_64_v3"), a GPU architecture ("sm_90") or PTX ("ptx_80")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .cpu_compile import TARGET_FLAGS
from .errors import CaptureError

PORTABLE_PTX = "ptx_75"  # what "ptx" means: the oldest that today's compilers take


@dataclass(frozen=True)
class Target:
    name: str

    @property
    def is_cpu(self) -> bool:
        return self.name in TARGET_FLAGS

    @property
    def suffix(self) -> str:
        """Of a binary's file name."""
        return ".so" if self.is_cpu else ".ptx" if self.name.startswith("ptx") else ".cubin"

    @property
    def arch(self) -> int:
        """10 * major + minor for CUDA, 0 for the CPU."""
        digits = re.search(r"_(\d+)", self.name)
        return 0 if self.is_cpu or digits is None else int(digits[1])


def parse_targets(names: Sequence[str], who: str) -> list[Target]:
    """Targets by name, doubles dropped. CaptureError (one line) for an unknown one."""
    for name in names:
        if name not in TARGET_FLAGS and name != "ptx" and not re.fullmatch(r"(sm|ptx)_\d{2,3}[af]?", name):
            known = ", ".join(TARGET_FLAGS)
            raise CaptureError(f'{who}: no such target: {name!r}; use {known}, "sm_90" or "ptx" and the like')
    return [Target(PORTABLE_PTX if name == "ptx" else name) for name in dict.fromkeys(names)]
