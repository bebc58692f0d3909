#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The change that docs/counting.md is about: decimal conversion in a kernel's lib/vsprintf.c as one
would write it first, a division for each digit. Usage: plain_division.py lib/vsprintf.c
"""

import re
import sys

# Eight digits, the last one first, whatever the number is; and as many as it has, at least one.
BODIES = {
    "put_dec_full8": ["int digits;", "",
                      "for (digits = 0; digits < 8; digits++) {",
                      "\t*buf++ = '0' + r % 10;", "\tr /= 10;", "}",
                      "return buf;"],
    "put_dec_trunc8": ["do {", "\t*buf++ = '0' + r % 10;", "\tr /= 10;", "} while (r);",
                       "return buf;"],
}


def changed(text):
    """The source with the functions' bodies replaced. Raises ValueError where it lacks one."""
    for name, lines in BODIES.items():
        body = "".join(f"\t{line}\n" if line else "\n" for line in lines)
        text, count = re.subn(rf"(char \*{name}\(char \*buf, unsigned r\)\n\{{\n).*?(?=^\}})",
                              lambda found, body=body: found.group(1) + body, text,
                              flags=re.MULTILINE | re.DOTALL)
        if count != 1:
            raise ValueError(f"{count} functions {name} instead of one")
    return text


def main(path):
    with open(path, encoding="utf-8") as file:
        text = changed(file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
