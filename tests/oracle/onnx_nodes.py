"""The node tests of ONNX for operators of our family: Scatter, ScatterElements, ScatterND, GatherElements, and Gather and
GatherND, which are a `gather` of slices.

Inputs and outputs are those that the onnx package generates. ScatterND with an addition is `scatter_nd_add`, and without
a reduction `scatter_nd_update`; with another one it is `scatter` along the first axis, once the axes that an index vector
names are made one.
"""

import warnings

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

from case import Case, View
from dtypes import DTYPES

# The operators that ScatterND is with these reductions.
BY_VECTORS = {"none": "scatter_nd_update", "add": "scatter_nd_add"}
GATHERS = ("GatherElements", "Gather", "GatherND")
OPERATORS = ("Scatter", "ScatterElements", "ScatterND", *GATHERS)
REDUCES = {"none": "none", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def cases():
    """The cases, with their results. Scatter is ScatterElements' deprecated name."""
    for test in _tests():
        (node,) = test.model.graph.node
        attributes = {it.name: onnx.helper.get_attribute_value(it) for it in node.attribute}
        reduction = attributes.get("reduction", b"none").decode()
        ((inputs, (output,)),) = test.data_sets
        if node.op_type in GATHERS:
            yield _gather(test.name, node.op_type, *inputs, attributes, output)
            continue
        data, indices, updates = inputs
        by_vectors = node.op_type == "ScatterND" and reduction in BY_VECTORS
        index = View.of(indices)
        if node.op_type == "ScatterND" and not by_vectors:
            data, index, updates, output = _along_one_axis(data, indices, updates, output)
        yield Case(
            name=f"onnx/{test.name}",
            op=BY_VECTORS[reduction] if by_vectors else "scatter",
            dtype=_name(data),
            index_dtype=_name(indices),
            target=View.of(data),
            index=index,
            src=View.of(updates),
            dim=None if by_vectors else attributes.get("axis", 0),
            reduce=None if by_vectors else REDUCES[reduction],
            expected=output,
        )


def _gather(name, operator, data, indices, attributes, output):
    dim, index = attributes.get("axis", 0), View.of(indices)
    if operator == "Gather":
        index = _of_slices(data, indices.reshape(*[1] * dim, -1), dim)
    elif operator == "GatherND":
        data, places = _one_axis(data, indices, attributes.get("batch_dims", 0))
        dim, index = 1, _of_slices(data, places, 1)
    return Case(
        name=f"onnx/{name}",
        op="gather",
        dtype=_name(data),
        index_dtype=_name(indices),
        target=View.of(data),
        index=index,
        dim=dim,
        expected=output.reshape(index.shape),
        addition=int(operator != "GatherElements"),
    )


def _of_slices(data, places, dim):
    """The index of a gather along dim: places, whose last axis is dim, expanded over the slices of data."""
    places = np.ascontiguousarray(places)
    shape = (*data.shape[:dim], places.shape[-1], *data.shape[dim + 1 :])
    return View.within(places, np.broadcast_to(places.reshape(*places.shape, *[1] * (data.ndim - dim - 1)), shape))


def _one_axis(data, indices, batch):
    """GatherND's data and index along one axis, the second: the first one is that of batches, and each vector becomes the
    number of its slice."""
    depth = batch + indices.shape[-1]
    places = np.ravel_multi_index(tuple(np.moveaxis(indices, -1, 0)), data.shape[batch:depth]).astype(indices.dtype)
    batches = int(np.prod(data.shape[:batch]))
    return data.reshape(batches, -1, *data.shape[depth:]), places.reshape(batches, -1)


def _tests():
    """Our operators' tests. The package can only generate all tests together, once, while its modules are imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the data of other operators' tests overflow on purpose
        tests = collect_testcases()
    of_one_node = (test for test in tests if len(test.model.graph.node) == 1)
    return [it for it in of_one_node if it.model.graph.node[0].op_type in OPERATORS]


def _along_one_axis(data, indices, updates, output):
    """ScatterND as a scatter along axis 0: each vector becomes the number of its slice, expanded over the slice."""
    depth = indices.shape[-1]
    places = np.ravel_multi_index(tuple(np.moveaxis(indices, -1, 0)), data.shape[:depth])
    places = places.reshape(-1).astype(indices.dtype)
    slices = data.reshape(-1, *data.shape[depth:])
    updates = updates.reshape(-1, *data.shape[depth:])
    index = np.broadcast_to(places.reshape(-1, *[1] * (updates.ndim - 1)), updates.shape)
    return slices, View.within(places, index), updates, output.reshape(slices.shape)


def _name(array):
    return next(dtype.name for dtype in DTYPES.values() if dtype.numpy == array.dtype)
