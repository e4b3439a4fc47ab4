# SPDX-License-Identifier: BSD-3-Clause
"""DEPTH WORK: as deep as that, so many rounds of a loop in the last function, or
with CALLS a third, that many calls of all of them: prints its CPU seconds."""
import sys
import time


def spin(n):
    s = 0
    for i in range(n):
        s += i
    return s


def down(depth, n):
    return down(depth - 1, n) if depth else spin(n)


depth, work = int(sys.argv[1]), int(sys.argv[2])
calls = int(sys.argv[3]) if sys.argv[3:] else 1
start = time.process_time()
for _ in range(calls):
    down(depth - 2, work // calls)
print(time.process_time() - start)
