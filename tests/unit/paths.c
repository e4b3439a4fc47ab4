/* SPDX-License-Identifier: BSD-3-Clause */
/* paths.c - call paths in words. */
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/own-paths.h"
#include "analyse/paths/paths.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

static void is(struct run *run, enum fixture_node node, enum run_kind kind,
	       const char *function)
{
	run->nodes[node].kind = kind;
	run->nodes[node].function = str_add(&run->strings, function);
}

static bool reads(struct run *run, enum fixture_node node, unsigned int frames,
		  enum fixture_node other, const char *wanted)
{
	struct paths paths;
	uint32_t beside;
	char *text;
	bool same;

	CHECK(!paths_init(&paths, run));
	beside = paths.of[other];
	text = paths_apart(&paths, paths.of[node], frames, &beside, 1);
	same = text && !strcmp(text, wanted);
	if (!same)
		fprintf(stderr, "# %s\n", text);
	free(text);
	paths_fini(&paths);
	return same;
}

TEST(a_kernels_caller_follows_the_kernel)
{
	struct run *run = fixture_run();

	is(run, FIXTURE_FACT_3, RUN_KERNEL, "a::saxpy<float>");
	is(run, FIXTURE_FACT_2, RUN_GPU_CALL, "cudaLaunchKernel");
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "a::saxpy<float> ← fact ← main"));
	is(run, FIXTURE_FACT_1, RUN_FUNCTION, "__cudaLaunchKernel_helper");
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "a::saxpy<float> ← main"));
	is(run, FIXTURE_FACT_1, RUN_FUNCTION,
	   "__device_stub__ZN1a5saxpyIfEEviT_PS1_");
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "a::saxpy<float> ← main"));
	is(run, FIXTURE_FACT_1, RUN_FUNCTION, "a::saxpy<float>");
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "a::saxpy<float> ← main"));
	/* Of a copy the call says how it was made. */
	is(run, FIXTURE_FACT_3, RUN_KERNEL, "[copy to GPU, pinned]");
	is(run, FIXTURE_FACT_2, RUN_GPU_CALL, "cudaMemcpyAsync");
	CHECK(reads(run, FIXTURE_FACT_3, 2, FIXTURE_ROOT,
		    "[copy to GPU, pinned] ← cudaMemcpyAsync"));
	run_free(run);
}

static void is_of(struct run *run, enum fixture_node node, const char *function,
		  const char *module, uint16_t flags)
{
	is(run, node, RUN_FUNCTION, function);
	run->nodes[node].module = str_add(&run->strings, module);
	run->nodes[node].flags = flags;
}

/* The words of a table for readers. */
static bool stands_as(struct run *run, enum fixture_node node,
		      const char *wanted)
{
	struct paths paths;
	char *text;
	bool same;

	CHECK(!paths_init(&paths, run));
	text = paths_brief(&paths, paths.of[node]);
	same = text && !strcmp(text, wanted);
	if (!same)
		fprintf(stderr, "# %s\n", text);
	free(text);
	paths_fini(&paths);
	return same;
}

/* MPI_Allreduce ← norm ← solve ← main are other functions. */
TEST(a_launch_from_python_is_said_by_operator_and_python)
{
	const char *torch = "/v/lib/python3.12/site-packages/torch/lib/a.so";
	struct run *run = fixture_run();

	is(run, FIXTURE_ALLREDUCE, RUN_KERNEL, "gemm<float>");
	is_of(run, FIXTURE_NORM, "at::_ops::addmm::call(at::Tensor const&)",
	      torch, 0);
	is_of(run, FIXTURE_SOLVE, "at::_ops::linear::call(at::Tensor const&)",
	      torch, 0);
	is_of(run, FIXTURE_MAIN, "step", "/home/u/train.py", RUN_PYTHON);
	CHECK(stands_as(run, FIXTURE_ALLREDUCE,
			"gemm<float> ← aten::addmm ← app.c:10 step"));
	/* Without Python: a backward pass. */
	is_of(run, FIXTURE_SOLVE,
	      "torch::autograd::generated::AddmmBackward0::apply(int)", torch,
	      0);
	is_of(run, FIXTURE_MAIN, "torch::autograd::Engine::thread_main", torch,
	      0);
	CHECK(stands_as(run, FIXTURE_ALLREDUCE,
			"gemm<float> ← aten::addmm ← AddmmBackward0"));
	/* What is no operator's stands as ever. */
	is_of(run, FIXTURE_NORM, "norm", "/home/u/a.out", 0);
	CHECK(stands_as(run, FIXTURE_ALLREDUCE,
			"gemm<float> ← norm ← "
			"torch::autograd::generated::AddmmBackward0::apply ← "
			"torch::autograd::Engine::thread_main"));
	run_free(run);
}

/* main ← solve ← work, and main ← fact ← fact ← fact */
TEST(callers_that_say_nothing_are_left_out)
{
	struct run *run = fixture_run();

	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT, "fact ← main"));
	/* Of libraries. */
	is(run, FIXTURE_FACT_3, RUN_FUNCTION, "is_less");
	is(run, FIXTURE_FACT_2, RUN_FUNCTION, "std::__introsort_loop<int*>");
	is_of(run, FIXTURE_FACT_1, "GOMP_parallel", "/lib/libgomp.so.1", 0);
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT, "is_less ← main"));
	CHECK(reads(run, FIXTURE_FACT_1, 1, FIXTURE_ROOT, "GOMP_parallel"));
	/* Without names: where MPI is called, and of another module. */
	is_of(run, FIXTURE_FACT_2, "app+0x10", "/opt/app/app", RUN_UNNAMED);
	is_of(run, FIXTURE_FACT_1, "app+0x20", "/opt/app/app", RUN_UNNAMED);
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT, "is_less ← main"));
	CHECK(reads(run, FIXTURE_FACT_2, 3, FIXTURE_ROOT, "app+0x10 ← main"));
	is_of(run, FIXTURE_FACT_3, "zgemm_", "/lib/libblas.so.3", 0);
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "zgemm ← app+0x10 ← main"));
	run_free(run);
}

TEST(a_namespace_is_told_once)
{
	struct run *run = fixture_run();

	is(run, FIXTURE_FACT_3, RUN_FUNCTION, "MD::Pair::compute(int)");
	is(run, FIXTURE_FACT_2, RUN_FUNCTION, "MD::Verlet::run()");
	is(run, FIXTURE_FACT_1, RUN_FUNCTION, "MD::Run::command()");
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "MD::Pair::compute ← Verlet::run ← Run::command"));
	is(run, FIXTURE_FACT_2, RUN_FUNCTION, "MD::run");
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "MD::Pair::compute ← MD::run ← Run::command"));
	run_free(run);
}

TEST(modules_of_python_are_what_scripts_import)
{
	static const char math[] = "/usr/lib/python3/dist-packages/numpy/core/"
				   "_multiarray_umath.cpython-311-x86_64.so";
	struct run *run = fixture_run();

	is_of(run, FIXTURE_FACT_3, "_multiarray_umath.so+0x1", math,
	      RUN_UNNAMED);
	is_of(run, FIXTURE_FACT_2, "_PyEval_EvalFrameDefault", "/usr/python3",
	      0);
	is_of(run, FIXTURE_FACT_1, "_multiarray_umath.so+0x2", math,
	      RUN_UNNAMED);
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "numpy ← [Python] ← main"));
	run->nodes[FIXTURE_FACT_1].module = run->nodes[FIXTURE_FACT_3].module =
		str_add(&run->strings, "/a/site-packages/numpy/linalg/"
				       "_umath_linalg.cpython-311-x86_64.so");
	CHECK(reads(run, FIXTURE_FACT_3, 1, FIXTURE_ROOT, "numpy.linalg"));
	run_free(run);
}

/* main ← fact ← fact ← fact, the innermost being the package's. */
static void python_calls(struct run *run, const char *main_file,
			 const char *file, const char *package)
{
	is_of(run, FIXTURE_MAIN, "<module>", main_file, RUN_PYTHON);
	is_of(run, FIXTURE_FACT_1, "step", file, RUN_PYTHON);
	is_of(run, FIXTURE_FACT_2, "Module.forward",
	      "/v/lib/python3.11/site-packages/torch/nn/module.py", RUN_PYTHON);
	is_of(run, FIXTURE_FACT_3, "at::native::relu", package, 0);
}

#define TORCH "/v/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so"

/* Whose paths_own() FIXTURE_FACT_3 is. */
static enum fixture_node owner_of_fact_3(struct run *run)
{
	enum fixture_node owner;
	struct paths paths;

	CHECK(!paths_init(&paths, run));
	owner = paths.at[paths_own(&paths, paths.of[FIXTURE_FACT_3])].node;
	paths_fini(&paths);
	return owner;
}

TEST(what_packages_do_is_of_the_function_of_python_that_calls_them)
{
	struct run *run = fixture_run();

	python_calls(run, "/h/u/train.py", "/h/u/steps.py", TORCH);
	CHECK(owner_of_fact_3(run), ==, FIXTURE_FACT_1);
	CHECK(reads(run, FIXTURE_FACT_1, 2, FIXTURE_ROOT,
		    "step ← app.c:11 <module>"));
	CHECK(reads(run, FIXTURE_FACT_3, 3, FIXTURE_ROOT,
		    "at::native::relu ← app.c:50 step ← "
		    "app.c:11 <module>"));
	/* The user's own library, and a kernel, say more. */
	python_calls(run, "/h/u/train.py", "/h/u/steps.py", "/h/u/libmine.so");
	CHECK(owner_of_fact_3(run), ==, FIXTURE_FACT_3);
	python_calls(run, "/h/u/train.py", "/h/u/steps.py", TORCH);
	run->nodes[FIXTURE_FACT_3].kind = RUN_KERNEL;
	CHECK(owner_of_fact_3(run), ==, FIXTURE_FACT_3);
	/* Python's own library, and what a package makes up, are no user's. */
	python_calls(run, "/h/u/train.py", "/usr/lib/python3.11/random.py",
		     TORCH);
	CHECK(owner_of_fact_3(run), ==, FIXTURE_MAIN);
	python_calls(run, "/h/u/train.py", "<__array_function__ internals>",
		     TORCH);
	CHECK(owner_of_fact_3(run), ==, FIXTURE_MAIN);
	run_free(run);
}

TEST(a_program_that_was_installed_as_a_package_is_its_own)
{
	struct run *run = fixture_run();

	python_calls(run, "/v/bin/torchrun",
		     "/v/lib/python3.11/site-packages/torch/run.py", TORCH);
	CHECK(owner_of_fact_3(run), ==, FIXTURE_FACT_2);
	python_calls(run, "/v/bin/run.py", "/v/lib/python3.11/random.py",
		     TORCH);
	CHECK(owner_of_fact_3(run), ==, FIXTURE_MAIN);
	run_free(run);
}

TEST(paths_that_read_the_same_say_what_differs)
{
	struct run *run = fixture_run();

	/* main ← solve ← work, and main ← fact ← fact ← fact */
	is(run, FIXTURE_WORK, RUN_FUNCTION, "dot");
	is(run, FIXTURE_FACT_2, RUN_FUNCTION, "dot");
	CHECK(reads(run, FIXTURE_WORK, 1, FIXTURE_FACT_2, "dot ← … ← solve"));
	CHECK(reads(run, FIXTURE_WORK, 2, FIXTURE_FACT_2, "dot ← solve"));
	CHECK(reads(run, FIXTURE_WORK, 1, FIXTURE_WORK, "dot"));
	/* Two calls of one function, from one function. */
	is(run, FIXTURE_NORM, RUN_MPI, "MPI_Recv");
	is(run, FIXTURE_WORK, RUN_MPI, "MPI_Recv");
	run->nodes[FIXTURE_WORK].module = run->nodes[FIXTURE_NORM].module;
	run->nodes[FIXTURE_WORK].line = 7;
	run->nodes[FIXTURE_WORK].file = str_add(&run->strings, "src/lu.c");
	run->nodes[FIXTURE_NORM].line = 8;
	CHECK(reads(run, FIXTURE_WORK, 3, FIXTURE_NORM,
		    "MPI_Recv ← solve (lu.c:7) ← main"));
	CHECK(reads(run, FIXTURE_WORK, 3, FIXTURE_FACT_1,
		    "MPI_Recv ← solve ← main"));
	run_free(run);
}

/* A sentence names who called what nobody can look up. */
TEST(a_library_function_without_a_name_is_its_callers)
{
	struct run *run = fixture_run();

	is(run, FIXTURE_FACT_3, RUN_GPU_CALL, "cuLibraryLoadData");
	is(run, FIXTURE_FACT_2, RUN_FUNCTION, "libcudart_static_75850eae7f28");
	CHECK(reads(run, FIXTURE_FACT_3, 2, FIXTURE_ROOT,
		    "cuLibraryLoadData ← fact"));
	CHECK(reads(run, FIXTURE_FACT_2, 2, FIXTURE_ROOT, "fact ← main"));
	is(run, FIXTURE_FACT_2, RUN_FUNCTION, "libcublasLt.so.13+0x36a7d74");
	run->nodes[FIXTURE_FACT_2].flags |= RUN_UNNAMED;
	run->nodes[FIXTURE_FACT_2].module =
		str_add(&run->strings, "/opt/cuda/lib/libcublasLt.so.13");
	CHECK(reads(run, FIXTURE_FACT_3, 2, FIXTURE_ROOT,
		    "cuLibraryLoadData ← fact"));
	CHECK(reads(run, FIXTURE_FACT_2, 2, FIXTURE_ROOT, "fact ← main"));
	run_free(run);
}
