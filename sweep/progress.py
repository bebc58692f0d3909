# SPDX-License-Identifier: GPL-2.0-or-later
"""Standard error: lines that stay, and on a terminal one that is rewritten."""

import os
import sys
import time


class Screen:
    """Where a sweep tells people what it does."""

    def __init__(self, name, stream=sys.stderr):
        """name: of the command, which begins every message."""
        self.name = name
        self.stream = stream
        self.terminal = stream.isatty()
        self.said = set()

    def clear(self):
        """Take the rewritten line away, before anything else is written to the terminal."""
        if self.terminal:
            print("\r\x1b[K", end="", file=self.stream, flush=True)

    def show(self, text):
        """Rewrite the progress line; nothing where there is no terminal."""
        if self.terminal:
            width = os.get_terminal_size(self.stream.fileno()).columns or 80
            print(f"\r\x1b[K{text[:width - 1]}", end="", file=self.stream, flush=True)

    def write(self, *lines):
        """Lines as they are."""
        self.clear()
        print(*lines, sep="\n", file=self.stream, flush=True)

    def say(self, text):
        """A message, as one line whatever it quotes."""
        self.write(f"{self.name}: {' '.join(text.splitlines())}")

    def say_once(self, text, about):
        """A message, unless something was said about the same before."""
        if about not in self.said:
            self.said.add(about)
            self.say(text)


class Clock:
    """Tells the time left: what the plan expects, corrected by how long its first part took."""

    def __init__(self):
        self.done = 0.0
        self.begun = time.monotonic()

    def finish(self, expected):
        """A part that was expected to take so many seconds is done."""
        self.done += expected

    def left(self, expected):
        """Seconds that the rest will take, from the expected ones."""
        return expected * ((time.monotonic() - self.begun) / self.done if self.done else 1)

    def percent(self, expected):
        """How much is done when the rest is expected to take so many seconds."""
        return 100 * self.done / (self.done + expected)


def duration(seconds):
    """As people say it: 45 s, 12 min, 3 h 20 min."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
