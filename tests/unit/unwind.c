/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind.c - every path equals libunwind's, with and without the memo. */
#include "tests/lib/test.h"

#ifdef HAVE_UNWIND
#define UNW_LOCAL_ONLY
#include <alloca.h>
#include <libunwind.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/registers.h"
#include "collect/registry.h"
#include "collect/unwind/unwind.h"
#include "collect/unwind/loaded-object.h"

enum {
	MOST = 200,
	ENOUGH = 20000,
};

extern void *__libc_stack_end;

static struct unwinder unwinder;
static struct tree tree;
static unsigned int compared, partial;
static char directory[] = "/dev/shm/copse-unit-XXXXXX";

static void start(void)
{
	static struct settings settings;
	uint32_t index;
	live_ref thread;
	uintptr_t high = (uintptr_t)__libc_stack_end;

	CHECK(mkdtemp(directory));
	settings_init(&settings);
	registry_init(&settings, directory);
	CHECK(registry_open());
	thread = registry_thread(1, &index);
	CHECK(thread && !tree_init(&tree, registry_open(), thread));
	unwind_init(&unwinder, calloc(1, unwind_size(MOST)), MOST);
	unwinder.hidden = NULL;
	unwind_reuse(&unwinder, high - (8 << 20), high);
}

static void finish(void)
{
	char command[100] = "rm -r ";

	CHECK(!system(strcat(command, directory)));
	CHECK(compared, >, 0);
	CHECK(partial, ==, 0);
}

/* The offset in its module, as the tree keeps it. */
static uint64_t offset_of(uintptr_t pc)
{
	struct loaded_object object;

	if (!loaded_object_find(&object, (const void *)(pc - 1)))
		return pc;
	return pc - object.map->l_addr;
}

static void compare(live_ref node, unw_context_t *context)
{
	const struct live_node *at = arena_at(tree.arena, node);
	unw_cursor_t cursor;
	unw_word_t pc;

	CHECK(!unw_init_local(&cursor, context));
	do {
		CHECK(!unw_get_reg(&cursor, UNW_REG_IP, &pc));
		if (!pc)
			break;
		CHECK(at->offset, ==, offset_of(pc));
		at = arena_at(tree.arena, at->parent);
	} while (unw_step(&cursor) > 0);
	CHECK(at->kind, ==, LIVE_NODE_ROOT);
	compared++;
}

/* What a sample here would find, against a full walk by libunwind. */
__attribute__((noinline)) static void here(void)
{
	unw_context_t context;
	const mcontext_t *m = &context.uc_mcontext;
	struct cfi_frame top;
	live_ref node;
	int why;

	unw_getcontext(&context);
	top = (struct cfi_frame){ registers_pc(m), registers_sp(m),
				  registers_fp(m) };
	node = unwind_path(&unwinder, &tree, &top, false, m, &why);
	CHECK(node);
	partial += why >= 0;
	compare(node, &context);
}

static volatile int sink;

__attribute__((noinline)) static void with_alloca(int n, void (*next)(int))
{
	volatile char *room = alloca((size_t)n * 24 + 1);

	room[0] = 1;
	next(n);
	sink += room[0];
}

__attribute__((noinline)) static void aligned(int n, void (*next)(int))
{
	volatile char room[64] __attribute__((aligned(64))) = { 0 };

	next(n);
	sink += room[n & 63];
}

static void wander(int n)
{
	here();
	if (n == 0)
		return;
	if (n % 3 == 0)
		with_alloca(n - 1, wander);
	else if (n % 3 == 1)
		aligned(n - 1, wander);
	else
		wander(n - 1);
	here();
	sink++;
}

TEST(frames_of_all_shapes)
{
	start();
	wander(30);
	wander(7);
	finish();
}

static int by_value(const void *a, const void *b)
{
	here();
	return *(const int *)a - *(const int *)b;
}

TEST(callbacks_from_the_c_library)
{
	int values[100];

	start();
	for (int i = 0; i < 100; i++)
		values[i] = i * 7919 % 100;
	qsort(values, 100, sizeof(values[0]), by_value);
	finish();
}

static void on_signal(int signum)
{
	sink += signum;
	here();
}

TEST(through_a_signal_frame)
{
	struct sigaction action = { .sa_handler = on_signal };

	start();
	CHECK(!sigaction(SIGUSR1, &action, NULL));
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	wander(4);
	finish();
}

static void *in_thread(void *argument)
{
	uintptr_t high = (uintptr_t)__builtin_frame_address(0) + 1024;

	unwind_reuse(&unwinder, high - (8 << 20), high);
	wander(10);
	return argument;
}

TEST(in_a_thread)
{
	pthread_t thread;

	start();
	CHECK(!pthread_create(&thread, NULL, in_thread, NULL));
	CHECK(!pthread_join(thread, NULL));
	finish();
}

/* A stack pointer that leads nowhere must not be followed. */
TEST(a_stack_that_is_not_there)
{
	struct cfi_frame top = { (uintptr_t)wander, 0x1000, 0x2000 };
	int why;

	start();
	CHECK(unwind_path(&unwinder, &tree, &top, true, NULL, &why));
	CHECK(why, ==, LOSS_PARTIAL_STACK);
	compared++;
	finish();
}

/*
 * A random walk up and down the stack: the memo meets every kind of change
 * between two samples.
 */
static void stroll(int depth)
{
	while (rand() % 4 && compared < ENOUGH) {
		if (rand() % 2 && depth < 40)
			stroll(depth + 1);
		else if (rand() % 2 && depth < 40)
			with_alloca(depth + 1, stroll);
		if (rand() % 8 == 0)
			here();
	}
}

TEST(the_memo_equals_a_full_walk)
{
	start();
	srand(1);
	while (compared < ENOUGH)
		stroll(0);
	finish();
}

/* One walk from here, with the memo of the one before. */
__attribute__((noinline)) static void walk_once(void)
{
	unw_context_t context;
	const mcontext_t *m = &context.uc_mcontext;
	struct cfi_frame top;
	int why;

	unw_getcontext(&context);
	top = (struct cfi_frame){ registers_pc(m), registers_sp(m),
				  registers_fp(m) };
	CHECK(unwind_path(&unwinder, &tree, &top, false, m, &why));
	compared++;
}

static void wrong_node(struct unwind_frame *frame)
{
	frame->node = tree.root;
}

/* Nothing on the stack tells that this is not what was there. */
static void wrong_frame(struct unwind_frame *frame)
{
	frame->fp_slot = 0;
	frame->at.fp++;
}

static void walk_with(void (*spoil)(struct unwind_frame *), uint64_t differ)
{
	walk_once();
	for (uint32_t i = 0; spoil && i < unwinder.count; i++)
		spoil(&unwinder.memo[i]);
	unwinder.differ = 0;
	walk_once();
	CHECK(unwinder.differ, ==, differ);
}

/* A wrong frame is met only by a walk that has got as wrong as it. */
TEST(the_check_finds_a_wrong_memo)
{
	start();
	unwinder.verify = true;
	walk_with(NULL, 0);
	walk_with(wrong_node, 1);
	walk_with(wrong_frame, 0);
	unwinder.memo[0].at.fp++;
	unwinder.memo[0].fp_slot = 0;
	walk_once();
	CHECK(unwinder.differ, ==, 1);
	finish();
}

/* Registers that calls preserve, where frames are known by them. */
TEST(verified_walks_differ_in_nothing)
{
	start();
	unwinder.verify = true;
	wander(30);
	wander(7);
	CHECK(unwinder.verified, ==, compared);
	CHECK(unwinder.differ, ==, 0);
	finish();
}

/* A frame whose CFA is in rbx, as in the loader's binding of symbols. */
void through_rbx(void (*next)(int), int n);
__asm__(".text\n"
	"through_rbx:\n"
	".cfi_startproc\n"
	"push %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n"
	"mov %rsp, %rbx\n"
	".cfi_def_cfa_register rbx\n"
	"and $-64, %rsp\n"
	"mov %rdi, %rax\n"
	"mov %esi, %edi\n"
	"call *%rax\n"
	"mov %rbx, %rsp\n"
	".cfi_def_cfa_register rsp\n"
	"pop %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n");

static void wander_by_register(int n)
{
	wander(3);
	if (n)
		through_rbx(wander_by_register, n - 1);
	here();
}

TEST(frames_known_by_another_register)
{
	start();
	unwinder.verify = true;
	wander_by_register(8);
	CHECK(unwinder.differ, ==, 0);
	finish();
}

static bool same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->cfa == b->cfa && a->cfa_register == b->cfa_register &&
	       a->cfa_offset == b->cfa_offset && a->rewrites == b->rewrites &&
	       a->pc.where == b->pc.where && a->pc.offset == b->pc.offset &&
	       a->fp.where == b->fp.where && a->fp.offset == b->fp.offset &&
	       a->function == b->function && a->low == b->low &&
	       a->high == b->high && a->expression_size == b->expression_size &&
	       !memcmp(a->expression, b->expression, a->expression_size);
}

/* Rules of the bytes from `pc` on: how often they changed. */
static int rows_from(uintptr_t pc, uintptr_t size)
{
	struct loaded_object object;
	struct cfi_rule rule, before = { 0 };
	int rows = 0;

	CHECK(loaded_object_find(&object, (const void *)pc));
	for (uintptr_t end = pc + size; pc < end; pc++) {
		cfi_find(&rule, pc, &object, NULL, CFI_NO_REGISTER);
		if (!rule.high) /* between two functions */
			continue;
		CHECK(rule.low, <=, pc);
		CHECK(pc, <, rule.high);
		if (pc < before.high)
			CHECK(same_rule(&rule, &before));
		else
			rows += !before.high || rule.low == before.high;
		before = rule;
	}
	return rows;
}

/* An interrupted instruction has the rule of its row without a search. */
TEST(a_rule_is_that_of_its_whole_row)
{
	CHECK(rows_from((uintptr_t)wander_by_register, 60), >, 1);
	CHECK(rows_from((uintptr_t)qsort, 200), >, 3);
	CHECK(rows_from((uintptr_t)vfprintf, 2000), >, 3);
}

#else

TEST(unwinder_against_libunwind)
{
	SKIP("libunwind was not found by configure");
}

#endif
