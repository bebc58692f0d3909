# SPDX-License-Identifier: GPL-2.0-or-later
"""A report as one HTML page that needs nothing else: no network, no file beside it.

The table of testcases is plain HTML. Views and plotly's script lie in it compressed (gzip, base85),
and are unpacked by the browser when they are looked at: the page is small, and opens at once. All
text is escaped or set as text, and a policy lets no script run but the page's own.
"""

import base64
import gzip
import json
import os
import secrets
from html import escape

from plotly.offline import get_plotlyjs

import figures
import machines
import overview
import tables
import views

FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "page")


def _file(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _packed(text):
    """As text of which no part can be taken for the beginning of a tag or a comment."""
    return base64.b85encode(gzip.compress(text.encode(), 9, mtime=0)).decode().replace("<", ".")


def _json(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def html(title, found, sides, settings):
    """The page's text. found: gathering.Testcases of sides, {name: loading.Side}, base first."""
    nonce = secrets.token_urlsafe(16)
    packed = "\n".join(f'<script type="text/plain" data-view="{overview.address(one)}">'
                       f"{_packed(_json(views.view(one, settings)))}</script>" for one in found)
    # Of this script, so that what is injected into the page by whatever mistake cannot run.
    policy = (f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; "
              "img-src data: blob:; base-uri 'none'; form-action 'none'")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_file("report.css")}</style>
</head>
<body>
<main id="overview">
<h1>{escape(title)}</h1>
{_sides(sides)}
{_warnings(sides)}
{_means(found, [*sides])}
{_controls(found)}
<div class="wide">
{overview.table(found, [*sides])}
</div>
{_machines(sides)}
</main>
<main id="view" tabindex="-1" hidden></main>
<p id="trouble" role="alert" hidden></p>
<script type="text/plain" id="plotly">{_packed(get_plotlyjs())}</script>
{packed}
<script nonce="{nonce}">
{_file("report.js")}</script>
</body>
</html>
"""


def _sides(sides):
    """A legend: which side has which colours, and what it is."""
    rows = []
    for number, side in enumerate(sides):
        swatches = "".join(
            f'<svg width="30" height="10" role="img"><title>{mode}</title><line x1="0" y1="5" '
            f'x2="30" y2="5" class="{"dashed" if number else "full"}" '
            f'stroke="{family[number % len(family)]}"/></svg> {mode} '
            for mode, family in figures.COLOURS.items())
        what = "" if len(sides) == 1 else "base" if not number else "candidate"
        rows.append(f'<tr><th scope="row">{escape(side)}</th><td>{what}</td><td>{swatches}</td>'
                    f"<td>{escape(tables.what_it_is(sides[side]))}</td></tr>")
    return f'<div class="wide"><table class="sides"><tbody>{"".join(rows)}</tbody></table></div>'


def _warnings(sides):
    """What makes the numbers doubtful, and what differs between the machines and matters."""
    lines = [line for name, side in sides.items() for line in machines.load_warnings(name, side)]
    lines += [problem for side in sides.values() for problem in side.problems]
    base, *others = sides.values()
    lines += [f"the machines differ: {difference}" for other in others
              for difference in machines.differences(base, other) if difference.important]
    items = "".join(f"<li>{escape(line)}</li>" for line in dict.fromkeys(lines))
    return f'<ul class="warnings" aria-label="Warnings">{items}</ul>' if items else ""


def _means(found, names):
    said = {name: overview.means(found, name) for name in names[1:]}
    return "".join(f"<p>Geometric mean of the changes to {escape(name)}: {escape(words)}. A minus "
                   "is fewer operations per second: slower.</p>"
                   for name, words in said.items() if words)


def _controls(found):
    return f"""<form id="controls" role="search">
<label>Name <input id="name" type="search" placeholder="read" accesskey="/"></label>
<label>Group {_select("group", overview.groups(found))}</label>
<label>Verdict {_select("verdict", overview.verdicts(found))}</label>
<output id="count"></output>
<span class="keys">Keys: / to filter, n and p for the next and the previous testcase, Escape to come
back here</span>
</form>"""


def _select(name, values):
    options = "".join(f'<option value="{escape(value)}">{escape(value)}</option>'
                      for value in values)
    return f'<select id="{name}"><option value="">all</option>{options}</select>'


def _machines(sides):
    """The description of each side's machine, what differs first."""
    rows = machines.table([*sides.values()])
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in sides)
    body = "".join(
        f'<tr class="{"differs" if differs else "alike"}">'
        f'<th scope="row">{escape(key)}{" (differs)" if differs else ""}</th>'
        + "".join(f"<td>{escape(' or '.join(values))}</td>" for values in columns) + "</tr>"
        for key, columns, differs in rows)
    return (f'<details id="machines"><summary>The machines</summary><div class="wide"><table>'
            f'<thead><tr><th scope="col">what</th>{head}</tr></thead><tbody>{body}</tbody></table>'
            "</div></details>")
