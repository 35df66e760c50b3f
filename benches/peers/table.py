"""Writes what `conformance bench --peer ... --json` measured as the table of docs/performance.md.

usage: table.py JSON
"""

import json
import sys


def milliseconds(seconds):
    if seconds < 1e-4:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.1f}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


def memory(count):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.0f} {unit}"
    return str(count)


def cells(standing):
    peer = standing["best_peer"]
    if peer:
        # Without its version; the document has it once.
        name = " ".join(word for word in peer.split() if not word[0].isdigit())
        peer = f"{name} {milliseconds(standing['best_peer_seconds'])}"
    ratio = f"{standing['ratio']:.2f}" if standing["ratio"] else ""
    return [milliseconds(standing["median_seconds"]), f"{standing['of_limit'] * 100:.0f} %", peer or "", ratio]


def table(report):
    threads = [standing["threads"] for standing in report["workloads"][0]["standings"]]
    head = ["workload"]
    for count in threads:
        head += [f"{count} thread{'' if count == 1 else 's'}", "of limit", "best peer", "ratio"]
    head += ["extra memory"]
    yield head
    yield ["---"] * len(head)
    for workload in report["workloads"]:
        standings = workload["standings"]
        row = [f"`{workload['workload']}`"]
        for standing in standings:
            row += cells(standing)
        yield row + [memory(max(standing["extra_memory"] or 0 for standing in standings))]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in table(json.load(file)):
            print(f"| {' | '.join(row)} |")
