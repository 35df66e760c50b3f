"""numpy: `ufunc.at`, and `put_along_axis` to replace."""

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
        return self.call(work), work.self_.copy()

    def call(self, work):
        src, dim = work.src, work.dim
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
        return in_place(lambda self_: update.at(self_, at, src))

    def reset(self, work, self_):
        numpy.copyto(self_, work.self_)
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
