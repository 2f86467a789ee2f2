"""What the panels need of the application: enough to test them with a stand-in and no window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..lab.session import Lab
    from ..messages import Messages
    from ..scene import Grid


class GuiState(Protocol):
    """What the panels share with the keys."""

    panels_visible: bool
    help_visible: bool

    def set_clipboard(self, text: str) -> None: ...
    def clipboard(self) -> str: ...
    def take_keyboard(self) -> None: ...
    def give_keyboard_back(self) -> None: ...


class PanelHost(Protocol):
    """The application, as the panels see it. They read it and issue commands; they keep nothing of the simulation."""

    simulation: Any
    backend: Any
    settings: Any
    viewport: Any
    pointer: Any
    recording: Any
    message: str
    errors: Messages
    gui: GuiState | None
    lab: Lab | None

    @property
    def look(self) -> Any: ...
    @property
    def camera(self) -> Any: ...
    @property
    def stage(self) -> Any: ...
    @property
    def timings(self) -> Any: ...
    @property
    def busy(self) -> str: ...

    def perform(self, action: str) -> bool: ...
    def camera_pose(self) -> str: ...
    def set_camera_pose(self, text: str) -> None: ...
    def recapture(self, grid: Grid) -> None: ...
    def show_error(self, text: object) -> None: ...
