"""What a grid may be: the same for flags, scene files and whatever else makes one. Imports nothing."""

from __future__ import annotations

MAX_SIDE = 16384
"""Cells of width or height."""

MAX_CELLS = 1 << 26
MAX_SUBSTEPS = 1024

SMALLEST_CELL, LARGEST_CELL = 1e-4, 1e3
"""World units."""
