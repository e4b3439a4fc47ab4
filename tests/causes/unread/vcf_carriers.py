# SPDX-License-Identifier: BSD-3-Clause
"""Carriers of variants: for each sample of a cohort its genotypes are taken
from the lines of a variant file, and frequencies computed."""
import re
import sys
import numpy as np

SAMPLES = 900
SITES = 22


def make_lines(seed):
    rng = np.random.default_rng(seed)
    common = rng.uniform(0.2, 0.6, size=(SITES, 1))
    calls = rng.binomial(2, common, size=(SITES, SAMPLES))
    depth = rng.integers(4, 60, size=(SITES, SAMPLES))
    names = ("0/0", "0/1", "1/1")
    for site in range(SITES):
        fields = [f"NA{s:05d}={names[c]}:{d}" for s, (c, d) in
                  enumerate(zip(calls[site].tolist(), depth[site].tolist()))]
        yield f"chr1\t{1000 + site}\t" + ";".join(fields)


def genotype(line, sample):
    m = re.search(rf"\b{sample}=([01])/([01]):(\d+)", line)
    return int(m.group(1)) + int(m.group(2)), int(m.group(3))


def genotypes_by_field(line):
    found = {}
    for field in line.split("\t")[2].split(";"):
        name, call = field.split("=")
        alleles, depth = call.split(":")
        found[name] = int(alleles[0]) + int(alleles[2]), int(depth)
    return found


def carriers_at(line, samples, split):
    calls = genotypes_by_field(line) if split else None
    doses = []
    for sample in samples:
        dose, depth = calls[sample] if split else genotype(line, sample)
        if depth >= 10:
            doses.append(dose)
    return np.array(doses)


def hardy_weinberg(doses):
    n = len(doses)
    p = doses.sum() / (2 * n)
    expected = np.array([(1 - p) ** 2, 2 * p * (1 - p), p * p]) * n
    seen = np.bincount(doses, minlength=3)
    null = np.random.default_rng(n).multinomial(n, expected / n, size=250000)
    chi = ((null - expected) ** 2 / expected).sum(axis=1)
    return float((chi > ((seen - expected) ** 2 / expected).sum()).mean())


def main():
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    split = sys.argv[2:] == ["fixed"]
    samples = [f"NA{s:05d}" for s in range(SAMPLES)]
    total = sites = 0
    for block in range(max(1, round(factor))):
        for line in make_lines(block):
            total += hardy_weinberg(carriers_at(line, samples, split))
            sites += 1
    print(f"{sites} sites, mean p {total / sites:.4f}")


main()
