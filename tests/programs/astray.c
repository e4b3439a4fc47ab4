/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * astray.c CASE PLUGIN [SECONDS] - stacks and code that a sampler must not
 * trust: reading what it is led to would kill the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

enum {
	PAGE = 4096,
	SMALL = 16 * PAGE
};

static const char *plugin;
static double seconds; /* of CPU time */
static volatile int over;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *pages(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

/*
 * Code as a just-in-time compiler makes it, without unwind information: it
 * counts down with any value as its frame pointer.
 */
typedef void spin_fn(void *frame_pointer, unsigned long count);

static spin_fn *make_spin(void)
{
	static const unsigned char code[] = {
		0x55,             /* push %rbp */
		0x48, 0x89, 0xfd, /* mov %rdi, %rbp */
		0x48, 0x89, 0xf1, /* mov %rsi, %rcx */
		0x48, 0xff, 0xc9, /* 1: dec %rcx */
		0x75, 0xfb,       /* jnz 1b */
		0x5d,             /* pop %rbp */
		0xc3,             /* ret */
	};
	void *at = pages(PAGE);

	memcpy(at, code, sizeof(code));
	mprotect(at, PAGE, PROT_READ | PROT_EXEC);
	return (spin_fn *)(uintptr_t)at;
}

static spin_fn *spin;

/* A frame that only a frame pointer leads to. */
struct frame {
	void *caller, *pc;
};

static void *opened(const char *name, void **work)
{
	void *handle = dlopen(name, RTLD_NOW);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*work = dlsym(handle, "work");
	return handle;
}

static void spin_until(double end, struct frame *frame)
{
	while (now() < end)
		spin(frame, 20000);
}

static char *unwind_information; /* of the plugin */

static int find_information(struct dl_phdr_info *info, size_t size, void *map)
{
	(void)size;
	if (info->dlpi_addr != ((struct link_map *)map)->l_addr)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			unwind_information = (char *)info->dlpi_addr +
					     info->dlpi_phdr[i].p_vaddr;
	return 1;
}

/*
 * A frame pointer leads to a module whose unwind information cannot be read,
 * as if it were just unloaded.
 */
static void without_information(void)
{
	struct frame frame = { NULL, NULL };
	void *handle = opened(plugin, &frame.pc);
	char *page;

	dl_iterate_phdr(find_information, handle);
	if (!unwind_information)
		exit(1);
	page = unwind_information - (uintptr_t)unwind_information % PAGE;
	mprotect(page, PAGE, PROT_NONE);
	spin_until(now() + seconds, &frame);
	mprotect(page, PAGE, PROT_READ);
	dlclose(handle);
}

static void *flicker_module(void *unused)
{
	void *work;

	while (!over)
		dlclose(opened(plugin, &work));
	return unused;
}

static void with_other(void *(*other)(void *), void *argument,
		       struct frame *frame)
{
	pthread_t thread;

	over = 0;
	if (pthread_create(&thread, NULL, other, argument))
		exit(1);
	spin_until(now() + seconds, frame);
	over = 1;
	pthread_join(thread, NULL);
}

/* A frame pointer leads to code that another thread loads and unloads. */
static void into_a_module(void)
{
	struct frame frame = { NULL, NULL };
	void *handle = opened(plugin, &frame.pc);

	dlclose(handle);
	with_other(flicker_module, NULL, &frame);
}

static void *flicker_page(void *page)
{
	while (!over) {
		mprotect(page, PAGE, PROT_NONE);
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

static ucontext_t back;
static char *beyond; /* the page behind a coroutine's stack */

static void coroutine(void)
{
	with_other(flicker_page, beyond, (struct frame *)(void *)beyond);
	swapcontext(&(ucontext_t){ 0 }, &back);
}

/* On a coroutine's stack, behind which a page comes and goes. */
static void beyond_a_stack(void)
{
	ucontext_t context;
	char *stack = pages(SMALL + PAGE);
	struct frame *frame;

	beyond = stack + SMALL;
	frame = (struct frame *)(void *)beyond;
	frame->caller = beyond + 64;
	frame->pc = (void *)(uintptr_t)spin;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = SMALL;
	context.uc_link = NULL;
	makecontext(&context, coroutine, 0);
	swapcontext(&back, &context);
	munmap(stack, SMALL + PAGE);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "unreadable", without_information },
	{ "module", into_a_module },
	{ "page", beyond_a_stack },
};

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	plugin = argv[2];
	seconds = argc > 3 ? atof(argv[3]) : 1;
	spin = make_spin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	puts("through");
	return 0;
}
