# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of runtest.py and runalltests."""

import argparse
import math
import os
import re
import shlex
import shutil

from sweep.errors import UsageError
from sweep.places import qemu
from sweep.plan import MOST_TASKS
from sweep.settings import POLICIES

CLASSIC = """
Another form, of will-it-scale: runtest.py TESTCASE SECONDS MODE NO_AFFINITY SMT N [N...], with
MODE process, thread or both and the flags 0 or 1, makes one run for each number N of tasks, with
5 seconds of warm-up.
"""
EPILOG = """
Environment: OPSCALE_PROGRAMS names the folder of the testcases' programs, as for one of your own
that opscale-cc has built; without it that is programs/ of a checkout, or the installed folder.

Exit status: 0 if all is measured, 1 if a run failed or was skipped, 2 for wrong usage.
"""

# Options that settle how a testcase is measured and where the result goes.
CHOICES = ("tasks", "mode", "rounds", "duration", "warmup", "policy", "smt", "no_affinity", "cpus",
           "dir", "option", "label", "output", "aslr", "kernel", "vm_cpus", "vm_memory", "append",
           "modules", "instructions", "events", "no_statistics", "command",
           "profile", "latency")
# Of these, what the form of will-it-scale says by position.
POSITIONAL = ("tasks", "mode", "rounds", "duration", "warmup", "policy", "smt", "no_affinity")

# Options that ask for two sides.
CONTESTS = ("ab", "ab_env", "ab_testcase", "ab_setting")

# Options of the virtual machine that --kernel asks for.
MACHINE = ("instructions", "vm_cpus", "vm_memory", "append", "modules")

# How time is measured: not for instructions, of which one task's are counted on one CPU.
OF_TIME = ("tasks", "duration", "warmup", "policy", "smt", "no_affinity", "cpus", "vm_cpus", "aslr",
           "events", "no_statistics", "profile", "latency")
MOST_CPUS = 255

# What has runs recorded.
RECORDED = ("profile", "latency")

MOST_ROUNDS = 10000
LONGEST = 1e9  # seconds, as for the programs

MODES_OF = {"processes": ["processes"], "threads": ["threads"], "both": ["processes", "threads"]}


class Parser(argparse.ArgumentParser):
    """Tells wrong usage in one line."""

    def error(self, message):
        raise UsageError(message)


def _number(text):
    """NaN, which is in no range, for what is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def seconds(text):
    """A number of seconds above 0."""
    if not 0 < _number(text) <= LONGEST:
        raise argparse.ArgumentTypeError(f"'{text}': a number of seconds above 0 is needed")
    return float(text)


def warmup(text):
    """A number of seconds, 0 too, or the word auto."""
    if text == "auto":
        return text
    if not 0 <= _number(text) <= LONGEST:
        raise argparse.ArgumentTypeError(f"'{text}': a number of seconds, or auto, is needed")
    return float(text)


def whole(most):
    """The type of a whole number from 1 to `most`."""
    def number(text):
        if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"'{text}': a whole number from 1 to {most} is needed")
        return int(text)
    return number


def events(text):
    """A list of names, as the programs take it."""
    if re.search(r"\s|^,|,,|,$|^$", text):
        raise argparse.ArgumentTypeError(f"'{text}': names of events, separated by commas, are "
                                         "needed")
    return text


def command(text):
    """A program that is there, and its arguments."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None
    if not words or "\n" in text:
        raise argparse.ArgumentTypeError(f"'{text}': a program and its arguments are needed")
    if not shutil.which(words[0]):
        raise argparse.ArgumentTypeError(f"'{text}': there is no program {words[0]}")
    return text


def pair(text):
    """NAME=VALUE as a tuple."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}': NAME=VALUE is needed")
    return name, value


def two_of(text):
    """A,B as a list."""
    values = text.split(",")
    if len(values) != 2 or values[0] == values[1]:
        raise argparse.ArgumentTypeError(f"'{text}': two different values, A,B, are needed")
    return values


def named_two(text):
    """NAME=A,B as a name and a list."""
    name, values = pair(text)
    return name, two_of(values)


def size(text):
    """A size of memory as QEMU takes it."""
    if not (qemu.memory_bytes(text) or 0) >> 26:
        raise argparse.ArgumentTypeError(f"'{text}': a size from 64M on, as 512M or 2G, is needed")
    return text


def label(text):
    """A name that a folder can have."""
    if text in ("", ".", "..") or re.search(r"[/\x00-\x1f\x7f]", text) or len(text) > 200:
        raise argparse.ArgumentTypeError(f"'{text}': a name that a folder can have is needed")
    return text


def folder_of(what):
    """The type of the absolute path of a folder."""
    def folder(text):
        if not os.path.isdir(text) or not os.access(text, os.R_OK | os.X_OK):
            raise argparse.ArgumentTypeError(f"'{text}': a folder of {what} is needed")
        return os.path.abspath(text)
    return folder


def directory(text):
    """The absolute path of a folder that can be written to."""
    if not os.path.isdir(text) or not os.access(text, os.W_OK | os.X_OK):
        raise argparse.ArgumentTypeError(f"'{text}': a folder that can be written to is needed")
    return os.path.abspath(text)


def parser(name, all_testcases):
    """all_testcases: the command takes no testcases' names, it measures all."""
    does = ("Measures every testcase over task counts and writes X.csv into the current folder "
            "for each; keeps a result file too." if all_testcases else
            "Measures testcases over task counts; prints a table as CSV and keeps a result file.")
    made = Parser(prog=name, allow_abbrev=False, description=does,
                  epilog=EPILOG if all_testcases else CLASSIC + EPILOG,
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    if all_testcases:
        made.set_defaults(testcases=[], command=None, **dict.fromkeys(CONTESTS))
    else:
        made.add_argument("testcases", nargs="*", metavar="TESTCASE",
                          help="a name, a pattern ('pread*') or a group (@memory)")
        made.add_argument("--command", type=command,
                          help="measure a whole program instead, as 'ps -eux': run, wait, count; "
                          "its output is thrown away")
    what = made.add_argument_group("what to do instead of measuring")
    only = what.add_mutually_exclusive_group()
    only.add_argument("--list", action="store_true",
                      help="list the testcases by group: all, or those that are named")
    only.add_argument("--check-machine", action="store_true",
                      help="tell what on this machine will disturb a measurement")
    only.add_argument("--resume", metavar="FILE", help="go on with an interrupted result file")
    what.add_argument("--dry-run", action="store_true",
                      help="show the runs and their total time, start nothing")
    _add_choices(made.add_argument_group("how to measure"))
    _add_reasons(made.add_argument_group("what to record beside it, to see why a value changes"))
    _add_machine(made.add_argument_group("where: on this machine, or in a virtual one"))
    if not all_testcases:
        _add_contests(made.add_argument_group(
            "two sides against each other on this machine, base and candidate"))
    return made


def _add_contests(group):
    only = group.add_mutually_exclusive_group()
    only.add_argument("--ab", nargs=2, metavar=("DIR_A", "DIR_B"), type=folder_of("programs"),
                      help="two folders of programs: of two builds, of two C libraries")
    only.add_argument("--ab-env", metavar="NAME=A,B", type=named_two,
                      help="two values of an environment variable, as of GLIBC_TUNABLES; an empty "
                      "one: without it")
    only.add_argument("--ab-testcase", metavar="X,Y", type=two_of, help="two testcases")
    only.add_argument("--ab-setting", metavar="NAME=A,B", type=named_two,
                      help="two values of a setting of the system: thp, governor, a sysctl or a "
                      "path in /sys or /proc/sys; set back afterwards")


def _add_reasons(group):
    group.add_argument("--events", metavar="LIST", type=events,
                       help="count these events of perf in the tasks, as default (clock, switches, "
                       "faults, cycles, instructions, misses) or instructions,LLC-loads:k")
    group.add_argument("--profile", action="store_true", default=None,
                       help="in runs of their own, record with perf where time goes, by function "
                       "and by call chain")
    group.add_argument("--latency", action="store_true", default=None,
                       help="in a run of its own, trace how long system calls take")
    group.add_argument("--no-statistics", action="store_true", default=None,
                       help="do not keep how /proc/vmstat, interrupts, memory and the like change "
                       "over each measurement")


def _add_machine(group):
    group.add_argument("--kernel", metavar="PATH", action="append",
                       help="in a virtual machine that is booted with this bzImage or vmlinux; "
                       "given twice, the second kernel is compared with the first")
    group.add_argument("--instructions", action="store_true", default=None,
                       help="count instructions of an operation, by function of the kernel, "
                       "instead of measuring time; with --kernel")
    group.add_argument("--vm-cpus", metavar="N", type=whole(MOST_CPUS),
                       help="its CPUs (default: as many as there are here)")
    group.add_argument("--vm-memory", metavar="SIZE", type=size,
                       help="its memory, as 512M or 2G (default: 2G)")
    group.add_argument("--append", metavar="WORDS",
                       help="more words for the kernel's command line")
    group.add_argument("--modules", metavar="DIR", type=folder_of("modules"),
                       help="load all modules of this folder first, each after those it needs")


def _add_choices(group):
    group.add_argument("--tasks", metavar="LIST",
                       help="numbers of tasks, as 1,2,4-8,50%%,all; percentages and all are of the "
                       "hardware threads (default: up to 16, then powers of two and the "
                       "topology's steps)")
    group.add_argument("--mode", choices=MODES_OF, help="default: both")
    group.add_argument("--rounds", metavar="N", type=whole(MOST_ROUNDS),
                       help="independent runs of each point (default: 10)")
    group.add_argument("--duration", metavar="S", type=seconds,
                       help="seconds of measurement in a run (default: 0.5)")
    group.add_argument("--warmup", metavar="S", type=warmup,
                       help="seconds before it, or auto: until the rate has settled (default)")
    group.add_argument("--policy", choices=POLICIES,
                       help="which CPUs tasks are bound to (default: cores)")
    group.add_argument("--smt", action="store_true", default=None,
                       help="one task per hardware thread: --policy pus")
    group.add_argument("--no-affinity", action="store_true", default=None,
                       help="do not bind tasks: --policy none")
    group.add_argument("--cpus", metavar="LIST", help="use only these CPUs, as 0-3,8,10-11")
    group.add_argument("--dir", metavar="PATH", type=directory,
                       help="folder for scratch files (default: a tmpfs)")
    group.add_argument("--option", metavar="NAME=VALUE", type=pair, action="append",
                       help="a setting of the testcase's own; can be repeated")
    group.add_argument("--label", metavar="NAME", type=label,
                       help="which side of a comparison this is (default: the kernel's release)")
    group.add_argument("--output", metavar="DIR", help="folder for results (default: results)")
    group.add_argument("--report", action="store_true",
                       help="write report.html beside the result files: the page that shows them")
    group.add_argument("--aslr", action="store_true", default=None,
                       help="leave address space randomisation on")


def parse(name, words, all_testcases=False):
    """The arguments as a namespace; what was not given is None. `classic` marks the form of
    will-it-scale. Raises UsageError.
    """
    arguments = parser(name, all_testcases).parse_intermixed_args(words)
    arguments.all_testcases = all_testcases
    given = [choice for choice in CHOICES if getattr(arguments, choice) is not None]
    arguments.classic = len(arguments.testcases) > 1 and not math.isnan(
        _number(arguments.testcases[1]))
    if arguments.classic:
        _refuse([choice for choice in given if choice in POSITIONAL],
                "cannot be given beside TESTCASE SECONDS MODE ..., which settles it")
        _take_positions(arguments)
    _check_action(arguments, given)
    _check_command(arguments)
    _check_contest(arguments)
    _check_kernels(arguments)
    if len(set(arguments.testcases)) < len(arguments.testcases):
        twice = max(arguments.testcases, key=arguments.testcases.count)
        raise UsageError(f"'{twice}' is named twice: each testcase once is needed")
    arguments.policy = _policy(arguments)
    return arguments


def _refuse(given, why):
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} {why}")


def _check_action(arguments, given):
    if arguments.resume is not None:
        _refuse(given, "cannot be given with --resume, which goes on as the file says")
    for action in ("check_machine", "resume"):
        if getattr(arguments, action) and arguments.testcases:
            raise UsageError(f"'{arguments.testcases[0]}': --{action.replace('_', '-')} takes no "
                             "testcase")


def _check_command(arguments):
    if arguments.command is None:
        return
    if arguments.testcases:
        raise UsageError(f"'{arguments.testcases[0]}': --command takes no testcase")
    if "command" in dict(arguments.option or []):
        raise UsageError("--option command: --command says which")
    if arguments.ab_testcase is not None or arguments.list:
        raise UsageError("--command cannot be given with --ab-testcase or --list")


def _check_contest(arguments):
    contests = [name for name in CONTESTS if getattr(arguments, name) is not None]
    if arguments.classic:
        _refuse(contests, "cannot be given beside TESTCASE SECONDS MODE ...")
    for action in ("list", "check_machine", "resume"):
        if getattr(arguments, action):
            _refuse(contests, f"cannot be given with --{action.replace('_', '-')}")
    if "ab_testcase" in contests and arguments.testcases:
        raise UsageError(f"'{arguments.testcases[0]}': --ab-testcase names the testcases")


def _check_kernels(arguments):
    kernels = arguments.kernel or []
    if not kernels:
        _refuse([name for name in MACHINE if getattr(arguments, name) is not None],
                "is for a virtual machine: --kernel names its kernel")
        return
    if arguments.instructions:
        _refuse([name for name in OF_TIME if getattr(arguments, name) is not None],
                "cannot be given with --instructions: those of one task on one CPU are counted")
        if arguments.classic:
            _refuse(["instructions"], "cannot be given beside TESTCASE SECONDS MODE ...")
    if len(kernels) > 2 or len(set(kernels)) < len(kernels):
        raise UsageError(f"--kernel {kernels[-1]}: one kernel, or two different ones, are needed")
    _refuse([name for name in RECORDED if getattr(arguments, name) is not None],
            "cannot be given with --kernel: it records this machine")
    for action in ("list", "check_machine"):
        if getattr(arguments, action):
            _refuse(["kernel"], f"cannot be given with --{action.replace('_', '-')}")
    _refuse([name for name in CONTESTS if getattr(arguments, name) is not None],
            "cannot be given with --kernel")
    if arguments.dir is not None:
        raise UsageError(f"--dir {arguments.dir}: a virtual machine's scratch files are in its "
                         "memory")


def _take_positions(arguments):
    """Turn the form of will-it-scale into the options that mean the same."""
    words = arguments.testcases
    if len(words) < 6:
        raise UsageError(f"'{' '.join(words)}': TESTCASE SECONDS MODE NO_AFFINITY SMT N [N...] "
                         "is needed")
    arguments.testcases = words[:1]
    modes = {"process": "processes", "thread": "threads", "both": "both"}
    if words[2] not in modes:
        raise UsageError(f"MODE '{words[2]}': process, thread or both is needed")
    arguments.mode = modes[words[2]]
    for place, word in (("NO_AFFINITY", words[3]), ("SMT", words[4])):
        if word not in ("0", "1"):
            raise UsageError(f"{place} '{word}': 0 or 1 is needed")
    # Unbound tasks have no place to choose: as in the original, the first flag wins.
    arguments.policy = "none" if words[3] == "1" else "pus" if words[4] == "1" else "cores"
    try:
        arguments.duration = seconds(words[1])
        arguments.tasks = list(dict.fromkeys(map(whole(MOST_TASKS), words[5:])))
    except argparse.ArgumentTypeError as error:
        raise UsageError(str(error)) from error
    arguments.rounds, arguments.warmup = 1, 5.0


def _policy(arguments):
    chosen = {option: policy for option, policy, given in (
        (f"--policy {arguments.policy}", arguments.policy, arguments.policy),
        ("--smt", "pus", arguments.smt),
        ("--no-affinity", "none", arguments.no_affinity)) if given}
    if len(set(chosen.values())) > 1:
        raise UsageError(f"{' and '.join(chosen)} contradict each other: give one of them")
    return next(iter(chosen.values()), "cores")
