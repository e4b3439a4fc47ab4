# SPDX-License-Identifier: BSD-3-Clause
"""A panel of firms on each rank; statistics of all of them each quarter."""
import numpy as np
from options import Options

COLUMNS = ["sales", "cost", "staff", "debt", "assets", "tax", "stock", "rent",
           "energy", "travel", "wages", "grants", "patents", "fees", "gifts",
           "losses", "orders", "returns", "claims", "leases", "loans",
           "bonds", "shares", "rights"]


class Panel:
    def __init__(self, rank, firms):
        numbers = np.arange(firms, dtype=float)
        self.data = {}
        for i, name in enumerate(COLUMNS):
            self.data[name] = 10.0 + np.sin(numbers * (i + 1) + rank)

    def next_quarter(self, trend):
        for name in COLUMNS:
            column = self.data[name]
            column *= 0.999
            column += 0.01 * trend

    def sums(self, name):
        column = self.data[name]
        return float(column.sum()), float((column * column).sum())


def column_statistics(options, panel):
    """Mean and variance of each column over all firms of all ranks."""
    firms = options.ranks * len(panel.data["sales"])
    table = []
    if options.mended:
        own = np.array([panel.sums(name) for name in COLUMNS])
        whole = np.empty_like(own)
        options.comm.Allreduce(own, whole)
        for total, square in whole.tolist():
            mean = total / firms
            table.append((mean, square / firms - mean * mean))
        return table
    one = np.empty(1)
    for name in COLUMNS:
        total, square = panel.sums(name)
        options.comm.Allreduce(np.array([total]), one)
        mean = float(one[0]) / firms
        options.comm.Allreduce(np.array([square]), one)
        table.append((mean, float(one[0]) / firms - mean * mean))
    return table


def regress(panel):
    """The slope of sales over each column."""
    sales = panel.data["sales"]
    slopes = []
    for name in COLUMNS[1:]:
        x = panel.data[name]
        slopes.append(float(np.dot(x, sales) / np.dot(x, x)))
    return sum(slopes)


def main():
    options = Options()
    panel = Panel(options.rank, 200)
    result = 0.0
    trend = 0.0
    for _ in range(options.times(2000)):
        panel.next_quarter(trend)
        table = column_statistics(options, panel)
        trend = sum(mean for mean, _ in table) / len(table) * 1e-3
        result += sum(variance for _, variance in table) / options.ranks
        result += 1e-3 * regress(panel)
    options.report(result)


if __name__ == "__main__":
    main()
