/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * otf2-archive.c - the timeline as samples of calling contexts.
 *
 * A location is a row of the timeline: a thread, the other threads of a
 * process, a GPU.  Each bin is a sample, in its middle, of the context that at
 * least half of it was spent in, and a set of metrics, in per cent of the bin,
 * which hold from the bin's begin.  otf2-calls.c adds what has exact times.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyse/paths/paths.h"
#include "analyse/base/processes.h"
#include "base/err.h"
#include "format/export/otf2-write.h"
#include "format/export/otf2-writer.h"
#include "format/utf8.h"

enum {
	CLOCK = 1000000000, /* ticks of a second */
	METRICS = 5
};

void otf2_check(struct otf2_archive *a, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && !a->err)
		a->err = fail(-EIO, "cannot write the archive: %s",
			      OTF2_Error_GetDescription(code));
}

OTF2_StringRef otf2_text(struct otf2_archive *a, const char *text)
{
	uint32_t before = a->texts.count, number = str_add(&a->texts, text);
	char *clean;

	if (number == STR_NONE) {
		a->err = -ENOMEM;
		return 0;
	}
	if (a->texts.count == before)
		return number;
	clean = utf8_clean(text, true);
	if (clean)
		otf2_check(a, OTF2_GlobalDefWriter_WriteString(a->defs, number,
							       clean));
	else
		a->err = no_memory();
	free(clean);
	return number;
}

uint32_t otf2_number(struct otf2_archive *a, struct map *map, uint64_t x,
		     uint64_t y, bool *fresh)
{
	size_t before = map->count;
	uint32_t number = map_put(map, x, y, (uint32_t)before);

	if (number == MAP_NONE)
		a->err = no_memory();
	*fresh = number != MAP_NONE && map->count > before;
	return number;
}

static OTF2_Paradigm otf2_paradigm(enum run_kind kind)
{
	switch (kind) {
	case RUN_MPI:
		return OTF2_PARADIGM_MPI;
	case RUN_OPENMP:
		return OTF2_PARADIGM_OPENMP;
	case RUN_PHASE:
		return OTF2_PARADIGM_USER;
	case RUN_KERNEL:
	case RUN_GPU_CALL:
		return OTF2_PARADIGM_CUDA;
	default:
		return OTF2_PARADIGM_SAMPLING;
	}
}

/* By how their names begin; the first that fits. */
static OTF2_RegionRole otf2_role(const char *name)
{
	static const struct {
		const char *begin;
		OTF2_RegionRole role;
	} roles[] = {
		{ "MPI_File_", OTF2_REGION_ROLE_FILE_IO },
		{ "MPI_Win_", OTF2_REGION_ROLE_RMA },
		{ "MPI_Put", OTF2_REGION_ROLE_RMA },
		{ "MPI_Send", OTF2_REGION_ROLE_POINT2POINT },
		{ "MPI_Recv", OTF2_REGION_ROLE_POINT2POINT },
		{ "MPI_Isend", OTF2_REGION_ROLE_POINT2POINT },
		{ "MPI_Irecv", OTF2_REGION_ROLE_POINT2POINT },
		{ "MPI_Wait", OTF2_REGION_ROLE_POINT2POINT },
		{ "MPI_Barrier", OTF2_REGION_ROLE_BARRIER },
		{ "MPI_Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL },
		{ "MPI_Scatter", OTF2_REGION_ROLE_COLL_ONE2ALL },
		{ "MPI_Gather", OTF2_REGION_ROLE_COLL_ALL2ONE },
		{ "MPI_Reduce_", OTF2_REGION_ROLE_COLL_ALL2ALL },
		{ "MPI_Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE },
		{ "MPI_All", OTF2_REGION_ROLE_COLL_ALL2ALL },
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strncmp(name, roles[i].begin, strlen(roles[i].begin)))
			return roles[i].role;
	return OTF2_REGION_ROLE_FUNCTION;
}

OTF2_RegionRef otf2_region(struct otf2_archive *a, uint32_t node)
{
	const struct run_node *n = &a->run->nodes[node];
	bool fresh;
	uint32_t number = otf2_number(a, &a->regions,
				      (uint64_t)n->function << 32 | n->kind,
				      n->module, &fresh);
	OTF2_StringRef name;
	const char *text;

	if (!fresh)
		return number;
	text = paths_function(a->run, node);
	name = otf2_text(a, text);
	otf2_check(a, OTF2_GlobalDefWriter_WriteRegion(
			      a->defs, number, name, name,
			      otf2_text(a, str_at(&a->run->strings, n->module)),
			      n->kind == RUN_MPI ? otf2_role(text)
						 : OTF2_REGION_ROLE_FUNCTION,
			      otf2_paradigm(n->kind), OTF2_REGION_FLAG_NONE,
			      OTF2_UNDEFINED_STRING, 0, 0));
	return number;
}

static OTF2_SourceCodeLocationRef otf2_place(struct otf2_archive *a,
					     const struct frame *f)
{
	bool fresh;
	uint32_t number;

	if (!f->line)
		return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
	number = otf2_number(a, &a->places, f->file, f->line, &fresh);
	if (fresh)
		otf2_check(a, OTF2_GlobalDefWriter_WriteSourceCodeLocation(
				      a->defs, number,
				      otf2_text(a, str_at(&a->run->strings,
							  f->file)),
				      f->line));
	return number;
}

static OTF2_CallingContextRef otf2_frame(struct otf2_archive *a,
					 const struct frame *f,
					 OTF2_CallingContextRef caller)
{
	OTF2_RegionRef region = otf2_region(a, f->node);
	OTF2_SourceCodeLocationRef place = otf2_place(a, f);
	bool fresh;
	uint32_t number =
		otf2_number(a, &a->contexts, (uint64_t)region << 32 | place,
			    caller, &fresh);

	if (fresh)
		otf2_check(a, OTF2_GlobalDefWriter_WriteCallingContext(
				      a->defs, number, region, place, caller));
	return number;
}

/* Callers are defined before those that they call. */
static const struct otf2_context *otf2_context(struct otf2_archive *a,
					       uint32_t node)
{
	struct otf2_context *known = &a->context_of[node];

	if (known->depth)
		return known;
	known->depth = (uint32_t)frames_of_node(a->run, node, a->frames);
	known->number = OTF2_UNDEFINED_CALLING_CONTEXT;
	for (size_t i = known->depth; i-- > 0;)
		known->number = otf2_frame(a, &a->frames[i], known->number);
	return known;
}

/*
 * Definitions.
 */

static void otf2_clock(struct otf2_archive *a)
{
	otf2_check(a, OTF2_GlobalDefWriter_WriteClockProperties(
			      a->defs, CLOCK, 0,
			      a->axis->width_ns * a->axis->bins + 1,
			      a->axis->begin_real_ns));
	otf2_check(a, OTF2_GlobalDefWriter_WriteInterruptGenerator(
			      a->defs, 0, otf2_text(a, "bins of the timeline"),
			      OTF2_INTERRUPT_GENERATOR_MODE_TIME,
			      OTF2_BASE_DECIMAL, -9, a->axis->width_ns));
}

static void otf2_metrics(struct otf2_archive *a)
{
	static const struct {
		const char *name, *what;
	} of[METRICS] = {
		{ "busy", "on a core, or a GPU that works" },
		{ "MPI", "in MPI, but for its functions for files" },
		{ "MPI wait", "the part of it that was waiting" },
		{ "files", "in functions that read or write files" },
		{ "GPU", "GPUs of the process that work" },
	};
	OTF2_MetricMemberRef all[METRICS];

	for (uint8_t m = 0; m < METRICS; m++) {
		all[m] = m;
		otf2_check(a,
			   OTF2_GlobalDefWriter_WriteMetricMember(
				   a->defs, m, otf2_text(a, of[m].name),
				   otf2_text(a, of[m].what),
				   OTF2_METRIC_TYPE_USER,
				   OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_DOUBLE,
				   OTF2_BASE_DECIMAL, 0, otf2_text(a, "%")));
	}
	otf2_check(a, OTF2_GlobalDefWriter_WriteMetricClass(
			      a->defs, 0, METRICS, all, OTF2_METRIC_SYNCHRONOUS,
			      OTF2_RECORDER_KIND_ABSTRACT));
}

static OTF2_SystemTreeNodeRef otf2_host(struct otf2_archive *a,
					uint32_t process)
{
	uint32_t host = a->run->ranks[process].host;
	bool fresh;
	uint32_t number = otf2_number(a, &a->hosts, host, 0, &fresh) + 1;

	if (!fresh)
		return number;
	otf2_check(a, OTF2_GlobalDefWriter_WriteSystemTreeNode(
			      a->defs, number,
			      otf2_text(a, str_at(&a->run->strings, host)),
			      otf2_text(a, "node"), 0));
	otf2_check(a, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
			      a->defs, number,
			      OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
	return number;
}

/* A rank's, and one for each of its GPUs. */
static void otf2_group(struct otf2_archive *a, OTF2_LocationGroupRef group,
		       uint32_t process, const char *name, bool gpu)
{
	otf2_check(a, OTF2_GlobalDefWriter_WriteLocationGroup(
			      a->defs, group, otf2_text(a, name),
			      gpu ? OTF2_LOCATION_GROUP_TYPE_ACCELERATOR
				  : OTF2_LOCATION_GROUP_TYPE_PROCESS,
			      otf2_host(a, process),
			      gpu ? process : OTF2_UNDEFINED_LOCATION_GROUP));
}

static void otf2_process(struct otf2_archive *a, const struct rank_pick *pick)
{
	const char *noun = a->run->world ? "MPI Rank" : "Process";
	char *name = str_format("%s %" PRIu64, noun,
				processes_number(a->run, pick->process));

	if (name)
		otf2_group(a, pick->process, pick->process, name, false);
	else
		a->err = no_memory();
	free(name);
}

static void otf2_location(struct otf2_archive *a, size_t index)
{
	const struct run_time_row *row = &a->line->rows[index];
	OTF2_LocationGroupRef group = row->rank;
	bool gpu = row->kind == RUN_TIME_GPU;
	char *name = row->kind == RUN_TIME_HELPERS
			     ? str_format("other threads")
			     : str_format("%s %" PRIu32, gpu ? "GPU" : "thread",
					  row->number);

	if (!name) {
		a->err = no_memory();
		return;
	}
	if (gpu) {
		group = (uint32_t)(a->run->rank_count + index);
		otf2_group(a, group, row->rank, name, true);
	}
	otf2_check(a, OTF2_GlobalDefWriter_WriteLocation(
			      a->defs, index, otf2_text(a, name),
			      gpu ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
				  : OTF2_LOCATION_TYPE_CPU_THREAD,
			      a->events[index], group));
	free(name);
}

/* What has exact times, if any of it was kept. */
static void otf2_exact(struct otf2_archive *a, size_t location,
		       uint32_t process, const char *name, uint32_t number)
{
	char *text;

	if (!a->events[location])
		return;
	text = str_format(name, number);
	if (text)
		otf2_check(a, OTF2_GlobalDefWriter_WriteLocation(
				      a->defs, location, otf2_text(a, text),
				      OTF2_LOCATION_TYPE_CPU_THREAD,
				      a->events[location], process));
	else
		a->err = no_memory();
	free(text);
}

static void otf2_locations(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->line->row_count && !a->err; i++)
		if (a->chosen[a->line->rows[i].rank])
			otf2_location(a, i);
	for (size_t i = 0; i < a->line->row_count && !a->err; i++)
		otf2_exact(a, otf2_calls_location(a, i), a->line->rows[i].rank,
			   "thread %" PRIu32 ", calls of MPI",
			   a->line->rows[i].number);
	for (uint32_t i = 0; i < a->run->rank_count && !a->err; i++)
		otf2_exact(a, otf2_steps_location(a, i), i, "iterations", 0);
}

static void otf2_define(struct otf2_archive *a, const struct rank_choice *ranks)
{
	otf2_clock(a);
	otf2_metrics(a);
	otf2_check(a, OTF2_GlobalDefWriter_WriteSystemTreeNode(
			      a->defs, 0, otf2_text(a, "machine"),
			      otf2_text(a, "machine"),
			      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (size_t i = 0; i < ranks->count && !a->err; i++)
		otf2_process(a, &ranks->at[i]);
	otf2_locations(a);
	if (!a->err)
		otf2_calls_define(a);
}

/*
 * Events.
 */

static double per_cent(unsigned int value)
{
	return 100.0 * value / RUN_TIME_WHOLE;
}

static void otf2_bin_metrics(struct otf2_archive *a, OTF2_EvtWriter *to,
			     uint64_t ns, const struct run_time_cell *c)
{
	static const OTF2_Type types[METRICS] = {
		OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE,
		OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE,
	};
	OTF2_MetricValue values[METRICS] = {
		{ .floating_point = per_cent(c->busy) },
		{ .floating_point = per_cent(c->mpi) },
		{ .floating_point = per_cent(c->mpi_wait) },
		{ .floating_point = per_cent(c->io) },
		{ .floating_point = per_cent(c->gpu) },
	};

	otf2_check(a, OTF2_EvtWriter_Metric(to, NULL, ns, 0, METRICS, types,
					    values));
}

/* Nothing says that a part of the context is as it was: all is unwound. */
static void otf2_bin(struct otf2_archive *a, OTF2_EvtWriter *to, uint64_t ns,
		     const struct run_time_cell *c, bool gpu)
{
	const struct otf2_context *context;

	otf2_bin_metrics(a, to, ns, c);
	if (gpu || !c->share || !c->node)
		return;
	context = otf2_context(a, c->node);
	otf2_check(a, OTF2_EvtWriter_CallingContextSample(
			      to, NULL, ns + a->axis->width_ns / 2,
			      context->number, context->depth, 0));
}

static void otf2_row(struct otf2_archive *a, size_t index)
{
	static const struct run_time_cell nothing;
	const struct run_time_row *row = &a->line->rows[index];
	OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(a->archive, index);

	if (!to) {
		a->err = no_memory();
		return;
	}
	for (uint32_t c = 0; c < row->cells && !a->err; c++)
		otf2_bin(a, to, (row->first_bin + c) * a->axis->width_ns,
			 &a->line->cells[row->first + c],
			 row->kind == RUN_TIME_GPU);
	otf2_bin_metrics(a, to,
			 (row->first_bin + row->cells) * a->axis->width_ns,
			 &nothing);
	otf2_check(a, OTF2_EvtWriter_GetNumberOfEvents(to, &a->events[index]));
	otf2_check(a, OTF2_Archive_CloseEvtWriter(a->archive, to));
}

/* Each location has a file for definitions of its own, of which it has none. */
static void otf2_local(struct otf2_archive *a, size_t index)
{
	OTF2_DefWriter *to = OTF2_Archive_GetDefWriter(a->archive, index);

	if (to)
		otf2_check(a, OTF2_Archive_CloseDefWriter(a->archive, to));
	else
		a->err = no_memory();
}

static void otf2_events(struct otf2_archive *a)
{
	otf2_calls_begin(a);
	for (size_t i = 0; i < a->line->row_count && !a->err; i++) {
		if (!a->chosen[a->line->rows[i].rank])
			continue;
		otf2_row(a, i);
		if (a->line->rows[i].kind == RUN_TIME_THREAD)
			otf2_calls(a, i);
	}
	for (uint32_t i = 0; i < a->run->rank_count && !a->err; i++)
		if (a->chosen[i])
			otf2_steps(a, i);
}

/*
 * The archive.
 */

static OTF2_FlushType otf2_flush(void *of, OTF2_FileType type,
				 OTF2_LocationRef location, void *caller,
				 bool final)
{
	(void)of, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

/* What fails is told by us, once. */
static OTF2_ErrorCode otf2_silent(void *of, const char *file, uint64_t line,
				  const char *function, OTF2_ErrorCode code,
				  const char *format, va_list arguments)
{
	(void)of, (void)file, (void)line, (void)function;
	(void)format, (void)arguments;
	return code;
}

static void otf2_write_all(struct otf2_archive *a,
			   const struct rank_choice *ranks)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush =
							   otf2_flush };

	otf2_check(a, OTF2_Archive_SetFlushCallbacks(a->archive, &flush, NULL));
	otf2_check(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->archive));
	otf2_check(a, OTF2_Archive_SetCreator(a->archive,
					      "copse " PACKAGE_VERSION));
	a->defs = OTF2_Archive_GetGlobalDefWriter(a->archive);
	if (!a->defs && !a->err)
		a->err = no_memory();
	if (a->err)
		return;
	otf2_check(a, OTF2_GlobalDefWriter_WriteString(a->defs, 0, ""));
	otf2_check(a, OTF2_Archive_OpenEvtFiles(a->archive));
	otf2_events(a);
	otf2_check(a, OTF2_Archive_CloseEvtFiles(a->archive));
	otf2_check(a, OTF2_Archive_OpenDefFiles(a->archive));
	for (size_t i = 0; i < otf2_location_count(a) && !a->err; i++)
		if (a->events[i])
			otf2_local(a, i);
	otf2_check(a, OTF2_Archive_CloseDefFiles(a->archive));
	if (!a->err)
		otf2_define(a, ranks);
}

static int otf2_init(struct otf2_archive *a, const struct run *run,
		     const struct rank_choice *ranks)
{
	*a = (struct otf2_archive){ .run = run, .line = &run->timeline };
	if (!a->line->axis_count)
		return fail(-ENODATA,
			    "this run has no timeline, of which OTF2 would "
			    "be: it has no MPI, or an older copse merged it");
	a->axis = &a->line->axes[0];
	a->chosen = calloc(run->rank_count + 1, sizeof(*a->chosen));
	a->events = calloc(otf2_location_count(a), sizeof(*a->events));
	a->comm_rank = calloc(run->rank_count + 1, sizeof(*a->comm_rank));
	a->context_of = calloc(run->node_count + 1, sizeof(*a->context_of));
	a->frames = calloc(run->node_count + 1, sizeof(*a->frames));
	if (!a->chosen || !a->events || !a->context_of || !a->frames ||
	    !a->comm_rank)
		return no_memory();
	for (size_t i = 0; i < ranks->count; i++)
		a->chosen[ranks->at[i].process] = true;
	if (str_add(&a->texts, "") == STR_NONE)
		return -ENOMEM;
	return operation_index_init(&a->index, run);
}

static void otf2_fini(struct otf2_archive *a)
{
	free(a->chosen);
	free(a->events);
	free(a->comm_rank);
	operation_index_fini(&a->index);
	free(a->context_of);
	free(a->frames);
	strings_fini(&a->texts);
	map_fini(&a->regions);
	map_fini(&a->places);
	map_fini(&a->contexts);
	map_fini(&a->hosts);
	otf2_comms_fini(&a->comms);
}

int otf2_archive_write(const char *directory, const struct run *run,
		       const struct format_choice *choice)
{
	struct otf2_archive a;
	int err = otf2_init(&a, run, choice->ranks);

	if (!err && mkdir(directory, 0777))
		err = fail(-errno, "cannot make %s: %s", directory,
			   strerror(errno));
	if (!err) {
		OTF2_Error_RegisterCallback(otf2_silent, NULL);
		a.archive = OTF2_Archive_Open(
			directory, "traces", OTF2_FILEMODE_WRITE,
			OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
			OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
			OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
		if (!a.archive)
			a.err = fail(-EIO, "cannot make an archive in %s",
				     directory);
		else
			otf2_write_all(&a, choice->ranks);
		if (a.archive)
			otf2_check(&a, OTF2_Archive_Close(a.archive));
		err = a.err;
	}
	otf2_fini(&a);
	return err;
}
