"""Forks of a process that uses a client."""

import os
import signal
import sys

def in_a_fork(work, limit):
    """The exit code of a child that does the work: 0, 1 if it raised, less than 0 if it crashed, or
    was killed because it took longer than the limit, in seconds."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(limit)
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
