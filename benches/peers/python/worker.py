"""A peer of `conformance bench --peer`: the Python libraries that are named. ../README.md says what is asked and answered.

usage: worker.py LIBRARY... THREADS, with LIBRARY torch, jax, onnxruntime or numpy
"""

import importlib
import json
import os
import sys
import time

from workload import NotApplicable, Workload


class Slot:
    """A candidate with a workload."""

    def __init__(self, candidate, workload):
        self.candidate, self.workload = candidate, workload
        self.call, self.self_ = candidate.load(workload)

    def time(self, calls):
        """The mean time of `calls` calls on one self, in seconds."""
        self.candidate.enter()
        self.self_ = self.candidate.reset(self.workload, self.self_)
        call, self_ = self.call, self.self_
        start = time.perf_counter()
        for _ in range(calls):
            self_ = call(self_)
        seconds = (time.perf_counter() - start) / calls
        self.self_ = self_
        return seconds


def answer(question, candidates, slots):
    match question["ask"]:
        case "load":
            slots.clear()
            workload, absent = Workload(question["workload"]), []
            for candidate in candidates:
                try:
                    slots.append(Slot(candidate, workload))
                    absent.append(None)
                except NotApplicable as reason:
                    slots.append(None)
                    absent.append(str(reason))
            return {"not_applicable": absent}
        case "check":
            slot = slots[question["candidate"]]
            seconds = slot.time(1)
            slot.candidate.result(slot.self_).tofile(question["file"])
            return {"seconds": seconds}
        case "time":
            return {"seconds": slots[question["candidate"]].time(question["calls"])}
        case "unload":
            slots.clear()
            return {}


def main(*libraries, threads):
    # What a library prints is not an answer.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    modules = [importlib.import_module(f"{library}_peer") for library in libraries]
    candidates = [candidate for module in modules for candidate in module.candidates(threads)]
    slots = []
    say(out, {"candidates": [{"name": each.name, "threads": each.threads} for each in candidates]})
    for line in sys.stdin:
        try:
            say(out, answer(json.loads(line), candidates, slots))
        except Exception as error:  # A peer's own failure is an answer, too.
            say(out, {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]})


def say(out, value):
    print(json.dumps(value), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:-1], threads=int(sys.argv[-1]))
