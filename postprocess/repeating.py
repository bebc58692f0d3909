# SPDX-License-Identifier: GPL-2.0-or-later
"""The command that measures a result's testcase again, as it was measured."""

import shlex

RUNTEST = "./runtest.py"

# The testcase that runs a command of the user's, by the place of its source, and its option that
# holds the command.
OF_COMMANDS, OF_COMMANDS_OPTION = "tests/tasks/command.c", "command"

# Options whose value is the setting's; those that stand alone where it is true.
VALUES = ("rounds", "duration", "warmup", "cpus", "dir", "events")
FLAGS = ("aslr", "profile", "latency")

USUAL_POLICY = "cores"


def command(result):
    """The command line, as text for a shell; empty where a table has not told it. For two sides,
    virtual machines and counted instructions it is that of the whole call.
    """
    settings = result["settings"]
    if "command" not in result:
        return ""
    if result.get("contest") or result["place"].get("type") != "local" or \
            settings.get("instructions"):
        return whole(result)
    if result.get("source") == OF_COMMANDS:
        words = ["--command", result["testcase"]]
        options = {name: value for name, value in settings["options"].items()
                   if name != OF_COMMANDS_OPTION}
    else:
        words, options = [result["testcase"]], settings["options"]
    words += ["--tasks", ",".join(map(str, settings["tasks"]))]
    modes = settings["modes"]
    words += ["--mode", modes[0] if len(modes) == 1 else "both"]
    for name in VALUES:
        if settings.get(name) is not None:
            words += [f"--{name}", str(settings[name])]
    if settings["policy"] != USUAL_POLICY:
        words += ["--policy", settings["policy"]]
    words += [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
    words += [f"--{name}" for name in FLAGS if settings.get(name)]
    if not settings.get("statistics"):
        words += ["--no-statistics"]
    return shlex.join([RUNTEST, *words, "--label", result["label"]])


def whole(result):
    """The command line of the whole sweep."""
    return shlex.join([RUNTEST, *map(str, result["command"])]) if "command" in result else ""
