# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU while it runs: a guest that is asked, and the files of its /proc and /sys."""

import os
import re
import socket
import time

from sweep import child
from sweep.errors import PlaceError
from sweep.places import agent
from sweep.places.qemu import Control
from sweep.tree import Tree

# How much of the console a message quotes.
LAST_LINES = 5

PANIC = "Kernel panic"

# Escape sequences of firmware and kernels that take the console for a terminal.
ESCAPES = re.compile(r"\x1b(\[[0-9;?=]*[A-Za-z]|[^\[])|[^\x20-\x7e\n\t]")


class Guest:
    """A booted virtual machine. It stands still but while it is asked something."""

    def __init__(self, command, files, name, limit, logs):
        """command: QEMU's, without ports. files: descriptors that it mentions. name: for people.
        limit: seconds that booting may take. logs: folder for the console of a guest that failed.
        Raises PlaceError.
        """
        self.name = name
        self.logs = logs
        self._console, self._errors = (os.memfd_create(what) for what in ("console", "errors"))
        self._port, port = socket.socketpair()
        control, other = socket.socketpair()
        given = [port, other]
        words = [*command, "-serial", f"file:/dev/fd/{self._console}",
                 "-chardev", f"socket,id=agent,fd={port.fileno()}", "-serial", "chardev:agent",
                 "-chardev", f"socket,id=control,fd={other.fileno()}",
                 "-mon", "chardev=control,mode=control"]
        numbers = [*files, self._console, *(each.fileno() for each in given)]
        self._data = bytearray()
        self._control = Control(control)
        self._process = child.start(child.Child(
            words, {"stdout": self._errors, "stderr": self._errors, "pass_fds": numbers}, given))
        try:
            self._greet(limit)
        except BaseException:
            self.end()
            raise

    def _greet(self, limit):
        try:
            greeting = self._receive(limit)
        except TimeoutError:
            raise self._failure(f"did not start within {limit} s") from None
        if greeting != [b"ready", agent.PROTOCOL.encode()]:
            raise self._failure("answers what this version does not understand")
        self._halt()

    def ask(self, request, limit):
        """The fields of the answer. Raises TimeoutError after `limit` seconds, and PlaceError where
        the guest is gone.
        """
        try:
            self._control.go_on()
            self._port.sendall(request)
        except OSError:
            raise self._failure("ended") from None
        fields = self._receive(limit)
        self._halt()
        return fields

    def end(self):
        """Nothing is left of it after this."""
        child.end(self._process)
        self._control.close()
        self._port.close()
        os.close(self._console)
        os.close(self._errors)

    def _halt(self):
        try:
            self._control.stop()
        except OSError:
            raise self._failure("ended") from None

    def _receive(self, limit):
        end = time.monotonic() + limit
        while True:
            try:
                fields, length = agent.first_message(self._data)
            except agent.Damaged as damage:
                raise self._failure(f"answers what is no message ({damage})") from None
            if fields is not None:
                del self._data[:length]
                return fields
            if not child.await_input(self._port, end):
                raise TimeoutError
            received = self._port.recv(1 << 16)
            if not received:
                raise self._failure("ended")
            self._data += received

    def _failure(self, what):
        status = child.end(self._process)
        return failure(self.name, what, status, self._errors, self._console, self.logs)


def failure(name, what, status, errors, console, logs):
    """The PlaceError that tells what QEMU and the guest last said. name: of the kernel. status: of
    QEMU. errors, console: open files of what they said. logs: folder for a copy of the console.
    """
    text = f"the virtual machine with {name} {what}"
    if what == "ended" and status < 0:
        text += f" (QEMU was killed by signal {-status})"
    told = [line for line in content(errors).decode(errors="replace").splitlines()
            if line.strip() and "terminating on signal" not in line]
    if told:
        text += f"; QEMU: {told[-1].strip()}"
    lines = last_lines(console)
    if lines:
        text += f"; last on its console: {' | '.join(lines)}"
        kept = keep_console(console, logs)
        text += f" (all of it: {kept})" if kept else ""
    return PlaceError(text)


def content(file):
    """All bytes of an open file."""
    return os.pread(file, os.fstat(file).st_size, 0)


def last_lines(console):
    """Of an open file with what a guest said, or those from its panic on; for people."""
    text = ESCAPES.sub("", content(console).decode(errors="replace"))
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    # What follows a panic's reason says less than the reason.
    panics = [number for number, line in enumerate(lines) if PANIC in line]
    start = panics[0] if panics else len(lines) - LAST_LINES
    return lines[max(0, start):][:LAST_LINES]


def keep_console(console, folder):
    """Copy it into a new file of a folder; its path, None where that is impossible."""
    name = f"console-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.log"
    path = os.path.join(folder, name)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content(console))
        return path
    except OSError:
        return None


class GuestTree(Tree):
    """The guest's files, read one by one when they are needed."""

    def __init__(self, machine, config):
        """machine: that can be asked. config: the kernel's configuration as far as it is known
        here.
        """
        super().__init__()
        self._machine = machine
        self._config = config

    @property
    def here(self):
        return False

    def _ask(self, verb, path):
        error, content = self._machine.ask(agent.message([verb, f"/{path}"]))
        if error:
            raise OSError(error.decode(errors="replace"))
        return content

    def listing(self, folder):
        return [name.decode(errors="replace")
                for name in self._ask("names", folder).split(b"\0") if name]

    def content(self, name):
        return self._ask("read", name)

    def exists(self, name):
        folder, _, last = name.rpartition("/")
        try:
            return last in self.listing(folder)
        except OSError:
            return False

    def real(self, path):
        return path

    def config(self, release):
        return super().config(release) or self._config
