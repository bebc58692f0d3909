# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine that counts instructions: QEMU's own translation, one CPU, and a clock that
goes by the instructions executed, so that a boot is the same to the last one whenever it is made.
"""

import os

from sweep import child, program, windows
from sweep.errors import PlaceError, UsageError
from sweep.places import Outcome, agent, image as images, qemu
from sweep.places.guest import content, failure
from sweep.places.kit import inside
from sweep.places.vm import VirtualMachine

PLUGIN = "opscale-count.so"

# The clock: one nanosecond an instruction.
CLOCK = ("-icount", "shift=0,sleep=off", "-rtc", "clock=vm,base=2020-01-01T00:00:00")

# Without these the same work differs between boots and kernels for no reason of the kernel's code.
# The local APIC's timer is calibrated in a loop that takes longer than all else of a boot.
KERNEL_WORDS = ("nokaslr", "mitigations=off", "nolapic_timer", "clocksource=tsc", "tsc=reliable",
                "random.trust_cpu=off")

# Seconds of real time: what a boot may take, and each program.
BOOT_LIMIT, RUN_LIMIT = 300, 120

# A System.map that is there only to say where the real one is has no more lines.
LEAST_SYMBOLS = 100

NO_SYMBOLS = ("no addresses of its functions: neither a System.map beside it nor /proc/kallsyms "
              "(CONFIG_KALLSYMS) tells them")


class Counter:
    """Asked, it is a virtual machine like any other; for counting, which nothing from outside may
    disturb, it boots with a plan.
    """

    told = ("instructions are counted of one task on one CPU: the length of its path, not the time "
            "that caches, contention and other CPUs make of it")

    def __init__(self, kit, logs):
        self.kit = kit
        self.logs = logs
        self._asked = VirtualMachine(kit, logs, "tcg")
        self.release = self._asked.release
        self.query = self._asked.query
        self.close = self._asked.close

    def describe(self):
        return {**self.kit.describe(), "accelerator": "tcg", "icount": CLOCK[1]}

    def machine(self, folder):
        """Without the clock, which is another one where it is counted."""
        clock = {"current_clocksource": None, "available_clocksource": []}
        return {**self._asked.machine(folder), "clocksource": clock}

    def boot(self, commands, seed, operations):
        """A Boot that runs the commands one after the other. seed: of what the guest has for
        chance. operations: of a window, at most. Raises PlaceError, and UsageError.
        """
        plugin = os.path.join(program.folder(), PLUGIN)
        if not os.path.exists(plugin):
            raise UsageError(f"{plugin} is missing: make builds it")
        plan = b"".join(agent.run([inside(command[0]), *command[1:], "--samples", agent.SAMPLES])
                        for command in commands)
        return Boot(self, plan, len(commands), [
            *CLOCK, "-seed", str(seed),
            "-plugin", f"{qemu.escaped(plugin)},symbols={qemu.escaped(self._symbols())},"
                       f"operations={operations}"])

    def _symbols(self):
        """Path of a file with the addresses of the kernel's functions. Raises PlaceError."""
        # Where modules lie depends on which there are.
        kept = os.path.join(images.cache("symbols"),
                            self.kit.image.sha256 + ("-modules" if self.kit.shape.modules else ""))
        if self.kit.shape.modules or not os.path.exists(kept):
            text = (self.kit.image.beside("System.map") or "").encode()
            if text.count(b"\n") < LEAST_SYMBOLS or self.kit.shape.modules:
                _, text = self._asked.ask(agent.message(["symbols"]))
            if not any(line[:1].strip(b"0") for line in text.splitlines()):
                raise PlaceError(f"--kernel {self.kit.image.path}: {NO_SYMBOLS}")
            images.keep(kept, text)
        return kept


class Boot:
    """One boot with a plan: a child to be run, then what it brought."""

    def __init__(self, counter, plan, count, options):
        self._counter = counter
        self._count = count
        self._files = {name: os.memfd_create(name)
                       for name in ("initrd", "console", "answers", "errors", "counts")}
        path = {name: f"/dev/fd/{file}" for name, file in self._files.items()}
        with open(self._files["initrd"], "wb", closefd=False) as file:
            file.write(counter.kit.archive(plan))
        *options, plugin = options
        self._command = [
            *counter.kit.command("tcg,thread=single", KERNEL_WORDS, path["initrd"]),
            *options, f"{plugin},out={path['counts']}",
            "-serial", f"file:{path['console']}", "-serial", f"file:{path['answers']}"]

    @property
    def limit(self):
        """Seconds."""
        return BOOT_LIMIT + RUN_LIMIT * self._count

    def child(self):
        return child.Child(self._command, {
            "stdout": self._files["errors"], "stderr": self._files["errors"],
            "pass_fds": list(self._files.values())})

    def outcomes(self, status, exceeded):
        """Of each command its Outcome and its window, None where it has none; the boot's files are
        gone after this.
        """
        answers = list(agent.messages(content(self._files["answers"])))[1:]
        counted = windows.parse(content(self._files["counts"]).decode(errors="replace"))
        found = [(agent.outcome(answer), counted.get(number))
                 for number, answer in enumerate(answers, 1)]
        if len(found) < self._count:
            what = f"did not come to its end within {self.limit} s" if exceeded else "ended"
            error = failure(self._counter.kit.image.path, what, status, self._files["errors"],
                            self._files["console"], self._counter.logs)
            found += [(Outcome(status=1, errors=str(error)), None)] * (self._count - len(found))
        for file in self._files.values():
            os.close(file)
        return found
