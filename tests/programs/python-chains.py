# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program whose functions are named by the path that they are called
on, or checks the profile of one.

    python-chains.py write [THREADS SECONDS [TURNS]]   the program
    python-chains.py check PROGRAM FOLDED CSV          what copse says of it

A function is the name of its caller, "_", how it is called, and a number.
"""
import random
import re
import sys

KINDS = {
    "d": "{child}()",                       # called
    "s": "sorted([1], key={child})",        # called back from C
    "m": "list(map({child}, [1]))",
    "p": "functools.partial({child})()",
    "r": "functools.reduce({child}, [1, 2])",
    "k": "Callback({child})()",             # from C that knows no Python
    "g": "for _ in {child}(): pass",        # a generator
    "f": "list(passed_on({child}))",        # one that yields from another
    "c": "drive({child}())",                # a coroutine, or awaited in one
    "a": "drive(take_all({child}))",        # an asynchronous generator
    "x": "fail({child})",                   # in the handler of an exception
    "o": "Caller({child}).attribute",       # a property
    "n": "Caller({child}) + 1",             # what C calls for an operator
    "b": "Kept({child})",                   # as an object is deleted
    "w": "with Caller({child}): pass",
    "l": "(lambda: {child}())()",
    "t": "[{child}() for _ in [1]]",        # from 3.12 on no frame of its own
    "i": "again(5, {child})",               # a recursion
    "e": "eval('{child}()')",
}

# What is between a function and one that it calls so.
BETWEEN = {
    "f": ["passed_on"],
    "c": ["drive"],
    "a": ["drive", "take_all"],
    "x": ["fail"],
    "o": ["Caller.attribute"],
    "n": ["Caller.__add__"],
    "b": ["Kept.__del__"],
    "w": ["Caller.__enter__"],
    "l": ["<lambda>"],
    "i": ["again"] * 6,
    "e": ["<module>"],
}
AWAITED = {"c": [], "a": ["take_all"]}

if sys.version_info < (3, 11):  # code does not know its qualified name
    for frames in BETWEEN.values():
        frames[:] = [frame.split(".")[-1] for frame in frames]

queue = []

HEAD = '''import ctypes, functools, sys, threading, time
Callback = ctypes.CFUNCTYPE(None)
def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration:
        pass
async def take_all(generator):
    async for _ in generator(): pass
def passed_on(generator):
    yield from generator()
def fail(then):
    try:
        raise ValueError
    except ValueError:
        return then()
def again(n, then):
    return again(n - 1, then) if n else then()
class Kept:
    def __init__(self, then): self.then = then
    def __del__(self): self.then()
class Caller:
    def __init__(self, then): self.then = then
    @property
    def attribute(self): return self.then()
    def __add__(self, other): return self.then()
    def __enter__(self): return self.then()
    def __exit__(self, *_): pass
'''


def some_kinds(count):
    """In turn, so that each is there."""
    if len(queue) < count:
        queue.extend(random.sample(sorted(KINDS), len(KINDS)))
    return [queue.pop(0) for _ in range(count)]


def write_function(out, name, depth, turns):
    kind = name.split("_")[-1][0]
    children = []
    if depth:
        for number, how in enumerate(some_kinds(3)):
            children.append((how, "%s_%s%d" % (name, how, number)))
    for how, child in children:
        write_function(out, child, depth - 1, turns)
    out.append("%sdef %s(*_):" % ("async " if kind in "ca" else "", name))
    out.append("    total = 0 # " + name)
    for how, child in children:
        text = KINDS[how].format(child=child)
        if kind in "ca" and how in "ca":
            text = {"c": "await %s()", "a": "await take_all(%s)"}[how] % child
        out.append("    %s # %s" % (text, name))
    if not children:
        out.append("    for i in range(%d): total += i * i # %s" % (turns, name))
    if kind in "gfa":
        out.append("    yield total # %s" % name)
        out.append("    yield total # %s" % name)
    elif kind not in "ckn":
        out.append("    return total # %s" % name)


def write(threads=1, seconds=1.0, turns=400):
    random.seed(7)
    out = [HEAD]
    for root in "abcd"[:threads]:
        write_function(out, "n" + root, 4, turns)
    out.append("def run(function):")
    out.append("    until = time.thread_time() + %f" % seconds)
    out.append("    while time.thread_time() < until: function()")
    roots = ["n" + root for root in "abcd"[:threads]]
    for root in roots[1:]:
        out.append("t%s = threading.Thread(target=run, args=(%s,));"
                   " t%s.start()" % (root, root, root))
    out.append("run(na)")
    for root in roots[1:]:
        out.append("t%s.join()" % root)
    out.append("print('done')")
    print("\n".join(out))


def is_function(name):
    return re.fullmatch(r"n[abcd](_[a-z]\d)*", name)


def is_called(before, name, between):
    """With all that is between them, and called by the right one."""
    caller, _, how = name.rpartition("_")
    awaited = before.split("_")[-1][0] in "ca" and how[0] in AWAITED
    wanted = (AWAITED if awaited else BETWEEN).get(how[0], [])
    between = [frame.split(".<locals>.")[-1] for frame in between]
    seen = [frame for frame in between if frame in wanted]
    return caller == before and seen == wanted


def is_chain(stack):
    """Each is called by the one before it, as its name says."""
    before, between = None, []
    for name in stack:
        if not is_function(name):
            between.append(name)
            continue
        if before is None and "_" in name:
            return False
        if before is not None and not is_called(before, name, between):
            return False
        before, between = name, []
    return True


def check_paths(path):
    good, bad = 0, {}
    for line in open(path):
        stack, _, count = line.rpartition(" ")
        names = [frame for frame in stack.split(";") if is_function(frame)]
        others = "_PyEval" in stack or "[partial.python]" in stack
        if names and is_chain(stack.split(";")) and not others:
            good += int(count)
        elif names or others:
            bad[stack] = bad.get(stack, 0) + int(count)
    wrong = sum(bad.values())
    print("%d of %d samples as they must be" % (good, good + wrong))
    for stack in sorted(bad, key=bad.get)[-5:]:
        print(bad[stack], stack)
    return good > 200 and wrong <= 0.005 * (good + wrong)


def check_lines(program, path):
    source = open(program).read().split("\n")
    seen = wrong = 0
    for line in open(path):
        found = re.match(r"(n[abcd](?:_[a-z]\d)*),[^,]*,[^,]*,(\d+),", line)
        if not found:
            continue
        seen += 1
        if not source[int(found[2]) - 1].endswith("# " + found[1]) and \
                not source[int(found[2]) - 1].startswith(
                    ("def " + found[1], "async def " + found[1])):
            wrong += 1
            print("not a line of", found[1] + ":", found[2])
    print("%d lines, %d of another function" % (seen, wrong))
    return seen > 20 and not wrong


if sys.argv[1] == "write":
    write(*(kind(text) for kind, text in
            zip((int, float, int), sys.argv[2:])))
else:
    good = check_paths(sys.argv[3])
    sys.exit(not (check_lines(sys.argv[2], sys.argv[4]) and good))
