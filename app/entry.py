"""The `whitecap` script's way in. It imports next to nothing, so that Ctrl-C is never too early for it."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130


def main() -> int:
    """Runs the command line and returns its exit code."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if not ignored:
        # A KeyboardInterrupt would come out of the middle of some import, with a traceback or as another error.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from .cli import main as run

    try:
        if not ignored:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return run()
    except KeyboardInterrupt:
        return INTERRUPTED
