"""
onnxruntime: ScatterElements, and ScatterND where rows are updated; the result goes where self is, so that nothing is
copied. GatherElements, and Gather of rows, into an out.
"""

import numpy
import onnxruntime
from onnx import TensorProto, helper

from workload import NotApplicable

DTYPES = {
    "f32": TensorProto.FLOAT,
    "i64": TensorProto.INT64,
    "i32": TensorProto.INT32,
    "i8": TensorProto.INT8,
    "bool": TensorProto.BOOL,
}
REDUCTIONS = {"none": "none", "add": "add", "multiply": "mul"}
# ScatterElements takes a quarter of a microsecond for each.
MOST = 1 << 25


class OnnxRuntime:
    def __init__(self, threads):
        self.threads = threads
        self.name = f"onnxruntime {onnxruntime.__version__}"

    def enter(self):
        pass

    def load(self, work):
        if work.dtype not in DTYPES:
            reason = "onnxruntime has no scatter of" if not work.gathers else "the peer has no gather of"
            raise NotApplicable(f"{reason} {work.dtype}")
        if work.from_zeros:
            raise NotApplicable("onnxruntime has no gradient of an embedding")
        if work.alpha != 1:
            raise NotApplicable("onnxruntime has no alpha")
        if work.is_full_rows and work.index.size > MOST:
            raise NotApplicable(f"more than {MOST} elements, which take half a minute")
        if work.value is not None:
            raise NotApplicable("onnxruntime takes no scalar for src")
        session = self.session(work)
        index = work.index
        if work.is_expanded:
            index = work.rows.copy() if work.gathers else work.rows.reshape(-1, 1).copy()
        binding = session.io_binding()
        value = onnxruntime.OrtValue.ortvalue_from_numpy
        data = value(work.start.copy())
        given = {"index": value(index), "self": value(work.self_) if work.gathers else data}
        if work.src is not None:
            given["src"] = value(work.src)
        for name, tensor in given.items():
            binding.bind_ortvalue_input(name, tensor)
        binding.bind_ortvalue_output("out", data)

        def call(held):
            session.run_with_iobinding(binding)
            return held

        call.keep = given
        return call, data

    def session(self, work):
        dtype = DTYPES[work.dtype]
        index = TensorProto.INT32 if work.index.dtype == numpy.int32 else TensorProto.INT64
        given = {"self": dtype, "index": index} | ({} if work.src is None else {"src": dtype})
        inputs = [helper.make_tensor_value_info(name, of, None) for name, of in given.items()]
        out = helper.make_tensor_value_info("out", dtype, None)
        reduction = REDUCTIONS[work.reduce]
        if work.gathers:
            name = "Gather" if work.is_expanded else "GatherElements"
            node = helper.make_node(name, ["self", "index"], ["out"], axis=work.dim)
        elif work.is_expanded or work.is_pairs:
            node = helper.make_node("ScatterND", ["self", "index", "src"], ["out"], reduction=reduction)
        else:
            node = helper.make_node(
                "ScatterElements", ["self", "index", "src"], ["out"], axis=work.dim or 0, reduction=reduction)
        graph = helper.make_graph([node], "scatter", inputs, [out])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 4
        try:
            return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        except Exception as error:
            raise NotApplicable(f"onnxruntime: {error}".splitlines()[0][:120]) from error

    def reset(self, work, held):
        held.update_inplace(work.start)
        return held

    def result(self, held):
        return held.numpy()


def candidates(threads):
    return [OnnxRuntime(count) for count in sorted({1, threads})]
