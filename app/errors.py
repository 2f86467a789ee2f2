"""Errors meant for a person, and the exit codes of the command line."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_CHECK = 3
EXIT_HANGUP = 129
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143

EXIT_CODES = {
    EXIT_OK: "done",
    EXIT_FAILURE: "it could not be done; one line on standard error says why",
    EXIT_USAGE: "the command line is wrong",
    EXIT_CHECK: "a check ran and failed (--smoke, doctor)",
    EXIT_HANGUP: "its terminal was closed (SIGHUP)",
    EXIT_INTERRUPTED: "interrupted with Ctrl-C",
    EXIT_TERMINATED: "asked to end (SIGTERM)",
}


class UserError(Exception):
    """A foreseeable failure. The text is one line: who, what was given, what is allowed or needed, what to do next."""

    exit_code = EXIT_FAILURE


class UsageError(UserError):
    """The command line asks for something that is not possible."""

    exit_code = EXIT_USAGE


class CheckError(UserError):
    """A check ran to its end and the answer is no."""

    exit_code = EXIT_CHECK


def notice(text: str) -> None:
    """One line for the person at the terminal; never part of a command's output."""
    print(f"whitecap: {one_line(text)}", file=sys.stderr)


def one_line(text: object) -> str:
    """The text of an error on one line."""
    return " ".join(str(text).split())


def os_error_line(error: OSError) -> str:
    """An operating system failure as 'file: reason'."""
    reason = error.strerror or str(error)
    if isinstance(error, FileNotFoundError) and not error.filename and not _has_working_folder():
        return "the working folder is not there any more; change to one that is (cd) and run again"
    return f"{error.filename}: {reason}" if error.filename else reason


def _has_working_folder() -> bool:
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def guarded(action: Callable[[], int], verbose: bool) -> int:
    """Runs `action` and returns its exit code; a failure becomes one line on standard error."""
    try:
        code = action()
        if sys.stdout is not None:  # closed by the shell: >&-
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output went away (`whitecap doctor | head`): nothing left to say, and nothing to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_OK
    except KeyboardInterrupt:
        return ended(signal.SIGINT)
    except Exception as error:
        if verbose:
            import traceback

            traceback.print_exc()
        line, code = describe(error)
        print(f"whitecap: {line}", file=sys.stderr)
        if not verbose and not is_foreseen(error):
            print("whitecap: this is a bug; run again with --verbose and report what it prints", file=sys.stderr)
        return code


def ended(number: int) -> int:
    """The exit code after the signal of that number; Ctrl-C is answered with a line."""
    if number == signal.SIGINT:
        print("whitecap: interrupted", file=sys.stderr)
    return 128 + number


def describe(error: BaseException) -> tuple[str, int]:
    """(one line, exit code) for any failure."""
    if isinstance(error, UserError):
        return f"error: {one_line(error)}", error.exit_code
    if isinstance(error, OSError):
        return f"error: {one_line(os_error_line(error))}", EXIT_FAILURE
    if isinstance(error, MemoryError):
        return "error: out of memory; try a smaller grid", EXIT_FAILURE
    if is_foreseen(error):
        return f"error: {one_line(getattr(error, 'summary', error))}", EXIT_FAILURE
    return f"error: {type(error).__name__}: {one_line(error)}", EXIT_FAILURE


def is_foreseen(error: BaseException) -> bool:
    """Errors whose text is written for a person: ours and those of the toolkit below."""
    if isinstance(error, (UserError, OSError, MemoryError)):
        return True
    return any((base.__module__ or "").startswith("whitecap.") for base in type(error).__mro__)
