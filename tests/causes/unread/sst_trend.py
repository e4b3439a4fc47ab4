# SPDX-License-Identifier: BSD-3-Clause
"""Trends of sea surface temperature: seasonal means are taken off, trends
fitted, and the leading patterns found, all by numpy on whole arrays."""
import sys

import numpy as np

MONTHS, POINTS = 360, 6000


def make_field(rng):
    t = np.arange(MONTHS)[:, None]
    field = rng.standard_normal((MONTHS, POINTS), dtype=np.float64)
    field += 3 * np.cos(2 * np.pi * t / 12) + 0.002 * t
    return field


def deseason(field):
    years = field.reshape(-1, 12, POINTS)
    years -= years.mean(axis=0)
    return field


def trend(field):
    t = np.arange(MONTHS) - (MONTHS - 1) / 2
    return t @ field / (t @ t)


def leading_pattern(field, sweeps=20):
    pattern = np.ones(POINTS)
    for _ in range(sweeps):
        pattern = field.T @ (field @ pattern)
        pattern /= np.linalg.norm(pattern)
    return pattern, np.square(field @ pattern).sum() / np.square(field).sum()


def main():
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    rng = np.random.default_rng(8)
    total = 0.0
    for _ in range(int(25 * factor)):
        field = deseason(make_field(rng))
        total += trend(field).mean() + leading_pattern(field)[1]
    print(f"sum {total:.6f}")


main()
