"""The fields of a scene in an `.npz` beside its document, so that it goes on where it was left."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UserError, one_line
from ..files import require_file, write_atomically


def save_checkpoint(path: str | Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes fields, (height, width) float32 each, to an `.npz`, whole or not at all."""
    buffer = io.BytesIO()
    packed: dict[str, Any] = {name: np.asarray(array, dtype=np.float32) for name, array in arrays.items()}
    np.savez_compressed(buffer, **packed)
    write_atomically(Path(path), buffer.getvalue())


def load_checkpoint(path: str | Path, names: Sequence[str], shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """Reads the named fields of a checkpoint, each float32 of `shape` (height, width) and finite, else UserError."""
    path = Path(path)
    arrays: dict[str, np.ndarray] = {}
    try:
        require_file(path)
        with zipfile.ZipFile(path) as archive:
            sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        for name in names:
            # The size is known before anything is unpacked: a small file can't claim a large memory.
            if f"{name}.npy" in sizes and sizes[f"{name}.npy"] > shape[0] * shape[1] * 8 + 1024:
                raise UserError(f"{path}: field {name} is too large: a grid of {shape[1]} x {shape[0]} is needed")
        with np.load(path, allow_pickle=False) as file:
            for name in names:
                if name not in file.files:
                    raise UserError(
                        f"{path}: field {name} is missing: it holds {', '.join(file.files[:8]) or 'nothing'}"
                    )
                arrays[name] = np.asarray(file[name])
    except OSError as error:
        raise UserError(f"{path}: it cannot be opened: {error.strerror or error}") from error
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError) as error:
        raise UserError(f"{path}: not a checkpoint: {one_line(error)}") from error
    for name, array in arrays.items():
        if array.shape != tuple(shape) or array.dtype != np.float32:
            found = f"{array.dtype} {' x '.join(map(str, array.shape[::-1])) or 'scalar'}"
            raise UserError(f"{path}: field {name} is {found}: float32 {shape[1]} x {shape[0]} is needed")
        if not np.isfinite(array).all():
            raise UserError(f"{path}: field {name} holds values that are not finite")
    return arrays
