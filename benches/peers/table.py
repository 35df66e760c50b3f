"""Writes what `conformance bench --peer ... --json` measured as the table of docs/performance.md, and what it says.

usage: table.py JSON [JSON ...], of one run, or of several of the same workloads whose samples are taken together
"""

import sys
from statistics import median

from report import milliseconds, read, standing, without_version

# How many times faster than the best peer a workload is to be; or at LIMIT of what the machine
# allows.
BARS = {
    "embedding": 1.5,
    "embedding-full": 3,
    "moe": 1.2,
    "moe-full": 4,
    "moe-f16": 1.2,
    "moe-f16-full": 4,
    "moe-f32": 1.2,
    "moe-f32-full": 4,
    "dim1": 1.3,
    "dim1-index32": 5,
    "dim0": 3,
    "dim0-index32": 3,
    "histogram": 2,
    "histogram-i32": 2,
    "bins": 2,
    "graph": 2,
    "edges": 2,
    "edges-full": 4,
    "small": 2,
    "value": 8,
    "multiply": 1.3,
    "replace": 1.3,
    "pairs": 1.5,
    # The family's other operators are to be ahead.
    "index-add": 1,
    "index-add-alpha": 1,
    "index-add-bf16": 1,
    "index-add-bf16-alpha": 1,
    "index-add-f16-alpha": 1,
    "embedding-backward": 1,
    "embedding-backward-bf16": 1,
    "index-put": 1,
    "index-put-rows": 1,
    "top-two": 1,
    "top-eight": 1,
    "top-eight-f16": 1,
    "one-hot": 1,
    "one-each-bf16": 1,
    "gather-top-two": 1,
    "gather-square": 1,
    "gather-square-index32": 1,
    "gather-rows": 1,
    "gather-rows-full": 1,
    "gather-moe": 1,
}
OTHER_BAR = 1.3
LIMIT = 0.85
# Two threads are to be so many times as fast as one, where the limit is.
SPEED_UP = 1.6


def memory(count):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.0f} {unit}"
    return str(count)


class Row:
    """A workload: how we stand on each number of threads."""

    def __init__(self, workload, threads):
        self.name = workload["workload"]
        self.bar = BARS.get(self.name, OTHER_BAR)
        self.standings = [standing(workload, count) for count in threads]
        self.memory = max(each["extra_memory"] or 0 for each in workload["standings"])

    def meets(self, number):
        on = self.standings[number]
        return (on.ratio or 0) >= self.bar or on.of_limit >= LIMIT

    def cells(self):
        yield f"`{self.name}`"
        yield f"{self.bar}"
        for number, on in enumerate(self.standings):
            ratio = f"{on.ratio:.2f}" if on.peer else "none"
            yield milliseconds(on.seconds)
            yield f"{on.of_limit * 100:.0f} %"
            yield f"{without_version(on.peer)} {milliseconds(on.peer_seconds)}" if on.peer else ""
            yield ratio if self.meets(number) or not on.peer else f"**{ratio}**"
        yield memory(self.memory)


def table(rows, threads):
    head = ["workload", "bar"]
    for count in threads:
        head += [f"{count} thread{'' if count == 1 else 's'}", "of limit", "best peer", "ratio"]
    head += ["extra memory"]
    for cells in (head, ["---"] * len(head), *(row.cells() for row in rows)):
        yield f"| {' | '.join(cells)} |"


def said(rows, threads):
    """What the table says, a line each."""

    def names(found):
        return ", ".join(found) or "none"

    for number, count in enumerate(threads):
        lead = f"On {count} thread{'' if count == 1 else 's'}"
        standings = [(row, row.standings[number]) for row in rows]
        ratios = [(row, on.ratio) for row, on in standings if on.ratio]
        ahead = sum(ratio >= 1 for _, ratio in ratios)
        near = sum(on.of_limit >= LIMIT for _, on in standings)
        middle = median(ratio for _, ratio in ratios)
        yield f"- {lead}: ahead of every peer on {ahead} of {len(ratios)} workloads, by a median of {middle:.1f}; at {LIMIT:.0%} of the limit or more on {near}."
        behind = (f"`{row.name}` ({ratio:.2f})" for row, ratio in ratios if ratio < 1)
        yield f"  Behind a peer: {names(behind)}."
        by_limit = (f"`{row.name}`" for row, on in standings if row.meets(number) and (on.ratio or 0) < row.bar)
        yield f"  Short of the bar, but at {LIMIT:.0%} of the limit or more: {names(by_limit)}."
        neither = (
            f"`{row.name}` ({f'{on.ratio:.2f}' if on.peer else 'no peer'}, {on.of_limit:.0%})"
            for row, on in standings
            if not row.meets(number)
        )
        yield f"  Neither the bar nor {LIMIT:.0%} of the limit: {names(neither)}."
    if len(threads) > 1:
        allowed = [(row.name, row.standings[-1]) for row in rows if row.standings[-1].limit_speed_up >= SPEED_UP]
        lost = (
            f"`{name}` ({on.speed_up:.2f}; the limit {on.limit_speed_up:.2f})" for name, on in allowed if on.speed_up < SPEED_UP
        )
        told = f"{names(f'`{name}`' for name, _ in allowed)}; of these ours is not for {names(lost)}" if allowed else "no workload"
        yield f"- The limit's loop is {SPEED_UP} times as fast on {threads[-1]} threads as on one for {told}."


def main(files):
    report = read(files)
    threads = [each["threads"] for each in report["workloads"][0]["standings"]]
    rows = [Row(workload, threads) for workload in report["workloads"]]
    print("\n".join(table(rows, threads)))
    print()
    print("\n".join(said(rows, threads)))


if __name__ == "__main__":
    main(sys.argv[1:])
