# SPDX-License-Identifier: BSD-3-Clause
"""Virtual screening: ranks score ligand poses, a coordinator keeps the hit list."""
import sys

import numpy as np
from mpi4py import MPI

TAG_POSE, TAG_SCORE, TAG_END = 11, 12, 13
NATOM, NRECEPTOR, KEEP = 24, 260, 160


def make_receptor(seed):
    rng = np.random.default_rng(seed)
    xyz = rng.normal(size=(NRECEPTOR, 3)) * 9.0
    charge = rng.uniform(-0.5, 0.5, NRECEPTOR)
    return xyz, charge


def make_ligand(number):
    rng = np.random.default_rng(10_000 + number)
    steps = rng.normal(size=(NATOM, 3))
    steps /= np.linalg.norm(steps, axis=1)[:, None]
    return np.cumsum(1.5 * steps, axis=0), rng.uniform(-0.4, 0.4, NATOM)


class Scorer:
    def __init__(self, receptor):
        self.xyz, self.charge = receptor

    def energy(self, atoms, charges):
        d = atoms[:, None, :] - self.xyz[None, :, :]
        r2 = np.einsum("ijk,ijk->ij", d, d) + 0.5
        inv6 = (6.0 / r2) ** 3
        vdw = np.sum(inv6 * inv6 - inv6)
        coul = np.sum(charges[:, None] * self.charge[None, :] / np.sqrt(r2))
        return vdw * 1e-3 + 33.2 * coul

    def refine(self, atoms, charges, rng, rounds=5):
        best, pose = self.energy(atoms, charges), atoms
        for _ in range(rounds):
            trial = pose + rng.normal(size=3) * 0.8
            e = self.energy(trial, charges)
            if e < best:
                best, pose = e, trial
        return best, pose


class HitList:
    """Best poses so far, with near-identical geometries merged."""

    def __init__(self, keep):
        self.keep = keep
        self.entries = []
        self.merged = 0

    def _distance(self, a, b):
        a = a - a.mean(axis=0)
        b = b - b.mean(axis=0)
        return np.sqrt(np.mean(np.sum((a - b) ** 2, axis=1)))

    def _similar(self, pose):
        return [k for k, (_, _, other) in enumerate(self.entries) if self._distance(pose, other) < 2.2]

    def add(self, energy, number, pose):
        near = self._similar(pose)
        if near:
            self.merged += len(near)
            if all(energy >= self.entries[k][0] for k in near):
                return
            self.entries = [e for k, e in enumerate(self.entries) if k not in near]
        self.entries.append((energy, number, pose))
        self.entries.sort(key=lambda e: e[0])
        del self.entries[self.keep:]


class Coordinator:
    def __init__(self, comm, count):
        self.comm = comm
        self.count = count
        self.issued = 0
        self.hits = HitList(KEEP)

    def _issue(self, dest):
        if self.issued < self.count:
            self.comm.send(self.issued, dest=dest, tag=TAG_POSE)
            self.issued += 1
            return True
        self.comm.send(None, dest=dest, tag=TAG_END)
        return False

    def _accept(self, message):
        number, energy, pose = message
        self.hits.add(energy, number, pose)

    def run(self):
        active = sum(self._issue(r) for r in range(1, self.comm.Get_size()))
        status = MPI.Status()
        while active:
            message = self.comm.recv(source=MPI.ANY_SOURCE, tag=TAG_SCORE, status=status)
            self._accept(message)
            if not self._issue(status.Get_source()):
                active -= 1
        return self.hits


def work(comm, scorer):
    done = 0
    status = MPI.Status()
    while True:
        number = comm.recv(source=0, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == TAG_END:
            return done
        atoms, charges = make_ligand(number)
        energy, pose = scorer.refine(atoms, charges, np.random.default_rng(number))
        comm.send((number, energy, pose), dest=0, tag=TAG_SCORE)
        done += 1


def main():
    comm = MPI.COMM_WORLD
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 850
    receptor = comm.bcast(make_receptor(4) if comm.Get_rank() == 0 else None)
    if comm.Get_rank() == 0:
        hits = Coordinator(comm, count).run()
        comm.gather(0)
        top = hits.entries[0]
        print(f"screened {count} ligands, best {top[1]} at {top[0]:.4f}, mean of kept "
              f"{np.mean([e[0] for e in hits.entries]):.4f}, merged {hits.merged}")
    else:
        comm.gather(work(comm, Scorer(receptor)))


if __name__ == "__main__":
    main()
