/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c - live profiles, good and bad, into profiles and rank files. */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "live/layout.h"
#include "profile/profile.h"
#include "profile/store/store.h"
#include "tests/lib/test.h"

/* A live profile, built by hand. */

struct live {
	char *data;
	size_t used, size;
};

#define AT(live, ref) ((void *)((live)->data + (size_t)(ref)*LIVE_UNIT))
#define HEADER(live)  ((struct live_header *)(void *)(live)->data)

static live_ref take(struct live *live, size_t size)
{
	live_ref ref = (live_ref)(live->used / LIVE_UNIT);

	live->used += (size + LIVE_UNIT - 1) / LIVE_UNIT * LIVE_UNIT;
	CHECK(live->used, <=, live->size);
	HEADER(live)->used = live->used;
	return ref;
}

static live_ref put_text(struct live *live, const char *text, size_t length)
{
	live_ref ref = take(live, sizeof(struct live_text) + length + 1);
	struct live_text *to = AT(live, ref);

	to->length = (uint32_t)length;
	memcpy(to->text, text, length);
	return ref;
}

static void put_metrics(struct live_header *h)
{
	h->metric_count = METRIC_COUNT;
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		strcpy(h->metrics[i].name, metric_infos[i].name);
		h->metrics[i].unit = metric_infos[i].unit;
		h->metrics[i].merge = metric_infos[i].merge;
	}
}

static void live_init(struct live *live, size_t size)
{
	static const char command[] = "./app\0it's\0";
	struct live_header *h;

	live->data = calloc(1, size);
	live->size = size;
	live->used = sizeof(*h);
	h = HEADER(live);
	h->magic = LIVE_MAGIC;
	h->version = LIVE_VERSION;
	h->header_size = sizeof(*h);
	h->capacity = size;
	h->rank = 3;
	h->size = 4;
	h->world_id = UINT64_MAX - 5;
	h->pid = 4711;
	h->freq = 1000;
	h->losses[LOSS_DROPPED_THREAD] = 1;
	strcpy(h->host, "node17");
	h->exe = put_text(live, "/opt/app", 8);
	h->command = put_text(live, command, sizeof(command) - 1);
	put_metrics(h);
}

static void put_module(struct live *live, live_ref path)
{
	live_ref ref = take(live, sizeof(struct live_module));
	struct live_module *m = AT(live, ref);

	*m = (struct live_module){ .next = HEADER(live)->modules,
				   .path = path,
				   .base = 0x400000,
				   .build_id_size = 20,
				   .build_id = { 0xab, 0xcd } };
	HEADER(live)->modules = ref;
}

static void put_name(struct live *live, const char *text)
{
	live_ref ref = take(live, sizeof(struct live_name));
	struct live_name *n = AT(live, ref);

	n->next = HEADER(live)->names;
	n->class = LIVE_NAME_MPI;
	n->detail = LIVE_MPI_COLL;
	n->text = put_text(live, text, strlen(text));
	HEADER(live)->names = ref;
}

/* The thread becomes the first one. */
static live_ref put_thread(struct live *live, uint32_t room)
{
	live_ref ref = take(live, sizeof(struct live_thread));
	size_t size =
		sizeof(struct live_chunk) + room * sizeof(struct live_node);
	live_ref nodes = take(live, size);
	struct live_thread *t = AT(live, ref);
	struct live_chunk *chunk = AT(live, nodes);

	t->next = HEADER(live)->threads;
	t->tid = 100;
	t->runs = 1;
	t->state = LIVE_THREAD_ENDED;
	t->samples = 7;
	t->losses[LOSS_DROPPED_THREAD] = 2;
	t->nodes = nodes;
	strcpy(t->name, "worker");
	chunk->size = (uint32_t)size;
	HEADER(live)->threads = ref;
	return nodes;
}

static live_ref put_node(struct live *live, live_ref nodes,
			 struct live_node node)
{
	struct live_chunk *chunk = AT(live, nodes);
	live_ref ref =
		nodes +
		(live_ref)((sizeof(*chunk) + chunk->count * sizeof(node)) /
			   LIVE_UNIT);

	*(struct live_node *)AT(live, ref) = node;
	chunk->count++;
	return ref;
}

static void put_value(struct live *live, live_ref node, uint32_t metric,
		      uint64_t value)
{
	struct live_node *n = AT(live, node);
	live_ref ref = take(live, sizeof(struct live_cell));

	*(struct live_cell *)AT(live, ref) =
		(struct live_cell){ n->cells, metric, value };
	n->cells = ref;
}

/* root - main - { solve, MPI_Allreduce }, with times. */
static void put_tree(struct live *live, uint64_t scale)
{
	live_ref nodes = put_thread(live, 8);
	live_ref root = put_node(live, nodes, (struct live_node){ 0 });
	live_ref main_ =
		put_node(live, nodes,
			 (struct live_node){ root, 0, LIVE_NODE_CALL, 0, 16 });
	live_ref solve =
		put_node(live, nodes,
			 (struct live_node){ main_, 0, LIVE_NODE_PC, 0, 64 });
	live_ref mpi =
		put_node(live, nodes,
			 (struct live_node){ main_, 0, LIVE_NODE_NAMED, 0, 0 });

	put_value(live, solve, METRIC_CPU_TIME, 10 * scale);
	put_value(live, solve, METRIC_SAMPLES, scale);
	put_value(live, mpi, METRIC_MPI_CALLS, 3 * scale);
}

static void live_example(struct live *live)
{
	live_init(live, 1 << 16);
	put_module(live, HEADER(live)->exe);
	put_name(live, "MPI_Allreduce");
	put_tree(live, 1);
	put_tree(live, 100);
}

static uint64_t loss(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->loss_count; i++)
		if (!strcmp(p->losses[i].name, name))
			return p->losses[i].count;
	return 0;
}

/* Every index of a profile leads somewhere. */
static void check_references(const struct profile *p)
{
	CHECK(p->node_count, >, 0);
	CHECK(p->nodes[0].kind, ==, NODE_ROOT);
	for (size_t i = 1; i < p->node_count; i++) {
		const struct profile_node *n = &p->nodes[i];

		CHECK(n->parent, <, i);
		CHECK(n->kind, >, NODE_ROOT);
		CHECK(n->kind, <, NODE_KINDS);
		if (n->kind == NODE_CALL || n->kind == NODE_PC)
			CHECK(n->owner, <, p->module_count);
		if (n->kind == NODE_NAMED)
			CHECK(n->owner, <, p->name_count);
		if (n->kind == NODE_PARTIAL)
			CHECK(n->owner, <, p->loss_count);
	}
	for (size_t i = 0; i < p->column_count; i++)
		for (size_t j = 0; j < p->columns[i].count; j++) {
			CHECK(p->columns[i].values[j].node, <, p->node_count);
			CHECK(p->columns[i].values[j].thread, <,
			      p->thread_count);
		}
}

static void read_quietly(const void *data, size_t size)
{
	struct profile *p = NULL;

	if (profile_from_live(&p, data, size) == 0)
		check_references(p);
	profile_free(p);
}

TEST(live_profile_becomes_one_tree)
{
	const struct profile_column *cpu;
	struct live live;
	struct profile *p;

	live_example(&live);
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	check_references(p);
	CHECK(p->thread_count, ==, 2);
	CHECK(p->node_count, ==, 4);
	CHECK(p->module_count, ==, 1);
	CHECK(p->name_count, ==, 1);
	CHECK(!strncmp(p->modules[0].build_id, "abcd00", 6));
	CHECK(strlen(p->modules[0].build_id), ==, 40);
	CHECK(p->id.command, ==, "./app 'it'\\''s'");
	CHECK(p->id.rank, ==, 3);
	CHECK(p->id.host, ==, "node17");
	CHECK(loss(p, "dropped.thread"), ==, 5);
	CHECK(loss(p, "damaged"), ==, 0);
	cpu = profile_column(p, "cpu.time");
	CHECK(cpu);
	CHECK(cpu->count, ==, 2);
	CHECK(cpu->unit, ==, UNIT_NS);
	CHECK(cpu->values[0].node, ==, cpu->values[1].node);
	CHECK(cpu->values[0].thread, ==, 0);
	CHECK(cpu->values[0].value, ==, 1000);
	CHECK(cpu->values[1].thread, ==, 1);
	CHECK(cpu->values[1].value, ==, 10);
	CHECK(!profile_column(p, "wall.time"));
	profile_free(p);
	free(live.data);
}

TEST(a_profile_cut_anywhere_is_read)
{
	struct live live;

	live_example(&live);
	for (size_t size = 0; size <= live.used; size += 64) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, live.data, size);
		read_quietly(copy, size);
		free(copy);
	}
	free(live.data);
}

TEST(flipped_bits_do_no_harm)
{
	struct live live;
	unsigned int seed = 1;

	live_example(&live);
	for (int round = 0; round < 20000; round++) {
		char *copy = malloc(live.used);

		memcpy(copy, live.data, live.used);
		for (int i = rand_r(&seed) % 8; i >= 0; i--)
			copy[16 + (size_t)rand_r(&seed) % (live.used - 16)] ^=
				(char)(1 << rand_r(&seed) % 8);
		read_quietly(copy, live.used);
		free(copy);
	}
	free(live.data);
}

TEST(lists_that_run_in_circles_end)
{
	struct live live;
	struct live_thread *t;
	struct live_chunk *chunk;
	struct profile *p;

	live_example(&live);
	t = AT(&live, HEADER(&live)->threads);
	chunk = AT(&live, t->nodes);
	chunk->next = t->nodes;
	t->next = HEADER(&live)->threads;
	*(live_ref *)AT(&live, HEADER(&live)->modules) = HEADER(&live)->modules;
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	check_references(p);
	CHECK(p->thread_count, ==, 1);
	CHECK(p->module_count, ==, 1);
	CHECK(loss(p, "damaged"), ==, 3);
	profile_free(p);
	free(live.data);
}

TEST(a_circle_of_cells_ends)
{
	live_ref nodes, root;
	struct live live;
	struct live_node *n;
	struct profile *p;

	live_init(&live, 1 << 16);
	nodes = put_thread(&live, 4);
	root = put_node(&live, nodes, (struct live_node){ 0 });
	put_value(&live, root, METRIC_SAMPLES, 5);
	n = AT(&live, root);
	((struct live_cell *)AT(&live, n->cells))->next = n->cells;
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	CHECK(p->columns[0].values[0].value, ==, 5);
	profile_free(p);
	free(live.data);
}

TEST(values_below_a_damaged_node_are_kept)
{
	const struct profile_column *c;
	live_ref nodes, root, bad, leaf;
	struct live live;
	struct profile *p;

	live_init(&live, 1 << 16);
	nodes = put_thread(&live, 4);
	root = put_node(&live, nodes, (struct live_node){ 0 });
	bad = put_node(&live, nodes,
		       (struct live_node){ root, 0, LIVE_NODE_PC, 9, 0 });
	leaf = put_node(&live, nodes,
			(struct live_node){ bad, 0, LIVE_NODE_ADDRESS, 0, 1 });
	put_value(&live, bad, METRIC_SAMPLES, 5);
	put_value(&live, leaf, METRIC_SAMPLES, 6);
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	c = profile_column(p, "samples");
	CHECK(p->node_count, ==, 2);
	CHECK(c);
	CHECK(c->count, ==, 2);
	CHECK(c->values[0].node, ==, 0);
	CHECK(c->values[0].value, ==, 5);
	CHECK(c->values[1].node, ==, 1);
	CHECK(c->values[1].value, ==, 6);
	CHECK(loss(p, "damaged"), ==, 1);
	profile_free(p);
	free(live.data);
}

/*
 * Each record has the path of a capture: a copy of the deepest path, and a node
 * before and behind it.
 */
static void put_captures(struct live *live, uint32_t depth, uint32_t count)
{
	size_t size =
		sizeof(struct live_chunk) + count * sizeof(struct live_gpu);
	live_ref nodes = put_thread(live, depth + 1), deepest = 0;
	live_ref ref = take(live, size), first = 0;
	struct live_chunk *chunk = AT(live, ref);
	struct live_gpu *to = (struct live_gpu *)(void *)(chunk + 1);

	for (uint32_t i = 0; i <= depth; i++) {
		struct live_node node = { deepest, 0, LIVE_NODE_CALL, 0, i };

		if (!i)
			node = (struct live_node){ 0 };
		deepest = put_node(live, nodes, node);
		first = i ? first : deepest;
	}
	*chunk = (struct live_chunk){ .count = count, .size = (uint32_t)size };
	for (uint32_t i = 0; i < count; i++)
		to[i] = (struct live_gpu){
			.node = first +
				(live_ref)(i * (sizeof(struct live_node) /
						LIVE_UNIT)),
			.from = deepest,
			.count = 1,
			.ns = 5,
		};
	HEADER(live)->gpu = ref;
}

TEST(paths_of_captures_are_bounded_by_the_file)
{
	struct profile *p;
	struct live live;

	for (uint32_t depth = 10; depth <= 3000; depth *= 300) {
		live_init(&live, 1 << 20);
		put_module(&live, HEADER(&live)->exe);
		put_name(&live, "cudaGraphLaunch");
		put_captures(&live, depth, depth);
		CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
		check_references(p);
		CHECK(p->node_count, <=, live.used + 2 * depth);
		CHECK((loss(p, "damaged") > 0), ==, (depth > 10));
		profile_free(p);
		free(live.data);
	}
}

TEST(a_newer_live_profile_is_named_so)
{
	struct live live;
	struct profile *p;

	live_example(&live);
	HEADER(&live)->version++;
	CHECK(profile_from_live(&p, live.data, live.used), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "newer"));
	free(live.data);
}

/* Rank files */

static const char *scratch(const char *name)
{
	static char directory[64], path[128];

	if (!directory[0]) {
		strcpy(directory, "/tmp/copse-profile-XXXXXX");
		CHECK(mkdtemp(directory));
	}
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void scratch_end(const char *path)
{
	char directory[128];

	unlink(path);
	snprintf(directory, sizeof(directory), "%s", path);
	*strrchr(directory, '/') = 0;
	rmdir(directory);
}

static void same_tree(const struct profile *a, const struct profile *b)
{
	CHECK(a->node_count, ==, b->node_count);
	for (size_t i = 0; i < a->node_count; i++) {
		CHECK(a->nodes[i].parent, ==, b->nodes[i].parent);
		CHECK(a->nodes[i].kind, ==, b->nodes[i].kind);
		CHECK(a->nodes[i].owner, ==, b->nodes[i].owner);
		CHECK(a->nodes[i].offset, ==, b->nodes[i].offset);
	}
	CHECK(a->column_count, ==, b->column_count);
	for (size_t i = 0; i < a->column_count; i++) {
		const struct profile_column *x = &a->columns[i];
		const struct profile_column *y = profile_column(b, x->name);

		CHECK(y);
		CHECK(x->unit, ==, y->unit);
		CHECK(x->merge, ==, y->merge);
		CHECK(x->count, ==, y->count);
		CHECK(!memcmp(x->values, y->values,
			      x->count * sizeof(*x->values)));
	}
}

static void same(const struct profile *a, const struct profile *b)
{
	same_tree(a, b);
	CHECK(a->id.rank, ==, b->id.rank);
	CHECK(a->id.pid, ==, b->id.pid);
	CHECK(a->id.world_id, ==, UINT64_MAX - 5);
	CHECK(b->id.world_id, ==, a->id.world_id);
	CHECK(a->id.command, ==, b->id.command);
	CHECK(a->id.host, ==, b->id.host);
	CHECK(a->id.version, ==, b->id.version);
	CHECK(a->module_count, ==, b->module_count);
	CHECK(a->modules[0].path, ==, b->modules[0].path);
	CHECK(a->modules[0].build_id, ==, b->modules[0].build_id);
	CHECK(a->names[0].text, ==, b->names[0].text);
	CHECK(a->names[0].detail, ==, b->names[0].detail);
	CHECK(a->thread_count, ==, b->thread_count);
	CHECK(a->threads[1].name, ==, b->threads[1].name);
	CHECK(a->threads[1].samples, ==, b->threads[1].samples);
	CHECK(loss(a, "dropped.thread"), ==, loss(b, "dropped.thread"));
}

static struct profile *example(void)
{
	struct live live;
	struct profile *p;

	live_example(&live);
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	free(live.data);
	return p;
}

TEST(what_is_saved_is_loaded)
{
	const char *path = scratch("rank-3.h5");
	struct profile *p = example(), *q;

	CHECK(profile_save(p, path), ==, 0);
	CHECK(profile_load(&q, path), ==, 0);
	same(p, q);
	profile_free(p);
	profile_free(q);
	scratch_end(path);
}

TEST(a_raw_copy_is_loaded)
{
	const char *path = scratch("rank-3.live");
	struct profile *p = example(), *q;
	struct live live;
	FILE *file = fopen(path, "w");

	live_example(&live);
	CHECK(file);
	CHECK(fwrite(live.data, live.size, 1, file), ==, 1);
	CHECK(fclose(file), ==, 0);
	CHECK(profile_load(&q, path), ==, 0);
	same(p, q);
	free(live.data);
	profile_free(p);
	profile_free(q);
	scratch_end(path);
}

static void refused(const char *path, const char *because)
{
	struct profile *p;

	CHECK(profile_load(&p, path), <, 0);
	CHECK(strstr(fail_reason(), path));
	CHECK(strstr(fail_reason(), because));
}

/* Where HDF5's part of the file ends; behind it stands the list. */
static off_t hdf5_end(const char *path)
{
	int fd = open(path, O_RDONLY);
	uint64_t end = 0;

	CHECK(fd, >=, 0);
	CHECK(pread(fd, &end, sizeof(end), 28), ==, sizeof(end));
	close(fd);
	return (off_t)end;
}

TEST(a_truncated_rank_file_is_refused)
{
	const char *path = scratch("rank-3.h5");
	struct profile *p = example();
	struct stat st;
	off_t end;

	CHECK(profile_save(p, path), ==, 0);
	profile_free(p);
	CHECK(stat(path, &st), ==, 0);
	end = hdf5_end(path);
	for (off_t size = st.st_size - 1; size > 48; size -= 97) {
		CHECK(truncate(path, size), ==, 0);
		if (size != end) /* then it is a file without a list */
			refused(path, "truncated");
	}
	CHECK(truncate(path, 7), ==, 0);
	refused(path, "not an HDF5 file");
	CHECK(truncate(path, 0), ==, 0);
	refused(path, "is empty");
	scratch_end(path);
	refused(path, "No such file");
	refused("/tmp", "is a directory");
}

TEST(a_rank_file_without_its_list_is_read_by_hdf5)
{
	const char *path = scratch("rank-3.h5");
	struct profile *p = example(), *q;
	struct stat st;

	CHECK(profile_save(p, path), ==, 0);
	CHECK(stat(path, &st), ==, 0);
	CHECK(st.st_size, >, hdf5_end(path));
	CHECK(truncate(path, hdf5_end(path)), ==, 0);
	CHECK(profile_load(&q, path), ==, 0);
	same(p, q);
	profile_free(p);
	profile_free(q);
	scratch_end(path);
}

/* Each byte behind HDF5's end wrong, and some of those before it. */
TEST(a_damaged_list_does_no_harm)
{
	const char *path = scratch("rank-3.h5");
	struct profile *p = example(), *q;
	struct stat st;
	off_t end, step;
	int fd;

	CHECK(profile_save(p, path), ==, 0);
	profile_free(p);
	CHECK(stat(path, &st), ==, 0);
	end = hdf5_end(path);
	fd = open(path, O_RDWR);
	for (off_t at = 0; at < st.st_size; at += step) {
		unsigned char was, is;

		step = at < end ? 61 : 1;
		CHECK(pread(fd, &was, 1, at), ==, 1);
		is = was ^ (unsigned char)(1 << at % 8);
		CHECK(pwrite(fd, &is, 1, at), ==, 1);
		if (!profile_load(&q, path))
			profile_free(q); /* a number, or what nobody reads */
		CHECK(pwrite(fd, &was, 1, at), ==, 1);
	}
	CHECK(profile_load(&q, path), ==, 0);
	profile_free(q);
	close(fd);
	scratch_end(path);
}

TEST(other_files_are_refused)
{
	const char *path = scratch("rank-3.h5");
	struct store *s;

	CHECK(store_create(&s, path, "copse rank profile", 99), ==, 0);
	CHECK(store_commit(s), ==, 0);
	refused(path, "version 99 is newer");
	CHECK(store_create(&s, path, "copse rank profile", 1), ==, 0);
	CHECK(store_commit(s), ==, 0);
	refused(path, "'identity' is missing");
	CHECK(store_create(&s, path, "tea", 1), ==, 0);
	CHECK(store_commit(s), ==, 0);
	refused(path, "no copse rank profile");
	scratch_end(path);
}

TEST(a_tree_without_order_is_refused)
{
	const char *path = scratch("rank-3.h5");
	struct profile *p = example();

	p->nodes[1].parent = 2;
	CHECK(profile_save(p, path), ==, 0);
	refused(path, "node 1 refers to nothing");
	p->nodes[1].parent = 0;
	p->columns[0].values[0].node = 1000;
	CHECK(profile_save(p, path), ==, 0);
	refused(path, "out of place");
	profile_free(p);
	scratch_end(path);
}

/* Foreign: debug information is looked for below a folder of that name. */
TEST(a_build_id_is_hexadecimal_or_none)
{
	const char *path = scratch("rank-3.h5");
	struct profile *p = example(), *q;

	strcpy(p->modules[0].build_id, "ab/../../../tmp/evil");
	CHECK(profile_save(p, path), ==, 0);
	CHECK(profile_load(&q, path), ==, 0);
	CHECK(!*q->modules[0].build_id);
	profile_free(q);
	profile_free(p);
	scratch_end(path);
}

/* The first reason is given, and nothing is measured by what is damaged. */
TEST(bins_of_a_damaged_device_are_not_looked_at)
{
	const char *path = scratch("rank-3.h5");
	struct profile_device device = { .bin_shift = 64, .last_ns = 10 };
	struct profile_bin bin = { .ns = 1 };
	struct profile *p = example();

	p->devices = &device;
	p->bins = &bin;
	p->device_count = p->bin_count = 1;
	CHECK(profile_save(p, path), ==, 0);
	refused(path, "row 0 of gpu/devices");
	device.bin_shift = 0;
	bin.ns = 2;
	CHECK(profile_save(p, path), ==, 0);
	refused(path, "row 0 of gpu/bins");
	p->devices = NULL;
	p->bins = NULL;
	p->device_count = p->bin_count = 0;
	profile_free(p);
	scratch_end(path);
}

TEST(nothing_appears_that_could_not_be_written)
{
	const char *path = scratch("rank-3.h5");
	struct store *s;

	CHECK(store_create(&s, path, "tea", 1), ==, 0);
	CHECK(store_fail(s, -ENOSPC, "no more cups"), ==, -ENOSPC);
	CHECK(store_commit(s), ==, -ENOSPC);
	CHECK(access(path, F_OK), <, 0);
	CHECK(strstr(fail_reason(), "no more cups"));
	scratch_end(path); /* the directory is empty: no temporary is left */
	CHECK(access(path, F_OK), <, 0);
	CHECK(errno, ==, ENOENT);
	CHECK(store_create(&s, path, "tea", 1), ==, -ENOENT);
}

/* A trace of GPUs */

static struct live_slice *put_slices(struct live *live)
{
	live_ref refs = take(live, sizeof(live_ref));
	live_ref chunk =
		take(live, LIVE_SLICE_CHUNK * sizeof(struct live_slice));

	*(live_ref *)AT(live, refs) = chunk;
	HEADER(live)->slices = (struct live_slices){ .room = LIVE_SLICE_CHUNK,
						     .last = 5000,
						     .lost_until_ns = 12,
						     .chunks = refs };
	return AT(live, chunk);
}

static struct profile *profile_of_slices(struct live *live)
{
	struct profile *p;

	put_module(live, HEADER(live)->exe);
	put_name(live, "cudaLaunchKernel");
	put_tree(live, 1);
	CHECK(profile_from_live(&p, live->data, live->used), ==, 0);
	return p;
}

TEST(slices_that_were_being_written_are_left_out)
{
	struct live_slice whole = { .done = 7, .start = 20, .end = 30 };
	struct live_slice *at;
	struct profile *p;
	struct live live;

	live_init(&live, 1 << 20);
	at = put_slices(&live);
	whole.begun = 7;
	at[0] = whole;
	at[1] = whole; /* a later one is about to take its place */
	at[1].begun = 8;
	at[2] = whole;
	at[2].start = 10;
	at[3] = whole;
	at[3].kind = LIVE_SLICE_CALL;
	at[4] = whole;
	at[4].kind = LIVE_SLICE_RANGE;
	memset(at[4].text, 'x', sizeof(at[4].text)); /* no end */
	p = profile_of_slices(&live);
	CHECK(p->slice_count, ==, 2);
	CHECK(p->slices[0].start, ==, 10);
	CHECK(p->slices[1].start, ==, 20);
	CHECK(p->slice_call_count, ==, 1);
	CHECK(p->slice_range_count, ==, 1);
	CHECK(strlen(p->slice_ranges[0].name), ==, LIVE_SLICE_TEXT - 1);
	CHECK(p->slice_windows->lost, ==, 5000 - 4);
	CHECK(p->slice_windows->lost_until, ==, 12);
	profile_free(p);
	free(live.data);
}

TEST(damaged_slices_are_counted)
{
	struct live_slice good = { .done = 7, .start = 20, .end = 30 };
	struct live_slice *at;
	struct profile *p;
	struct live live;

	live_init(&live, 1 << 20);
	at = put_slices(&live);
	good.begun = 7;
	for (int i = 0; i < 6; i++)
		at[i] = good;
	at[0].end = 19;
	at[1].kind = LIVE_SLICE_KINDS;
	at[2].kind = LIVE_GPU_IDLE;
	at[3].function = LIVE_COLLECTIVES;
	at[4].kind = LIVE_SLICE_CALL;
	at[4].thread = 99;
	p = profile_of_slices(&live);
	CHECK(p->slice_count, ==, 1);
	CHECK(p->slice_call_count, ==, 0);
	CHECK(p->losses[p->loss_count - 1].count, ==, 5);
	profile_free(p);
	HEADER(&live)->slices.room = (uint64_t)1 << 60;
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	CHECK(p->slice_count, ==, 0);
	profile_free(p);
	free(live.data);
}

/* What the MPI wrappers keep */

static live_ref put_chunk(struct live *live, const void *records, size_t size,
			  uint32_t count)
{
	live_ref ref = take(live, sizeof(struct live_chunk) + count * size);
	struct live_chunk *chunk = AT(live, ref);

	chunk->count = count;
	chunk->size = (uint32_t)(sizeof(*chunk) + count * size);
	memcpy(chunk + 1, records, count * size);
	return ref;
}

static live_ref put_comm(struct live *live, uint64_t id)
{
	live_ref ref = take(live, sizeof(struct live_comm));
	struct live_comm *c = AT(live, ref);

	*c = (struct live_comm){ .next = HEADER(live)->comms,
				 .size = 4,
				 .rank = 3,
				 .id = id,
				 .instances = 9,
				 .name = put_text(live, "cart", 4) };
	HEADER(live)->comms = ref;
	return ref;
}

/* A context's calls: of two sizes, with requests. */
static live_ref put_call(struct live *live, live_ref comm, int32_t root,
			 uint64_t scale)
{
	live_ref ref = take(live, sizeof(struct live_call));
	live_ref sizes = take(live, LIVE_SIZES * sizeof(struct live_size));
	struct live_size *size = AT(live, sizes);

	size[0] = (struct live_size){ scale, 10 };
	size[4] = (struct live_size){ 2 * scale, 20 };
	*(struct live_call *)AT(live, ref) = (struct live_call){
		.calls = 3 * scale,
		.ns = 30 * scale,
		.sent = 24 * scale,
		.min_ns = 2 * scale,
		.max_ns = 20 * scale,
		.comm = comm,
		.root = root,
		.sizes = sizes,
		.requests = 1,
		.open_ns = 50,
		.outside_ns = 40,
		/* 7 for each that was not timed; and ¾ of what is long, but no
		   more than 15 for each. */
		.passed = scale,
		.drawn = 2,
		.drawn_ns = 14,
		.long_ns = 30,
		.gap_ns = 10,
		.excess_ns = 8 * scale * scale,
	};
	return ref;
}

/* A thread whose nodes stand in another order than those of the others. */
static void put_caller(struct live *live, live_ref comm, int32_t root,
		       uint64_t scale, bool other)
{
	live_ref nodes = put_thread(live, 8), work, mpi, main_;
	live_ref root_node = put_node(live, nodes, (struct live_node){ 0 });
	struct live_peer *peer;
	struct live_thread *t;
	live_ref peers;

	main_ = put_node(
		live, nodes,
		(struct live_node){ root_node, 0, LIVE_NODE_CALL, 0, 16 });
	if (other)
		put_node(live, nodes,
			 (struct live_node){ main_, 0, LIVE_NODE_PC, 0, 99 });
	mpi = put_node(live, nodes,
		       (struct live_node){ main_, 0, LIVE_NODE_NAMED, 0, 0 });
	work = put_node(live, nodes,
			(struct live_node){ main_, 0, LIVE_NODE_PC, 0, 64 });
	put_value(live, mpi, LIVE_CELL_CALL, put_call(live, comm, root, scale));
	peers = take(live, sizeof(struct live_peer));
	peer = AT(live, peers);
	*peer = (struct live_peer){ .rank = 2, .sends = 1, .sent = 8 * scale };
	t = AT(live, HEADER(live)->threads);
	t->peers = peers;
	t->every = 4;
	t->level = 1;
	t->parts = put_chunk(live,
			     &(struct live_event){ .key = scale,
						   .begin = 5,
						   .enter = 10,
						   .leave = 20,
						   .begin_node = mpi,
						   .node = mpi,
						   .peer = -1,
						   .size = 4,
						   .kind = LIVE_EVENT_BARRIER,
						   .level = 1,
						   .cluster = 6 },
			     sizeof(struct live_event), 1);
	t->moments = put_chunk(
		live, (struct live_moment[]){ { 30, work, 3 }, { 20, mpi, 2 } },
		sizeof(struct live_moment), 2);
	t->moments_held = 2;
}

static void live_calls(struct live *live)
{
	live_ref comm;

	live_init(live, 1 << 16);
	put_module(live, HEADER(live)->exe);
	put_name(live, "MPI_Allreduce");
	comm = put_comm(live, 77);
	put_caller(live, comm, -1, 1, false);
	put_caller(live, comm, 2, 10, true);
}

static uint64_t only(const struct profile *p, const char *metric)
{
	const struct profile_column *c = profile_column(p, metric);
	uint64_t sum = 0;

	for (size_t i = 0; c && i < c->count; i++)
		sum += c->values[i].value;
	return sum;
}

static void check_calls(const struct profile *p)
{
	uint32_t mpi;

	CHECK(p->site_count, ==, 1);
	CHECK(p->size_count, ==, 2);
	CHECK(p->comm_count, ==, 1);
	mpi = p->sites[0].node;
	CHECK(p->nodes[mpi].kind, ==, NODE_NAMED);
	CHECK(p->sites[0].comm, ==, 0);
	CHECK(p->sites[0].root, ==, -2);
	CHECK(p->comms[0].id, ==, 77);
	CHECK(p->comms[0].name, ==, "cart");
	CHECK(p->sizes[0].class, ==, 0);
	CHECK(p->sizes[0].calls, ==, 11);
	CHECK(p->sizes[1].class, ==, 4);
	CHECK(p->sizes[1].calls, ==, 22);
	CHECK(p->sizes[1].node, ==, mpi);
	CHECK(p->sizes[1].ns, ==, 40);
	CHECK(only(p, "mpi.calls"), ==, 33);
	CHECK(only(p, "mpi.calls.untimed"), ==, 11);
	CHECK(only(p, "mpi.time"), ==, 330 + 11 * 7 + 6 + 10 * 15);
	CHECK(only(p, "mpi.bytes.sent"), ==, 264);
	CHECK(only(p, "mpi.time.min"), ==, 22); /* of two threads */
	CHECK(only(p, "mpi.time.max"), ==, 220);
	CHECK(only(p, "mpi.requests"), ==, 2);
	CHECK(only(p, "mpi.requests.open"), ==, 100);
	CHECK(only(p, "mpi.requests.overlap"), ==, 80);
	CHECK(p->peer_count, ==, 1);
	CHECK(p->peers[0].rank, ==, 2);
	CHECK(p->peers[0].sends, ==, 2);
	CHECK(p->peers[0].sent, ==, 88);
	CHECK(p->part_count, ==, 2);
	CHECK(p->moment_count, ==, 4);
	for (int i = 0; i < 2; i++) {
		const struct profile_event *part = &p->parts[i];
		const struct profile_moment *m = &p->moments[2 * i];

		CHECK(part->thread, ==, (uint32_t)i);
		CHECK(part->node, ==, mpi);
		CHECK(part->begin_node, ==, mpi);
		CHECK(part->enter, ==, 10);
		CHECK(part->cluster, ==, 6);
		/* By time, and the node is the one of both threads. */
		CHECK(m[0].ns, ==, 20);
		CHECK(m[0].node, ==, mpi);
		CHECK(m[1].ns, ==, 30);
		CHECK(m[1].weight_ns, ==, 3);
		CHECK(p->nodes[m[1].node].offset, ==, 64);
		CHECK(p->threads[i].every, ==, 4);
		CHECK(p->threads[i].level, ==, 1);
	}
}

/* A ring of samples of a trace, before and after the lowest bits were 0. */
static struct live_thread *trace_of(struct live *live)
{
	struct live_thread *t = AT(live, HEADER(live)->threads);
	const uint32_t times[] = { 5, 0xfffffff0, 0xffffffff, 2 };
	struct live_traced samples[4];

	for (int i = 0; i < 4; i++)
		samples[i] = (struct live_traced){ t->nodes + 2, times[i] };
	t->moments = put_chunk(live, samples, sizeof(*samples), 4);
	t->moment_size = sizeof(*samples);
	t->moments_held = 4;
	t->moments_at = 1;
	t->every = 1;
	t->first_ns = (uint64_t)0xffffff00 << LIVE_TRACED_SHIFT;
	t->last_ns = ((uint64_t)0x100000005 << LIVE_TRACED_SHIFT) + 1;
	return t;
}

/* Of the thread that has a trace; the times are in its units. */
static void check_trace(const struct live *live, const uint64_t *times,
			uint32_t count)
{
	struct profile *p;
	uint32_t seen = 0;

	CHECK(profile_from_live(&p, live->data, live->used), ==, 0);
	for (size_t i = 0; i < p->moment_count; i++) {
		const struct profile_moment *m = &p->moments[i];

		if (m->ns < (uint64_t)1 << 32)
			continue;
		CHECK(seen, <, count);
		CHECK(m->ns, ==, times[seen] << LIVE_TRACED_SHIFT);
		CHECK(!seen || m->weight_ns == m->ns - m[-1].ns);
		seen++;
	}
	CHECK(seen, ==, count);
	profile_free(p);
}

TEST(samples_of_a_trace_have_their_times)
{
	const uint64_t times[] = { 0xfffffff0, 0xffffffff, 0x100000002,
				   0x100000005 };
	struct live_thread *t;
	struct live live;

	live_calls(&live);
	t = trace_of(&live);
	check_trace(&live, times, 4);
	/* The last one was written, but not counted, when it was killed. */
	t->moments_at = 0;
	check_trace(&live, times, 3);
	free(live.data);
}

TEST(calls_and_parts_are_read)
{
	const char *path;
	struct profile *p, *q;
	struct live live;

	live_calls(&live);
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	check_references(p);
	CHECK(!loss(p, "damaged"));
	check_calls(p);
	path = scratch("rank-3.h5");
	CHECK(profile_save(p, path), ==, 0);
	CHECK(profile_load(&q, path), ==, 0);
	check_calls(q);
	q->parts[1].node = (uint32_t)q->node_count;
	CHECK(profile_save(q, path), ==, 0);
	refused(path, "row 1 of mpi/parts");
	q->parts[1].node = 0;
	q->moments[3].ns = 1;
	CHECK(profile_save(q, path), ==, 0);
	refused(path, "row 3 of mpi/moments");
	q->moments[3].ns = 30;
	q->sites[0].comm = 1;
	CHECK(profile_save(q, path), ==, 0);
	refused(path, "row 0 of mpi/sites");
	profile_free(p);
	profile_free(q);
	free(live.data);
	scratch_end(path);
}

/* In a process that was killed; until the thread's last sample. */
TEST(a_call_that_was_not_left_takes_time)
{
	const struct live_event *part;
	struct live_thread *t;
	struct profile *p;
	struct live live;
	uint64_t without;

	live_calls(&live);
	t = AT(&live, HEADER(&live)->threads);
	part = (void *)((char *)AT(&live, t->parts) +
			sizeof(struct live_chunk));
	t->call.node = part->node;
	t->call.begin_ns = 500;
	t->call.sequence = 7;
	t->last_ns = 1500;
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	without = only(p, "mpi.time");
	profile_free(p);
	t->state = LIVE_THREAD_RUNS;
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	CHECK(!loss(p, "damaged"));
	CHECK(only(p, "mpi.time"), ==, without + 1000);
	CHECK(only(p, "mpi.calls"), ==, 33);
	CHECK(p->last_call_count, ==, 1);
	CHECK(p->last_calls[0].open, ==, 1);
	profile_free(p);
	free(live.data);
}

TEST(parts_that_are_being_moved_are_left_out)
{
	struct profile *p;
	struct live live;
	struct live_thread *t;

	live_calls(&live);
	t = AT(&live, HEADER(&live)->threads);
	t->thinning = 3;
	CHECK(profile_from_live(&p, live.data, live.used), ==, 0);
	CHECK(p->part_count, ==, 1);
	CHECK(p->moment_count, ==, 4);
	CHECK(loss(p, "waits.moved"), ==, 1);
	CHECK(!loss(p, "damaged"));
	profile_free(p);
	free(live.data);
}

/* Every index of what belongs to MPI leads somewhere as well. */
static void read_calls_quietly(const void *data, size_t size)
{
	struct profile *p = NULL;

	if (profile_from_live(&p, data, size) == 0) {
		check_references(p);
		for (size_t i = 0; i < p->part_count; i++)
			CHECK(p->parts[i].node < p->node_count &&
			      p->parts[i].begin_node < p->node_count &&
			      p->parts[i].thread < p->thread_count);
		for (size_t i = 0; i < p->moment_count; i++)
			CHECK(p->moments[i].node, <, p->node_count);
		for (size_t i = 0; i < p->site_count; i++)
			CHECK(p->sites[i].node < p->node_count &&
			      (p->sites[i].comm < p->comm_count ||
			       p->sites[i].comm >= PROFILE_SEVERAL_COMMS));
		for (size_t i = 0; i < p->size_count; i++)
			CHECK(p->sizes[i].node, <, p->node_count);
	}
	profile_free(p);
}

TEST(flipped_bits_in_calls_do_no_harm)
{
	struct live live;
	unsigned int seed = 2;

	live_calls(&live);
	for (int round = 0; round < 10000; round++) {
		char *copy = malloc(live.used);

		memcpy(copy, live.data, live.used);
		for (int i = rand_r(&seed) % 8; i >= 0; i--)
			copy[16 + (size_t)rand_r(&seed) % (live.used - 16)] ^=
				(char)(1 << rand_r(&seed) % 8);
		read_calls_quietly(copy, live.used);
		free(copy);
	}
	free(live.data);
}

TEST(strings_and_large_columns_come_back)
{
	static char one[] = "one", none[] = "", three[] = "three";
	char *const strings[] = { one, none, three };
	const char *path = scratch("store.h5");
	enum {
		MANY = 100000
	};
	uint32_t *many = calloc(MANY, sizeof(*many)), *back;
	struct store *s;
	size_t count;
	char *text;

	for (uint32_t i = 0; i < MANY; i++)
		many[i] = i * i;
	CHECK(store_create(&s, path, "tea", 1), ==, 0);
	store_put(s, "a/b/many", STORE_U32, many, MANY);
	store_put(s, "a/none", STORE_F64, NULL, 0);
	store_put_strings(s, "a/strings", strings, 3);
	CHECK(store_commit(s), ==, 0);
	CHECK(store_open(&s, path, "tea", 1), ==, 0);
	back = store_get(s, "a/b/many", STORE_U32, &count);
	CHECK(count, ==, MANY);
	CHECK(!memcmp(many, back, MANY * sizeof(*many)));
	free(back);
	CHECK(!store_get(s, "a/none", STORE_F64, &count) && !count);
	text = store_get_strings(s, "a/strings", &count);
	CHECK(count, ==, 3);
	CHECK(!memcmp(text, "one\0\0three", 11));
	free(text);
	CHECK(store_error(s), ==, 0);
	CHECK(!store_get(s, "a/b/few", STORE_U32, &count) && !count);
	CHECK(store_error(s), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "'a/b/few' is missing"));
	store_close(s);
	free(many);
	scratch_end(path);
}

/* With the list behind the file's end, and without. */
TEST(what_a_file_has)
{
	static const struct store_field fields[] = {
		STORE_FIELD(struct profile_work, node), { 0 }
	};
	static int (*const create[])(
		struct store **, const char *, const char *,
		uint32_t) = { store_create, store_create_large };
	const struct profile_work row = { .node = 7 };
	char path[] = "/tmp/copse-profile-has.XXXXXX";
	struct store *s;

	CHECK(mkdtemp(path));
	CHECK(!chdir(path));
	for (size_t i = 0; i < 2; i++) {
		CHECK(!create[i](&s, "a.h5", "some", 1));
		store_put_table(s, "a/b", fields, &row, sizeof(row), 1);
		store_put_record(s, "r", fields, &row);
		CHECK(!store_commit(s));
		CHECK(!store_open(&s, "a.h5", "some", 1));
		CHECK(store_has(s, "a/b/node") && store_has(s, "r"));
		CHECK(!store_has(s, "a/b/other") && !store_has(s, "a/c/node"));
		CHECK(!store_has(s, "none/b/node") && !store_has(s, "q"));
		CHECK(!store_error(s));
		store_close(s);
	}
	CHECK(!unlink("a.h5") && !chdir("/") && !rmdir(path));
}

TEST(a_column_that_an_older_file_lacks_is_zero)
{
	static const struct store_field before[] = {
		STORE_FIELD(struct profile_work, node), { 0 }
	};
	static const struct store_field now[] = {
		STORE_FIELD(struct profile_work, node),
		STORE_ADDED(struct profile_work, ns),
		{ 0 }
	};
	const struct profile_work row = { .node = 7, .ns = 8 };
	const char *path = scratch("older.h5");
	struct profile_work *rows;
	struct store *s;
	size_t count;

	for (size_t i = 0; i < 2; i++) {
		CHECK(!store_create(&s, path, "some", 1));
		store_put_table(s, "a", i ? now : before, &row, sizeof(row), 1);
		CHECK(!store_commit(s) && !store_open(&s, path, "some", 1));
		rows = store_get_table(s, "a", now, sizeof(*rows), &count);
		CHECK(rows);
		CHECK(count, ==, 1);
		CHECK(rows->node, ==, 7);
		CHECK(rows->ns, ==, (i ? 8 : 0));
		free(rows);
		store_close(s);
	}
	scratch_end(path);
}

/* As files, and by the list behind them, are read. */
TEST(an_attribute_that_an_older_file_lacks_is_zero)
{
	static int (*const create[])(
		struct store **, const char *, const char *,
		uint32_t) = { store_create, store_create_large };
	static const struct store_field before[] = {
		STORE_FIELD(struct profile_work, node), { 0 }
	};
	static const struct store_field now[] = {
		STORE_FIELD(struct profile_work, node),
		STORE_ADDED(struct profile_work, ns),
		{ 0 }
	};
	const struct profile_work record = { .node = 7, .ns = 8 };
	const char *path = scratch("older-record.h5");
	struct store *s;

	for (size_t i = 0; i < 4; i++) {
		struct profile_work is = { 0 };

		CHECK(!create[i / 2](&s, path, "some", 1));
		store_put_record(s, "r", i % 2 ? now : before, &record);
		CHECK(!store_commit(s) && !store_open(&s, path, "some", 1));
		store_get_record(s, "r", now, &is);
		CHECK(!store_error(s));
		CHECK(is.node, ==, 7);
		CHECK(is.ns, ==, (i % 2 ? 8 : 0));
		store_close(s);
	}
	scratch_end(path);
}

/* Foreign: a link, values, or parts of values in another file. */
enum elsewhere {
	BY_LINK,
	BY_STORAGE,
	BY_PARTS,
	WAYS
};

static void point_elsewhere(hid_t file, enum elsewhere way)
{
	hsize_t count = 4;
	hid_t space = H5Screate_simple(1, &count, NULL);
	hid_t how = H5Pcreate(H5P_DATASET_CREATE), set;

	if (way == BY_LINK) {
		CHECK(H5Lcreate_external("there.h5", "/secret", file, "column",
					 H5P_DEFAULT, H5P_DEFAULT),
		      >=, 0);
	} else {
		if (way == BY_STORAGE)
			H5Pset_external(how, "there.h5", 0, 16);
		else
			H5Pset_virtual(how, space, "there.h5", "/secret",
				       space);
		set = H5Dcreate2(file, "column", H5T_STD_U32LE, space,
				 H5P_DEFAULT, how, H5P_DEFAULT);
		CHECK(set, >=, 0);
		H5Dclose(set);
	}
	H5Pclose(how);
	H5Sclose(space);
}

/* Whoever opened a store once cannot make such links himself. */
static void child_makes(const char *path)
{
	const uint32_t secret[4] = { 1, 2, 3, 4 };
	struct store *s;
	pid_t pid = fork();

	if (!pid) {
		CHECK(!store_create(&s, path, "tea", 1));
		store_put(s, "secret", STORE_U32, secret, 4);
		_exit(store_commit(s) != 0);
	}
	CHECK(waitpid(pid, NULL, 0), ==, pid);
}

TEST(a_file_names_no_other)
{
	static const char *const names[] = { "link.h5", "storage.h5",
					     "parts.h5" };
	char path[] = "/tmp/copse-profile-one.XXXXXX";
	struct store *s;
	size_t count;
	hid_t file;

	CHECK(mkdtemp(path) && !chdir(path));
	for (enum elsewhere way = 0; way < WAYS; way++) {
		child_makes("there.h5");
		child_makes("here.h5");
		file = H5Fopen("here.h5", H5F_ACC_RDWR, H5P_DEFAULT);
		CHECK(file, >=, 0);
		point_elsewhere(file, way);
		CHECK(H5Fclose(file), >=, 0);
		CHECK(!rename("here.h5", names[way]));
	}
	for (enum elsewhere way = 0; way < WAYS; way++) {
		CHECK(!store_open(&s, names[way], "tea", 1));
		CHECK(!store_get(s, "column", STORE_U32, &count) && !count);
		CHECK(store_error(s), <, 0);
		CHECK(way == BY_LINK ||
		      strstr(fail_reason(), "are in other files"));
		store_close(s);
		CHECK(!unlink(names[way]));
	}
	CHECK(!unlink("there.h5"));
	CHECK(!chdir("/") && !rmdir(path));
}

TEST(a_small_file_does_not_become_a_large_one)
{
	enum {
		COUNT = 40 << 20
	};
	const char *path = scratch("store.h5");
	uint8_t *zeros = calloc(COUNT, 1), *back;
	struct store *s;
	size_t count;

	CHECK(store_create(&s, path, "tea", 1), ==, 0);
	store_put(s, "one", STORE_U8, zeros, COUNT);
	store_put(s, "two", STORE_U8, zeros, COUNT);
	CHECK(store_commit(s), ==, 0);
	CHECK(store_open(&s, path, "tea", 1), ==, 0);
	back = store_get(s, "one", STORE_U8, &count);
	CHECK(back);
	CHECK(count, ==, COUNT);
	CHECK(!store_get(s, "two", STORE_U8, &count) && !count);
	CHECK(store_error(s), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "not believed"));
	store_close(s);
	free(back);
	free(zeros);
	scratch_end(path);
}

/* In a child, which gets no further. */
static void create_for_ever(const char *path, int ready)
{
	struct store *s;

	store_mind_signals();
	if (store_create(&s, path, "some", 1) || write(ready, "!", 1) != 1)
		_exit(1);
	while (!pause())
		;
	_exit(2);
}

TEST(a_signal_removes_what_is_being_made)
{
	const char *path = scratch("ended.h5");
	char *temporary, byte;
	int ready[2], status;
	pid_t pid;

	CHECK(!pipe(ready));
	pid = fork();
	if (!pid)
		create_for_ever(path, ready[1]);
	temporary = store_temporary(path, pid);
	CHECK(temporary);
	CHECK(read(ready[0], &byte, 1), ==, 1);
	CHECK(!access(temporary, F_OK));
	CHECK(!kill(pid, SIGTERM));
	CHECK(waitpid(pid, &status, 0), ==, pid);
	CHECK(WIFSIGNALED(status));
	CHECK(WTERMSIG(status), ==, SIGTERM);
	CHECK(access(temporary, F_OK));
	CHECK(errno, ==, ENOENT);
	close(ready[0]);
	close(ready[1]);
	unlink(temporary);
	free(temporary);
	scratch_end(path);
}
