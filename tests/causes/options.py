# SPDX-License-Identifier: BSD-3-Clause
"""What the Python programs share: PROGRAM [--mended] [SCALE]."""
import sys
import time
from mpi4py import MPI


class Options:
    def __init__(self):
        words = sys.argv[1:]
        self.mended = "--mended" in words
        numbers = [w for w in words if w != "--mended"]
        self.scale = float(numbers[0]) if numbers else 1.0
        self.comm = MPI.COMM_WORLD
        self.rank = self.comm.Get_rank()
        self.ranks = self.comm.Get_size()
        self.start = MPI.Wtime()

    def times(self, count):
        return max(1, int(count * self.scale))

    def report(self, result):
        total = self.comm.reduce(float(result), op=MPI.SUM, root=0)
        cpu = self.comm.reduce(time.process_time(), op=MPI.SUM, root=0)
        if self.rank == 0:
            print("result %.8g elapsed %.3f s cpu %.3f s"
                  % (total, MPI.Wtime() - self.start, cpu))
