"""Films on a fixed time step: a folder of PNGs, or an MP4 or GIF that is whole or not there."""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np

from .errors import UsageError, UserError, os_error_line
from .files import require_place, staged
from .messages import counted

FILM_RATE = 60
GIF_RATE = 30
FORMATS = (".mp4", ".gif")
PROGRESS_SECONDS = 5.0
"""Between two lines of progress where standard error is no terminal."""


class Writer(Protocol):
    """Takes pictures one after the other."""

    def add(self, pixels: np.ndarray) -> None:
        """pixels: (height, width, 3) uint8, top row first, always the same size."""


@contextmanager
def open_film(path: Path) -> Iterator[Writer]:
    """A writer for the film that the path's suffix asks for; it takes its name when the block ends without an error.

    Raises UserError when the place cannot be written to, when there is something already (an empty file or folder is
    nothing), or when the extra `whitecap[video]` is missing.
    """
    suffix = path.suffix.lower()
    if suffix in FORMATS:
        require_place(path)
        if path.is_file() and path.stat().st_size > 0:
            raise _taken(path)
        imageio = _imageio()
        with staged(path) as temporary, _Movie(imageio, temporary, suffix) as movie:
            yield movie
    elif suffix:
        raise UsageError(f"--out {path}: give a folder, or a name that ends in .mp4 or .gif")
    else:
        with _folder(path) as folder:
            yield _Sequence(folder)


def film(options: Namespace) -> int:
    """`--frames N --out PATH`: runs off screen and writes every frame, and the last one where `--screenshot` says."""
    from .offscreen import OffscreenSession
    from .view.picture import write_png

    progress = Progress(options.frames)
    with open_film(options.out) as writer, OffscreenSession(options) as session:
        for number in range(options.frames):
            session.frame()
            pixels = session.pixels()
            writer.add(pixels)
            progress.show(number + 1)
    print(options.out)
    if options.screenshot is not None:
        write_png(options.screenshot, pixels)
        print(options.screenshot)
    return 0


class _Movie:
    """An MP4 at 60 pictures a second, or a GIF of every second picture at 30."""

    def __init__(self, imageio: Any, path: Path, suffix: str) -> None:
        self._gif = suffix == ".gif"
        self._count = 0
        self._writer: Any
        if self._gif:
            self._writer = imageio.get_writer(str(path), mode="I", duration=1000 / GIF_RATE, loop=0)
        else:
            self._writer = imageio.get_writer(str(path), fps=FILM_RATE, codec="libx264", quality=8, macro_block_size=1)

    def add(self, pixels: np.ndarray) -> None:
        self._count += 1
        if self._gif:
            if self._count % 2 == 1:
                self._writer.append_data(pixels)
            return
        # The codec's colour format needs even sides.
        height, width = pixels.shape[0] & ~1, pixels.shape[1] & ~1
        self._writer.append_data(np.ascontiguousarray(pixels[:height, :width]))

    def __enter__(self) -> _Movie:
        return self

    def __exit__(self, *failure: object) -> None:
        self._writer.close()


class _Sequence:
    """frame-00000.png and so on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def add(self, pixels: np.ndarray) -> None:
        from .view.picture import write_png

        write_png(self._folder / f"frame-{self._count:05d}.png", pixels)
        self._count += 1


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """A folder beside the wanted one, renamed when it is complete. An empty one of that name may be there."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise _taken(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    except OSError as error:
        raise UserError(f"--out {path}: {os_error_line(error)}; give a folder that can be written to") from error
    try:
        yield temporary
        if path.exists():
            path.rmdir()
        temporary.chmod(0o755)
        temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _taken(path: Path) -> UserError:
    """A film is never written over something."""
    return UserError(f"--out {path}: there is something already; give a new name, or remove it")


def _imageio() -> Any:
    try:
        import imageio.v2
        import imageio_ffmpeg  # noqa: F401
    except ImportError as error:
        raise UserError("films need imageio and its ffmpeg: pip install 'whitecap[video]'") from error
    return imageio.v2


class Progress:
    """How far a film is, on standard error: a line that counts up on a terminal, elsewhere one every few seconds.

    clock: seconds, for tests.
    """

    def __init__(self, total: int, clock: Callable[[], float] = monotonic) -> None:
        self._total = total
        self._clock = clock
        self._said = clock()

    def show(self, done: int) -> None:
        """Called after every frame."""
        text = f"{done} of {counted(self._total, 'frame')}"
        if sys.stderr.isatty():
            print(f"\r{text}", end="\n" if done == self._total else "", file=sys.stderr, flush=True)
        elif self._clock() - self._said >= PROGRESS_SECONDS and done < self._total:
            self._said = self._clock()
            print(text, file=sys.stderr, flush=True)
