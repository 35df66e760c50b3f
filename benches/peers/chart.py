"""Draws what `conformance bench --peer ... --json` measured: how many times faster than the best peer, as SVG.

usage: chart.py JSON [JSON ...] > SVG
"""

import sys
from html import escape

from report import milliseconds, read, standing, without_version

# The workloads that are shown, with what they are called there.
SHOWN = {
    "embedding-full": "embedding gradient, f32",
    "embedding": "embedding gradient, expanded index",
    "moe-full": "MoE combine, bf16",
    "moe": "MoE combine, bf16, expanded index",
    "moe-f32-full": "MoE combine, f32",
    "dim1": "4096 × 4096 along dim 1",
    "dim0": "4096 × 4096 along dim 0",
    "histogram": "16 M into 1024 bins",
    "bins": "16 M into 4 M bins",
    "edges-full": "graph aggregation, f32",
    "edges": "graph aggregation, expanded index",
    "pairs": "scatter_nd_add, 1 M pairs",
    "value": "one number along dim 1",
    "small": "64 × 64: cost of a call",
}
# The longest label and the longest note fit in DejaVu Sans, which is wider than most fonts.
LINE, TOP, LEFT, WIDTH, BAR, BOTTOM = 26, 58, 290, 960, 380, 50
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.faint { fill: #57606a } .title { font-size: 15px; font-weight: 600 }
.bar { fill: #2f6f9f } .axis { stroke: #8c959f } .one { stroke: #57606a; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .faint { fill: #9198a1 } .bar { fill: #58a6d6 } .axis { stroke: #656c76 } .one { stroke: #9198a1 }
}
"""


def chart(report):
    by_name = {workload["workload"]: standing(workload, report["threads"]) for workload in report["workloads"]}
    rows = [(label, by_name[name]) for name, label in SHOWN.items() if name in by_name and by_name[name].peer]
    yield from drawn([(label, on.ratio, note(on)) for label, on in rows], report["threads"])


def note(on):
    return f"{milliseconds(on.seconds, ' ms')}; {without_version(on.peer)} {milliseconds(on.peer_seconds, ' ms')}"


def drawn(rows, threads):
    """The chart of rows of a label, a ratio and a note."""
    most = max(1.0, *(ratio for _, ratio, _ in rows))
    scale = BAR / most
    bottom = TOP + LINE * len(rows)
    title = f"Times faster than the fastest peer of each workload, {threads} threads"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + BOTTOM}" role="img" aria-label="{title}">'
    yield f"<style>{STYLE}</style>"
    yield f'<text class="title" x="12" y="24">{title}</text>'
    yield '<text class="faint" x="12" y="44">Of torch, jax, onnxruntime, numpy, candle and burn-flex, by turns</text>'
    yield f'<line class="axis" x1="{LEFT}" x2="{LEFT + BAR}" y1="{bottom}" y2="{bottom}"/>'
    for tick in range(int(most) + 1):
        x = LEFT + scale * tick
        kind, top = ("one", TOP - 4) if tick == 1 else ("axis", bottom)
        yield f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom + 5}"/>'
        yield f'<text class="faint" x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{tick}×</text>'
    axis = "the peer's time / ours; beside the bar our time, and the peer (on so many threads) and its time"
    yield f'<text class="faint" x="{WIDTH / 2:g}" y="{bottom + 40}" text-anchor="middle">{axis}</text>'
    for number, (label, ratio, note) in enumerate(rows):
        y, length = TOP + LINE * number, scale * ratio
        yield f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{escape(label)}</text>'
        yield f'<rect class="bar" x="{LEFT}" y="{y + 2}" width="{length:.1f}" height="{LINE - 8}" rx="2"/>'
        yield f'<text x="{LEFT + length + 8:.1f}" y="{y + 15}">{ratio:.1f}× <tspan class="faint">{escape(note)}</tspan></text>'
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(chart(read(sys.argv[1:]))))
