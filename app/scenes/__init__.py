"""The scenes that come with the program, and how a scene is found by name or by file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from ..blame import blaming
from ..errors import UsageError, UserError
from ..scene import Scene

BUILT_IN = ("wave", "tank")


def find_scene(text: str) -> Scene:
    """The scene of that name, or the one that the Python file at that path declares.

    A file is known by its `.py` suffix or a path separator. It must hold exactly one subclass of `Scene` with a name.
    """
    if text in BUILT_IN:
        return _only_scene(importlib.import_module(f".{text}", __name__), text)
    if text.endswith(".py") or "/" in text:
        return _only_scene(_load_file(Path(text)), text)
    raise UsageError(f"--scene {text}: no such scene; give {', '.join(BUILT_IN)} or the path of a Python file")


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"--scene {path}: there is no such file")
    from ...capture.module import forget_file

    name = f"whitecap_scene_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"--scene {path}: this is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    forget_file(name)
    with blaming(path, "--scene "):
        spec.loader.exec_module(module)
    return module


def _only_scene(module: ModuleType, text: str) -> Scene:
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Scene)
        and value is not Scene
        and value.__module__ == module.__name__
    ]
    if len(classes) != 1:
        found = ", ".join(c.__name__ for c in classes) or "none"
        raise UserError(f"--scene {text}: the file must hold exactly one subclass of Scene, found {found}")
    with blaming(text, "--scene "):
        scene = classes[0]()
    if not scene.name:
        raise UserError(f"--scene {text}: {type(scene).__name__} has no `name`")
    return scene
