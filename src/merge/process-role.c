/* SPDX-License-Identifier: BSD-3-Clause */
/* process-role.c - see run-processes.h. */
#include "merge/run-processes.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"

/* What libraries have multiprocessing call, by the end of the file's path. */
static const struct {
	const char *file, *function, *role;
} targets[] = {
	{ "torch/utils/data/_utils/worker.py", "_worker_loop",
	  "DataLoader worker" },
	{ "torch/multiprocessing/spawn.py", "_wrap", "torch process" },
	{ "concurrent/futures/process.py", "_process_worker",
	  "ProcessPoolExecutor worker" },
	{ "loky/process_executor.py", "_process_worker", "joblib worker" },
	{ "multiprocessing/pool.py", "worker", "Pool worker" },
	{ "multiprocessing/managers.py", "BaseManager._run_server",
	  "multiprocessing manager" },
	{ "distributed/process.py", "AsyncProcess._run", "Dask worker" },
};

/* Part of the command line of processes that Python is started anew for. */
static const struct {
	const char *part, *role;
} commands[] = {
	{ "multiprocessing.resource_tracker",
	  "multiprocessing resource tracker" },
	{ "multiprocessing.forkserver", "multiprocessing fork server" },
	{ "multiprocessing.spawn", "multiprocessing worker" },
	{ "popen_loky_posix", "joblib worker" },
	{ "loky.backend.resource_tracker", "joblib resource tracker" },
	{ "torch/_inductor/compile_worker", "torch.compile worker" },
	{ "ray/_private/workers/default_worker.py", "Ray worker" },
	{ "ray/core/src/", "Ray service" },
	{ "ipykernel_launcher", "Jupyter kernel" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), length = strlen(end);

	return size >= length && !strcmp(text + size - length, end);
}

static const struct profile_name *name_of_node(const struct profile *p,
					       size_t node)
{
	return &p->names[p->nodes[node].owner];
}

static bool is_of_process(const struct profile_name *n, const char *function)
{
	return str_is_dotted(n->text, function) &&
	       ends_with(n->file, "multiprocessing/process.py");
}

static bool is_bootstrap(const struct profile_name *n)
{
	return is_of_process(n, "BaseProcess._bootstrap");
}

static bool is_base_run(const struct profile_name *n)
{
	return is_of_process(n, "BaseProcess.run");
}

/* The nearest function of Python above a node; 0: none. */
static size_t python_above(const struct profile *p, size_t node)
{
	do
		node = p->nodes[node].parent;
	while (node && p->nodes[node].kind != NODE_PYTHON);
	return node;
}

/*
 * A function that the begin of a process calls: run() of a class of the
 * program's, or what the run() of multiprocessing calls.  A process that such a
 * process has forked has the begins of both, and its own comes last.
 */
static bool is_target(const struct profile *p, size_t node)
{
	const struct profile_name *n = name_of_node(p, node);
	size_t above = python_above(p, node), run = above;

	if (above && is_base_run(name_of_node(p, above)))
		above = python_above(p, above);
	return above && is_bootstrap(name_of_node(p, above)) &&
	       !is_base_run(n) &&
	       (run != above || ends_with(n->text, ".run") ||
		!strcmp(n->text, "run"));
}

static bool has_bootstrap(const struct profile *p)
{
	for (size_t i = 0; i < p->name_count; i++)
		if (is_bootstrap(&p->names[i]))
			return true;
	return false;
}

static const struct profile_name *find_target(const struct profile *p)
{
	const struct profile_name *found = NULL;

	if (!has_bootstrap(p))
		return NULL;
	for (size_t i = 1; i < p->node_count; i++)
		if (p->nodes[i].kind == NODE_PYTHON && is_target(p, i))
			found = name_of_node(p, i);
	return found;
}

char *process_role(const struct profile *p)
{
	const struct profile_name *target = find_target(p);
	const char *command = p->id.command ? p->id.command : "";

	for (size_t i = 0; target && i < COUNT(targets); i++)
		if (str_is_dotted(target->text, targets[i].function) &&
		    ends_with(target->file, targets[i].file))
			return strdup(targets[i].role);
	if (target)
		return str_format("process of %s", target->text);
	for (size_t i = 0; i < COUNT(commands); i++)
		if (strstr(command, commands[i].part))
			return strdup(commands[i].role);
	return strdup("");
}
