#!/usr/bin/env python3
"""Compares the CPU engine of two builds of `conformance`, whose runs alternate.

usage: two_builds.py OLD NEW [--threads N] [--rounds N] [--scale N] [--repeats N] [WORKLOAD ...]

Each round runs `bench` of both programs on each workload, the old one first in one round and the
new one in the next. A ratio is the old median of a round divided by the new one, so that above 1
the new build is faster; what is printed is the median over rounds, with the least and the most. The
last column divides the shortest time that the old build ever took by the new one's: other work on
the machine changes it less.
"""

import argparse
import json
import subprocess
import tempfile
from statistics import median


def main():
    parser = argparse.ArgumentParser(description="Compares the CPU engine of two builds.")
    parser.add_argument("old", help="a conformance program")
    parser.add_argument("new", help="another one")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="unless named, all that both builds have")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=int, default=2, help="of bench")
    parser.add_argument("--repeats", type=int, default=5, help="of bench")
    options = parser.parse_intermixed_args()
    workloads = options.workloads or names(options)
    print(f"{'workload':<26} {'old ms':>9} {'new ms':>9} {'ratio':>6}   least to most   of best")
    ratios = []
    for workload in workloads:
        rounds = [turn(options, workload, number % 2 == 1) for number in range(options.rounds)]
        each = sorted(old / new for (old, new), _ in rounds)
        ratios.append(median(each))
        old, new = (1e3 * median(times) for times in zip(*(medians for medians, _ in rounds)))
        best = [min(times) for times in zip(*(bests for _, bests in rounds))]
        print(
            f"{workload:<26} {old:9.3f} {new:9.3f} {ratios[-1]:6.2f}   {each[0]:.2f} to {each[-1]:.2f}   {best[0] / best[1]:7.2f}",
            flush=True,
        )
    print(f"median {median(ratios):.2f}, least {min(ratios):.2f}, of {len(ratios)} workloads")


def turn(options, workload, new_first):
    """The median times of the old and the new build for one workload, and their best, in seconds."""
    programs = [options.old, options.new]
    times = {}
    for program in reversed(programs) if new_first else programs:
        [result] = bench(options, program, "--workload", workload)
        times[program] = result["median_seconds"], result["best_seconds"]
    return tuple(zip(times[options.old], times[options.new]))


def names(options):
    """All workloads that both builds have, by one short run of each."""
    old, new = (
        [result["workload"] for result in bench(options, program, "--all", "--scale", "1000", "--repeats", "1")]
        for program in (options.old, options.new)
    )
    return [workload for workload in dict.fromkeys(new) if workload in old]


def bench(options, program, *arguments):
    """The results that a program's bench has of its CPU engine."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [program, "bench", "--engine", "cpu", "--threads", str(options.threads), "--json", file.name]
        if "--scale" not in arguments:
            command += ["--scale", str(options.scale), "--repeats", str(options.repeats)]
        subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL)
        return [result for result in json.load(file)["results"] if result["engine"] == "cpu"]


if __name__ == "__main__":
    main()
