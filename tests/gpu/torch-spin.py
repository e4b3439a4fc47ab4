# SPDX-License-Identifier: BSD-3-Clause
# torch-spin.py - PyTorch: known numbers of matrix products, forward and, by its
# own thread, backward; a result that does not change.
import sys

STEPS = 10


def skip(why):
    sys.stderr.write("skip: %s\n" % why)
    sys.exit(77)


try:
    import torch
except ImportError:
    skip("needs PyTorch")
if not torch.cuda.is_available():
    skip("needs a GPU that PyTorch can use")


def main():
    torch.manual_seed(1)
    a = torch.randn(512, 512, device="cuda", requires_grad=True)
    b = torch.randn(512, 512, device="cuda")
    scalar = torch.zeros(1, device="cuda")
    for _ in range(STEPS):
        (a @ b).sum().backward()
        a.grad = None
        scalar += 1
    held = torch.empty(4 << 20, dtype=torch.uint8, pin_memory=True)
    for _ in range(3):
        held.to("cuda")
    torch.cuda.synchronize()
    print("steps", int(scalar.item()))
    print("truth pinned HtoD/pinned * bytes", 3 * (4 << 20))


main()
