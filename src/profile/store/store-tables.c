/* SPDX-License-Identifier: BSD-3-Clause */
/* store-tables.c - arrays of strings and of structs in a store. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/store/store-inside.h"

/* Strings */

void store_put_strings(struct store *s, const char *name, char *const *strings,
		       size_t count)
{
	size_t bytes = 0;
	char *all, *at;

	for (size_t i = 0; i < count; i++)
		bytes += strlen(strings[i]) + 1;
	at = all = malloc(bytes + 1);
	if (!all) {
		store_fail(s, -ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, strings[i]) + 1;
	store_put(s, name, STORE_U8, all, bytes);
	free(all);
}

char *store_get_strings(struct store *s, const char *name, size_t *count)
{
	size_t bytes = 0;
	char *read = store_get(s, name, STORE_U8, &bytes);
	char *all = s->err ? NULL : realloc(read, bytes + 1);

	*count = 0;
	if (!all) {
		if (!s->err)
			store_fail(s, -ENOMEM, "out of memory");
		free(read);
		return NULL;
	}
	all[bytes] = 0;
	for (size_t i = 0; i < bytes; i++)
		*count += !all[i];
	if (bytes && all[bytes - 1])
		++*count; /* a last one that was not ended */
	return all;
}

const char *store_row_text(const struct store_field *field, const char *row)
{
	const char *member = row + field->offset;
	const char *text;

	if (field->type == STORE_CHARS)
		return member;
	memcpy(&text, member, sizeof(text));
	return text ? text : "";
}

hid_t store_text_type(size_t width)
{
	hid_t type = H5Tcopy(H5T_C_S1);

	H5Tset_size(type, width);
	H5Tset_strpad(type, H5T_STR_NULLPAD);
	H5Tset_cset(type, H5T_CSET_UTF8);
	return type;
}

static void put_text_column(struct store *s, const char *name,
			    const struct store_field *field, const char *rows,
			    size_t row_size, size_t count)
{
	size_t width = 1;
	hid_t type;
	char *all;

	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(store_row_text(field, rows + i * row_size));

		width = n > width ? n : width;
	}
	all = calloc(count + 1, width);
	if (!all) {
		store_fail(s, -ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const char *text = store_row_text(field, rows + i * row_size);

		memcpy(all + i * width, text, strlen(text));
	}
	type = store_text_type(width);
	store_write_column(s, name, STORE_TEXT, type, all, count);
	store_close_id(type);
	free(all);
}

/* Put one text that was read, of at most `width` bytes, into its member. */
void store_set_text(struct store *s, const struct store_field *field, char *row,
		    const char *text, size_t width)
{
	char *copy;

	if (field->type == STORE_CHARS) {
		size_t n = strnlen(text, width);

		n = n < field->width ? n : field->width - 1;
		memset(row + field->offset, 0, field->width);
		memcpy(row + field->offset, text, n);
		return;
	}
	copy = strndup(text, width);
	if (!copy)
		store_fail(s, -ENOMEM, "out of memory");
	memcpy(row + field->offset, &copy, sizeof(copy));
}

/* The type that a text of the file becomes in memory, or negative. */
hid_t store_text_in_memory(hid_t in_file)
{
	hid_t type;

	if (H5Tget_class(in_file) != H5T_STRING || H5Tis_variable_str(in_file))
		return H5I_INVALID_HID;
	type = H5Tcopy(in_file);
	H5Tset_strpad(type, H5T_STR_NULLPAD);
	return type;
}

static void *read_texts(struct store *s, const char *name, size_t *width,
			size_t *count)
{
	hid_t set, in_file, type;
	void *all = NULL;

	if (s->toc)
		return store_listed_values(s, "dataset", name, STORE_TEXT,
					   width, count);
	set = store_set_open(s, name, H5T_STRING);
	*count = 0;
	if (set < 0)
		return NULL;
	in_file = H5Dget_type(set);
	type = store_text_in_memory(in_file);
	if (type < 0) {
		store_fail(s, -EINVAL, "'%s' has a wrong type", name);
	} else {
		*width = H5Tget_size(type);
		all = store_read_values(s, name, set, type, count);
	}
	store_close_id(type);
	store_close_id(in_file);
	store_close_id(set);
	return all;
}

/* Tables */

static void put_number_column(struct store *s, const char *name,
			      const struct store_field *field, const char *rows,
			      size_t row_size, size_t count)
{
	size_t width = store_widths[field->type];
	char *all = malloc(count * width + 1);

	if (!all) {
		store_fail(s, -ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < count; i++)
		memcpy(all + i * width, rows + i * row_size + field->offset,
		       width);
	store_put(s, name, field->type, all, count);
	free(all);
}

void store_put_table(struct store *s, const char *group,
		     const struct store_field *fields, const void *rows,
		     size_t row_size, size_t count)
{
	char name[NAME_MAX_BYTES];

	for (; fields->name && !s->err; fields++) {
		if (store_join_names(s, name, group, fields->name))
			return;
		if (store_is_text(fields->type))
			put_text_column(s, name, fields, rows, row_size, count);
		else
			put_number_column(s, name, fields, rows, row_size,
					  count);
	}
}

struct read_column { /* as it was read */
	char *values;
	size_t width, count;
};

static struct read_column get_column(struct store *s, const char *group,
				     const struct store_field *field)
{
	struct read_column c = { 0 };
	char name[NAME_MAX_BYTES];

	if (s->err || store_join_names(s, name, group, field->name))
		return c;
	if (store_is_text(field->type)) {
		c.values = read_texts(s, name, &c.width, &c.count);
	} else {
		c.width = store_widths[field->type];
		c.values = store_get(s, name, field->type, &c.count);
	}
	return c;
}

/* The same member of all rows; inlined for the width that it has. */
static inline void set_numbers(char *to, size_t row_size,
			       const struct read_column *c, size_t width)
{
	for (size_t i = 0; i < c->count; i++)
		memcpy(to + i * row_size, c->values + i * width, width);
}

static void set_column(struct store *s, const struct store_field *field,
		       char *rows, size_t row_size, const struct read_column *c)
{
	char *to;

	if (!c->count)
		return; /* no row either */
	to = rows + field->offset;
	if (store_is_text(field->type))
		for (size_t i = 0; i < c->count; i++)
			store_set_text(s, field, rows + i * row_size,
				       c->values + i * c->width, c->width);
	else if (c->width == 8)
		set_numbers(to, row_size, c, 8);
	else if (c->width == 4)
		set_numbers(to, row_size, c, 4);
	else
		set_numbers(to, row_size, c, c->width);
}

/* The rows made so far, their texts and all. */
static void free_rows(const struct store_field *fields, char *rows,
		      size_t row_size, size_t count)
{
	for (; rows && fields->name; fields++)
		for (size_t i = 0; i < count; i++)
			if (fields->type == STORE_TEXT)
				free(*(char **)(rows + i * row_size +
						fields->offset));
	free(rows);
}

/* The next one that the file has, or has to have. */
static const struct store_field *next_column(struct store *s, const char *group,
					     const struct store_field *field)
{
	char name[NAME_MAX_BYTES];

	do
		field++;
	while (field->name && field->added &&
	       !(store_join_names(s, name, group, field->name) ||
		 store_has(s, name)));
	return field;
}

/* From the column `field` on, which may have been read into *c. */
static void get_columns(struct store *s, const char *group,
			const struct store_field *field, struct read_column *c,
			char *rows, size_t row_size)
{
	const size_t count = c->count;

	while (!s->err) {
		set_column(s, field, rows, row_size, c);
		free(c->values);
		*c = (struct read_column){ 0 };
		field = next_column(s, group, field);
		if (!field->name)
			break;
		*c = get_column(s, group, field);
		if (!s->err && c->count != count)
			store_fail(s, -EINVAL,
				   "the columns of '%s' differ in length",
				   group);
	}
	free(c->values);
}

void *store_get_table(struct store *s, const char *group,
		      const struct store_field *fields, size_t row_size,
		      size_t *count)
{
	struct read_column c = get_column(s, group, fields);
	size_t rows_read = c.count;
	char *rows = NULL;

	*count = 0;
	if (!s->err && rows_read &&
	    store_may_take(s, group, rows_read, row_size)) {
		rows = calloc(rows_read, row_size);
		if (!rows)
			store_fail(s, -ENOMEM, "out of memory");
	}
	get_columns(s, group, fields, &c, rows, row_size);
	if (s->err) {
		free_rows(fields, rows, row_size, rows_read);
		return NULL;
	}
	*count = rows_read;
	return rows;
}

void store_get_members(struct store *s, const char *group,
		       const struct store_field *fields, void *rows,
		       size_t row_size, size_t count)
{
	struct read_column c = get_column(s, group, fields);

	if (!s->err && c.count != count)
		store_fail(s, -EINVAL, "damaged: %zu rows of '%s', not %zu",
			   c.count, group, count);
	get_columns(s, group, fields, &c, rows, row_size);
}

bool store_has_table(struct store *s, const char *group,
		     const struct store_field *fields)
{
	char name[NAME_MAX_BYTES];

	return !s->err && !store_join_names(s, name, group, fields->name) &&
	       store_has(s, name);
}
