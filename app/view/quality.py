"""Which layers to drop so that a slow renderer stays fluent, decided from measured frame times with hysteresis."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Rung:
    """One step down: what is switched off from here on. `text` names it to a person."""

    text: str
    samples: bool = True
    smooth: bool = True
    caustics: bool = True
    resolution: float = 1.0


# From everything to the least; each rung keeps what the ones above it dropped. Its text completes "left out: ".
LADDER = (
    Rung(""),
    Rung("multisampling", samples=False),
    Rung("smooth normals", samples=False, smooth=False),
    Rung("a quarter of the resolution", samples=False, smooth=False, resolution=0.75),
    Rung("caustics", samples=False, smooth=False, caustics=False, resolution=0.75),
    Rung("half of the resolution", samples=False, smooth=False, caustics=False, resolution=0.5),
)


class Quality:
    """Steps down when drawing is slower than `slow`, up when the rung above is expected to be faster than that."""

    WINDOW = 8

    def __init__(self, slow: float = 1 / 18, fast: float = 1 / 40) -> None:
        """slow, fast: seconds of one draw; between them nothing changes."""
        self._slow, self._fast = slow, fast
        self._level = 0
        self._times: deque[float] = deque(maxlen=self.WINDOW)
        # A rung that proved too slow is not tried again until this many good windows have passed.
        self._patience = 1
        self._good_windows = 0

    @property
    def rung(self) -> Rung:
        return LADDER[self._level]

    @property
    def dropped(self) -> list[str]:
        """What is dropped now, for a person; the finer resolution step replaces the coarser one."""
        texts = [rung.text for rung in LADDER[1 : self._level + 1]]
        resolutions = [text for text in texts if text.endswith("resolution")]
        return [text for text in texts if text not in resolutions[:-1]]

    def observe(self, seconds: float) -> None:
        """Takes the time of one drawn frame; may move one rung."""
        self._times.append(seconds)
        if len(self._times) < self.WINDOW:
            return
        typical = median(self._times)
        if typical > self._slow and self._level < len(LADDER) - 1:
            self._move(+1)
            self._patience = min(2 * self._patience, 64)
        elif typical < self._fast and self._level > 0:
            self._good_windows += 1
            self._times.clear()
            if self._good_windows >= self._patience:
                self._move(-1)

    def reset(self, level: int = 0) -> None:
        """Starts again at `level`: another surface, another window."""
        self._level = min(level, len(LADDER) - 1)
        self._times.clear()
        self._patience, self._good_windows = 1, 0

    def _move(self, by: int) -> None:
        self._level += by
        self._times.clear()
        self._good_windows = 0
