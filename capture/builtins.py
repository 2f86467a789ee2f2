"""Writes the C++ of built-in scenes: `python -m whitecap.capture.builtins --out assets/kernels MODULE...`

The build compiles each file for several processors, so that the built-in scenes run on machines without a compiler.
File names are the first 16 hex digits of the module's hash; files of scenes that have changed since are deleted.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from .binaries import BUILTIN_DIGITS
from .errors import CaptureError
from .module import file_module


def builtin_texts(modules: Sequence[str]) -> dict[str, str]:
    """File name -> text, for the kernels at the top level of each Python module. CaptureError when one has none."""
    texts: dict[str, str] = {}
    for name in modules:
        importlib.import_module(name)
        module = file_module(name)
        if module is None:
            raise CaptureError(f"{name} defines no kernels at its top level: name a module that does")
        text = module.text()
        texts[f"{text.hash[:BUILTIN_DIGITS]}.cpp"] = text.source
    return texts


def write_builtins(folder: Path, modules: Sequence[str]) -> list[Path]:
    """Makes `folder` hold exactly the modules' files; unchanged ones keep their time, so that nothing is rebuilt."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = builtin_texts(modules)
    for path in folder.glob("*.cpp"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
    return [folder / name for name in texts]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m whitecap.capture.builtins", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the generated files")
    parser.add_argument("modules", nargs="+", metavar="MODULE", help="import path of a scene's Python module")
    options = parser.parse_args(arguments)
    try:
        paths = write_builtins(options.out, options.modules)
    except (CaptureError, ImportError, OSError) as error:
        print(f"builtins: {error}", file=sys.stderr)
        return 1
    print("\n".join(str(path) for path in paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())
