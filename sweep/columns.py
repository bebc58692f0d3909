# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables as text for people."""


def aligned(rows, left=()):
    """Lines of rows of texts, indented by two; left: numbers of the columns that stand to the left.
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  " + "  ".join(cell.ljust(width) if column in left else cell.rjust(width)
                             for column, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]
