"""What `conformance bench --peer ... --json` measured, in one run or in several of the same workloads."""

import json
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


def standing(workload, threads, time=median):
    """
    Our time on these threads, the limit's, and the best peer's on as many at the most with its name; None where there is none.
    `time` makes one of samples.
    """

    def times(kind, fits):
        return [
            (time(each["seconds"]), f"{each['name']} ({each['threads']})")
            for each in workload["candidates"]
            if each["kind"] == kind and fits(each["threads"]) and each["seconds"]
        ]

    def best(found):
        return min(found, default=(None, None))

    ours, _ = best(times("ours", lambda count: count == threads))
    limit, _ = best(times("limit", lambda count: count == threads))
    seconds, peer = best(times("peer", lambda count: count <= threads))
    return ours, limit, seconds, peer


def without_version(name):
    """The name of a peer; the document has the versions once."""
    return " ".join(word for word in name.split() if not word[0].isdigit())


def milliseconds(seconds, unit=""):
    """A time as tables have it, with its unit where that is not clear."""
    if seconds < 1e-4:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.1f}{unit}" if seconds < 0.1 else f"{seconds * 1e3:.0f}{unit}"
