"""The `whitecap` command: picks what to run. Everything heavy is imported by the part that needs it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence

from .arguments import parse
from .errors import EXIT_OK, UserError, guarded, notice
from .interrupt import uninterrupted
from .job import end_process


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code (`errors.EXIT_CODES`)."""
    command, options = parse(sys.argv[1:] if arguments is None else list(arguments))
    return end_process(guarded(lambda: _COMMANDS[command](options), options.verbose))


def _main(options: Namespace) -> int:
    if options.version:
        return _version()
    _use_threads(options)
    if options.fresh:
        from .settings import Settings

        Settings.forget()
    if options.smoke:
        return _smoke(options)
    from .choices import check_choices

    check_choices(options)
    with uninterrupted():
        run = _choose(options)
    return run(options)


def _choose(options: Namespace) -> Callable[[Namespace], int]:
    if options.benchmark:
        from .benchmark import benchmark

        return benchmark
    if options.out:
        from .video import film

        return film
    if options.offscreen or options.screenshot:
        from .offscreen import offscreen

        return offscreen
    return _window


def _window(options: Namespace) -> int:
    from .window import NoDisplay, run

    try:
        return run(options)
    except ModuleNotFoundError as error:
        if error.name != "imgui_bundle":
            raise
        raise UserError(
            "the window: its panels need imgui-bundle, which has no package for Python 3.10; use Python 3.11 or newer, "
            "or run with --offscreen"
        ) from error
    except NoDisplay as error:
        from .offscreen import demonstration

        notice(f"{error}; running off screen instead")
        return demonstration(options)


def _smoke(options: Namespace) -> int:
    from .backend import choose_device
    from .choices import chosen_grid
    from .scenes import find_scene
    from .smoke import smoke

    if options.scene not in (None, "wave"):
        raise UserError(f"--smoke checks the wave scene, not {options.scene}: leave --scene away")
    device, _ = choose_device("cpu" if options.backend == "auto" else options.backend)
    return smoke(chosen_grid(options, find_scene("wave")), device)


def _capture(options: Namespace) -> int:
    from .capturing import capture

    return capture(options)


def _doctor(options: Namespace) -> int:
    from .doctor import doctor

    return doctor(options)


def _inspect(options: Namespace) -> int:
    from .inspection import inspect

    return inspect(options)


def _profile(options: Namespace) -> int:
    from .profile import profile

    _use_threads(options)
    return profile(options)


def _version() -> int:
    from .. import _native

    print(f"whitecap {_native.__version__}")
    return EXIT_OK


def _use_threads(options: Namespace) -> None:
    if options.threads is not None:
        from .. import _native

        _native.set_thread_count(options.threads)


_COMMANDS: dict[str, Callable[[Namespace], int]] = {
    "": _main,
    "capture": _capture,
    "doctor": _doctor,
    "inspect": _inspect,
    "profile": _profile,
}

if __name__ == "__main__":
    sys.exit(main())
