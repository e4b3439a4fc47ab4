# SPDX-License-Identifier: BSD-3-Clause
"""Frames of Python that come and go: recursion to the limit, generators that
are dropped half way, exceptions, finalisers, code that is made and forgotten at
the same place, other interpreters, threads that end and threads that the end of
the program meets.
"""
import gc
import sys
import threading
import time

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

until = time.monotonic() + float(sys.argv[-1])
failures = []


def busy():
    return time.monotonic() < until


def deeper(n):
    return deeper(n + 1)


def recursion():
    try:
        deeper(0)
    except RecursionError:
        return
    failures.append("no limit")


def halves(n):
    for i in range(n):
        yield i
        yield from halves(n // 2)


def dropped():
    for n, i in zip(halves(8), range(20)):
        if i == 17:
            break


def thrown(n):
    try:
        if n:
            thrown(n - 1)
        raise ValueError(n)
    except ValueError as e:
        if n % 3 == 0:
            return
        raise KeyError(n) from e
    finally:
        sum(range(20))


def exceptions():
    try:
        thrown(10)
    except KeyError:
        pass


class Collected:
    def __init__(self):
        self.me = self

    def __del__(self):
        list(halves(3))


def cycles():
    for _ in range(50):
        Collected()
    gc.collect(0)


def made():
    """Each is as long as the other, and takes its place."""
    for i in range(30):
        names = {}
        exec("def made_%02d():\n%s return sum(range(%d))"
             % (i, " pass\n" * (i % 3), 100 + i), names)
        if names["made_%02d" % i]() != sum(range(100 + i)):
            failures.append("made")


async def awaited(n):
    return await awaited(n - 1) if n else 1


def coroutines():
    try:
        awaited(30).send(None)
    except StopIteration as e:
        if e.value != 1:
            failures.append("awaited")


def storm():
    for one in (recursion, dropped, exceptions, cycles, made, coroutines):
        one()


INNER = """
def within(n): return within(n - 1) if n else sum(x for x in range(20))
for _ in range(1000): within(20)
"""


def others():
    while busy():
        one = interpreters.create()
        if interpreters.run_string(one, INNER):
            failures.append("another interpreter")
        interpreters.destroy(one)


def brief():
    while busy():
        threads = [threading.Thread(target=storm) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()


def forever():
    while True:
        storm()


beside = [threading.Thread(target=one) for one in (brief, others)]
for t in beside:
    t.start()
while busy():
    storm()
for t in beside:
    t.join()
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.05)
print("failures", failures)
