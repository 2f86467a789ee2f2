"""`whitecap doctor`: one report to read or to paste, a verdict for each line and a remedy for what is amiss."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from .errors import EXIT_CHECK, EXIT_OK, one_line

Verdict = Literal["ok", "note", "problem"]

MARKS: dict[Verdict, str] = {"ok": "ok", "note": "--", "problem": "!!"}


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what was found, how that is, and what to do about it.

    "note" is something that the program does without; "problem" is something that it needs.
    """

    name: str
    value: str
    verdict: Verdict = "ok"
    remedy: str = ""


Topic = Callable[[], Iterator[Finding]]
TOPICS: dict[str, Topic] = {}


def topic(title: str) -> Callable[[Topic], Topic]:
    """Registers a function that yields findings as a part of the report."""

    def register(function: Topic) -> Topic:
        TOPICS[title] = function
        return function

    return register


def examine() -> dict[str, list[Finding]]:
    """Every topic's findings; a topic that fails becomes a problem of its own rather than the end of the report."""
    from . import topics  # noqa: F401  registers them

    report: dict[str, list[Finding]] = {}
    for title, look in TOPICS.items():
        findings = report.setdefault(title, [])
        try:
            findings.extend(look())
        except Exception as error:
            findings.append(Finding(title, one_line(error), "problem"))
    return report


def doctor(options: Namespace) -> int:
    """Prints the report; the exit code says whether there is a problem."""
    report = examine()
    if options.json:
        print(json.dumps({title: [asdict(f) for f in findings] for title, findings in report.items()}, indent=2))
    else:
        print(as_text(report))
    return EXIT_CHECK if problems(report) else EXIT_OK


def problems(report: dict[str, list[Finding]]) -> int:
    """How many findings keep the program from working."""
    return sum(finding.verdict == "problem" for findings in report.values() for finding in findings)


def as_text(report: dict[str, list[Finding]]) -> str:
    """The report as lines without colour, so that it can be pasted."""
    width = max(len(finding.name) for findings in report.values() for finding in findings)
    lines = []
    for title, findings in report.items():
        lines.append(title)
        for finding in findings:
            lines.append(f"  {MARKS[finding.verdict]}  {finding.name:{width}}  {finding.value}")
            if finding.remedy:
                lines.append(f"      {'':{width}}  -> {finding.remedy}")
    count = problems(report)
    lines.append("")
    lines.append("everything needed is there" if count == 0 else f"{count} problem{'s' if count > 1 else ''}: see !!")
    return "\n".join(lines)
