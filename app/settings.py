"""What is remembered from one run to the next: window place, UI scale, last scene. One TOML file of the user's."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from .errors import UserError, notice, one_line
from .files import write_atomically

RANGES: dict[str, tuple[float, float]] = {
    "window_width": (200, 16384),
    "window_height": (150, 16384),
    "window_x": (-16384, 16384),
    "window_y": (-16384, 16384),
    "ui_scale": (0.5, 3.0),
    "grid_width": (0, 16384),
    "grid_height": (0, 16384),
    "substeps": (0, 1024),
}


@dataclass
class Settings:
    """Remembered values and their defaults.

    window_x, window_y: None leaves the place to the desktop. file, preset, scene: the last one shown, the first of
    the three that is not empty; file is the absolute path of a scene document or a capture, scene a built-in scene's
    name or the absolute path of a scene file. grid_width, grid_height, substeps: where they were not the usual ones of
    the scene or preset, else 0. unsaved: the last run left what was drawn and not saved in a file, to be told of.
    """

    window_width: int = 1280
    window_height: int = 800
    window_x: int | None = None
    window_y: int | None = None
    ui_scale: float = 1.0
    scene: str = "wave"
    preset: str = ""
    file: str = ""
    grid_width: int = 0
    grid_height: int = 0
    substeps: int = 0
    hint_seen: bool = False
    unsaved: bool = False

    @staticmethod
    def load(path: Path | None = None) -> Settings:
        """What the file holds; defaults, with one line of notice, for a file or a value that is broken."""
        path = path or default_path()
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Settings()
        except (OSError, UnicodeDecodeError) as error:
            notice(f"the settings in {path} cannot be read ({one_line(error)}); going on with the defaults")
            return Settings()
        import tomlkit

        try:
            return _from_mapping(tomlkit.parse(text).unwrap())
        except Exception as error:
            notice(f"the settings in {path} are broken ({one_line(error)}); going on with the defaults")
            return Settings()

    def save(self, path: Path | None = None) -> None:
        """Writes the file; a folder that cannot be written to costs one line of notice and nothing else."""
        path = path or default_path()
        import tomlkit

        document = tomlkit.document()
        document.add(tomlkit.comment("What Whitecap remembers. `whitecap --fresh` forgets it."))
        for name, value in asdict(self).items():
            if value is not None:
                document.add(name, value)
        try:
            write_atomically(path, tomlkit.dumps(document).encode())
        except UserError as error:
            notice(f"the settings were not saved: {error}")

    @staticmethod
    def forget(path: Path | None = None) -> None:
        """Removes the file."""
        (path or default_path()).unlink(missing_ok=True)


def default_path() -> Path:
    """`WHITECAP_CONFIG_DIR`/settings.toml, else settings.toml in the user's configuration folder."""
    folder = os.environ.get("WHITECAP_CONFIG_DIR")
    if not folder:
        import platformdirs

        folder = platformdirs.user_config_dir("whitecap", appauthor=False)
    return Path(folder).expanduser() / "settings.toml"


def _from_mapping(data: dict[str, Any]) -> Settings:
    settings = Settings()
    for field in fields(Settings):
        if field.name in data:
            setattr(settings, field.name, _checked(field.name, data[field.name], getattr(settings, field.name)))
    return settings


def _checked(name: str, value: Any, default: Any) -> Any:
    kind: Any = type(default) if default is not None else int
    allowed = (int, float) if kind is float else (kind,)
    if type(value) not in allowed:
        raise ValueError(f"{name} = {value!r} is not of type {kind.__name__}")
    if name in RANGES and not RANGES[name][0] <= float(value) <= RANGES[name][1]:
        raise ValueError(f"{name} = {value!r} is outside {RANGES[name][0]} to {RANGES[name][1]}")
    return value
