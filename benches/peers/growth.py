"""Draws what `conformance bench --growth --json` measured: nanoseconds per update against each size, as SVG.

usage: growth.py JSON > SVG
"""

import json
import math
import sys
from itertools import groupby

# The title of each panel, and what its horizontal axis counts.
TITLES = {
    "updates": ("more updates, to 200,000 rows of 64", "updates"),
    "rows of self": ("more rows of self, 2²⁰ updates of 64", "rows of self"),
    "elements of a row": ("longer rows, 2²⁴ elements in all", "elements of a row"),
    "distinct rows": ("more distinct rows, 2²⁰ updates of 64", "distinct rows of self's 200,000"),
}
# LEFT is to the left of a panel's grid. All texts fit in DejaVu Sans, wider than most fonts.
PANEL, HEIGHT, LEFT, RIGHT, LEGEND = 440, 252, 88, 26, 30
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #57606a } .title { font-size: 13px; font-weight: 600; fill: #24292f }
path { fill: none; stroke-width: 2 } .t0 { stroke: #2f6f9f } .t1 { stroke: #c4701f } .grid { stroke: #d0d7de; stroke-width: 1 }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .title { fill: #e6edf3 } .grid { stroke: #3d444d } .t0 { stroke: #58a6d6 } .t1 { stroke: #e0934a }
}
"""


def decades(low, high):
    return [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def panel(name, points, left, top):
    cost = lambda point: point["median_seconds"] * 1e9 / point["updates"]
    xs, ys = [point["value"] for point in points], [cost(point) for point in points]
    ticks = decades(min(ys), max(ys))
    width, height = PANEL - LEFT - RIGHT, HEIGHT - 84
    across = lambda x: left + LEFT + width * math.log(x / min(xs)) / math.log(max(xs) / min(xs))
    up = lambda y: top + 30 + height * (1 - math.log(y / ticks[0]) / math.log(ticks[-1] / ticks[0]))
    title, axis = TITLES[name]
    middle = top + 30 + height / 2
    yield f'<text class="title" x="{left + LEFT}" y="{top + 16}">{title}</text>'
    yield f'<text transform="translate({left + 20} {middle:g}) rotate(-90)" text-anchor="middle">ns per update</text>'
    yield f'<text x="{left + LEFT + width / 2:g}" y="{top + height + 68}" text-anchor="middle">{axis}</text>'
    for tick in ticks:
        yield f'<path class="grid" d="M{left + LEFT} {up(tick):.1f}h{width}"/>'
        yield f'<text x="{left + LEFT - 6}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:,g}</text>'
    for x in sorted(set(xs))[:: 2 if len(set(xs)) > 8 else 1]:
        yield f'<text x="{across(x):.1f}" y="{top + height + 48}" text-anchor="middle">{short(x)}</text>'
    for number, threads in enumerate(sorted({point["threads"] for point in points})):
        line = " ".join(f"{across(p['value']):.1f} {up(cost(p)):.1f}" for p in points if p["threads"] == threads)
        yield f'<path class="t{number}" d="M{line}"/>'


def short(number):
    """A power of two as K or M of 1024, where it is one."""
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if number % size == 0:
            return f"{number // size}{unit}"
    return f"{number:,}"


def chart(report):
    by_sweep = [(name, list(points)) for name, points in groupby(report["growth"], lambda point: point["sweep"])]
    counts = sorted({point["threads"] for point in report["growth"]})
    width, height = 2 * PANEL, LEGEND + (len(by_sweep) + 1) // 2 * HEIGHT
    title = "Nanoseconds per update against the size that grows"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">'
    yield f"<style>{STYLE}</style>"
    for number, threads in enumerate(counts):
        x = LEFT + 110 * number
        yield f'<path class="t{number}" d="M{x} 16h24"/><text x="{x + 30}" y="20">{threads} thread{"s" * (threads > 1)}</text>'
    for number, (name, points) in enumerate(by_sweep):
        yield from panel(name, points, number % 2 * PANEL, LEGEND + number // 2 * HEIGHT)
    yield "</svg>"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n".join(chart(json.load(file))))
