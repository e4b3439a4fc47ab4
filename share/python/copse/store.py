# SPDX-License-Identifier: BSD-3-Clause
"""store.py - run.h5: its tables, as copse-format(5) describes them."""

import contextlib
import os
import shutil
import subprocess

import h5py
import numpy

from .tables import TABLES

FORMAT = "copse run"
VERSION = 1

_dtypes = {"u8": "u1", "u16": "u2", "u32": "u4", "i32": "i4", "u64": "u8",
           "f64": "f8", "string": "u4"}


class Error(Exception):
    """What could not be read, why, and what to do."""


def frame(columns, index=None):
    """A DataFrame; index names what the number of a row is."""
    if len({len(values) for values in columns.values()}) > 1:
        raise ValueError("its columns differ in length")
    try:
        import pandas
    except ImportError:
        return numpy.rec.fromarrays(list(columns.values()), names=list(columns))
    made = pandas.DataFrame(columns)
    made.index.name = index
    return made


def _merge(directory):
    # The copse that this module came with: of a build tree, or installed.
    above = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    command = (shutil.which(os.path.join(above, "copse")) or
               shutil.which(os.path.join(above, "..", "..", "bin", "copse")) or
               shutil.which("copse"))
    if not command:
        raise Error("%s: has no run.h5, and there is no copse here to make it: "
                    "copse merge %s" % (directory, directory))
    # --alone: or else only a launcher's first process merges.  "./-x" is no option.
    done = subprocess.run(
        [command, "merge", "-q", "--alone", os.path.join(".", directory)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not os.path.exists(os.path.join(directory, "run.h5")):
        raise Error("%s: has no run.h5, and it could not be made: %s" % (
            directory, done.stdout.decode(errors="replace").strip() or
            "copse merge ended with %d" % done.returncode))


def find(path):
    """The run.h5 of a profile, which is made if need be."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise Error("%s: there is no such file or folder" % path)
    if not os.path.isdir(path):
        return path
    if not os.path.exists(os.path.join(path, "run.h5")):
        _merge(path)
    return os.path.join(path, "run.h5")


class Store:
    """A run.h5 that is open.  Columns are read when they are asked for."""

    def __init__(self, path):
        self.path = path
        self._strings = None
        try:
            self.file = h5py.File(path, "r")
        except OSError as e:
            raise Error("%s: cannot be read: %s" % (path, e)) from e
        with self.reading("its format"):
            self._check(self.file.attrs)

    def _check(self, attrs):
        found = attrs.get("format", b"an HDF5 file").decode()
        if found != FORMAT:
            raise Error("%s: %s, but no %s: open run.h5, or the folder it is in" % (
                self.path, found, FORMAT))
        if attrs["version"] > VERSION:
            raise Error("%s: its format has version %d, and this module knows %d: "
                        "use the module of the copse that wrote it" % (
                            self.path, attrs["version"], VERSION))

    @contextlib.contextmanager
    def reading(self, what):
        """What goes wrong in here is the file's fault, not the caller's."""
        if not self.file:
            raise Error("%s: is closed" % self.path)
        try:
            yield
        except MemoryError as e:
            raise Error("%s: no memory is left for %s" % (self.path, what)) from e
        except (OSError, LookupError, ValueError, RuntimeError, TypeError,
                AttributeError) as e:
            raise Error("%s: damaged: %s: %s; remove it, and copse merge makes it "
                        "again" % (self.path, what, str(e).strip('"'))) from e

    @property
    def strings(self):
        if self._strings is None:
            text = self.raw("/", "strings").tobytes().decode(errors="replace")
            self._strings = numpy.array(text.split("\0")[:-1], object)
        return self._strings

    def columns(self, table):
        """Names and types of what the table has here, or would have."""
        words = TABLES.get(table, "").split()
        known = dict(zip(words[::2], words[1::2]))
        group = self.file.get(table)
        for name, data in group.items() if isinstance(group, h5py.Group) else ():
            if isinstance(data, h5py.Dataset):
                known.setdefault(name, "")
        if not known:
            raise Error("%s: no table '%s': copse-format(5) has their names" % (
                self.path, table))
        return known

    def _data(self, table, name):
        data = self.file[table][name]
        # Nothing is packed to less than a thousandth.
        if data.size * data.dtype.itemsize > 1100 * data.id.get_storage_size():
            raise ValueError("%s is shorter than it says" % name)
        return data

    def raw(self, table, name):
        """A column as it is; an empty one of a table that the run has not."""
        if table in TABLES and table not in self.file:
            return numpy.zeros(0, _dtypes[self.columns(table)[name]])
        return self._data(table, name)[()]

    def column(self, table, name):
        """The same with texts, not their numbers; zeros where an older file lacks it."""
        if table in self.file and name not in self.file[table]:
            values = numpy.zeros(len(self._data(table, next(iter(self.file[table])))), "u4")
        else:
            values = self.raw(table, name)
        texts = " " + TABLES.get(table, "")
        return self.strings[values] if " %s string" % name in texts else values

    def table(self, name):
        return {c: self.column(name, c) for c in self.columns(name)}
