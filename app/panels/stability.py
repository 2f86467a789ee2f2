"""The Stability panel: how much of the scheme's allowance is used, and what happens to a setting beyond it."""

from __future__ import annotations

from imgui_bundle import ImVec2, ImVec4, imgui

from .protocol import PanelHost
from .widgets import DANGER, GOOD, WARNING, choice, em, facts, note, number_format, tooltip

POLICIES = {
    "refuse": ("Refuse", "an unstable setting is not taken."),
    "raise": ("Add sub-steps", "as many as make it stable."),
    "allow": ("Let it happen", "a runaway is caught, and one click goes back."),
}


def draw(app: PanelHost) -> None:
    """One frame of the panel."""
    lab = app.lab
    scheme = lab.scheme if lab is not None else None
    if lab is None or scheme is None:
        note("This scene declares no wave speed and damping, so there is no bound to show.")
        return
    colour = GOOD if scheme.load <= 0.9 else WARNING if scheme.stable else DANGER
    dark = ImVec4(0.6 * colour.x, 0.6 * colour.y, 0.6 * colour.z, 1.0)  # the words on it are light
    imgui.push_style_color(imgui.Col_.plot_histogram.value, dark)
    words = f"{100 * scheme.load:.0f} % of the limit" if scheme.load < 10 else "far beyond the limit"
    if not scheme.stable:  # in the bar, where it moves nothing
        words = f"Unstable: {words}"
    imgui.progress_bar(min(scheme.load, 1.0), ImVec2(-1.0, em(1.3)), words)
    imgui.pop_style_color()
    tooltip(
        "(4 lambda + mu) / 2 with lambda = k_speed dt² / cell² and mu = k_damp dt²: stable up to 1. "
        "Beyond it the shortest waves grow without bound."
    )
    fewest = scheme.smallest_substeps(1 << 16)
    facts(
        [
            ("Courant", f"{scheme.courant:.4f} of {scheme.courant_limit:.4f}"),
            ("lambda, mu", f"{scheme.courant_squared:.5f}, {scheme.damping:.5f}"),
            ("Sub-step", f"{1e3 * scheme.dt:.3f} ms of {1e3 * scheme.step_limit():.3f} ms"),
            ("Speed limit", f"{number_format(scheme.speed_limit())} u²/s²"),
            ("Damping limit", f"{number_format(scheme.damping_limit())} 1/s²"),
            ("Sub-steps from", str(fewest) if fewest else "none is enough"),
        ]
    )
    help = "\n".join(f"{word}: {meaning}" for word, meaning in POLICIES.values())
    picked = choice("Beyond it", lab.policy, tuple(POLICIES), help, [word for word, _ in POLICIES.values()])
    if picked is not None:
        lab.policy = picked  # type: ignore[assignment]
