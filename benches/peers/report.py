"""What `conformance bench --peer ... --json` measured, in one run or in several of the same workloads."""

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median


def read(files):
    """The report of a run; of several, with the samples of all: each round timed all candidates by turns."""
    first, *others = (json.loads(Path(name).read_text(encoding="utf-8")) for name in files)
    for other in others:
        for key in ("seed", "scale", "threads"):
            if other[key] != first[key]:
                raise SystemExit(f"the runs differ in {key}: {first[key]} and {other[key]}")
        first["repeats"] += other["repeats"]
        first["machine"] += other["machine"]
        workloads = {workload["workload"]: workload for workload in other["workloads"]}
        if workloads.keys() != {workload["workload"] for workload in first["workloads"]}:
            raise SystemExit("the runs are of different workloads")
        for workload in first["workloads"]:
            add(workload, workloads[workload["workload"]])
    return first


def add(workload, other):
    """Adds the samples of another run. What failed in one of them has no time."""
    others = {identity(candidate): candidate for candidate in other["candidates"]}
    for candidate in workload["candidates"]:
        came = others.get(identity(candidate), {}).get("seconds")
        candidate["seconds"] = candidate["seconds"] + came if candidate["seconds"] and came else []
    for mine, its in zip(workload["standings"], other["standings"]):
        mine["extra_memory"] = max(mine["extra_memory"] or 0, its["extra_memory"] or 0)


def identity(candidate):
    return candidate["kind"], candidate["name"], candidate["threads"]


@dataclass
class Standing:
    """How our engine stands on so many threads. A ratio is the median of what each round says: see `ratio`."""

    seconds: float
    of_limit: float
    # Of one thread's time to ours, and of the limit's loop likewise.
    speed_up: float
    limit_speed_up: float
    # The best peer on as many threads at the most, and its time / ours; None where there is none.
    peer: str | None
    peer_seconds: float | None
    ratio: float | None


def ratio(candidate, other):
    """
    How many times as long as another one a candidate takes: the median over all rounds, for how fast the machine is
    changes from one round to the next.
    """
    return median(one / another for one, another in zip(candidate["seconds"], other["seconds"], strict=True))


def standing(workload, threads):
    """How we stand on so many threads."""

    def of(kind, fits):
        return [each for each in workload["candidates"] if each["kind"] == kind and fits(each["threads"])]

    def own(kind, count):
        (found,) = of(kind, lambda threads: threads == count)
        return found

    ours, limit = own("ours", threads), own("limit", threads)
    # Without those with wrong results, and those that the bench stopped after two rounds because
    # they were ten times slower than another peer.
    peers = [each for each in of("peer", lambda count: count <= threads) if len(each["seconds"]) == len(ours["seconds"])]
    best = min(peers, key=lambda peer: ratio(peer, ours), default=None)
    return Standing(
        seconds=median(ours["seconds"]),
        of_limit=ratio(limit, ours),
        speed_up=ratio(own("ours", 1), ours),
        limit_speed_up=ratio(own("limit", 1), limit),
        peer=best and f"{best['name']} ({best['threads']})",
        peer_seconds=best and median(best["seconds"]),
        ratio=best and ratio(best, ours),
    )


def without_version(name):
    """The name of a peer; the document has the versions once."""
    return " ".join(word for word in name.split() if not word[0].isdigit())


def milliseconds(seconds, unit=""):
    """A time as tables have it, with its unit where that is not clear."""
    if seconds < 1e-4:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.1f}{unit}" if seconds < 0.1 else f"{seconds * 1e3:.0f}{unit}"
