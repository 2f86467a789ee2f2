"""The command line: every flag with its help, and the checks on what is given."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from .errors import EXIT_CODES, EXIT_USAGE, UserError
from .limits import MAX_SIDE, MAX_SUBSTEPS

SUBCOMMANDS = ("capture", "doctor", "inspect", "profile")
FILES = (".toml", ".wrp")
BACKENDS = ("auto", "cuda-interop", "cuda-copy", "cpu")

_DESCRIPTION = "Whitecap: an interactive wave laboratory. Without a subcommand it opens the window."

_EPILOG = """subcommands (each has its own --help):
  capture    capture a scene into a .wrp file
  inspect    show what a .wrp file holds
  doctor     report what this machine has and what it lacks
  profile    write a Chrome trace of capture, compile, load and frames

examples:
  whitecap                                        play with the default basin
  whitecap --preset double-slit                   open a preset
  whitecap my_scene.toml                          open a scene that was saved
  whitecap --width 512 --height 256 --substeps 32
  whitecap --scene my_scene.py                    a scene of your own
  whitecap --offscreen --frames 120 --screenshot out.png
  whitecap --frames 600 --out film.mp4            needs pip install 'whitecap[video]'
  whitecap --benchmark --width 1024 --height 1024

exit codes:
"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong on one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(
            EXIT_USAGE, f"whitecap: error: {' '.join(message.split())} ({self.prog} --help lists what there is)\n"
        )


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """An argument type: a whole number in low..high."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not allowed, give a whole number from {low} to {high}")
        return value

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    """An argument type: a finite number in low..high."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not allowed, give a number from {low:g} to {high:g}")
        return value

    return parse


def window_size(text: str) -> tuple[int, int]:
    """An argument type: WIDTHxHEIGHT."""
    from .viewport import parse_size

    try:
        return parse_size(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("--size ")) from error


def main_parser() -> Parser:
    """The parser of `whitecap` without a subcommand."""
    codes = "\n".join(f"  {code:<4} {meaning}" for code, meaning in EXIT_CODES.items())
    parser = Parser(
        prog="whitecap",
        description=_DESCRIPTION,
        epilog=_EPILOG + codes,
        usage="whitecap [options] [FILE]\n       whitecap {" + ",".join(SUBCOMMANDS) + "} ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a saved scene (.toml) or a capture (.wrp)")
    _add_scene(parser, presets=True)
    _add_backend(parser)

    window = parser.add_argument_group("window")
    window.add_argument("--size", type=window_size, metavar="WxH", help="window or picture size in pixels (1280x800)")
    window.add_argument("--full-screen", action="store_true", help="start in full screen")
    window.add_argument("--fresh", action="store_true", help="forget window place, UI scale and last scene")

    about = (
        "A picture replaces a file of its name. A film does not: what\n--out names must not be there yet, or be empty."
    )
    pictures = parser.add_argument_group("pictures and films (off screen)", about)
    pictures.add_argument("--offscreen", action="store_true", help="no window: EGL, software rendering will do")
    pictures.add_argument("--frames", type=whole_number(1, 1_000_000), metavar="N", help="frames to run, then end")
    pictures.add_argument("--screenshot", type=Path, metavar="FILE.png", help="write the last frame, beside --out too")
    pictures.add_argument("--out", type=Path, metavar="PATH", help="new folder of PNGs, or new .mp4 or .gif file")
    pictures.add_argument("--panels", action="store_true", help="show the panels in the pictures")
    pictures.add_argument("--view", metavar="POSE", help="camera: home, top, side, or a pose copied in the window")

    checks = parser.add_argument_group("checks")
    checks.add_argument("--smoke", action="store_true", help="prove capture, file and replay on this machine")
    checks.add_argument("--benchmark", action="store_true", help="time simulation, transfer and drawing")
    checks.add_argument("--json", type=Path, metavar="FILE", help="write the benchmark's JSON there as well")
    _add_general(parser)
    return parser


def capture_parser() -> Parser:
    parser = _subparser("capture", "Capture one frame of a scene into a .wrp file with its modules folder.")
    _add_scene(parser, presets=False)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.wrp", help="the file to write")
    parser.add_argument(
        "--target",
        action="append",
        metavar="TARGET",
        help="what to compile for, again for more: sm_80, sm_90, ptx, x86_64_v3 ... (this machine's processor)",
    )
    _add_general(parser)
    return parser


def doctor_parser() -> Parser:
    parser = _subparser("doctor", "Report versions, devices and paths, each with a verdict and a remedy.")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    _add_general(parser)
    return parser


def inspect_parser() -> Parser:
    parser = _subparser("inspect", "Show what a .wrp file holds.")
    parser.add_argument("file", type=Path, metavar="FILE.wrp")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    _add_general(parser)
    return parser


def profile_parser() -> Parser:
    parser = _subparser("profile", "Write a Chrome trace: open it in ui.perfetto.dev or chrome://tracing.")
    _add_scene(parser, presets=False)
    _add_backend(parser)
    parser.add_argument("--frames", type=whole_number(1, 100_000), default=120, metavar="N", help="frames (120)")
    parser.add_argument("--out", type=Path, default=Path("whitecap-trace.json"), metavar="FILE.json", help="the trace")
    _add_general(parser)
    return parser


def parse(arguments: Sequence[str]) -> tuple[str, argparse.Namespace]:
    """(subcommand or "", its options). Exits with one line and code 2 when the command line is wrong."""
    parsers = {
        "capture": capture_parser,
        "doctor": doctor_parser,
        "inspect": inspect_parser,
        "profile": profile_parser,
    }
    if arguments and arguments[0] in parsers:
        return arguments[0], parsers[arguments[0]]().parse_args(arguments[1:])
    parser = main_parser()
    options = parser.parse_args(arguments)
    if options.scene and options.scene.endswith(".toml") and options.file is None:
        options.file, options.scene = Path(options.scene), None
    _check_main(parser, options)
    return "", options


def _check_main(parser: Parser, options: argparse.Namespace) -> None:
    """Flags that contradict each other, or do nothing together."""
    if options.file and options.file.suffix not in FILES:
        parser.error(
            f"there is no subcommand {str(options.file)!r} (there are {', '.join(SUBCOMMANDS)}), "
            "and a FILE to open ends in .toml or .wrp"
        )
    if options.file and (options.scene or options.preset):
        parser.error(f"{options.file} has a scene of its own: leave --scene and --preset away")
    if options.file and options.file.suffix == ".wrp" and (options.width or options.height or options.substeps):
        parser.error(
            f"{options.file}: grid and sub-steps are fixed in a capture: leave --width, --height and --substeps away"
        )
    modes = [name for name in ("smoke", "benchmark") if getattr(options, name)]
    if len(modes) == 2:
        parser.error("--smoke and --benchmark are two different checks: give one of them")
    if options.smoke and (options.screenshot or options.out or options.offscreen):
        parser.error("--smoke makes no picture: leave --screenshot, --out and --offscreen away")
    if options.smoke and (options.preset or options.file):
        parser.error("--smoke checks the wave scene: leave --preset and FILE away")
    if options.benchmark and (options.screenshot or options.out):
        parser.error("--benchmark makes no picture: leave --screenshot and --out away")
    if options.out and not options.frames:
        parser.error("--out needs --frames N: how many frames to write")
    if options.json and not options.benchmark:
        parser.error("--json goes with --benchmark")
    if options.screenshot and options.screenshot.suffix.lower() != ".png":
        parser.error(f"--screenshot {options.screenshot}: pictures are PNG, give a name that ends in .png")
    if options.scene and options.preset:
        parser.error("--preset has a scene of its own: leave --scene away")


def _subparser(name: str, description: str) -> Parser:
    return Parser(prog=f"whitecap {name}", description=description, allow_abbrev=False)


def _add_scene(parser: Parser, presets: bool) -> None:
    about = "The grid counts for a preset or a saved scene too; there,\none side alone keeps the proportions."
    scene = parser.add_argument_group("scene", about if presets else None)
    scene.add_argument("--scene", metavar="NAME", help="wave, tank, or the path of a Python file (wave)")
    if presets:
        scene.add_argument("--preset", metavar="NAME", help="a preset of the gallery, or the path of a TOML file")
    side, substeps = whole_number(1, MAX_SIDE), whole_number(1, MAX_SUBSTEPS)
    scene.add_argument("--width", type=side, metavar="W", help="grid width in cells (128)")
    scene.add_argument("--height", type=side, metavar="H", help="grid height in cells (128)")
    scene.add_argument("--substeps", type=substeps, metavar="N", help="solver launches a frame (16)")


def _add_backend(parser: Parser) -> None:
    backend = parser.add_argument_group("where it runs")
    backend.add_argument("--backend", choices=BACKENDS, default="auto", help="force a rung of the ladder (auto)")
    backend.add_argument("--threads", type=whole_number(1, 1024), metavar="N", help="CPU threads (one a core)")


def _add_general(parser: Parser) -> None:
    parser.add_argument("--verbose", action="store_true", help="show the details behind an error")
    if parser.prog == "whitecap":
        parser.add_argument("--version", action="store_true", help="print the version and end")
