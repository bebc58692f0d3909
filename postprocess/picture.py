# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws a figure of figures.py without a browser, by matplotlib, for a commit message or a slide:
the same traces, of the kinds that figures.py makes of lines, marks, bands and bars.
"""

import html
import io

import matplotlib
from matplotlib.figure import Figure

INCHES, DOTS_PER_INCH = (8, 5), 150

DASHES = {"solid": "-", "dash": "--", "dot": ":", "longdashdot": "-."}
MARKERS = {"circle": "o", "diamond": "D", "square": "s", "x": "x", "circle-open": "o",
           "diamond-open": "D", "square-open": "s"}


def draw(figure, title, form):
    """The picture as bytes of a png or svg."""
    # The same figure is the same file, and its text is text.
    with matplotlib.rc_context({"svg.hashsalt": "opscale", "svg.fonttype": "none"}):
        drawn = Figure(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
        axes = drawn.add_subplot()
        layout = figure["layout"]
        right = axes.twinx() if "yaxis2" in layout else None
        for trace in figure["data"]:
            _trace(right if trace.get("yaxis") == "y2" else axes, trace)
        _axes(axes, layout)
        if right:
            right.set_ylabel(_text(layout["yaxis2"]["title"]["text"]))
            right.set_ylim(*layout["yaxis2"]["range"])
        axes.set_title(_text(title), wrap=True)
        axes.legend(fontsize="small", framealpha=0.6)
        stream = io.BytesIO()
        drawn.savefig(stream, format=form, metadata={"Date": None} if form == "svg" else None)
    return stream.getvalue()


def _text(text):
    """What plotly takes for text, as matplotlib takes it, for which a dollar begins a formula."""
    return html.unescape(text).replace("$", r"\$")


def _trace(axes, trace):
    line, marker = trace.get("line", {}), trace.get("marker", {})
    colour = line.get("color") or marker.get("color")
    # As in a page, what begins with an underscore is not in the legend.
    label = _text(trace["name"]) if trace.get("showlegend", True) else "_"
    if trace.get("fill"):
        axes.fill(trace["x"], trace["y"], color=trace["fillcolor"], alpha=trace["opacity"],
                  linewidth=0)
        return
    style = {"color": colour, "label": label, "alpha": trace.get("opacity")}
    if "lines" in trace["mode"]:
        style.update(linestyle=DASHES[line.get("dash", "solid")], linewidth=line.get("width", 1.5))
    else:
        style.update(linestyle="none")
    if "markers" in trace["mode"]:
        style.update(marker=MARKERS[marker["symbol"]], markersize=marker.get("size", 6) * 0.75,
                     fillstyle="none" if marker["symbol"].endswith("-open") else "full")
    bars = trace.get("error_y")
    if bars:
        axes.errorbar(trace["x"], trace["y"], yerr=[bars["arrayminus"], bars["array"]], **style)
    else:
        axes.plot(trace["x"], trace["y"], **style)


def _axes(axes, layout):
    axes.set_xlabel(_text(layout["xaxis"]["title"]["text"]))
    axes.set_ylabel(_text(layout["yaxis"]["title"]["text"]))
    if layout["yaxis"].get("rangemode") == "tozero":
        axes.set_ylim(bottom=0)
        axes.ticklabel_format(axis="y", style="plain")
    axes.yaxis.set_major_formatter("{x:,.6g}")
    axes.xaxis.get_major_locator().set_params(integer="tickvals" in layout["xaxis"] or
                                              layout["xaxis"]["title"]["text"] == "tasks")
    if layout["xaxis"].get("tickvals"):
        axes.set_xticks(layout["xaxis"]["tickvals"], layout["xaxis"]["ticktext"])
    axes.grid(alpha=0.3)
    for shape in layout.get("shapes", ()):
        _shape(axes, shape)
    for note in layout.get("annotations", ()):
        axes.annotate(_text(note["text"]), (note["x"], 1), xycoords=("data", "axes fraction"),
                      rotation=-note.get("textangle", 0), color=note["font"]["color"],
                      fontsize="small", ha="right", va="top")


def _shape(axes, shape):
    if shape["type"] == "rect":
        within = axes.axvspan if shape.get("yref") == "paper" else axes.axhspan
        ends = ("x0", "x1") if shape.get("yref") == "paper" else ("y0", "y1")
        within(*(shape[end] for end in ends), color=shape["fillcolor"], alpha=shape["opacity"],
               linewidth=0)
    elif shape.get("yref") == "paper":
        axes.axvline(shape["x0"], color=shape["line"]["color"], linewidth=1, linestyle=":")
    else:
        axes.axhline(shape["y0"], color=shape["line"]["color"], linewidth=1)
