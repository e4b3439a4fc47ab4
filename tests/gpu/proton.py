# SPDX-License-Identifier: BSD-3-Clause
# proton.py - Triton profiles itself (Proton, by a CUPTI of its own) after some
# launches: it sees all kernels that it profiles.
import json
import os
import sys
import tempfile

BEFORE = 10
STEPS = 7
SIZE = 1024


def skip(why):
    sys.stderr.write("skip: %s\n" % why)
    sys.exit(77)


try:
    import torch
    import triton
    import triton.language as tl
    import triton.profiler as proton
except ImportError:
    skip("needs Triton and its profiler")
if not torch.cuda.is_available():
    skip("needs a GPU that PyTorch can use")


@triton.jit
def add_one(at, size: tl.constexpr):
    i = tl.arange(0, size)
    tl.store(at + i, tl.load(at + i) + 1)


def steps(count, data):
    for _ in range(count):
        add_one[(1,)](data, SIZE)
    torch.cuda.synchronize()


def launches(node):
    own = node.get("metrics", {}).get("count", 0) or 0
    return own + sum(launches(below) for below in node.get("children", []))


def profiled(data, name):
    proton.start(name, backend="cupti")
    steps(STEPS, data)
    proton.finalize()
    with open(name + ".hatchet") as saved:
        trees = json.load(saved)
    return sum(launches(tree) for tree in trees if "children" in tree)


def main():
    data = torch.zeros(SIZE, device="cuda")
    steps(BEFORE, data)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "profile")
        print("the profiler saw", profiled(data, name), "kernels")
    steps(STEPS, data)
    print("sum", int(data.sum().item()))


main()
