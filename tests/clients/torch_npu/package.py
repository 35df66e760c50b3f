"""The operators of a package in ASCEND_CUSTOM_OPP_PATH go before the tree's, and all calls to them."""

import os

os.environ["ASCEND_CUSTOM_OPP_PATH"] = os.path.join(os.environ["COUNTING"], "package")

import torch  # noqa: E402
from client import Calls, bits, small  # noqa: E402
from counting import Counter  # noqa: E402

PACKAGE = Counter("package/op_api/lib/libcust_opapi.so", torch.npu.synchronize)
RUNS = 50

generator = torch.Generator().manual_seed(3)
with Calls(aclnnScatterAdd=0, aclnnInplaceScatter=0):
    with Calls(PACKAGE, aclnnScatterAdd=RUNS, aclnnInplaceScatter=RUNS):
        for _ in range(RUNS):
            x, s = small(generator, torch.float32, (4, 6)), small(generator, torch.float32, (4, 5))
            i = torch.randint(0, 6, (4, 5), generator=generator)
            got = x.npu().scatter_add_(1, i.npu(), s.npu())
            assert bits(got) == bits(x.clone().scatter_add_(1, i, s))
            got = x.npu().scatter_(1, i.npu(), s.npu())
            assert bits(got) == bits(x.clone().scatter_(1, i, s))
print(f"{2 * RUNS} calls of the package's operators, none of the tree's")
