# SPDX-License-Identifier: BSD-3-Clause
"""Orbits of minor planets: Kepler's equation is solved for each observation
by a pool of workers, and residuals are fitted with numpy."""
import math
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np

OBSERVATIONS = 240


def eccentric_anomaly(mean, e):
    x = mean if e < 0.8 else math.pi
    for _ in range(30):
        step = (x - e * math.sin(x) - mean) / (1 - e * math.cos(x))
        x -= step
        if abs(step) < 1e-13:
            break
    return x


def positions(body):
    a, e = 1 + body % 37 * 0.1, 0.05 + body % 83 * 0.011
    places = []
    for i in range(OBSERVATIONS):
        mean = (body * 0.37 + i * 0.05 / a ** 1.5) % (2 * math.pi)
        x = eccentric_anomaly(mean, e)
        places.append((a * (math.cos(x) - e),
                       a * math.sqrt(1 - e * e) * math.sin(x)))
    return places


def fit(places):
    p = np.array(places)
    x, y = p[:, 0], p[:, 1]
    design = np.column_stack((x * x, x * y, y * y, x, y))
    for _ in range(3):
        weights = 1 / (1 + np.hypot(x, y))
        solution = np.linalg.lstsq(design * weights[:, None], weights,
                                   rcond=None)[0]
    return float(solution[0])


def main():
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    pool = ProcessPoolExecutor if sys.argv[2:] == ["fixed"] \
        else ThreadPoolExecutor
    total = 0.0
    with pool(max_workers=4) as workers:
        bodies = range(int(7000 * factor))
        for places in workers.map(positions, bodies, chunksize=50):
            total += fit(places)
    print(f"sum {total:.8f}")


main()
