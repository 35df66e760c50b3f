"""numpy: `ufunc.at`, and `put_along_axis` to replace; `take` and `take_along_axis` to gather."""

import numpy

from workload import NotApplicable


class Numpy:
    threads = 1
    name = f"numpy {numpy.__version__}"

    def enter(self):
        pass

    def load(self, work):
        if work.dtype == "bf16":
            raise NotApplicable("numpy has no bf16 of its own")
        if work.is_full_rows:
            raise NotApplicable("numpy indexes rows by one number each")
        if work.from_zeros:
            raise NotApplicable("numpy has no gradient of an embedding")
        return self.call(work), work.start.copy()

    def call(self, work):
        src, dim = work.src, work.dim
        if work.gathers and work.is_expanded:
            rows = work.rows.copy()
            # With "raise", the mode for unchecked rows, it would write to a buffer first.
            return lambda out: numpy.take(work.self_, rows, 0, out=out, mode="clip")
        if work.gathers:
            return lambda out: numpy.take_along_axis(work.self_, work.index, dim)
        if work.reduce == "none":
            values = work.value if src is None else src
            return in_place(lambda self_: numpy.put_along_axis(self_, work.index, values, dim))
        if work.is_expanded:
            at = work.rows.copy()
        elif work.is_pairs:
            at = (work.index[:, 0], work.index[:, 1])
        elif work.index.ndim == 1:
            at = work.index
        else:
            at = list(numpy.ogrid[tuple(map(slice, work.index.shape))])
            at[dim] = work.index
            at = tuple(at)
        add = numpy.logical_or if work.dtype == "bool" else numpy.add
        update = numpy.multiply if work.reduce == "multiply" else add
        if work.alpha != 1:
            return in_place(lambda self_: update.at(self_, at, work.alpha * src))
        return in_place(lambda self_: update.at(self_, at, src))

    def reset(self, work, self_):
        numpy.copyto(self_, work.start)
        return self_

    def result(self, self_):
        return self_


def in_place(update):
    def call(self_):
        update(self_)
        return self_

    return call


def candidates(threads):
    return [Numpy()]
