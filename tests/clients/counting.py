"""What the tests of clients share: how often a library has run each of its operators, asked of the
counter in its place, and what must raise."""

import ctypes
import os


class Counter:
    def __init__(self, path, synchronize):
        """`synchronize` waits until all work is done, so that all of it is counted."""
        self.library = ctypes.CDLL(os.path.join(os.environ["COUNTING"], path))
        self.library.counted_calls.restype = ctypes.c_int64
        self.synchronize = synchronize

    def __call__(self, operator):
        """Since the process began; -1 for what the library doesn't have."""
        self.synchronize()
        return self.library.counted_calls(operator.encode())

    def total(self, operators):
        return sum(self(name) for name in operators)


class Calls:
    """Asserts that a block runs these operators so often, each by its name."""

    def __init__(self, counter, **expected):
        self.counter, self.expected = counter, expected

    def __enter__(self):
        self.before = {name: self.counter(name) for name in self.expected}
        assert -1 not in self.before.values(), f"{self.before}: not all are there"

    def __exit__(self, kind, *_):
        if kind is None:
            run = {name: self.counter(name) - before for name, before in self.before.items()}
            assert run == self.expected, f"calls: {run}, expected {self.expected}"


def refused(work, word, *more):
    """Runs what must raise an exception with these words in it, and returns its text."""
    words = (word, *more)
    try:
        got = work()
    except AssertionError:
        raise
    except Exception as error:  # whichever the client makes of it
        text = str(error)
        missing = [word for word in words if word not in text]
        assert not missing, f"no {missing} in {type(error).__name__}: {text}"
        return text
    raise AssertionError(f"an exception expected with {words}, got {got}")
