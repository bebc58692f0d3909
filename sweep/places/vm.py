# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine, booted with a kernel of the user's choice, as a place of runs."""

import os

from sweep import machine, observed
from sweep.errors import PlaceError
from sweep.places import Outcome, agent, qemu
from sweep.places.guest import Guest, GuestTree
from sweep.places.kit import inside

# Seconds that a boot may take, by the accelerator, and a short answer.
BOOT_LIMIT = {"kvm": 60, "tcg": 300}
ANSWER_LIMIT = 120

# Translated code has a time stamp counter that all CPUs share, and any other clock is far slower.
CLOCK = {"kvm": (), "tcg": ("clocksource=tsc", "tsc=reliable")}

# A folder of the guest that is a tmpfs.
SCRATCH = "/dev/shm"


class VirtualMachine:
    """Boots when it is first needed, and again for each round; stands still between two runs."""

    def __init__(self, kit, logs, accelerator=None):
        """logs: folder for the console of one that failed."""
        self.kit = kit
        self.logs = logs
        self.accelerator = accelerator or qemu.accelerator()
        self._initrd = None
        self._guest = None
        self._round = None
        self._machine = None

    @property
    def told(self):
        """For people: how the machine is made."""
        if self.accelerator == "kvm":
            return "virtual machines by KVM"
        return ("virtual machines without KVM, which does not work here: QEMU translates their "
                "code, so their rates are far below a real machine's, and of other proportions")

    def describe(self):
        return {**self.kit.describe(), "accelerator": self.accelerator}

    def release(self):
        return self.kit.image.release or self._tree().text("proc/sys/kernel/osrelease")

    def machine(self, folder):
        # It takes a second where code is translated, and does not change.
        if self._machine is None:
            self._machine = machine.of_tree(self._tree(), folder or SCRATCH)
        return self._machine

    def observed(self):
        return observed.paths(self._tree())

    def query(self, command):
        return agent.outcome(self.ask(_request(command)))

    def run(self, commands, limit, environments):
        (command,) = commands
        try:
            request = _request([*command, "--samples", agent.SAMPLES])
            return [agent.outcome(self._ask(request, limit))]
        except TimeoutError:
            return [Outcome(status=1, exceeded=True)]
        except PlaceError as error:
            return [Outcome(status=1, errors=str(error))]

    def begin_round(self, number):
        if self._round is not None and number != self._round:
            self.close()
        self._round = number

    def close(self):
        guest, self._guest = self._guest, None
        if guest:
            guest.end()

    def ask(self, request):
        """The fields of the guest's answer. Raises PlaceError."""
        try:
            return self._ask(request, ANSWER_LIMIT)
        except TimeoutError:
            raise PlaceError(f"the virtual machine with {self.kit.image.path} did not answer "
                             f"within {ANSWER_LIMIT} s") from None

    def _ask(self, request, limit):
        """As ask(); raises TimeoutError too. After either the next request finds another boot."""
        try:
            return self._booted().ask(request, limit)
        except (TimeoutError, PlaceError):
            self.close()
            raise

    def _tree(self):
        return GuestTree(self, self.kit.image.beside("config"))

    def _booted(self):
        """Raises PlaceError."""
        if self._initrd is None:
            self._initrd = os.memfd_create("initrd")
            with open(self._initrd, "wb", closefd=False) as file:
                file.write(self.kit.archive())
        if self._guest is None:
            command = self.kit.command(self.accelerator, CLOCK[self.accelerator],
                                       f"/dev/fd/{self._initrd}")
            self._guest = Guest(command, [self._initrd], self.kit.image.path,
                                BOOT_LIMIT[self.accelerator], self.logs)
        return self._guest


def _request(command):
    return agent.run([inside(command[0]), *command[1:]])
