/* SPDX-License-Identifier: BSD-3-Clause */
/* remote-stack.c - see remote-stack.h. */
#include "config.h"

#include "symbol/remote-stack.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "arch/dwarf.h"
#include "symbol/symbol.h"

#define FRAMES_MOST 8

struct remote {
	const struct remote_thread *thread;
	char *(*shorten)(const char *name);
	bool asked; /* for the only thread */
	char *names[FRAMES_MOST];
	size_t frames;
	char last[128];
};

static pid_t next_remote_thread(Dwfl *dwfl, void *data, void **thread)
{
	struct remote *r = data;
	pid_t tid = r->asked ? 0 : r->thread->tid;

	(void)dwfl;
	r->asked = true;
	*thread = r;
	return tid;
}

static bool read_remote_word(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *to,
			     void *data)
{
	const struct remote_thread *t = ((struct remote *)data)->thread;
	struct iovec here = { to, sizeof(*to) };
	struct iovec there = { (void *)(uintptr_t)at, sizeof(*to) };

	(void)dwfl;
	if (at >= t->sp && t->stack_size >= sizeof(*to) &&
	    at - t->sp <= t->stack_size - sizeof(*to)) {
		memcpy(to, (const char *)t->stack + (at - t->sp), sizeof(*to));
		return true;
	}
	return process_vm_readv(t->pid, &here, 1, &there, 1, 0) ==
	       (ssize_t)sizeof(*to);
}

static bool set_remote_registers(Dwfl_Thread *thread, void *data)
{
	const struct remote *r = data;
	Dwarf_Word sp = r->thread->sp;

	dwfl_thread_state_register_pc(thread, r->thread->pc);
	return dwfl_thread_state_registers(thread, DWARF_SP, 1, &sp);
}

/* What calls main(), or a thread's first function. */
static bool is_below_all(const char *name)
{
	return !strncmp(name, "__libc_start", strlen("__libc_start")) ||
	       !strcmp(name, "start_thread") || !strcmp(name, "_start") ||
	       !strcmp(name, "clone") || !strcmp(name, "clone3");
}

static bool add_remote_name(struct remote *r, const char *name)
{
	char *readable = symbol_readable(name);
	char *brief = readable ? r->shorten(readable) : NULL;

	free(readable);
	if (!brief)
		brief = strdup(name);
	if (brief)
		r->names[r->frames++] = brief;
	return brief;
}

static void drop_remote_names(struct remote *r)
{
	while (r->frames)
		free(r->names[--r->frames]);
}

/* What the collector does in place of a function counts as that function. */
static bool is_collector(Dwfl_Module *module)
{
	const char *path = dwfl_module_info(module, NULL, NULL, NULL, NULL,
					    NULL, NULL, NULL);
	const char *name = path ? strrchr(path, '/') : NULL;

	return name && !strncmp(name, "/libcopse.so", strlen("/libcopse.so"));
}

static int add_remote_frame(Dwfl_Frame *frame, void *data)
{
	struct remote *r = data;
	Dwfl_Thread *thread = dwfl_frame_thread(frame);
	Dwfl *dwfl = dwfl_thread_dwfl(thread);
	Dwarf_Addr pc;
	Dwfl_Module *module;
	const char *name;
	bool exact;

	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	pc -= !exact;
	module = dwfl_addrmodule(dwfl, pc);
	name = module ? dwfl_module_addrname(module, pc) : NULL;
	if (!name || !strcmp(name, r->last) || !strncmp(name, "copse_", 6))
		return DWARF_CB_OK;
	if (is_below_all(name))
		return DWARF_CB_ABORT;
	snprintf(r->last, sizeof(r->last), "%s", name);
	if (is_collector(module))
		drop_remote_names(r);
	return add_remote_name(r, name) && r->frames < FRAMES_MOST &&
			       strcmp(name, "main") != 0
		       ? DWARF_CB_OK
		       : DWARF_CB_ABORT;
}

static void walk_remote(Dwfl *dwfl, struct remote *r)
{
	static const Dwfl_Thread_Callbacks threads = {
		.next_thread = next_remote_thread,
		.memory_read = read_remote_word,
		.set_initial_registers = set_remote_registers,
	};

	if (dwfl_linux_proc_report(dwfl, r->thread->pid) ||
	    dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, r->thread->pid, &threads, r))
		return;
	dwfl_getthread_frames(dwfl, r->thread->tid, add_remote_frame, r);
}

/* "pause ← sleeper ← main"; to be freed, NULL: no memory. */
static char *join_remote_names(const struct remote *r)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (size_t i = 0; to && i < r->frames; i++)
		fprintf(to, "%s%s", i ? " ← " : "", r->names[i]);
	return !to || fclose(to) ? NULL : text;
}

char *remote_stack(const struct remote_thread *thread,
		   char *(*shorten)(const char *name))
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};
	struct remote r = { .thread = thread, .shorten = shorten };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	char *text;

	if (dwfl) {
		walk_remote(dwfl, &r);
		dwfl_end(dwfl);
	}
	text = r.frames ? join_remote_names(&r) : NULL;
	drop_remote_names(&r);
	return text;
}
