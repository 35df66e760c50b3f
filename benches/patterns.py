#!/usr/bin/env python3
"""What each strategy of the CPU engine is worth: the time of the workloads that it was made for
where another one is forced, divided by the time with it.

usage: patterns.py PROGRAM [--rounds N] [--repeats N] [--scale N]

PROGRAM is a build of `conformance`. Each round runs `bench` once with each pattern, in another
order each time; what is printed is the ratio of the medians over rounds. Above 1, the strategy that
the plan chose is faster.
"""

import argparse
from statistics import median

from two_builds import bench

# Workload, threads, and the patterns that could do it instead.
TABLE = [
    ("graph", 2, ["rows", "row_buckets"]),
    ("moe-f32", 1, ["rows"]),
    ("histogram", 1, ["lines"]),
    ("dim1-i8", 1, ["lines"]),
    ("histogram-i32", 2, ["line_copy"]),
    ("bins", 2, ["lines", "line_ranges", "line_buckets"]),
    ("bins-f16", 1, ["lines", "sweep"]),
    ("bins-f16", 2, ["line_buckets", "sweep"]),
    ("index-put", 2, ["lines", "line_buckets"]),
    ("dim1", 1, ["sweep"]),
    ("dim0", 1, ["sweep"]),
]


def main():
    parser = argparse.ArgumentParser(description="Measures what each strategy is worth.")
    parser.add_argument("program", help="a conformance program")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=5, help="of bench")
    parser.add_argument("--scale", type=int, default=1, help="of bench")
    options = parser.parse_args()
    print("| workload | threads | ms | instead |\n|---|---|---|---|")
    for workload, options.threads, others in TABLE:
        times = {pattern: [] for pattern in [None, *others]}
        for number in range(options.rounds):
            order = list(times)
            shift = number % len(order)
            for pattern in order[shift:] + order[:shift]:
                forced = ["--pattern", pattern] if pattern else []
                [result] = bench(options, options.program, "--workload", workload, *forced)
                times[pattern].append(result["median_seconds"])
        chosen = median(times.pop(None))
        ratios = ", ".join(f"{pattern} {median(each) / chosen:.2f}" for pattern, each in times.items())
        print(f"| `{workload}` | {options.threads} | {1e3 * chosen:.3g} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
