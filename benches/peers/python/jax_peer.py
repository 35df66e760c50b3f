"""jax: `self.at[index]`, compiled, self given away so that it is updated in place; a gather returns an out of its own.

XLA makes its threads when it starts, as many as NPROC says where it is set: one process for each number.
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy

from workload import NotApplicable

jax.config.update("jax_enable_x64", True)


class Jax:
    def __init__(self, threads):
        self.threads = threads
        self.name = f"jax {jax.__version__}"

    def enter(self):
        pass

    def load(self, work):
        if work.is_full_rows:
            raise NotApplicable("jax indexes rows by one number each")
        if work.dtype == "bool":
            raise NotApplicable("jax has no OR of repeated indices")
        index = jnp.asarray(work.rows if work.is_expanded else work.index)
        if work.gathers:
            self_, compiled = jnp.asarray(work.self_), jax.jit(read(work))
            call = lambda out: compiled(self_, index).block_until_ready()
            return call, call(None)
        src = None if work.src is None else jnp.asarray(work.src)
        compiled = jax.jit(update(work), donate_argnums=0)
        call = lambda self_: compiled(self_, index, src).block_until_ready()
        # The first call compiles.
        return call, call(jnp.array(work.self_))

    def reset(self, work, self_):
        return None if work.gathers else jnp.array(work.self_).block_until_ready()

    def result(self, self_):
        return numpy.asarray(self_)


def read(work):
    """The gather as a function of self and index."""
    if work.is_expanded:
        return lambda self_, rows: self_.at[rows].get(mode="promise_in_bounds")
    return lambda self_, index: jnp.take_along_axis(self_, index, work.dim, mode="promise_in_bounds")


def update(work):
    """The scatter as a function of self, index and src."""

    def at(self_, index):
        if work.is_pairs:
            return self_.at[index[:, 0], index[:, 1]]
        if work.is_expanded or index.ndim == 1:
            return self_.at[index]
        places = list(jnp.ogrid[tuple(map(slice, index.shape))])
        places[work.dim] = index
        return self_.at[tuple(places)]

    def run(self_, index, src):
        if work.from_zeros:
            self_ = jnp.zeros_like(self_)
        place, mode = at(self_, index), "promise_in_bounds"
        match work.reduce:
            case "none":
                return place.set(work.value if src is None else src, mode=mode)
            case "add":
                return place.add(src if work.alpha == 1 else work.alpha * src, mode=mode)
            case _:
                return place.multiply(src, mode=mode)

    return run


def candidates(threads):
    return [Jax(int(os.environ.get("NPROC", threads)))]
