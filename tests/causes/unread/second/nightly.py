# SPDX-License-Identifier: BSD-3-Clause
"""Reduction of a night of telescope frames: bias, flat, sky, sources, light curve."""
import sys
import threading
import time

import numpy as np

SIDE = 256


class Board:
    """Results of named jobs, filled by the bench thread."""

    def __init__(self):
        self._lock = threading.Lock()
        self._done = {}
        self._queue = []
        self._closed = False

    def submit(self, name, call, *args):
        with self._lock:
            self._queue.append((name, call, args))

    def take(self):
        with self._lock:
            if self._queue:
                return self._queue.pop(0)
            return None if not self._closed else ()

    def post(self, name, value):
        with self._lock:
            self._done[name] = value

    def close(self):
        with self._lock:
            self._closed = True

    def ready(self, name):
        with self._lock:
            return name in self._done

    def result(self, name, interval=0.025):
        while not self.ready(name):
            time.sleep(interval)
        with self._lock:
            return self._done.pop(name)


class Bench(threading.Thread):
    def __init__(self, board, idle=0.01):
        super().__init__(daemon=True)
        self.board = board
        self.idle = idle

    def run(self):
        while True:
            job = self.board.take()
            if job == ():
                return
            if job is None:
                time.sleep(self.idle)
                continue
            name, call, args = job
            self.board.post(name, call(*args))


def expose(number):
    rng = np.random.default_rng(number)
    frame = rng.normal(300.0, 8.0, (SIDE, SIDE))
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    for k in range(12):
        cx, cy = 20 + 19 * k, 30 + (53 * k) % 200
        flux = 900.0 * (1.0 + 0.2 * np.sin(number / 7.0) * (k == 3))
        sub = np.s_[max(0, cy - 8):cy + 9, max(0, cx - 8):cx + 9]
        frame[sub] += flux * np.exp(-((x[sub] - cx) ** 2 + (y[sub] - cy) ** 2) / 6.0)
    return frame


def calibrate(frame, bias, flat):
    return (frame - bias) / flat


def sky_level(frame):
    data = frame.ravel()
    for _ in range(4):
        m, s = np.median(data), data.std()
        data = data[np.abs(data - m) < 2.5 * s]
    return float(np.median(data))


def photometry(frame, sky):
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    out = []
    for k in range(12):
        cx, cy = 20 + 19 * k, 30 + (53 * k) % 200
        mask = (x - cx) ** 2 + (y - cy) ** 2 < 36
        out.append(float((frame[mask] - sky).sum()))
    return out


class Reduction:
    def __init__(self, board):
        self.board = board
        rng = np.random.default_rng(1)
        self.bias = rng.normal(300.0, 1.0, (SIDE, SIDE))
        self.flat = rng.normal(1.0, 0.01, (SIDE, SIDE))

    def _stage(self, name, call, *args):
        self.board.submit(name, call, *args)
        return self.board.result(name)

    def frame(self, number):
        clean = self._stage(f"cal{number}", calibrate, expose(number), self.bias, self.flat)
        sky = self._stage(f"sky{number}", sky_level, clean)
        return self._stage(f"phot{number}", photometry, clean, sky)


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 48
    board = Board()
    bench = Bench(board)
    bench.start()
    reduction = Reduction(board)
    curve = np.array([reduction.frame(n) for n in range(frames)])
    board.close()
    bench.join()
    ratio = curve[:, 3] / np.delete(curve, 3, axis=1).mean(axis=1)
    print(f"{frames} frames, variable {ratio.min():.4f} to {ratio.max():.4f}, mean flux {curve.mean():.2f}")


if __name__ == "__main__":
    main()
