# SPDX-License-Identifier: BSD-3-Clause
"""setup.py - pip install share/python, from a tree of copse's source."""

import os
import re
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Build(build_py):
    def run(self):
        """As make does it."""
        build_py.run(self)
        with open(os.path.join(self.build_lib, "copse", "tables.py"), "wb") as to:
            subprocess.check_call(
                ["awk", "-v", "top=" + top, "-f", top + "/doc/tables.awk",
                 "-f", top + "/share/python/tables.awk", os.devnull], stdout=to)


with open(os.path.join(top, "configure.ac")) as configure:
    version = re.search(r"AC_INIT\(\[copse\], \[(.*?)\]", configure.read()).group(1)

setup(name="copse", version=version, description="profiles of copse run as tables",
      license="BSD-3-Clause", packages=["copse"], python_requires=">=3.6",
      install_requires=["h5py", "numpy"], cmdclass={"build_py": Build})
