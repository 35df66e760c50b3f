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
LINE, TOP, LEFT, WIDTH, BAR = 26, 58, 250, 900, 380
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.faint { fill: #57606a } .title { font-size: 15px; font-weight: 600 }
.bar { fill: #2f6f9f } .one { stroke: #57606a; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .faint { fill: #9198a1 } .bar { fill: #58a6d6 } .one { stroke: #9198a1 }
}
"""


def chart(report):
    by_name = {workload["workload"]: standing(workload, report["threads"]) for workload in report["workloads"]}
    rows = [(label, by_name[name]) for name, label in SHOWN.items() if name in by_name and by_name[name].peer]
    scale = BAR / max(1.0, *(on.ratio for _, on in rows))
    height = TOP + LINE * len(rows) + 14
    title = f"Times faster than the fastest peer of each workload, {report['threads']} threads"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{title}">'
    yield f"<style>{STYLE}</style>"
    yield f'<text class="title" x="12" y="24">{title}</text>'
    yield '<text class="faint" x="12" y="44">Of torch, jax, onnxruntime, numpy, candle and burn-flex, by turns</text>'
    for number, (label, on) in enumerate(rows):
        y, length = TOP + LINE * number, scale * on.ratio
        note = f"{milliseconds(on.seconds, ' ms')}; {without_version(on.peer)} {milliseconds(on.peer_seconds, ' ms')}"
        yield f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{escape(label)}</text>'
        yield f'<rect class="bar" x="{LEFT}" y="{y + 2}" width="{length:.1f}" height="{LINE - 8}" rx="2"/>'
        yield f'<text x="{LEFT + length + 8:.1f}" y="{y + 15}">{on.ratio:.1f}× <tspan class="faint">{escape(note)}</tspan></text>'
    one = LEFT + scale
    yield f'<line class="one" x1="{one:.1f}" x2="{one:.1f}" y1="{TOP - 4}" y2="{height - 10}"/>'
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(chart(read(sys.argv[1:]))))
