# SPDX-License-Identifier: BSD-3-Clause
"""Stacking of telescope exposures: registration, clipped mean and photometric check."""
import os
import sys
import tempfile

import numpy as np

SIDE = 512


def scene(rng):
    sky = np.zeros((SIDE, SIDE))
    y, x = np.mgrid[-6:7, -6:7]
    for _ in range(180):
        i, j = rng.integers(20, SIDE - 20, 2)
        sky[i - 6:i + 7, j - 6:j + 7] += rng.uniform(50, 900) * np.exp(-(x * x + y * y) / 5.0)
    return sky


def expose(sky, shift, rng):
    moved = np.roll(sky, shift, axis=(0, 1))
    return rng.normal(moved + 100.0, np.sqrt(moved + 100.0)).astype(np.float32)


def write_frames(folder, sky, count, rng):
    names, shifts = [], []
    for n in range(count):
        shift = tuple(int(s) for s in rng.integers(-15, 16, 2))
        name = os.path.join(folder, f"frame{n:03d}.npy")
        np.save(name, expose(sky, shift, rng))
        names.append(name)
        shifts.append(shift)
    return names, shifts


class Register:
    def __init__(self, reference):
        self.transform = np.conj(np.fft.rfft2(reference - np.median(reference)))

    def offset(self, frame):
        product = np.fft.rfft2(frame - np.median(frame)) * self.transform
        peak = np.fft.irfft2(product / (np.abs(product) + 1e-6), s=frame.shape)
        i, j = np.unravel_index(int(np.argmax(peak)), peak.shape)
        return tuple(int(v - SIDE if v > SIDE // 2 else v) for v in (i, j))


def align(names):
    frames = [np.load(n) for n in names]
    register = Register(frames[0])
    found = [register.offset(f) for f in frames]
    return np.stack([np.roll(f, (-i, -j), axis=(0, 1)) for f, (i, j) in zip(frames, found)]), found


def clipped_strip(cube, rounds):
    mask = np.ones(cube.shape, dtype=bool)
    for _ in range(rounds):
        n = mask.sum(axis=0)
        mean = np.where(mask, cube, 0).sum(axis=0) / n
        dev = np.where(mask, cube - mean, 0)
        std = np.sqrt((dev * dev).sum(axis=0) / n)
        mask = np.abs(cube - mean) <= 2.8 * std + 1e-3
    return np.where(mask, cube, 0).sum(axis=0) / mask.sum(axis=0)


def clipped_mean(cube, rounds=3, rows=16):
    out = np.empty(cube.shape[1:])
    for top in range(0, SIDE, rows):
        out[top:top + rows] = clipped_strip(cube[:, top:top + rows], rounds)
    return out


def sharpen(image, width):
    f = np.fft.fftfreq(SIDE)
    gain = 1.0 + 0.5 * (1.0 - np.exp(-(f[:, None] ** 2 + f[None, :SIDE // 2 + 1] ** 2) * width))
    return np.fft.irfft2(np.fft.rfft2(image) * gain, s=image.shape)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    rng = np.random.default_rng(15)
    sky = scene(rng)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        names, shifts = write_frames(folder, sky, count, rng)
        cube, found = align(names)
    right = sum((f[0] + shifts[0][0], f[1] + shifts[0][1]) == s for f, s in zip(found, shifts))
    image = sharpen(clipped_mean(cube), 40.0)
    truth = np.roll(sky, shifts[0], axis=(0, 1))
    print(f"registered {right} of {count}, residual {np.abs(image - 100 - truth).mean():.4f}, peak {image.max():.2f}")


if __name__ == "__main__":
    main()
