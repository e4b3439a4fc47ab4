# SPDX-License-Identifier: BSD-3-Clause
"""DEPTH WORK: as deep as that, so many rounds of a loop in the last function, or
with CALLS a third, that many calls of all of them, or with PATHS a fourth, of
functions of their own on so many paths: prints its CPU seconds."""
import random
import sys
import time

STEP = """
def step_{level}{side}(path, n):
    step = step_{next}b if path & 1 else step_{next}a
    return step(path >> 1, n)
"""


def spin(n):
    s = 0
    for i in range(n):
        s += i
    return s


def down(depth, n):
    return down(depth - 1, n) if depth else spin(n)


def steps(depth):
    made = {}
    for side in "ab":
        made["step_%d%s" % (depth, side)] = lambda path, n: spin(n)
    exec("".join(STEP.format(level=i, side=side, next=i + 1)
                 for i in range(depth) for side in "ab"), made)
    return made["step_0a"]


depth, work = int(sys.argv[1]), int(sys.argv[2])
calls = int(sys.argv[3]) if sys.argv[3:] else 1
if sys.argv[4:]:
    down = steps(depth - 3)
    turns = random.Random(1)
    paths = [turns.getrandbits(depth) for _ in range(int(sys.argv[4]))]
else:
    paths = [depth - 2]
start = time.process_time()
for i in range(calls):
    down(paths[i % len(paths)], work // calls)
print(time.process_time() - start)
