/* SPDX-License-Identifier: BSD-3-Clause */
/* packages.c - packages of Python, and command lines. */
#include <string.h>

#include "analyse/base/python-words.h"
#include "tests/lib/test.h"

static bool is_of_package(const char *file, const char *name, bool library)
{
	struct package p;

	return package_of(&p, file) && p.length == strlen(name) &&
	       !strncmp(p.name, name, p.length) && p.is_library == library;
}

TEST(files_are_of_packages)
{
	struct package p;

	CHECK(is_of_package("/v/lib/python3.12/site-packages/numpy/a.py",
			    "numpy", false));
	CHECK(is_of_package("/usr/lib/python3/dist-packages/six.py", "six",
			    false));
	CHECK(is_of_package("/v/site-packages/numpy.libs/libopenblas-1.so",
			    "numpy", false));
	CHECK(is_of_package("site-packages/slow/__init__.py", "slow", false));
	CHECK(is_of_package("/usr/lib/python3.11/json/decoder.py", "json",
			    true));
	CHECK(is_of_package("/usr/lib64/python3.9/ast.py", "ast", true));
	CHECK(is_of_package("/opt/lib/python3.13t/ast.py", "ast", true));
	CHECK(is_of_package("/usr/lib/python3.11/lib-dynload/zlib.cpython-311-"
			    "x86_64-linux-gnu.so",
			    "zlib", true));
	CHECK(is_of_package("<frozen runpy>", "runpy", true));
	CHECK(!package_of(&p, "/home/u/train.py"));
	CHECK(!package_of(&p, "/home/u/python3/train.py"));
	CHECK(!package_of(&p, "/usr/lib/x86_64/libpython3.11.so.1.0"));
	CHECK(!package_of(&p, "/usr/bin/python3.11"));
	CHECK(!package_of(&p, ""));
}

static bool is_program(const char *command, const char *program)
{
	return !strcmp(python_program(command), program);
}

TEST(python_that_runs_a_program_is_called_so)
{
	CHECK(is_program("/usr/bin/python3 -u a/train.py --epochs 3",
			 "train.py --epochs 3"));
	CHECK(is_program("/opt/bin/python3.13t train.py", "train.py"));
	CHECK(is_program("python3.13td -m package", "package"));
	CHECK(is_program("pythonista train.py", "pythonista train.py"));
	CHECK(is_program("python3.13-config x", "python3.13-config x"));
}

TEST(workers_do_not_say_what_they_are_of)
{
	CHECK(python_is_worker(
		"/usr/bin/python3 -c 'from multiprocessing.spawn "
		"import spawn_main; spawn_main()'"));
	CHECK(python_is_worker(/* from 3.14 on */
			       "/usr/bin/python3.14 -B -c 'import sys; from "
			       "multiprocessing.forkserver import main; "
			       "main(11, 12)'"));
	CHECK(!python_is_worker("/usr/bin/python3 -c 'import solver'"));
	CHECK(python_is_worker("/usr/bin/python3 -m ipykernel_launcher -f "
			       "/run/kernel-1.json"));
	CHECK(!python_is_worker("/usr/bin/python3 /usr/bin/jupyter-nbconvert "
				"--execute training.ipynb"));
	CHECK(!python_is_worker("/usr/bin/python3 ipykernel_launcher.py"));
}
