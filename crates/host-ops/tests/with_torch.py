#!/usr/bin/env python3
"""Compares the operators for sessions with PyTorch on the CPU, bit for bit.

usage: with_torch.py TREE [CALLS]

TREE is a host toolkit (`cargo xtask host-toolkit TREE`), CALLS the rounds of each group of
operators (default 300). Every call has tensors of random dtypes, shapes, strides and offsets. The
number of calls of each function is printed at the end. Needs torch and numpy; where torch_npu is
installed, too, TORCH_DEVICE_BACKEND_AUTOLOAD=0.
"""

import collections
import ctypes
import math
import os
import random
import sys

import torch

os.environ["HOST_CANN_QUIET"] = "1"
LIBRARY = ctypes.CDLL(os.path.join(sys.argv[1], "lib64/libopapi.so"))
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 300
# The codes of CANN's dtypes.
CODES = {
    torch.bool: 12, torch.uint8: 4, torch.int8: 2, torch.int16: 6, torch.int32: 3, torch.int64: 9,
    torch.float16: 1, torch.bfloat16: 27, torch.float32: 0, torch.float64: 11, torch.complex64: 16,
    torch.complex128: 17, torch.uint16: 7, torch.uint32: 8, torch.uint64: 10,
}
# PyTorch has few operators for the longer unsigned integers: see `unsigned`.
UNSIGNED = [torch.uint16, torch.uint32, torch.uint64]
DTYPES = [dtype for dtype in CODES if dtype not in UNSIGNED]
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
P, I64 = ctypes.c_void_p, ctypes.c_int64


def function(name, answer=ctypes.c_int):
    found = getattr(LIBRARY, name)
    found.restype = answer
    return found


def must(code):
    if code:
        raise RuntimeError(f"{code}: {message()}")


def message():
    text = function("aclGetRecentErrMsg", ctypes.c_char_p)()
    return text.decode() if text else ""


def numbers(values):
    return (I64 * max(1, len(values)))(*values)


class OnDevice:
    """A tensor with the storage of a torch tensor."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.bytes = tensor.untyped_storage().nbytes()
        self.memory = P()
        must(function("aclrtMalloc")(ctypes.byref(self.memory), ctypes.c_size_t(max(1, self.bytes)), 0))
        self.copy(self.memory, P(tensor.untyped_storage().data_ptr()), 1)
        shape, strides = numbers(tensor.shape), numbers(tensor.stride())
        storage = numbers([self.bytes // tensor.element_size()])
        self.handle = P(
            function("aclCreateTensor", P)(
                shape, ctypes.c_uint64(tensor.dim()), CODES[tensor.dtype], strides, I64(tensor.storage_offset()),
                2, storage, ctypes.c_uint64(1), self.memory,
            )
        )

    def copy(self, to, source, kind):
        if self.bytes:
            size = ctypes.c_size_t(self.bytes)
            must(function("aclrtMemcpy")(to, size, source, size, kind))

    def read(self):
        """Copies the storage back, and returns the torch tensor."""
        self.copy(P(self.tensor.untyped_storage().data_ptr()), self.memory, 2)
        return self.tensor

    def __del__(self):
        function("aclDestroyTensor")(self.handle)
        function("aclrtFree")(self.memory)


def scalar(value):
    """A scalar as torch_npu passes a Python number."""
    if isinstance(value, bool):
        held, code = ctypes.c_bool(value), 12
    elif isinstance(value, int):
        held, code = I64(value), 9
    elif isinstance(value, complex):
        held, code = (ctypes.c_double * 2)(value.real, value.imag), 17
    else:
        held, code = ctypes.c_double(value), 11
    return P(function("aclCreateScalar", P)(ctypes.byref(held), code))


calls = collections.Counter()


def call(name, *arguments):
    calls[name] += 1
    size, executor = ctypes.c_uint64(), P()
    one = function(name + "GetWorkspaceSize")
    given = [argument.handle if isinstance(argument, OnDevice) else argument for argument in arguments]
    must(one(*given, ctypes.byref(size), ctypes.byref(executor)))
    must(function(name)(None, size, executor, None))
    must(function("aclrtSynchronizeStream")(None))


def filled(dtype, shape, special=True):
    """A tensor of a layout of its own, with small and with special numbers."""
    order = list(range(len(shape)))
    random.shuffle(order)
    step, lead = random.choice([1, 1, 2]), random.choice([0, 0, 3])
    strides, stride = [0] * len(shape), step
    for axis in order:
        strides[axis], stride = stride, stride * max(1, shape[axis])
    count = lead + max(1, stride)
    if dtype == torch.bool:
        storage = torch.randint(0, 2, (count,)).bool()
    elif dtype in INTEGERS:
        bounds = torch.iinfo(dtype)
        near = torch.randint(max(-9, bounds.min), 10, (count,), dtype=dtype)
        far = torch.randint(bounds.min, bounds.max, (count,), dtype=dtype)
        storage = torch.where(torch.rand(count) < 0.8, near, far)
    else:
        storage = torch.randn(count, dtype=torch.float64) * 4
        if random.random() < 0.5:
            storage = storage.round()
        if dtype in COMPLEX:
            storage = torch.complex(storage, torch.randn(count, dtype=torch.float64).round())
        elif special:
            odd = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1e30])
            storage = torch.where(torch.rand(count) < 0.1, odd[torch.randint(0, 6, (count,))].double(), storage)
        storage = storage.to(dtype)
    return torch.as_strided(storage, shape, strides, lead)


def shapes():
    """Two shapes that can be broadcast, and the one that they give."""
    whole = [random.choice([0, 1, 2, 3, 5]) for _ in range(random.randint(0, 4))]
    part = lambda: [size if random.random() < 0.8 else 1 for size in whole][random.randint(0, len(whole)):]
    left, right = part(), part()
    return left, right, list(torch.broadcast_shapes(left, right))


def same(name, got, expected, what):
    bits = lambda tensor: torch.view_as_real(tensor) if tensor.is_complex() else tensor
    got, expected = bits(got), bits(expected)
    if got.dtype.is_floating_point:
        # One NaN is like another.
        is_equal = torch.equal(got.isnan(), expected.isnan()) and torch.equal(
            got.nan_to_num(7.25), expected.nan_to_num(7.25)
        )
    else:
        is_equal = torch.equal(got, expected)
    if not is_equal:
        torch.set_printoptions(precision=17)
        places = (got != expected).logical_and(~(got.isnan() & expected.isnan())).nonzero().tolist()[:3]
        other = [(place, got[tuple(place)], expected[tuple(place)]) for place in places]
        raise SystemExit(f"{name} {what}\n  got {got}\n  expected {expected}\n  unequal {other}")


def near(name, got, expected, what):
    """Compares numbers that are rounded in other places than torch's."""
    bound = 1e-6 if expected.dtype in (torch.float32, torch.complex64) else 1e-14
    is_near = torch.isclose(got, expected, rtol=bound, atol=0, equal_nan=True)
    if not bool(is_near.logical_or(~expected.abs().isfinite() & torch.tensor(got.is_complex())).all()):
        raise SystemExit(f"{name} {what}\n  got {got}\n  expected {expected}")


def widened(of, *tensors):
    """What `of` computes, of halves in f32: torch rounds a scalar to a half in some kernels only."""
    dtype = tensors[0].dtype
    if dtype not in (torch.float16, torch.bfloat16):
        return of(*tensors)
    return of(*[tensor.float() for tensor in tensors]).to(dtype)


def wider(dtype):
    """A dtype for out: that of the result, or another one that it can be cast to."""
    order = [[torch.bool], INTEGERS, FLOATS, COMPLEX]
    rank = next(place for place, some in enumerate(order) if dtype in some)
    others = [other for some in order[max(rank, 1):] for other in some]
    return dtype if random.random() < 0.5 else random.choice(others)


def checked(name, given, out, expected, what, agrees=same):
    """Calls an operator, and its form in place where out has self's shape and dtype."""
    call("aclnn" + name, *given, out)
    agrees(name, out.read(), expected.to(out.tensor.dtype), what)
    first = given[0].tensor
    if first.dtype == expected.dtype and first.shape == expected.shape:
        call("aclnnInplace" + name, *given)
        agrees("Inplace" + name, given[0].read(), expected, what)


def arithmetic():
    for name, of, alpha in [("Add", torch.add, True), ("Sub", torch.sub, True), ("Mul", torch.mul, False),
                            ("Div", torch.div, False)]:
        for _ in range(CALLS):
            a, b, shape = shapes()
            # Complex numbers are compared in `complex_numbers`.
            dtypes = [dtype for dtype in DTYPES if dtype not in COMPLEX]
            left, right = filled(random.choice(dtypes), a), filled(random.choice(dtypes), b)
            what = f"{left} {right}"
            result = torch.result_type(torch.empty(1, dtype=left.dtype), torch.empty(1, dtype=right.dtype))
            if not (result == torch.bool and name == "Sub"):
                # Of floats, products with alpha are exact: torch fuses multiplication and addition
                # in most places of a tensor, but not in all.
                factor = random.choice([1, 2, -3] if not result.is_floating_point else [1, 0.5, -2])
                factor = 1 if result == torch.bool else factor
                more = {"alpha": factor} if alpha else {}
                # The cast comes first: torch takes another dtype for a tensor of rank 0.
                expected = widened(lambda left, right: of(left, right, **more), left.to(result), right.to(result))
                out = OnDevice(filled(wider(expected.dtype), shape))
                given = [OnDevice(left), OnDevice(right)] + ([scalar(factor)] if alpha else [])
                checked(name, given, out, expected, f"{what} {factor}")
            left = filled(random.choice(dtypes), a)
            value = random.choice([2, -1, 0.3])
            if left.dim() == 0 or name == "Sub" and left.dtype == torch.bool:
                continue
            expected = widened(lambda left: of(left, value), left)
            out = OnDevice(filled(wider(expected.dtype), a))
            if not left.dtype.is_floating_point and isinstance(value, float) and out.tensor.dtype == torch.float64:
                expected = of(left.double(), value)
            elif out.tensor.dtype == torch.complex128 and isinstance(value, float):
                out = OnDevice(filled(expected.dtype, a))
            checked(name + "s", [OnDevice(left), scalar(value)] + ([scalar(1)] if alpha else []), out, expected,
                    f"{left} {value}")
    for _ in range(CALLS):
        a, b, shape = shapes()
        dtypes = INTEGERS + [torch.bool]
        left, right = filled(random.choice(dtypes), a), filled(random.choice(dtypes), b)
        what = f"{left} {right}"
        result = torch.result_type(torch.empty(1, dtype=left.dtype), torch.empty(1, dtype=right.dtype))
        expected = left.to(result) & right.to(result)
        out = OnDevice(filled(wider(result), shape))
        if out.tensor.dtype in dtypes:
            checked("BitwiseAndTensor", [OnDevice(left), OnDevice(right)], out, expected, what)
        left = filled(random.choice(INTEGERS), a)
        value = random.choice([5, -1, 0x1FF])
        if left.dim():
            expected = torch.bitwise_and(left, value)
            out = OnDevice(filled(random.choice(INTEGERS), a))
            checked("BitwiseAndScalar", [OnDevice(left), scalar(value)], out, expected, f"{left} {value}")


def complex_numbers():
    """Sums of complex numbers bit for bit; products and quotients of small ones nearly."""
    for _ in range(CALLS):
        a, b, shape = shapes()
        left, right = filled(random.choice(DTYPES), a, special=False), filled(random.choice(COMPLEX), b)
        right = torch.where(right == 0, torch.ones_like(right), right)
        result = torch.result_type(torch.empty(1, dtype=left.dtype), torch.empty(1, dtype=right.dtype))
        wide = [left.to(result), right.to(result)]
        for name, of, alpha in [("Add", torch.add, True), ("Sub", torch.sub, True), ("Mul", torch.mul, False),
                                ("Div", torch.div, False)]:
            expected = of(*wide)
            out = OnDevice(filled(result, shape))
            call("aclnn" + name, OnDevice(left), OnDevice(right), *([scalar(1)] if alpha else []), out)
            got = out.read()
            if alpha:
                same(name, got, expected, f"{left} {right}")
                continue
            near(name, got, expected, f"{left} {right}")


def comparisons():
    for name, of in [("Eq", torch.eq), ("Ne", torch.ne), ("Lt", torch.lt), ("Le", torch.le), ("Gt", torch.gt),
                     ("Ge", torch.ge)]:
        for _ in range(CALLS):
            a, b, shape = shapes()
            dtypes = [dtype for dtype in DTYPES if name in ("Eq", "Ne") or dtype not in COMPLEX]
            left, right = filled(random.choice(dtypes), a), filled(random.choice(dtypes), b)
            result = torch.result_type(torch.empty(1, dtype=left.dtype), torch.empty(1, dtype=right.dtype))
            out = OnDevice(filled(torch.bool, shape))
            call(f"aclnn{name}Tensor", OnDevice(left), OnDevice(right), out)
            same(name, out.read(), of(left.to(result), right.to(result)), f"{left} {right}")
            value = random.choice([2, 0, 0.3, -1, 300])
            if left.dim():
                out = OnDevice(filled(torch.bool, a))
                call(f"aclnn{name}Scalar", OnDevice(left), scalar(value), out)
                same(name + "s", out.read(), of(left, value), f"{left} {value}")
    for _ in range(CALLS):
        a, b, shape = shapes()
        dtype = random.choice(DTYPES)
        left, right = filled(dtype, a), filled(dtype, b)
        if random.random() < 0.5:
            a = b = shape
            left = filled(dtype, a)
            right = left.clone()
        out = OnDevice(filled(torch.bool, [1]))
        call("aclnnEqual", OnDevice(left), OnDevice(right), out)
        same("Equal", out.read(), torch.tensor([torch.equal(left, right)]), f"{left} {right}")
        if dtype in INTEGERS + [torch.float32, torch.float64, torch.bool] + COMPLEX:
            out = OnDevice(filled(torch.bool, list(torch.broadcast_shapes(a, b))))
            both_nan = random.random() < 0.5
            call("aclnnIsClose", OnDevice(left), OnDevice(right), ctypes.c_double(0.1), ctypes.c_double(0.5),
                 ctypes.c_bool(both_nan), out)
            both = torch.broadcast_tensors(left, right)
            expected = torch.isclose(*both, rtol=0.1, atol=0.5, equal_nan=both_nan)
            same("IsClose", out.read(), expected, f"{left} {right}")


def moves():
    for _ in range(3 * CALLS):
        a, _, shape = shapes()
        source, target = random.choice(DTYPES), random.choice(DTYPES)
        if source in COMPLEX and target not in COMPLEX:
            continue
        tensor = filled(source, a, special=target not in INTEGERS)
        if target in INTEGERS and source in FLOATS:
            # What C++ leaves open is left out.
            bounds = torch.iinfo(target)
            tensor = tensor.double().clamp(max(bounds.min, -1e9), min(bounds.max, 1e9)).to(source)
        out = OnDevice(filled(target, shape))
        expected = torch.empty(shape, dtype=target).copy_(tensor)
        call("aclnnInplaceCopy", out, OnDevice(tensor))
        same("InplaceCopy", out.read(), expected, f"{tensor}")
        out = OnDevice(filled(target, a))
        call("aclnnCast", OnDevice(tensor), CODES[target], out)
        same("Cast", out.read(), tensor.to(target), f"{tensor}")
    for _ in range(CALLS):
        dtype = random.choice(DTYPES)
        shape = [random.choice([1, 2, 3]) for _ in range(random.randint(1, 3))]
        axis = random.randrange(len(shape))
        parts = [shape[:axis] + [random.choice([0, 1, 2])] + shape[axis + 1:] for _ in range(random.randint(1, 3))]
        tensors = [filled(dtype, part) for part in parts]
        held = [OnDevice(tensor) for tensor in tensors]
        handles = (P * len(held))(*[each.handle for each in held])
        many = P(function("aclCreateTensorList", P)(handles, ctypes.c_uint64(len(held))))
        expected = torch.cat(tensors, axis)
        out = OnDevice(filled(dtype, list(expected.shape)))
        call("aclnnCat", many, I64(axis - random.choice([0, len(shape)])), out)
        same("Cat", out.read(), expected, f"{tensors} {axis}")
        weight = filled(dtype, [4, random.choice([0, 1, 3])])
        indices = filled(torch.int64, [2, 3]).abs() % 4
        expected = torch.nn.functional.embedding(indices, weight)
        out = OnDevice(filled(dtype, list(expected.shape)))
        call("aclnnEmbedding", OnDevice(weight), OnDevice(indices), out)
        same("Embedding", out.read(), expected, f"{weight} {indices}")
        tensor = filled(dtype, [3, 2, 4])
        used = random.choice([[0], [1], [0, 1], [0, 2], [1, 2], [0, 1, 2]])
        index = [torch.randint(-2, 2, random.choice([[2], [3, 1], [3, 2]])) if axis in used else None for axis in range(3)]
        expected = tensor[tuple(slice(None) if each is None else each for each in index)]
        held = [OnDevice(torch.empty(0) if each is None else each) for each in index]
        handles = (P * 3)(*[each.handle for each in held])
        many = P(function("aclCreateTensorList", P)(handles, ctypes.c_uint64(3)))
        out = OnDevice(filled(dtype, list(expected.shape)))
        call("aclnnIndex", OnDevice(tensor), many, out)
        same("Index", out.read(), expected, f"{tensor} {index}")
        a, b, shape = shapes()
        tensor, mask = filled(dtype, a), filled(torch.bool, b)
        expected = torch.nonzero(tensor)
        out = OnDevice(torch.zeros([tensor.numel(), tensor.dim()], dtype=torch.int64))
        call("aclnnNonzero", OnDevice(tensor), out)
        same("Nonzero", out.read()[:len(expected)], expected, f"{tensor}")
        expected = torch.masked_select(tensor, mask)
        out = OnDevice(torch.zeros([math.prod(shape)], dtype=dtype))
        call("aclnnMaskedSelect", OnDevice(tensor), OnDevice(mask), out)
        same("MaskedSelect", out.read()[:len(expected)], expected, f"{tensor} {mask}")
        expected = torch.nonzero(tensor)
        out = OnDevice(torch.zeros([tensor.dim(), tensor.numel()], dtype=torch.int64))
        call("aclnnNonzeroV2", OnDevice(tensor), out)
        got = out.read().flatten()[:expected.numel()].reshape(tensor.dim(), len(expected))
        same("NonzeroV2", got, expected.T, f"{tensor}")
        out, other = OnDevice(tensor.clone()), random.choice([True, 3, -2, 1.5, 2 + 1j])
        for name, value in [("Zero", 0), ("One", 1), ("FillScalar", other)]:
            if value == 2 + 1j and dtype not in COMPLEX or value == -2 and dtype == torch.uint8:
                continue
            call("aclnnInplace" + name, out, *([scalar(value)] if name == "FillScalar" else []))
            same(name, out.read(), torch.full_like(tensor, value), f"{dtype} {value}")


def others():
    for _ in range(CALLS):
        a, _, _ = shapes()
        tensor = filled(random.choice(DTYPES), a)
        real = tensor.dtype not in COMPLEX
        for name, of, fits in [
            ("Abs", torch.abs, real and tensor.dtype != torch.bool), ("Ceil", torch.ceil, real and tensor.dtype != torch.bool),
            ("IsFinite", torch.isfinite, True), ("Neg", torch.neg, tensor.dtype != torch.bool),
            ("Min", torch.min, real and tensor.numel()), ("Max", torch.max, real and tensor.numel()),
        ]:
            if fits:
                expected = of(tensor)
                out = OnDevice(filled(expected.dtype, list(expected.shape)))
                call("aclnn" + name, OnDevice(tensor), out)
                same(name, out.read(), expected, f"{tensor}")
        # Sums of small integers are exact in any order.
        tensor = torch.nan_to_num(filled(random.choice(DTYPES), a, special=False)).clone()
        if tensor.dtype in FLOATS + COMPLEX:
            tensor = filled(torch.int8, a).clamp(-9, 9).to(tensor.dtype)
        axes = random.sample(range(tensor.dim()), random.randint(0, tensor.dim()))
        keeps = random.random() < 0.5
        expected = torch.sum(tensor, axes, keepdim=keeps)
        out = OnDevice(filled(expected.dtype, list(expected.shape)))
        array = P(function("aclCreateIntArray", P)(numbers(axes), ctypes.c_uint64(len(axes))))
        call("aclnnReduceSum", OnDevice(tensor), array, ctypes.c_bool(keeps), CODES[expected.dtype], out)
        same("ReduceSum", out.read(), expected, f"{tensor} {axes}")
        for name, of in [("All", torch.all), ("Any", torch.any)]:
            axes = random.sample(range(tensor.dim()), random.randint(1, tensor.dim())) if tensor.dim() else []
            # torch has other truths than bool for u8.
            expected = of(tensor.bool(), tuple(axes), keepdim=keeps) if axes else of(tensor.bool())
            array = P(function("aclCreateIntArray", P)(numbers(axes), ctypes.c_uint64(len(axes))))
            out = OnDevice(filled(torch.bool, list(expected.shape)))
            call("aclnn" + name, OnDevice(tensor), array, ctypes.c_bool(keeps), out)
            same(name, out.read(), expected, f"{tensor} {axes}")
        tensor = filled(random.choice(INTEGERS + FLOATS), a)
        is_float = tensor.dtype in FLOATS
        power = random.choice([0, 1, 2, 3] + ([0.5, -0.5, -1, -2] if is_float else [4, 5]))
        expected = widened(lambda base: torch.pow(base, power), tensor)
        if tensor.dim():
            out = OnDevice(filled(wider(expected.dtype), list(expected.shape)))
            checked("PowTensorScalar", [OnDevice(tensor), scalar(power)], out, expected, f"{tensor} {power}",
                    # The roots of MKL are not always the nearest numbers.
                    near if power in (0.5, -0.5) and tensor.dtype == torch.float64 else same)
        # Means of small integers, whose sums are exact.
        tensor = filled(torch.int8, a).clamp(-9, 9).to(random.choice(FLOATS + COMPLEX))
        expected = widened(lambda tensor: torch.mean(tensor, axes, keepdim=keeps), tensor)
        array = P(function("aclCreateIntArray", P)(numbers(axes), ctypes.c_uint64(len(axes))))
        out = OnDevice(filled(expected.dtype, list(expected.shape)))
        call("aclnnMean", OnDevice(tensor), array, ctypes.c_bool(keeps), CODES[expected.dtype], out)
        agrees = near if expected.is_complex() else same
        agrees("Mean", out.read(), expected, f"{tensor} {axes}")
        start, step = random.choice([-3, 0, 2.5]), random.choice([1, -2, 0.1, 0.75])
        end = start + step * random.choice([0, 1, 3.5, 10])
        dtype = random.choice([torch.float32, torch.float64])
        expected = torch.arange(start, end, step, dtype=dtype)
        out = OnDevice(filled(dtype, list(expected.shape)))
        call("aclnnArange", scalar(start), scalar(end), scalar(step), out)
        if dtype == torch.float64:
            # torch adds multiples of step to every eighth number.
            if not torch.allclose(out.read(), expected, rtol=1e-15, atol=1e-15):
                raise SystemExit(f"Arange {start} {end} {step}: {out.tensor} {expected}")
        else:
            same("Arange", out.read(), expected, f"{start} {end} {step}")


def training():
    """Products of matrices of small integers, which are exact in any order, choices and repeats."""
    for _ in range(CALLS):
        dtype = random.choice(FLOATS)
        small = lambda shape: filled(torch.int8, shape).clamp(-4, 4).to(dtype)
        m, k, n, stack = (random.choice([0, 1, 2, 3]) for _ in range(4))
        self_, mat2 = small([m, k]), small([n, k]).t()
        stacked = small([1, k, n]).expand(max(1, stack), k, n)
        for name, left, right in [
            ("Mm", self_, mat2), ("Matmul", self_, mat2), ("BatchMatMul", small([stacked.shape[0], m, k]), stacked),
            ("Matmul", small([k]), mat2), ("Matmul", self_, small([k])), ("Matmul", small([k]), small([k])),
            ("Matmul", self_, stacked), ("Matmul", small([2, 1, m, k]), stacked),
        ]:
            expected = widened(torch.matmul, left, right)
            out = OnDevice(filled(dtype, list(expected.shape)))
            call("aclnn" + name, OnDevice(left), OnDevice(right), out, ctypes.c_int8(random.randint(0, 3)))
            same(name, out.read(), expected, f"{left} {right}")
        bias = small(random.choice([[], [n], [m, 1], [1, n], [m, n]]))
        beta, alpha = random.choice([0, 1, 2, -0.5]), random.choice([1, 3, 0.25])
        product = self_.double() @ mat2.double()
        expected = (beta * bias.double() + alpha * product).to(dtype)
        out = OnDevice(filled(dtype, [m, n]))
        given = [OnDevice(tensor) for tensor in (bias, self_, mat2)]
        call("aclnnAddmm", *given, scalar(beta), scalar(alpha), out, ctypes.c_int8(0))
        same("Addmm", out.read(), expected, f"{bias} {self_} {mat2} {beta} {alpha}")
        a, b, shape = shapes()
        left, right, mask = filled(random.choice(DTYPES), a), filled(random.choice(DTYPES), b), filled(torch.bool, b)
        result = torch.result_type(torch.empty(1, dtype=left.dtype), torch.empty(1, dtype=right.dtype))
        out = OnDevice(filled(result, shape))
        call("aclnnSWhere", OnDevice(mask), OnDevice(left), OnDevice(right), out)
        same("SWhere", out.read(), torch.where(mask, left.to(result), right.to(result)), f"{mask} {left} {right}")
        tensor = filled(random.choice(DTYPES), shape)
        value = filled(tensor.dtype, [])
        expected = tensor.clone().masked_fill_(mask, value)
        out = OnDevice(tensor.clone())
        call("aclnnInplaceMaskedFillTensor", out, OnDevice(mask), OnDevice(value))
        same("MaskedFillTensor", out.read(), expected, f"{tensor} {mask} {value}")
        number = random.choice([0, 1, 3])
        expected = tensor.clone().masked_fill_(mask, number)
        out = OnDevice(tensor.clone())
        call("aclnnInplaceMaskedFillScalar", out, OnDevice(mask), scalar(number))
        same("MaskedFillScalar", out.read(), expected, f"{tensor} {mask} {number}")
        repeats = [random.randint(0, 3) for _ in range(left.dim() + random.randint(0, 2))]
        expected = left.repeat(repeats)
        out = OnDevice(filled(left.dtype, list(expected.shape)))
        array = P(function("aclCreateIntArray", P)(numbers(repeats), ctypes.c_uint64(len(repeats))))
        call("aclnnRepeat", OnDevice(left), array, out)
        same("Repeat", out.read(), expected, f"{left} {repeats}")
        tensor = filled(random.choice(DTYPES[:-2]), a)
        double = tensor.double() if tensor.dtype not in FLOATS else tensor
        expected = (double if tensor.dtype == torch.float64 else double.double()).exp()
        expected = expected.to(tensor.dtype if tensor.dtype in FLOATS else torch.float32)
        out = OnDevice(filled(expected.dtype, list(tensor.shape)))
        call("aclnnExp", OnDevice(tensor), out)
        exponential(out.read(), expected, tensor)


def exponential(got, expected, tensor):
    """Nearly as torch's, whose exponentials of f64 are its own: to the last bit of shorter floats."""
    bound = {torch.float16: 1e-3, torch.bfloat16: 8e-3, torch.float32: 2e-7, torch.float64: 1e-15}[got.dtype]
    if not torch.allclose(got.double(), expected.double(), rtol=bound, atol=0, equal_nan=True):
        raise SystemExit(f"Exp {tensor}\n  got {got}\n  expected {expected}")


def unsigned():
    """The longer unsigned integers, against torch's signed ones with the same bits."""
    for _ in range(CALLS):
        a, b, shape = shapes()
        dtype = random.choice(UNSIGNED)
        signed = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}[dtype]
        left, right = filled(signed, a), filled(signed, b)
        given = [OnDevice(left.view(dtype)), OnDevice(right.view(dtype))]
        for name, expected, more in [("Add", left + right, [scalar(1)]), ("Sub", left - right, [scalar(1)]),
                                     ("Mul", left * right, []), ("BitwiseAndTensor", left & right, [])]:
            out = OnDevice(filled(signed, shape).view(dtype))
            call("aclnn" + name, *given, *more, out)
            same(name, out.read().view(signed), expected, f"{dtype} {left} {right}")
        flipped = [tensor ^ torch.iinfo(signed).min for tensor in (left, right)]
        for name, expected in [("EqTensor", left == right), ("LtTensor", flipped[0] < flipped[1]),
                               ("GeTensor", flipped[0] >= flipped[1])]:
            out = OnDevice(filled(torch.bool, shape))
            call("aclnn" + name, *given, out)
            same(name, out.read(), expected, f"{dtype} {left} {right}")


if __name__ == "__main__":
    random.seed(1)
    torch.manual_seed(1)
    must(function("aclInit")(None))
    must(function("aclrtSetDevice")(0))
    arithmetic()
    complex_numbers()
    unsigned()
    comparisons()
    moves()
    others()
    training()
    for name, count in sorted(calls.items()):
        print(f"{count:7} {name}")
    print(f"{calls.total()} calls agree with PyTorch {torch.__version__}")
