/* SPDX-License-Identifier: BSD-3-Clause */
/* store-records.c - structs as attributes of a group, and the names in one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/store/store-inside.h"

enum {
	LIST_MAX = 65536
};

/* Attributes */

static const struct toc_entry is_group = { .how = TOC_NO_VALUE, .width = 1 };

static hid_t put_stored_text(struct store *s, const char *group_name,
			     hid_t group, const struct store_field *field,
			     const void *record)
{
	const char *text = store_row_text(field, record);
	size_t n = strlen(text);
	size_t kept = n > STORE_TEXT_MAX ? STORE_TEXT_MAX : n;
	hid_t space = H5Screate(H5S_SCALAR);
	hid_t type = store_text_type(kept ? kept : 1);
	hid_t attribute = H5Acreate2(group, field->name, type, space,
				     H5P_DEFAULT, H5P_DEFAULT);
	char *copy = strndup(text, kept);

	if (copy && kept < n)
		memcpy(copy + kept - 3, "...", 3);
	if (attribute >= 0 && (!copy || H5Awrite(attribute, type, copy) < 0)) {
		store_close_id(attribute);
		attribute = H5I_INVALID_HID;
	}
	if (attribute >= 0) {
		struct toc_entry entry = { .type = STORE_TEXT,
					   .width = (uint32_t)(kept ? kept : 1),
					   .count = 1 };

		store_list_entry(s, group_name, '@', field->name, &entry, copy);
	}
	free(copy);
	store_close_id(type);
	store_close_id(space);
	return attribute;
}

static hid_t put_stored_number(struct store *s, const char *group_name,
			       hid_t group, const struct store_field *field,
			       const void *record)
{
	struct toc_entry entry = { .type = (uint16_t)field->type,
				   .width = (uint32_t)store_widths[field->type],
				   .count = 1 };
	const char *value = (const char *)record + field->offset;
	hid_t type = store_number_type(field->type);
	hid_t space = H5Screate(H5S_SCALAR);
	hid_t attribute = H5Acreate2(group, field->name, type, space,
				     H5P_DEFAULT, H5P_DEFAULT);

	store_list_entry(s, group_name, '@', field->name, &entry, value);
	store_close_id(space);
	if (attribute >= 0 && H5Awrite(attribute, type, value) < 0) {
		store_close_id(attribute);
		attribute = H5I_INVALID_HID;
	}
	return attribute;
}

static bool is_listed(struct store *s, const char *group)
{
	char name[2 * NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "%s@", group);
	return toc_find(s->toc, name) != NULL;
}

/* Once, also when it gets attributes more than once. */
static void list_group(struct store *s, const char *group)
{
	if (s->toc && !is_listed(s, group))
		store_list_entry(s, group, '@', "", &is_group, NULL);
}

void store_put_record(struct store *s, const char *group,
		      const struct store_field *fields, const void *record)
{
	hid_t at;

	if (s->err)
		return;
	list_group(s, group);
	at = store_group_open(s, group);
	if (at < 0)
		store_hdf5_fail(s, "cannot be written: ", group);
	for (; fields->name && !s->err; fields++) {
		hid_t attribute =
			store_is_text(fields->type)
				? put_stored_text(s, group, at, fields, record)
				: put_stored_number(s, group, at, fields,
						    record);

		if (attribute < 0)
			store_hdf5_fail(s, "cannot write the attribute ",
					fields->name);
		store_close_id(attribute);
	}
	store_close_id(at);
}

static void get_text(struct store *s, hid_t attribute, hid_t in_file,
		     const struct store_field *field, void *record)
{
	hid_t type = store_text_in_memory(in_file);
	size_t width = type < 0 ? 0 : H5Tget_size(type);
	char *text = width && width <= s->bytes ? malloc(width) : NULL;

	if (text && H5Aread(attribute, type, text) >= 0)
		store_set_text(s, field, record, text, width);
	else
		store_fail(s, -EINVAL, "the attribute '%s' is damaged",
			   field->name);
	free(text);
	store_close_id(type);
}

static void get_attribute(struct store *s, hid_t group,
			  const struct store_field *field, void *record)
{
	hid_t attribute = H5Aopen(group, field->name, H5P_DEFAULT);
	hid_t type = H5I_INVALID_HID, space = H5I_INVALID_HID;
	char *to = (char *)record + field->offset;

	if (attribute < 0) {
		if (field->added)
			return;
		store_fail(s, -EINVAL, "the attribute '%s' is missing",
			   field->name);
		return;
	}
	type = H5Aget_type(attribute);
	space = H5Aget_space(attribute);
	if (H5Sget_simple_extent_npoints(space) != 1)
		store_fail(s, -EINVAL, "the attribute '%s' is not one value",
			   field->name);
	else if (store_is_text(field->type))
		get_text(s, attribute, type, field, record);
	else if (H5Aread(attribute, store_number_type(field->type), to) < 0)
		store_fail(s, -EINVAL, "the attribute '%s' has a wrong type",
			   field->name);
	store_close_id(space);
	store_close_id(type);
	store_close_id(attribute);
}

/* The same by the list. */
static void get_listed(struct store *s, const char *group,
		       const struct store_field *field, void *record)
{
	char name[2 * NAME_MAX_BYTES];
	size_t width = 0, count = 0;
	char *value;

	snprintf(name, sizeof(name), "%s@%s", group, field->name);
	if (field->added && !toc_find(s->toc, name))
		return;
	value = store_listed_values(s, "attribute", name, field->type, &width,
				    &count);
	if (!s->err && count != 1)
		store_fail(s, -EINVAL, "the attribute '%s' is not one value",
			   field->name);
	else if (!s->err && store_is_text(field->type))
		store_set_text(s, field, record, value, width);
	else if (!s->err)
		memcpy((char *)record + field->offset, value, width);
	free(value);
}

static void get_listed_record(struct store *s, const char *group,
			      const struct store_field *fields, void *record)
{
	if (!is_listed(s, group))
		store_fail(s, -EINVAL, "the group '%s' is missing", group);
	for (; fields->name && !s->err; fields++)
		get_listed(s, group, fields, record);
}

/* HDF5 asks for every group on the way. */
static bool is_linked(struct store *s, const char *name)
{
	char part[2 * NAME_MAX_BYTES];

	for (size_t i = 0; i < sizeof(part); i++) {
		part[i] = 0;
		if ((name[i] == '/' || !name[i]) &&
		    H5Lexists(s->file, part, H5P_DEFAULT) <= 0)
			return false;
		if (!name[i])
			return true;
		part[i] = name[i];
	}
	return false;
}

bool store_has(struct store *s, const char *name)
{
	if (s->err)
		return false;
	if (s->toc)
		return toc_find(s->toc, name) || is_listed(s, name);
	return is_linked(s, name);
}

void store_get_record(struct store *s, const char *group,
		      const struct store_field *fields, void *record)
{
	hid_t at;

	if (s->err)
		return;
	if (s->toc) {
		get_listed_record(s, group, fields, record);
		return;
	}
	at = store_group_open(s, group);
	if (at < 0) {
		store_cannot_open(s, "group", group);
		return;
	}
	for (; fields->name && !s->err; fields++)
		get_attribute(s, at, fields, record);
	store_close_id(at);
}

/* Names */

static int by_stored_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* A name in the group, itself a group that has a record: "group/NAME@". */
static size_t listed_name(const char *name, const char *group)
{
	size_t n = strlen(group), all = strlen(name);

	if (all < n + 3 || strncmp(name, group, n) != 0 || name[n] != '/' ||
	    name[all - 1] != '@' || strchr(name + n + 1, '/') ||
	    all - n - 1 > NAME_MAX_BYTES)
		return 0;
	return all - n - 2;
}

/* By the list: the groups in a group; a rank file has no others. */
static char **listed_names(struct store *s, const char *group, size_t *count)
{
	size_t found = 0;
	const char *name;
	char **names, *text;

	if (!is_listed(s, group))
		store_fail(s, -EINVAL, "the group '%s' is missing", group);
	for (size_t i = 0; toc_at(s->toc, i, &name); i++)
		found += listed_name(name, group) > 0;
	names = s->err ? NULL
		       : calloc(found + 1, sizeof(*names) + NAME_MAX_BYTES);
	if (!names) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	text = (char *)(names + found + 1);
	for (size_t i = 0; toc_at(s->toc, i, &name); i++) {
		size_t length = listed_name(name, group);

		if (!length)
			continue;
		names[*count] = text;
		memcpy(text, name + strlen(group) + 1, length);
		text += NAME_MAX_BYTES;
		++*count;
	}
	qsort(names, found, sizeof(*names), by_stored_text);
	return names;
}

char **store_list(struct store *s, const char *group, size_t *count)
{
	H5G_info_t info = { 0 };
	char **names = NULL;
	char *text;

	*count = 0;
	if (s->err)
		return NULL;
	if (s->toc)
		return listed_names(s, group, count);
	if (H5Gget_info_by_name(s->file, group, &info, H5P_DEFAULT) < 0 ||
	    info.nlinks > LIST_MAX) {
		store_cannot_open(s, "group", group);
		return NULL;
	}
	names = calloc(info.nlinks + 1, sizeof(*names) + NAME_MAX_BYTES);
	if (!names) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	text = (char *)(names + info.nlinks + 1);
	for (size_t i = 0; i < info.nlinks; i++) {
		names[i] = text + i * NAME_MAX_BYTES;
		if (H5Lget_name_by_idx(s->file, group, H5_INDEX_NAME,
				       H5_ITER_INC, i, names[i], NAME_MAX_BYTES,
				       H5P_DEFAULT) < 0)
			store_hdf5_fail(s, "cannot list ", group);
	}
	*count = info.nlinks;
	return names;
}
