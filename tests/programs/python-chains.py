# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program whose functions are named by the path that they are called
on, or checks the profile of one.

    python-chains.py write [THREADS SECONDS]   the program
    python-chains.py check PROGRAM FOLDED CSV  what copse says of it

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
    "g": "for _ in {child}(): pass",        # a generator
    "c": "drive({child}())",                # a coroutine, or awaited in one
    "x": "fail({child})",                   # in the handler of an exception
    "o": "Caller({child}).attribute",       # a property
}

HEAD = '''import functools, sys, threading, time
def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration:
        pass
def fail(then):
    try:
        raise ValueError
    except ValueError:
        return then()
class Caller:
    def __init__(self, then): self.then = then
    @property
    def attribute(self): return self.then()
'''


def write_function(out, name, depth):
    kind = name.split("_")[-1][0]
    children = []
    if depth:
        for number, how in enumerate(random.sample(sorted(KINDS), 3)):
            children.append((how, "%s_%s%d" % (name, how, number)))
    for how, child in children:
        write_function(out, child, depth - 1)
    out.append("%sdef %s(*_):" % ("async " if kind == "c" else "", name))
    out.append("    total = 0 # " + name)
    for how, child in children:
        text = KINDS[how].format(child=child)
        if how == "c" and kind == "c":
            text = "await %s()" % child
        out.append("    %s # %s" % (text, name))
    if not children:
        out.append("    for i in range(400): total += i * i # %s" % name)
    if kind == "g":
        out.append("    yield total # %s" % name)
        out.append("    yield total # %s" % name)
    elif kind != "c":
        out.append("    return total # %s" % name)


def write(threads=1, seconds=1.0):
    random.seed(7)
    out = [HEAD]
    for root in "abcd"[:threads]:
        write_function(out, "n" + root, 4)
    out.append("until = time.time() + %f" % seconds)
    out.append("def run(function):")
    out.append("    while time.time() < until: function()")
    roots = ["n" + root for root in "abcd"[:threads]]
    for root in roots[1:]:
        out.append("t%s = threading.Thread(target=run, args=(%s,));"
                   " t%s.start()" % (root, root, root))
    out.append("run(na)")
    for root in roots[1:]:
        out.append("t%s.join()" % root)
    out.append("print('done')")
    print("\n".join(out))


def is_chain(names):
    """Each is called by the one before it, and nobody is missing."""
    before = None
    for name in names:
        if before is None and "_" in name:
            return False
        if before is not None and name.rpartition("_")[0] != before:
            return False
        before = name
    return True


def check_paths(path):
    good, bad = 0, {}
    for line in open(path):
        stack, _, count = line.rpartition(" ")
        names = [frame for frame in stack.split(";")
                 if re.fullmatch(r"n[abcd](_[a-z]\d)*", frame)]
        others = "_PyEval" in stack or "[partial.python]" in stack
        if names and is_chain(names) and not others:
            good += int(count)
        elif names or others:
            bad[stack] = bad.get(stack, 0) + int(count)
    wrong = sum(bad.values())
    print("%d samples as they must be, %d not" % (good, wrong))
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
    write(*(int(sys.argv[2]), float(sys.argv[3])) if sys.argv[2:] else ())
else:
    good = check_paths(sys.argv[3])
    sys.exit(not (check_lines(sys.argv[2], sys.argv[4]) and good))
