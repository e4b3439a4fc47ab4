# SPDX-License-Identifier: BSD-3-Clause
"""launch-storm.py LIBRARY SECONDS - launches of the made CUDA, with the GIL and
without, from frames of Python that come and go: tasks that are loaded again and
again at one address, finalisers, generators that are dropped half way, recursion
to the limit, threads that end and threads that the end of the program meets.
"""
import atexit
import ctypes
import gc
import marshal
import random
import sys
import threading
import time

without_gil = ctypes.CDLL(sys.argv[1]).made_cudaLaunchKernel
with_gil = ctypes.PyDLL(sys.argv[1]).made_cudaLaunchKernel
until = time.monotonic() + float(sys.argv[2])


def launch(function=without_gil):
    function(b"alpha", 0, ctypes.c_uint64(10))


class Gone:
    def __init__(self):
        self.me = self

    def __del__(self):
        launch()
        launch(with_gil)


def halves():
    try:
        for i in range(5):
            launch()
            yield i
    finally:
        launch(with_gil)


def down(n):
    return down(n - 1) if n else launch()


def deeper():
    return deeper()


async def awaited(n):
    return await awaited(n - 1) if n else launch()


TEXTS = ["def task_%02d(launch):\n%s launch()" % (i, " x = 1\n" * (i % 5))
         for i in range(20)]
TASKS = [marshal.dumps(compile(text, "tasks.py", "exec").co_consts[0])
         for text in TEXTS]


def tasks():
    i, names = random.randrange(20), {}
    type(launch)(marshal.loads(TASKS[i]), {})(launch)
    exec(TEXTS[i], names)
    names["task_%02d" % i](launch)


def storm():
    for _ in range(20):
        tasks()
    Gone()
    gc.collect(0)
    dropped = halves()
    next(dropped)
    del dropped
    list(halves())
    down(60)
    try:
        awaited(20).send(None)
    except StopIteration:
        pass
    try:
        deeper()
    except RecursionError:
        pass


def brief():
    while time.monotonic() < until:
        threads = [threading.Thread(target=storm) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def forever():
    while True:
        storm()


beside = threading.Thread(target=brief)
beside.start()
while time.monotonic() < until:
    storm()
beside.join()
for _ in range(4):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.05)
last = Gone()
atexit.register(storm)
print("done")
