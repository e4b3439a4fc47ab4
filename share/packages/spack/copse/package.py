# SPDX-License-Identifier: BSD-3-Clause
# For spack-packages: repos/spack_repo/builtin/packages/copse/package.py.
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Copse(AutotoolsPackage):
    """Sampling profiler for MPI programs: where the time went, on which call
    path and on which rank, and which rank the others waited for."""

    # Where `make release` is published: to be set by who publishes it.
    homepage = "https://example.org/copse/"
    url = "https://example.org/copse/copse-0.1.0.tar.xz"

    license("BSD-3-Clause")

    version("0.1.0", sha256="@SHA256@")

    # No MPI is linked: one install serves all.  The adapter for the MPI-5 ABI is
    # always built; these add those for the older ones, from the headers.
    variant("openmpi", default=True, description="Measure programs with Open MPI")
    variant("mpich", default=True, description="Measure programs with MPICH")
    variant("papi", default=False, description="Hardware and kernel events")
    variant("view", default=False, description="copse view serves pages")
    variant("otf2", default=False, description="copse export otf2")

    depends_on("c", type="build")
    depends_on("gawk", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("hdf5~mpi")
    depends_on("zlib-api")
    depends_on("elfutils")
    depends_on("libiberty+pic")
    depends_on("capstone")
    depends_on("libdeflate")
    depends_on("zstd")
    depends_on("isa-l")
    depends_on("openmpi@4.1:", type="build", when="+openmpi")
    depends_on("mpich@4:", type="build", when="+mpich")
    depends_on("papi@7:", when="+papi")
    depends_on("libpfm4", when="+papi")
    depends_on("libmicrohttpd@0.9.72:", when="+view")
    depends_on("otf2", when="+otf2")

    requires("platform=linux", "target=x86_64:", msg="x86-64 Linux only")

    def configure_args(self):
        spec = self.spec
        args = [
            # CUPTI is opened when a program uses a GPU; its headers are wanted
            # here, which a dependency on all of CUDA is too much for.
            "--without-cuda",
            "--without-libunwind",
            f"--with-hdf5={spec['hdf5'].prefix}",
            f"--with-zlib={spec['zlib-api'].prefix}",
            f"--with-elfutils={spec['elfutils'].prefix}",
            f"--with-libiberty={spec['libiberty'].prefix}",
            f"--with-capstone={spec['capstone'].prefix}",
            f"--with-libdeflate={spec['libdeflate'].prefix}",
            f"--with-zstd={spec['zstd'].prefix}",
            f"--with-isal={spec['isa-l'].prefix}",
        ]
        for mpi in ("openmpi", "mpich"):
            if spec.satisfies(f"+{mpi}"):
                args.append(f"--with-{mpi}={spec[mpi].prefix}")
            else:
                args.append(f"--without-{mpi}")
        for variant, option in (("papi", "papi"), ("view", "libmicrohttpd"), ("otf2", "otf2")):
            if not spec.satisfies(f"+{variant}"):
                args.append(f"--without-{option}")
        return args

    def setup_run_environment(self, env):
        # No LD_LIBRARY_PATH: the command finds its libraries by itself.
        env.prepend_path("PYTHONPATH", self.prefix.share.copse.python)

    def test_hello(self):
        """measure a shell, and report it"""
        copse = which(self.prefix.bin.copse)
        copse("run", "-q", "-o", "hello.copse", "sh", "-c", "i=0; while [ $i -lt 99999 ]; do i=$((i + 1)); done")
        out = copse("report", "hotspots", "hello.copse", output=str.split)
        assert "sh" in out
