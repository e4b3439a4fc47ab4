# SPDX-License-Identifier: BSD-3-Clause
"""Grains of a cooling melt: growth is local, sizes are reported each stage."""
import numpy as np
from options import Options


class Melt:
    def __init__(self, rank, count):
        numbers = np.arange(count)
        self.radius = 1.0 + 0.1 * ((numbers * 7 + rank) % 13)
        self.tilt = 0.01 * ((numbers * 5 + rank) % 180)

    def coarsen(self, sweeps):
        for _ in range(sweeps):
            mean = self.radius.mean()
            self.radius += 0.001 * (1.0 / mean - 1.0 / self.radius)
            self.tilt = np.mod(self.tilt + 0.01 * np.sin(self.tilt), 1.8)


def size_line(radius, tilt):
    area = 3.14159 * radius * radius
    return "%10.5f %10.5f %8.3f" % (radius, area, tilt)


def describe(grains):
    """What the report says of grains: letters, and digits that add up."""
    letters = 0
    for radius, tilt in grains:
        line = size_line(radius, tilt)
        letters += len(line) + sum(map(int, line[-3:].strip(". ")))
    return letters


def stage_report(options, melt):
    own = list(zip(melt.radius.tolist(), melt.tilt.tolist()))
    if options.mended:
        return options.comm.reduce(describe(own), root=0) or 0
    everyone = options.comm.gather(own, root=0)
    if options.rank:
        return 0
    return sum(describe(grains) for grains in everyone)


def boundary_energy(options, melt):
    own = np.array([float(np.abs(np.diff(melt.tilt)).sum())])
    whole = np.empty(1)
    options.comm.Allreduce(own, whole)
    return whole[0]


def main():
    options = Options()
    melt = Melt(options.rank, 4000)
    result = 0.0
    for _ in range(options.times(160)):
        melt.coarsen(60)
        result += 1e-3 * boundary_energy(options, melt)
        result += stage_report(options, melt)
    options.report(result)


if __name__ == "__main__":
    main()
