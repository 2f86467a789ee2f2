"""Being asked to end: Ctrl-C between pieces of work, and signals that close the window as its own button does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ending:
    """Notes the signal that asked to end. The second Ctrl-C interrupts at once, should the first have been in vain."""

    def __init__(self) -> None:
        self.signal: int | None = None

    def ask(self, number: int, _frame: object = None) -> None:
        """The handler of the signals."""
        again, self.signal = self.signal is not None, self.signal or number
        if again and number == signal.SIGINT:
            raise KeyboardInterrupt

    @property
    def asked(self) -> bool:
        """Whether there was a signal."""
        return self.signal is not None


ending = Ending()
"""The program's own."""


@contextmanager
def ending_in_order() -> Iterator[Ending]:
    """In the block the signals only note that the program shall end; one that is ignored stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    ending.signal = None
    before = {number: signal.getsignal(number) for number in SIGNALS}
    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in taken:
        signal.signal(number, ending.ask)
    try:
        yield ending
    finally:
        for number in taken:
            signal.signal(number, before[number] or signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C takes effect at the end of the block. For short blocks: imports, GL objects, one frame.

    Extension modules that call back into Python do not expect a KeyboardInterrupt in the middle.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    asked = 0

    def note(*_: object) -> None:
        nonlocal asked
        asked += 1

    before: Any = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    for _ in range(asked):
        if callable(before):
            before(signal.SIGINT, None)
