# SPDX-License-Identifier: BSD-3-Clause
# cupy-spin.py - CuPy: a kernel that is compiled while the program runs, launched
# a known number of times, and how long it took by the device's clock.
import sys

COUNT = 12
MS = 1000000

SOURCE = r"""
extern "C" __global__ void spin_cupy(unsigned long long ns,
                                     unsigned long long *spent)
{
    unsigned long long start, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < ns);
    *spent += now - start;
}
"""


def skip(why):
    sys.stderr.write("skip: %s\n" % why)
    sys.exit(77)


try:
    import cupy
except ImportError:
    skip("needs CuPy")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    skip("needs a GPU that CuPy can use")


def main():
    spin = cupy.RawKernel(SOURCE, "spin_cupy")
    spent = cupy.zeros(1, dtype=cupy.uint64)
    for _ in range(COUNT):
        spin((1,), (1,), (cupy.uint64(MS), spent))
    cupy.cuda.Device().synchronize()
    print("truth kernel spin_cupy * launches", COUNT)
    print("measured kernel spin_cupy * time %.9f" % (int(spent[0]) * 1e-9))


main()
