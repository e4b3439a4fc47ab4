# SPDX-License-Identifier: BSD-3-Clause
"""tree.py - a tree whose rows are in depth-first order."""

import numpy


class Tree:
    """parent, above (the same, but -1 of the root), depth, and end of what is below."""

    def __init__(self, parent):
        parents = parent.tolist()
        if not parents or parents[0]:
            raise ValueError("it has no root")
        depth, end = [0] * len(parents), [len(parents)] * len(parents)
        above = [0]
        for node in range(1, len(parents)):
            while above[-1] > parents[node]:
                end[above.pop()] = node
            if above[-1] != parents[node]:
                raise ValueError("node %d is not in depth-first order" % node)
            depth[node] = len(above)
            above.append(node)
        self.parent = parent.astype(int)
        self.above = numpy.concatenate(([-1], self.parent[1:]))
        self.depth = numpy.array(depth)
        self.end = numpy.array(end)

    def inclusive(self, values):
        """Of each node, with all below it."""
        before = numpy.concatenate(([0], numpy.cumsum(values)))
        return before[self.end] - before[:-1]

    def outermost(self, group):
        """True: of the nodes of that group, it is below no other."""
        order = numpy.argsort(group, kind="mergesort")
        base = group[order].astype(int) * (len(group) + 1)
        reach = numpy.maximum.accumulate(base + self.end[order])
        outer = numpy.ones(len(group), bool)
        outer[order[1:]] = (base + order)[1:] >= reach[:-1]
        return outer
