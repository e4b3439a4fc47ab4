# SPDX-License-Identifier: BSD-3-Clause
"""Frequencies of words in texts, as many on each rank; one reduction."""
import numpy as np
from options import Options

SYLLABLES = ["ka", "to", "mi", "ra", "ne", "so", "lu", "pe"]


def word(number):
    letters = []
    while number:
        letters.append(SYLLABLES[number % 8])
        number //= 8
    return "".join(letters)


def text(seed, length):
    words = []
    for _ in range(length):
        seed = (seed * 1103515245 + 12345) % 2147483648
        words.append(word(seed % 700))
    return words


def frequencies(words, counts):
    for item in words:
        counts[item] = counts.get(item, 0) + 1


def lengths(words):
    histogram = np.zeros(16)
    for item in words:
        histogram[len(item)] += 1
    return histogram


def diversity(counts):
    shares = np.array(sorted(counts.values()), dtype=float)
    shares /= shares.sum()
    return float(-(shares * np.log(shares)).sum())


def main():
    options = Options()
    counts = {}
    histogram = np.zeros(16)
    for number in range(options.times(540)):
        words = text(number * options.ranks + options.rank + 1, 4000)
        frequencies(words, counts)
        histogram += lengths(words)
    whole = np.empty_like(histogram)
    options.comm.Allreduce(histogram, whole)
    result = float(whole.sum()) / options.ranks + diversity(counts)
    options.report(result)


if __name__ == "__main__":
    main()
