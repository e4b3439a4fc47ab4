# SPDX-License-Identifier: BSD-3-Clause
# torch-profile.py - PyTorch profiles itself (torch.profiler, by CUPTI) after some
# steps: it sees all kernels of the steps that it profiles, each time again.
import sys

BEFORE = 10
STEPS = 5


def skip(why):
    sys.stderr.write("skip: %s\n" % why)
    sys.exit(77)


try:
    import torch
    from torch.profiler import ProfilerActivity, profile
except ImportError:
    skip("needs PyTorch")
if not torch.cuda.is_available():
    skip("needs a GPU that PyTorch can use")


def steps(count, scalar):
    for _ in range(count):
        scalar += 1
    torch.cuda.synchronize()


def kernels(session):
    cuda = torch.autograd.DeviceType.CUDA
    return sum(
        1
        for event in session.events()
        if event.device_type == cuda and "elementwise" in event.name
    )


def profiled(scalar):
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities) as session:
        steps(STEPS, scalar)
    return kernels(session)


def main():
    scalar = torch.zeros(1, device="cuda")
    steps(BEFORE, scalar)
    for _ in range(2):
        print("the profiler saw", profiled(scalar), "kernels")
    steps(STEPS, scalar)
    print("steps", int(scalar.item()))


main()
