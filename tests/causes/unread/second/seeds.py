# SPDX-License-Identifier: BSD-3-Clause
"""Seed-and-extend placement of reads on a reference, spread over processes."""
import multiprocessing
import sys

import numpy as np

K = 11


def simulate(length, reads, read_length, seed):
    rng = np.random.default_rng(seed)
    genome = rng.integers(0, 4, length, dtype=np.uint8)
    starts = rng.integers(0, length - read_length, reads)
    batch = np.stack([genome[s:s + read_length] for s in starts])
    errors = rng.random(batch.shape) < 0.02
    batch[errors] = (batch[errors] + rng.integers(1, 4, int(errors.sum()), dtype=np.uint8)) % 4
    return genome, batch, starts


def kmers(codes):
    value = np.zeros(codes.shape[:-1] + (codes.shape[-1] - K + 1,), dtype=np.int32)
    for i in range(K):
        value = value * 4 + codes[..., i:i + value.shape[-1]]
    return value


class Reference:
    def __init__(self, genome):
        self.genome = genome
        words = kmers(genome)
        self.order = np.argsort(words, kind="stable").astype(np.int64)
        self.words = words[self.order]
        self.bucket = np.searchsorted(self.words, np.arange(4 ** K + 1))

    def lookup(self, word):
        return self.order[self.bucket[word]:self.bucket[word + 1]]


class Placer:
    def __init__(self, reference, step=12, tolerance=0.15):
        self.reference = reference
        self.step = step
        self.tolerance = tolerance

    def _candidates(self, words):
        votes = {}
        for offset in range(0, len(words), self.step):
            for hit in self.reference.lookup(int(words[offset])):
                start = int(hit) - offset
                votes[start] = votes.get(start, 0) + 1
        return sorted(votes, key=votes.get, reverse=True)[:4]

    def _mismatches(self, read, start):
        window = self.reference.genome[start:start + len(read)]
        if len(window) < len(read) or start < 0:
            return len(read)
        return int(np.count_nonzero(window != read))

    def place(self, reads):
        out = []
        for read, words in zip(reads, kmers(reads)):
            best, where = len(read), -1
            for start in self._candidates(words):
                bad = self._mismatches(read, start)
                if bad < best:
                    best, where = bad, start
            out.append(where if best <= self.tolerance * len(read) else -1)
        return out


def run(processes, genome_length, reads):
    genome, batch, truth = simulate(genome_length, reads, 150, 6)
    placer = Placer(Reference(genome))
    parts = np.array_split(batch, max(1, reads // 60))
    placed = []
    with multiprocessing.Pool(processes) as pool:
        for found in pool.imap(placer.place, parts):
            placed.extend(found)
    placed = np.array(placed)
    return float(np.mean(placed == truth)), float(np.mean(placed < 0))


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 2400
    right, lost = run(count, 1_000_000, total)
    print(f"placed correctly {right:.4f}, unplaced {lost:.4f}")
