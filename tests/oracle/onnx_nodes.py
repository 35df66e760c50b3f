"""The node tests of ONNX that are in our family: Scatter and ScatterElements, and ScatterND with an addition.

Inputs and outputs are those that the onnx package generates; nothing is computed here.
"""

import warnings

import onnx
from onnx.backend.test.case.node import collect_testcases

from case import Case, View
from dtypes import DTYPES

REDUCES = {"none": "none", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def cases():
    """The cases, with their results. Scatter is ScatterElements' deprecated name."""
    for test in _tests():
        (node,) = test.model.graph.node
        attributes = {it.name: onnx.helper.get_attribute_value(it) for it in node.attribute}
        reduction = attributes.get("reduction", b"none").decode()
        if node.op_type == "ScatterND" and reduction != "add":
            continue  # no operator of ours
        ((inputs, outputs),) = test.data_sets
        yield _case(f"onnx/{test.name}", node.op_type, attributes, reduction, inputs, outputs)


def _tests():
    """The package generates its tests while its modules are imported, once: all of them, then, and ours picked out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other operators' data overflow on purpose
        tests = collect_testcases()
    of_one_node = (test for test in tests if len(test.model.graph.node) == 1)
    return [it for it in of_one_node if it.model.graph.node[0].op_type in ("Scatter", "ScatterElements", "ScatterND")]


def _case(name, op_type, attributes, reduction, inputs, outputs):
    data, indices, updates = inputs
    along_axis = op_type != "ScatterND"
    return Case(
        name=name,
        op="scatter" if along_axis else "scatter_nd_add",
        dtype=_name(data),
        index_dtype=_name(indices),
        target=View.of(data),
        index=View.of(indices),
        src=View.of(updates),
        dim=attributes.get("axis", 0) if along_axis else None,
        reduce=REDUCES[reduction] if along_axis else None,
        expected=outputs[0],
    )


def _name(array):
    return next(dtype.name for dtype in DTYPES.values() if dtype.numpy == array.dtype)
