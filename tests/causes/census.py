# SPDX-License-Identifier: BSD-3-Clause
"""Growth of towns: each rank has its counties, a region is settled a year."""
import math

import numpy as np
from options import Options


class County:
    def __init__(self, number):
        towns = np.arange(600, dtype=float)
        self.people = 1000.0 + 37.0 * ((towns * 7 + number) % 53)
        self.rate = 0.01 + 0.0001 * ((towns + number) % 11)

    def grow(self):
        room = 1.0 - self.people / 9000.0
        self.people += self.rate * self.people * room

    def total(self):
        return float(self.people.sum())


def attraction(home, away, distance):
    return math.log1p(home * away) / (1.0 + distance * distance)


def rows_of_moves(first, last, size, year):
    """The moves between the squares of a region, some rows of them."""
    moved = 0.0
    for i in range(first, last):
        home = 100.0 + (i * 13 + year) % 71
        for j in range(size):
            away = 100.0 + (j * 17 + year) % 67
            moved += attraction(home, away, abs(i - j))
    return moved


def resettle(year, options):
    """Any rank can settle a region: squares follow from their numbers."""
    size = 160
    if options.mended:
        first = size * options.rank // options.ranks
        last = size * (options.rank + 1) // options.ranks
        return rows_of_moves(first, last, size, year)
    if year % options.ranks == options.rank:
        return rows_of_moves(0, size, size, year)
    return 0.0


def age_pyramid(county, bins):
    shares = np.exp(-0.05 * np.arange(bins))
    shares /= shares.sum()
    return shares * county.total()


def close_year(options, counties, moved):
    pyramid = np.zeros(80)
    for county in counties:
        pyramid += age_pyramid(county, 80)
    whole = np.empty_like(pyramid)
    options.comm.Allreduce(pyramid, whole)
    return moved + 1e-6 * whole[0] / options.ranks


def main():
    options = Options()
    counties = [County(options.rank * 100 + i) for i in range(30)]
    result = 0.0
    for year in range(options.times(60) * options.ranks):
        for _ in range(6):
            for county in counties:
                county.grow()
        moved = resettle(year, options)
        result += close_year(options, counties, moved)
    options.report(result)


if __name__ == "__main__":
    main()
