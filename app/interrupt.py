"""Ctrl-C between pieces of work: extension modules that call back into Python do not expect it in the middle."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C in the block raises KeyboardInterrupt at its end. For short blocks: imports, GL objects, one frame."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    asked = False

    def note(*_: object) -> None:
        nonlocal asked
        asked = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt
