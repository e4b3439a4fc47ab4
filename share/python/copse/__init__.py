# SPDX-License-Identifier: BSD-3-Clause
"""copse - profiles of copse run as tables: copse.open("app.copse").functions.

Each is a DataFrame of pandas, or without pandas a structured array of numpy.
Times are in seconds, sizes in bytes.  doc/python.md has recipes.
"""

import os

import numpy

from .store import Error, Store, find, frame
from .tables import KINDS, PARTS, WAITS
from .tree import Tree

__all__ = ["open", "Run", "Error"]

_NONE = 2**32 - 1  # an index: of nothing


def open(path):
    """A Run: of run.h5, or of the folder that copse run wrote."""
    return Run(Store(find(path)))


def _lazy(make):
    """A property that is computed once; a failure says which file it was."""
    name = make.__name__

    def get(self):
        if name not in self._made:
            with self._store.reading(name.strip("_")):
                self._made[name] = make(self)
        return self._made[name]
    return property(get, doc=make.__doc__)


def _words(words, numbers):
    """Names of numbers; a newer copse may have more of them."""
    known = numpy.array(words + ("unknown",), object)
    return known[numpy.minimum(numbers, len(words))]


def _spread(count, length):
    """So many rows for each: whose each is, and its number there."""
    count = count.astype(int)
    if count.sum() != length or (count < 0).any():
        raise ValueError("%d rows are of %d" % (count.sum(), length))
    of = numpy.repeat(numpy.arange(len(count)), count)
    return of, numpy.arange(length) - (numpy.cumsum(count) - count)[of]


class Run:
    """A run that was measured: all its processes."""

    def __init__(self, store):
        self.path = store.path
        self._store = store
        self._made = {}

    def close(self):
        """What was read before remains."""
        self._store.file.close()

    def table(self, name):
        """A table of run.h5, with the columns and units of copse-format(5)."""
        with self._store.reading(name):
            return frame(self._store.table(name))

    @_lazy
    def info(self):
        """A dict: the command, the MPI library, the batch job."""
        return {name: value.decode(errors="replace") if isinstance(value, bytes)
                else int(value)
                for name, value in self._store.file["run"].attrs.items()}

    # Metrics and their values.

    @_lazy
    def _metrics(self):
        """Of each name: unit, merge, group in the file, what its numbers are divided by."""
        made = {}
        for key, group in self._store.file["metrics"].items():
            name, unit, merge = (group.attrs[word].decode()
                                 for word in ("name", "unit", "merge"))
            made[name] = unit, merge, "metrics/" + key, 1e9 if unit == "ns" else 1
        return made

    @_lazy
    def metrics(self):
        """What was measured: name, unit in the file, merge (sum, max or min)."""
        rows = [(name,) + about[:2] for name, about in self._metrics.items()]
        return frame({word: numpy.array([row[i] for row in rows], object)
                      for i, word in enumerate(("name", "unit", "merge"))})

    @_lazy
    def time(self):
        """The name of the metric that rows are sorted by, as in reports."""
        units = {n: about[0] for n, about in self._metrics.items() if about[1] == "sum"}
        names = ["cpu.time"] + [name for name in units if units[name] == "ns"]
        if (self._store.raw("ranks", "wall") == 1).any():
            names.insert(0, "wall.time")
        return next((name for name in names if name in units), None)

    def _sums(self):
        """Of each metric that is a sum, its name and its values of nodes."""
        for name, (_, merge, group, unit) in self._metrics.items():
            if merge == "sum":
                yield name, self._store.raw(group + "/stats", "sum") / unit

    def metric(self, name):
        """Values of one metric: node, process, value.  Those that are 0 have no row."""
        if name not in self._metrics:
            raise Error("%s: no metric '%s'; it has %s" % (
                self.path, name, ", ".join(self._metrics)))
        with self._store.reading(name):
            _, _, group, unit = self._metrics[name]
            value = self._store.raw(group + "/values", "value") / unit
            count = numpy.diff(self._store.raw(group, "first").astype(int))
            return frame({"node": _spread(count, len(value))[0],
                          "process": self._store.raw(group + "/values", "rank"),
                          "value": value})

    @_lazy
    def values(self):
        """Those of all metrics: metric, node, process, value."""
        parts = {name: self.metric(name) for name in self._metrics}
        names = numpy.array(list(parts), object)
        made = {"metric": numpy.repeat(names, [len(p) for p in parts.values()])}
        for name in ("node", "process", "value"):
            made[name] = numpy.concatenate([p[name] for p in parts.values()] or [[]])
        return frame(made)

    # The call tree.

    @_lazy
    def _tree(self):
        """With the kind of each node, and of which function's node it is a part."""
        tree = Tree(self._store.raw("nodes", "parent"))
        tree.kind = _words(KINDS, self._store.raw("nodes", "kind"))
        part = (tree.kind == "line") | (tree.kind == "loop")
        part[0] = False
        tree.frame = numpy.arange(len(part))
        while part[tree.frame].any():
            tree.frame = numpy.where(part[tree.frame], tree.parent[tree.frame], tree.frame)
        return tree

    def _context(self, node):
        """Columns for the node that a row is about."""
        return {"function": self._store.column("nodes", "function")[node],
                "node": node, "path": self._store.column("nodes", "path")[node]}

    @_lazy
    def nodes(self):
        """Calling contexts.  METRIC is a node's own, "METRIC (inc)" with all below."""
        store, tree = self._store, self._tree
        made = {"parent": tree.above, "depth": tree.depth, "kind": tree.kind,
                "inlined": store.raw("nodes", "flags") & 1 == 1}
        for name in ("function", "module", "file", "line", "path"):
            made[name] = store.column("nodes", name)
        for name, values in self._sums():
            made[name], made[name + " (inc)"] = values, tree.inclusive(values)
        return frame(made, "node")

    @_lazy
    def functions(self):
        """The same by function and module; of a recursion the outermost call counts."""
        store, tree = self._store, self._tree
        names = [store.raw("nodes", n)[tree.frame] for n in ("function", "module")]
        _, first, of = numpy.unique(names[0].astype("u8") << 32 | names[1],
                                    return_index=True, return_inverse=True)
        outer = tree.outermost(of)
        made = {"function": store.strings[names[0][first]],
                "module": store.strings[names[1][first]], "kind": tree.kind[first]}
        made["function"][made["function"] == ""] = "(no call path)"
        keep = (made["kind"] != "root") & (made["kind"] != "partial")
        order = numpy.arange(len(first))
        for name, values in self._sums():
            own = numpy.bincount(of, values, len(first))
            below = numpy.bincount(of[outer], tree.inclusive(values)[outer], len(first))
            made[name], made[name + " (inc)"] = own, below
            keep |= own > 0
            if name == self.time:
                order = numpy.lexsort((-below, -own))
        order = order[keep[order]]
        return frame({name: column[order] for name, column in made.items()})

    @_lazy
    def _paths(self):
        """With the name of each path's function."""
        paths = Tree(self._store.raw("paths", "parent"))
        paths.names = self._context(self._store.raw("paths", "node"))["function"]
        return paths

    def call_path(self, path):
        """The text of a row of paths: "burnt ← burn_fuel ← main"."""
        words = []
        while path > 0:
            words.append(self._paths.names[path])
            path = self._paths.parent[path]
        return " ← ".join(words)

    @_lazy
    def paths(self):
        """Call paths by function, as reports show them; METRIC as nodes have it.

        "METRIC (mean)", "(min)", "(max)" and "(most)", the process that has the
        maximum, are inclusive, and of the members.
        """
        store, tree = self._store, self._paths
        node, of = store.raw("paths", "node"), store.column("nodes", "path")
        if of.max() >= len(node):
            raise ValueError("path %d of %d" % (of.max(), len(node)))
        made = {"parent": tree.above, "depth": tree.depth, "kind": self._tree.kind[node]}
        for name in ("function", "module", "file", "line"):
            made[name] = store.column("nodes", name)[node]
        for name, values in self._sums():
            _, _, group, unit = self._metrics[name]
            made[name] = numpy.bincount(of, values, len(node))
            made[name + " (inc)"] = tree.inclusive(made[name])
            made[name + " (mean)"] = (store.raw(group + "/paths", "sum") / unit /
                                      self.info["members"])
            for most in ("min", "max"):
                made["%s (%s)" % (name, most)] = store.raw(group + "/paths", most) / unit
            made[name + " (most)"] = store.raw(group + "/paths", "max_rank")
        return frame(made, "path")

    @_lazy
    def tree(self):
        """What copse export hatchet writes: nested dicts."""
        nodes, made = self.nodes, []
        names = [("time", self.time)] if self.time else []
        names += [(name, name) for name, _ in self._sums()]
        metrics = [(to + suffix, nodes[name + suffix].tolist())
                   for to, name in names for suffix in ("", " (inc)")]
        columns = ("kind", "function", "module", "file", "line", "parent")
        rows = zip(*(nodes[name].tolist() for name in columns))
        for node, (kind, name, module, file, line, parent) in enumerate(rows):
            if kind == "line" and file:
                name = os.path.basename(file) + (":%d" % line if line else "")
            made.append({"frame": {"name": name if node else "all",
                                   "type": "statement" if kind == "line" else kind,
                                   "module": module, "file": file, "line": line},
                         "metrics": {to: values[node] for to, values in metrics},
                         "children": []})
            if node:
                made[parent]["children"].append(made[node])
        return made[:1]

    def hatchet(self):
        """The tree as a GraphFrame of Hatchet."""
        try:
            from hatchet import GraphFrame
        except ImportError as e:
            raise Error("there is no Hatchet here: pip install llnl-hatchet") from e
        return GraphFrame.from_literal(self.tree)

    # Processes, and what they did when.

    @_lazy
    def ranks(self):
        """The processes; rank is -1 of those that are not ranks of MPI."""
        column = self._store.column
        made = {"rank": column("ranks", "rank")}
        made["member"] = numpy.arange(len(made["rank"])) < self.info["members"]
        for name in ("pid", "host", "source", "command", "threads", "samples"):
            made[name] = column("ranks", name)
        for name, table, of in (
                ("elapsed", "ranks", "elapsed_ns"), ("cpu", "ranks", "cpu_ns"),
                ("process_cpu", "ranks", "process_cpu_ns"),
                ("mpi_elapsed", "ranks", "mpi_ns"), ("mpi_time", "ranks", "mpi_time_ns"),
                ("paused", "ranks", "paused_ns"), ("core_wait", "cores", "waited_ns"),
                ("waited", "waits/ranks", "waited_ns"),
                ("caused", "waits/ranks", "caused_ns")):
            seconds = column(table, of) / 1e9
            made[name] = seconds if len(seconds) else numpy.zeros(len(made["rank"]))
        return frame(made, "process")

    def _process(self, process):
        """Its number and its rank of MPI; -1: none."""
        process = numpy.where(process == _NONE, -1, process.astype(int))
        return process, numpy.append(self._store.raw("ranks", "rank"), -1)[process]

    @_lazy
    def split(self):
        """What the time of each process went into: process, rank, part, seconds."""
        table = self._store.table("split/ranks")
        process, rank = self._process(table["rank"])
        return frame({"process": process, "rank": rank,
                      "part": _words(PARTS, table["part"]),
                      "seconds": table["ns"] / 1e9})

    @_lazy
    def causes(self):
        """Why ranks waited in MPI: where, for whom, and what that one mostly did."""
        table = self._store.table("waits/causes")
        did = self._store.table("waits/contexts")
        known = numpy.flatnonzero(did["flags"] != 2)[::-1]  # the largest is the first
        node = numpy.zeros(len(table["kind"]), int)
        node[did["cause"][known]] = did["node"][known]
        did = self._context(node)
        made = dict(kind=_words(WAITS, table["kind"]), **self._context(table["victim"]))
        made["culprit"], made["culprit_rank"] = self._process(table["culprit"])
        made.update(did=did["function"], did_path=did["path"],
                    instances=table["instances"], seconds=table["ns"] / 1e9)
        for name in ("error", "clock", "indirect", "early"):
            made[name] = table[name + "_ns"] / 1e9
        return frame(made, "cause")

    @_lazy
    def waits(self):
        """Which rank waited for which, where and how long, a row for each cause."""
        table, causes = self._store.table("waits/victims"), self.causes
        made = {"cause": table["cause"].astype(int)}
        made["process"], made["rank"] = self._process(table["rank"])
        for name in ("kind", "function", "node", "path", "culprit", "culprit_rank"):
            made[name] = numpy.asarray(causes[name])[made["cause"]]
        made["seconds"] = table["ns"] / 1e9
        return frame(made)

    @_lazy
    def iterations(self):
        """Steps of the program on ranks; a row is of the mean of `each` of them."""
        ranks, rows, steps = (self._store.table("iterations/" + name)
                              for name in ("ranks", "rows", "step"))
        of, row = _spread(ranks["count"], len(rows["us"]))
        head, each, marked = (int(steps[name].sum())  # of one row, or none
                              for name in ("head", "each", "marked"))
        body = (row >= head) & (each > 1)
        number = numpy.where(body, head + (row - head) * each, row)
        each = numpy.where(body, each, 1)
        before = numpy.cumsum(rows["us"].astype(float)) - rows["us"]
        before -= before[numpy.arange(len(row)) - row]
        process, rank = self._process(ranks["rank"][of])
        made = {"process": process, "rank": rank, "iteration": number + 1 - marked,
                "each": each, "begin": ranks["begin_ns"][of] / 1e9 + before / 1e6}
        for name, us in (("seconds", "us"), ("mpi", "mpi_us"), ("gpu", "gpu_us")):
            made[name] = rows[us] / 1e6 / each
        return frame(made)

    @_lazy
    def timeline(self):
        """When each thread that calls MPI, and each GPU, was where: bins of time."""
        rows, cells = (self._store.table("timeline/" + t) for t in ("rows", "cells"))
        width = self._store.raw("timeline/axis", "width_ns").sum() / 1e9
        of, number = _spread(rows["cells"], len(cells["node"]))
        process, rank = self._process(rows["rank"][of])
        made = {"process": process, "rank": rank,
                "kind": _words(("thread", "others", "gpu"), rows["kind"])[of],
                "number": rows["number"][of], "bin": rows["first_bin"][of] + number}
        made["begin"] = made["bin"] * width
        made.update(self._context(cells["node"]))
        for name in ("known", "busy", "share", "mpi", "mpi_wait", "io", "gpu"):
            made[name] = cells[name] * (width / 255)
        others = made["kind"] == "others"  # their share is one of busy
        made["share"][others] *= made["busy"][others] / width
        return frame(made)

    @_lazy
    def kernels(self):
        """Kernels and graphs of GPUs by name, those with the most time first."""
        sums, kind = dict(self._sums()), self._tree.kind
        none = numpy.zeros(len(kind))
        node = numpy.flatnonzero((kind == "kernel") & (sums.get("gpu.launches", none) > 0))
        name, of = numpy.unique(self._store.raw("nodes", "function")[node],
                                return_inverse=True)
        count, seconds, queued, delay = (
            numpy.bincount(of, sums.get("gpu." + metric, none)[node], len(name))
            for metric in ("launches", "time", "queued", "delay"))
        made = {"kernel": self._store.strings[name], "count": count, "seconds": seconds,
                "mean": seconds / count,
                "shortest": numpy.full(len(name), numpy.inf),
                "longest": numpy.zeros(len(name)),
                "delay": delay / numpy.where(queued > 0, queued, numpy.nan)}
        for column, group, stat, best in (
                ("shortest", "metrics/gpu.time.min/stats", "least", numpy.minimum),
                ("longest", "metrics/gpu.time.max/stats", "most", numpy.maximum)):
            if len(name):
                best.at(made[column], of, self._store.raw(group, stat)[node] / 1e9)
        order = numpy.argsort(-seconds, kind="mergesort")
        return frame({key: column[order] for key, column in made.items()})
