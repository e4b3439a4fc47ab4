/* SPDX-License-Identifier: BSD-3-Clause */
/* output-name.c - the name of the output, with what stands for the job. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "launch/job.h"

static const struct batch_info *batch_info_of(char letter)
{
	for (size_t i = 0; i < batch_count; i++)
		if (letter && batch_infos[i].letter == letter)
			return &batch_infos[i];
	return NULL;
}

/* A job may be called anything: its name stays one part of the path. */
static void put_name_part(FILE *to, const char *text)
{
	for (; *text; text++)
		fputc(*text == '/' ? '_' : *text, to);
}

/* As sbatch: outside of an array the job itself stands for it. */
static void put_fact(FILE *to, const struct batch *b,
		     const struct batch_info *info)
{
	const char *text = batch_text(b, info);

	if (!*text && info->letter == 'A')
		text = b->job;
	if (!*text && info->letter == 'r' && *b->job)
		text = "0";
	put_name_part(to, *text ? text : "none");
}

static int put_all_parts(FILE *to, const char *pattern, const struct batch *b)
{
	for (const char *c = pattern; *c; c++) {
		const struct batch_info *info;

		if (*c != '%') {
			fputc(*c, to);
			continue;
		}
		info = batch_info_of(*++c);
		if (info)
			put_fact(to, b, info);
		else if (*c == '%')
			fputc('%', to);
		else
			return fail(-EINVAL,
				    "'%s': %%%.1s means nothing; these do: "
				    "%%j job, %%A array, %%a its task, %%s "
				    "step, %%r restarts, %%x name, %%%% for "
				    "a %%",
				    pattern, c);
	}
	return 0;
}

/* In an array of jobs tasks run at the same time, in any order. */
static char *default_name(const char *folder, const char *program,
			  const struct job *job)
{
	const struct batch *b = &job->batch;
	const char *slash = *folder ? "/" : "";

	if (!job->same_on_ranks || !*b->task)
		return str_format("%s%s%s.copse", folder, slash, program);
	return str_format("%s%s%s-%s_%s.copse", folder, slash, program,
			  *b->array ? b->array : b->job, b->task);
}

/* To what a number can be put to; the rest are folders for the default. */
static bool is_name(const char *path)
{
	const char *part = str_base(path);

	return *part && strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

static void cut_slashes(char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		path[--length] = 0;
}

/* 0, -EINVAL with a reason, or -ENOMEM. */
static int fill_in_pattern(char **to, const char *pattern,
			   const struct batch *b)
{
	size_t size;
	FILE *memory = open_memstream(to, &size);
	int err = memory ? put_all_parts(memory, pattern, b) : -ENOMEM;

	if (memory && fclose(memory) && !err)
		err = -ENOMEM;
	if (err && memory)
		free(*to);
	return err;
}

int output_name(char **to, const char *pattern, const char *program,
		const struct job *job)
{
	char *folder;
	int err = fill_in_pattern(&folder, pattern, &job->batch);

	if (err)
		return err == -ENOMEM ? no_memory() : err;
	cut_slashes(folder);
	if (is_name(folder)) {
		*to = folder;
		return 0;
	}
	*to = default_name(folder, program, job);
	free(folder);
	return *to ? 0 : no_memory();
}
