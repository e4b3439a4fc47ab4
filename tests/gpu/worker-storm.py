# SPDX-License-Identifier: BSD-3-Clause
"""worker-storm.py LIBRARY SECONDS - two threads launch kernels all the time, also
while the interpreter ends; a third one while the function waits that started all
of them, at any depth, from generators and code that goes again.
"""
import ctypes
import random
import sys
import threading
import time

made = ctypes.CDLL(sys.argv[1])


def engine(count):
    if count:
        made.made_by_worker(b"alpha", count)
    else:
        made.made_beside(b"delta")


def deep(depth, count):
    return deep(depth - 1, count) if depth else engine(count)


def generated(count):
    engine(count)
    yield count


def beside():
    thread = threading.Thread(target=sum, args=(range(1000),))
    thread.start()
    thread.join()


def again(count):
    exec("def task(engine): engine(%d)\ntask(engine)" % count, {"engine": engine})


engine(0)
engine(0)
rng = random.Random(7)
until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    rng.choice([
        lambda: deep(rng.randrange(400), rng.randrange(1, 5)),
        lambda: list(generated(rng.randrange(1, 4))),
        lambda: sum(range(rng.randrange(20000))),
        lambda: engine(rng.randrange(1, 50)),
        beside,
        lambda: again(2),
    ])()
print("done")
