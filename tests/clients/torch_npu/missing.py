"""An operator that is not in the tree raises with its name, and all that follows is right.

In each mode of ACL_OP_INIT_MODE that set_env.sh's TASK_QUEUE_ENABLE=0 goes with.
"""

import os
import subprocess
import sys

MODES = ["0", "1", "2"]


def check(mode):
    import torch
    from client import bits, refused

    x = torch.arange(12.0).reshape(3, 4)
    y = x.npu()
    i, s = torch.tensor([[0, 1, 2, 2]]), torch.ones(1, 4)
    on_i, on_s = i.npu(), s.npu()
    # By the names that CANN's older calls have for operators.
    for name, work in {
        "Sin": lambda: y.sin(),
        "Sort": lambda: y.sort(),
        "MaskedScatter": lambda: y.clone().masked_scatter_(y > 3, y),
    }.items():
        words = [f"host-cann does not have the operator {name}"]
        if mode == "2":
            words = ["Acl op is disabled", "ACL_OP_INIT_MODE"]
        for _ in range(2):
            text = refused(work, *words)
            assert bits(torch.zeros(3, device="npu")) == bits(torch.zeros(3))
            wanted = torch.zeros(3, 4).scatter_add_(0, i, s)
            assert bits(torch.zeros(3, 4).npu().scatter_add_(0, on_i, on_s)) == bits(wanted)
            assert bits(y.gather(0, on_i)) == bits(x.gather(0, i)), name
        print(f"ACL_OP_INIT_MODE={mode}: {name}: {next(line for line in text.splitlines() if words[0] in line)}")
    if mode == "2":
        told_in_the_log()
    # Without an older call torch_npu names the newer one. Optimisers need `foreach=False`.
    for options, words in [({}, ["aclnnForeachAddList", "not in libopapi.so"]), ({"foreach": False}, [])]:
        weight = torch.nn.Parameter(torch.ones(3).npu())
        weight.grad = torch.ones(3).npu()
        step = torch.optim.SGD([weight], lr=0.5, **options).step
        if words:
            text = refused(step, *words).splitlines()[0]
        else:
            step()
            assert weight.tolist() == [0.5] * 3
        print(f"ACL_OP_INIT_MODE={mode}: SGD {options}: {text if words else 'works'}")


def told_in_the_log():
    """torch_npu refuses older calls before it says which: its log has the name."""
    program = "import torch, torch_npu; torch.ones(1).npu().sin()"
    environment = {**os.environ, "HOST_CANN_LOG": "1", "ASCEND_GLOBAL_LOG_LEVEL": "2"}
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300).stderr
    line = next(line for line in told.splitlines() if "aclnnSin or aclnnSinGetWorkspaceSize not in" in line)
    print(f"in the log: {line[line.index('aclnnSin'):]}")


if len(sys.argv) > 1:
    check(sys.argv[1])
else:
    assert os.environ["TASK_QUEUE_ENABLE"] == "0", "set_env.sh"
    for mode in MODES:
        environment = {**os.environ, "ACL_OP_INIT_MODE": mode}
        subprocess.run([sys.executable, __file__, mode], check=True, env=environment, timeout=300)
