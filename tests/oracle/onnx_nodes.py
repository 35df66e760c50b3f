"""The node tests of ONNX for operators of our family: Scatter, ScatterElements, ScatterND and GatherElements.

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
OPERATORS = ("Scatter", "ScatterElements", "ScatterND", "GatherElements")
REDUCES = {"none": "none", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def cases():
    """The cases, with their results. Scatter is ScatterElements' deprecated name."""
    for test in _tests():
        (node,) = test.model.graph.node
        attributes = {it.name: onnx.helper.get_attribute_value(it) for it in node.attribute}
        reduction = attributes.get("reduction", b"none").decode()
        ((inputs, (output,)),) = test.data_sets
        if node.op_type == "GatherElements":
            yield _gather(test.name, *inputs, attributes.get("axis", 0), output)
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


def _gather(name, data, indices, axis, output):
    return Case(
        name=f"onnx/{name}",
        op="gather",
        dtype=_name(data),
        index_dtype=_name(indices),
        target=View.of(data),
        index=View.of(indices),
        dim=axis,
        expected=output,
    )


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
