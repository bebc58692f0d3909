# SPDX-License-Identifier: GPL-2.0-or-later
"""What a virtual machine is made of."""

import os
import shlex
import shutil
from dataclasses import dataclass, fields
from typing import List, Optional

from sweep import program
from sweep.errors import UsageError
from sweep.places import image as images, initramfs, modules, qemu

# Beside the testcases' programs: the guest's first process, and what testcases run as a child.
INIT, CHILD = "opscale-init", "opscale-child"

MEMORY = "2G"


@dataclass(frozen=True)
class Shape:
    """What users choose of a machine. memory: as 512M or 2G. append: more words for the kernel's
    command line. modules: folder of those that are loaded, None for none.
    """

    cpus: int
    memory: str
    append: str
    modules: Optional[str]


@dataclass
class Kit:
    """A kernel's image, the machine's shape, and paths of all programs that will be run. aslr:
    whether address space randomisation is left on. tool: path of what a testcase runs that runs
    a command, None for none.
    """

    image: images.Image
    shape: Shape
    programs: List[str]
    aslr: bool
    tool: Optional[str] = None

    def describe(self):
        return {"type": "vm", "kernel": self.image.path, "sha256": self.image.sha256,
                "qemu": qemu.version(), **vars(self.shape)}

    def archive(self, plan=b""):
        """The initramfs, with the requests that the guest is to work through, if any."""
        content = initramfs.Initramfs()
        content.add_file("/init", _part(INIT))
        for path in [*self.programs, _part(CHILD)]:
            content.add_program(inside(path), path)
        content.add_tools()
        if self.tool:
            content.add_program(self.tool, self.tool)
        if self.shape.modules:
            modules.add(content, self.shape.modules)
        if plan:
            content.add("/plan", plan)
        return content.archive()

    def command(self, accelerator, words, initrd):
        """QEMU's command line, without ports. words: for the kernel's. initrd: path."""
        words = [*words, *([] if self.aslr else ["norandmaps"]), self.shape.append]
        return [qemu.program(), *qemu.COMMON, "-machine", "pc", "-accel", accelerator,
                "-cpu", qemu.MODEL[accelerator.partition(",")[0]],
                "-smp", str(self.shape.cpus), "-m", self.shape.memory,
                "-kernel", images.bootable(self.image), "-initrd", initrd,
                "-append", " ".join(filter(None, [*qemu.KERNEL_WORDS, *words]))]


def inside(path):
    """Where the guest has a program."""
    return f"{initramfs.PROGRAMS}/{os.path.basename(path)}"


def _part(name):
    path = os.path.join(program.folder(), name)
    if not os.path.exists(path):
        raise UsageError(f"{path} is missing: make builds it")
    return path


def asked_for(side, asked):
    """The Kit of a side by parsed arguments. Raises UsageError."""
    cpus = asked.vm_cpus or (1 if asked.instructions else len(os.sched_getaffinity(0)))
    shape = Shape(cpus=cpus, memory=asked.vm_memory or MEMORY, append=asked.append or "",
                  modules=asked.modules)
    return Kit(images.load(side.kernel), shape, _programs(side), bool(asked.aslr),
               _tool(asked.command))


def resumed(side, result):
    """The one that a result file tells of. Raises UsageError."""
    try:
        shape = Shape(**{field.name: result["place"][field.name] for field in fields(Shape)})
    except KeyError as key:
        raise UsageError(f"the place of a result lacks {key}: --resume needs it") from None
    return Kit(images.load(side.kernel), shape, _programs(side), result["settings"]["aslr"],
               _tool(result["settings"]["options"].get(program.COMMAND)))


def _tool(command):
    """Path of a command's program; None for no command. Raises UsageError."""
    if command is None:
        return None
    name = shlex.split(command)[0]
    path = shutil.which(name)
    if path is None:
        raise UsageError(f"'{command}': there is no program {name}")
    return os.path.abspath(path)


def _programs(side):
    return [path for testcase in side.testcases for path in testcase.programs.values()]
