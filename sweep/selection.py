# SPDX-License-Identifier: GPL-2.0-or-later
"""Which testcases are meant by names, patterns and groups."""

import fnmatch

from sweep import program
from sweep.errors import UsageError


def names(place, words, where=None):
    """The testcases' names that the words mean, in their order and each once.

    A word is a name, a shell pattern (pread*) or a group (@memory). where: a folder of programs
    other than the usual one. Raises UsageError for a pattern
    or group without a testcase; a name that does not exist is left for program.find() to tell.
    """
    known = program.all_testcases(where)
    if any(word.startswith("@") for word in words):
        program.describe(place, known.values())
    found = []
    for word in words:
        found += _meant(word, known)
    return list(dict.fromkeys(found))


def _meant(word, known):
    if word.startswith("@"):
        chosen = [name for name, testcase in known.items() if testcase.group == word[1:]]
        if not chosen:
            groups = sorted({f"@{testcase.group}" for testcase in known.values()})
            raise UsageError(f"no testcase is in the group '{word}': there are {', '.join(groups)}")
        return chosen
    if any(character in word for character in "*?["):
        chosen = fnmatch.filter(known, word)
        if not chosen:
            raise UsageError(f"no testcase's name matches '{word}': --list shows all there are")
        return chosen
    return [word]
