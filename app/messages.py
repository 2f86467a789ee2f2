"""What went wrong, for the error dialog: one line each, repeats folded."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import one_line

LIMIT = 50


def counted(number: int, noun: str) -> str:
    """ "1 frame", "2 frames"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass
class Message:
    """One line and how often it came."""

    text: str
    count: int = 1


class Messages:
    """Failures in the order in which they were first seen; the dialog shows them while there are any."""

    def __init__(self) -> None:
        self.entries: list[Message] = []

    def add(self, text: object) -> Message:
        """Files a failure; the same text again only raises its count."""
        line = one_line(text)
        for message in self.entries:
            if message.text == line:
                message.count += 1
                return message
        message = Message(line)
        self.entries = [*self.entries[-LIMIT + 1 :], message]
        return message

    def clear(self) -> None:
        """Nothing left to show."""
        self.entries = []

    def __bool__(self) -> bool:
        return bool(self.entries)
