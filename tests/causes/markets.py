# SPDX-License-Identifier: BSD-3-Clause
"""Prices of villages that trade with the next ones along a road."""
import math

import numpy as np
from options import Options


class Village:
    def __init__(self, rank, goods):
        numbers = np.arange(goods, dtype=float)
        self.price = 10.0 + np.sin(numbers + rank)
        self.stock = 100.0 + np.cos(numbers * 3 + rank)

    def produce(self, season):
        self.stock += 0.1 * np.sin(0.1 * season + self.price)
        self.price *= 1.0 + 1e-5 * (100.0 - self.stock)

    def trade(self, left, right):
        mean = 0.5 * (left + right)
        self.price += 0.01 * (mean - self.price)


def prices_beside(options, village):
    """The prices of both neighbours on the road."""
    rank, ranks = options.rank, options.ranks
    left, right = (rank - 1) % ranks, (rank + 1) % ranks
    if options.mended:
        few = options.comm
        after = few.sendrecv(village.price, dest=left, source=right)
        before = few.sendrecv(village.price, dest=right, source=left)
        return before, after
    everyone = options.comm.allgather((village.price, ledger(village)))
    return everyone[left][0], everyone[right][0]


def ledger(village):
    """What was paid for each good, as the allgather tells it to all."""
    return [{"good": i, "paid": p} for i, p in
            enumerate(village.price.tolist())]


def cost_of_living(village, baskets):
    total = 0.0
    prices = village.price.tolist()
    for basket in range(baskets):
        for good in range(basket, len(prices), baskets):
            total += math.log(prices[good]) / (1 + basket)
    return total


def main():
    options = Options()
    village = Village(options.rank, 2000)
    result = 0.0
    for season in range(options.times(200)):
        village.produce(season)
        before, after = prices_beside(options, village)
        village.trade(before, after)
        for baskets in (3, 5, 7, 11, 13, 17):
            result += cost_of_living(village, baskets)
    options.report(result)


if __name__ == "__main__":
    main()
