/* SPDX-License-Identifier: BSD-3-Clause */
/* store-columns.c - columns of a store: HDF5 datasets of one dimension. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "profile/store/deflate.h"
#include "profile/store/store-inside.h"

enum {
	COMPACT_BYTES = 512,    /* up to here a column lives in its header */
	CHUNK_BYTES = 16 << 20, /* a column below is one chunk, without index */
	DEFLATE_LEVEL = 4,
};

static hid_t chunk_properties(bool text, hsize_t chunk)
{
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);

	H5Pset_obj_track_times(how, false);
	H5Pset_dset_no_attrs_hint(how, true);
	H5Pset_chunk(how, 1, &chunk);
	if (!text)
		H5Pset_shuffle(how);
	H5Pset_deflate(how, DEFLATE_LEVEL);
	return how;
}

/* Values; 0: they live in the header. */
static size_t column_chunk(size_t width, size_t count)
{
	size_t chunk = CHUNK_BYTES / width ? CHUNK_BYTES / width : 1;

	if (width * count <= COMPACT_BYTES)
		return 0;
	return chunk < count ? chunk : count;
}

static hid_t column_properties(bool text, size_t width, size_t count)
{
	size_t chunk = column_chunk(width, count);
	hid_t how;

	if (chunk)
		return chunk_properties(text, chunk);
	how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_obj_track_times(how, false);
	H5Pset_dset_no_attrs_hint(how, true);
	H5Pset_layout(how, H5D_COMPACT);
	return how;
}

hid_t store_group_open(struct store *s, const char *name)
{
	const char *slash = strrchr(name, '/');
	char above[NAME_MAX_BYTES];
	hid_t group, how;

	if (!s->temporary || H5Lexists(s->file, name, H5P_DEFAULT) > 0)
		return H5Gopen2(s->file, name, H5P_DEFAULT);
	/* HDF5 would make them with times: files would differ. */
	if (slash && (size_t)(slash - name) < sizeof(above)) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - name),
			 name);
		store_close_id(store_group_open(s, above));
	}
	how = store_group_properties(H5P_GROUP_CREATE);
	group = H5Gcreate2(s->file, name, H5P_DEFAULT, how, H5P_DEFAULT);
	store_close_id(how);
	return group;
}

int store_join_names(struct store *s, char *to, const char *group,
		     const char *name)
{
	int n = snprintf(to, NAME_MAX_BYTES, "%s/%s", group, name);

	return n < NAME_MAX_BYTES
		       ? 0
		       : store_fail(s, -ENAMETOOLONG, "'%s' is too long", name);
}

/* The group that `name` stands in, and its name there. */
static hid_t parent_open(struct store *s, const char *name, const char **leaf)
{
	char group[NAME_MAX_BYTES] = "/";

	*leaf = str_base(name);
	if (*leaf - name > NAME_MAX_BYTES)
		return H5I_INVALID_HID;
	if (*leaf != name)
		snprintf(group, *leaf - name, "%s", name);
	return store_group_open(s, group);
}

void store_list_entry(struct store *s, const char *group, char between,
		      const char *name, const struct toc_entry *entry,
		      const void *values)
{
	char path[2 * NAME_MAX_BYTES];

	if (!s->toc)
		return;
	snprintf(path, sizeof(path), "%s%c%s", group, between, name);
	if (toc_add(s->toc, between ? path : group, entry, values))
		store_fail(s, -ENOMEM, "out of memory");
}

/* A column that is one chunk stands in the file as the list says. */
static void list_column(struct store *s, const char *name, hid_t set,
			enum store_type type, size_t width, const void *values,
			size_t count)
{
	struct toc_entry entry = { .type = (uint16_t)type,
				   .width = (uint32_t)width,
				   .count = count };
	unsigned int skipped = 0;
	haddr_t at = HADDR_UNDEF;
	hsize_t first = 0, size = 0;

	if (!s->toc)
		return;
	if (width * count > COMPACT_BYTES) {
		entry.how = store_is_text(type) || width == 1 ? TOC_DEFLATE
							      : TOC_SHUFFLE;
		H5Dflush(set);
		H5Dget_chunk_info_by_coord(set, &first, &skipped, &at, &size);
		if (at == HADDR_UNDEF || skipped ||
		    width * count > CHUNK_BYTES || size > UINT32_MAX) {
			toc_free(s->toc); /* HDF5 alone reads that */
			s->toc = NULL;
			return;
		}
		entry.at = at;
		entry.packed = (uint32_t)size;
	}
	store_list_entry(s, name, 0, "", &entry, values);
}

/* What is packed as HDF5 would, by what is faster; behind the last value: 0. */
struct packing {
	hid_t set;
	const char *values;
	size_t width, count, chunk;
	bool text;
	int level;
	char *packed, *work, *padded;
};

static bool write_chunk(struct packing *p, size_t from)
{
	size_t left = p->count - from, bytes = p->chunk * p->width, size;
	const char *values = p->values + from * p->width;
	hsize_t at = from;

	if (left < p->chunk) {
		memset(p->padded, 0, bytes);
		memcpy(p->padded, values, left * p->width);
		values = p->padded;
	}
	size = deflate_chunk(p->packed, values, p->text ? bytes : p->chunk,
			     p->text ? 1 : p->width, p->level, p->work);
	return size && H5Dwrite_chunk(p->set, H5P_DEFAULT, 0, &at, size,
				      p->packed) >= 0;
}

static bool write_chunks(struct packing *p)
{
	size_t bytes = p->chunk * p->width;
	bool good;

	p->packed = malloc(deflate_most(bytes));
	p->work = malloc(bytes);
	p->padded = malloc(bytes);
	good = p->packed && p->work && p->padded;
	for (size_t i = 0; i < p->count && good; i += p->chunk)
		good = write_chunk(p, i);
	free(p->packed);
	free(p->work);
	free(p->padded);
	return good;
}

static bool write_column_values(const struct store *s, hid_t set,
				enum store_type kind, hid_t type,
				const void *values, size_t count)
{
	struct packing p = { .set = set,
			     .values = values,
			     .width = H5Tget_size(type),
			     .count = count,
			     .text = store_is_text(kind),
			     .level =
				     s->large ? DEFLATE_QUICK : DEFLATE_LEVEL };

	if (!count)
		return true;
	p.chunk = column_chunk(p.width, count);
	if (p.chunk)
		return write_chunks(&p);
	return H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

void store_write_column(struct store *s, const char *name, enum store_type kind,
			hid_t type, const void *values, size_t count)
{
	size_t width = H5Tget_size(type);
	hid_t group, set = H5I_INVALID_HID;
	hid_t how = column_properties(store_is_text(kind), width, count);
	hsize_t n = count;
	hid_t space = H5Screate_simple(1, &n, NULL);
	const char *leaf;

	group = parent_open(s, name, &leaf);
	if (group >= 0)
		set = H5Dcreate2(group, leaf, type, space, H5P_DEFAULT, how,
				 H5P_DEFAULT);
	if (set < 0 || !write_column_values(s, set, kind, type, values, count))
		store_hdf5_fail(s, "cannot be written: ", name);
	else
		list_column(s, name, set, kind, width, values, count);
	store_close_id(set);
	store_close_id(group);
	store_close_id(space);
	store_close_id(how);
}

void store_put(struct store *s, const char *name, enum store_type type,
	       const void *values, size_t count)
{
	if (!s->err)
		store_write_column(s, name, type, store_number_type(type),
				   values, count);
}

struct store_column {
	struct store *store;
	hid_t set;
	size_t chunk;
	/* Of one that is read: */
	hid_t type; /* in memory */
	size_t width, count;
};

/* NULL: out of memory. */
static struct store_column *column_create(struct store *s, const char *name,
					  enum store_type type, hsize_t count,
					  hsize_t chunk)
{
	struct store_column *c = calloc(1, sizeof(*c));
	hid_t how = chunk_properties(false, chunk);
	hid_t space = H5Screate_simple(1, &count, NULL);
	const char *leaf;
	hid_t group = parent_open(s, name, &leaf);

	if (c) {
		c->store = s;
		c->chunk = chunk;
		c->set = H5I_INVALID_HID;
	}
	if (c && group >= 0)
		c->set = H5Dcreate2(group, leaf, store_number_type(type), space,
				    H5P_DEFAULT, how, H5P_DEFAULT);
	if (c && c->set < 0)
		store_hdf5_fail(s, "cannot be written: ", name);
	store_close_id(group);
	store_close_id(space);
	store_close_id(how);
	return c;
}

struct store_column *store_column_new(struct store *s, const char *name,
				      enum store_type type, size_t count,
				      size_t chunk)
{
	struct store_column *c;

	if (s->err)
		return NULL;
	c = column_create(s, name, type, count, chunk);
	if (!c)
		store_fail(s, -ENOMEM, "out of memory");
	if (s->err) {
		store_column_close(c);
		return NULL;
	}
	return c;
}

int store_column_chunk(struct store_column *c, size_t index, const void *packed,
		       size_t size)
{
	hsize_t at = (hsize_t)index * c->chunk;

	if (H5Dwrite_chunk(c->set, H5P_DEFAULT, 0, &at, size, packed) < 0)
		return store_hdf5_fail(c->store, "cannot be written", "");
	return 0;
}

void store_column_close(struct store_column *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&store_hdf5_lock);
	store_close_id(c->set);
	pthread_mutex_unlock(&store_hdf5_lock);
	free(c);
}

/* The length of a column that exists, as far as the file can hold it. */
static int column_count(struct store *s, const char *name, hid_t set,
			size_t width, size_t *count)
{
	hid_t space = H5Dget_space(set);
	hsize_t n = 0;
	int dimensions = H5Sget_simple_extent_ndims(space);

	if (dimensions == 1)
		H5Sget_simple_extent_dims(space, &n, NULL);
	store_close_id(space);
	if (dimensions != 1)
		return store_fail(s, -EINVAL, "'%s' is not one column", name);
	if (!width || n > s->bytes * DEFLATE_RATIO / width)
		return store_fail(s, -EINVAL,
				  "'%s' is longer than the file can hold",
				  name);
	*count = n;
	return 0;
}

/*
 * A chunk as we write it is unpacked here, by deflate.h, which takes half of
 * HDF5's time.
 */

/* Its values; 0: the column is packed in another way, or not in chunks. */
static size_t length_of_our_chunks(hid_t set, size_t width)
{
	static const H5Z_filter_t ours[] = { H5Z_FILTER_SHUFFLE,
					     H5Z_FILTER_DEFLATE };
	hid_t how = H5Dget_create_plist(set);
	hsize_t chunk = 0;
	int count = H5Pget_nfilters(how);
	bool good = count == 2 || (count == 1 && width == 1);

	for (int i = 0; i < count && good; i++) {
		unsigned int flags, values[8];
		size_t room = 8;

		good = H5Pget_filter2(how, (unsigned int)i, &flags, &room,
				      values, 0, NULL,
				      NULL) == ours[2 - count + i];
	}
	if (!good || H5Pget_layout(how) != H5D_CHUNKED ||
	    H5Pget_chunk(how, 1, &chunk) != 1)
		chunk = 0;
	store_close_id(how);
	return chunk;
}

static void *room_of_buffer(struct reused_buffer *room, size_t size)
{
	if (size > room->size) {
		free(room->at);
		room->at = malloc(size);
		room->size = room->at ? size : 0;
	}
	return room->at;
}

/* False: HDF5 shall try, and say what is wrong. */
static bool read_chunk(struct store *s, hid_t set, hsize_t from, size_t chunk,
		       size_t width, void *to)
{
	hsize_t size = 0;
	uint32_t left_out = 0;
	char *packed, *work;
	bool good;

	if (H5Dget_chunk_storage_size(set, &from, &size) < 0 || !size ||
	    size > s->bytes)
		return false;
	packed = room_of_buffer(&s->packed, size + DEFLATE_BEHIND);
	work = room_of_buffer(&s->work, chunk * width);
	if (packed)
		memset(packed + size, 0, DEFLATE_BEHIND);
	good = packed && work &&
	       H5Dread_chunk(set, H5P_DEFAULT, &from, &left_out, packed) >= 0 &&
	       !left_out &&
	       !deflate_undo(to, chunk, width, packed, size,
			     width > 1 ? work : NULL);
	return good;
}

static bool read_one_chunk(struct store *s, hid_t set, hid_t type, size_t count,
			   void *to)
{
	size_t width = H5Tget_size(type);
	hid_t there = H5Dget_type(set);
	bool good = H5Tequal(there, type) > 0 &&
		    length_of_our_chunks(set, width) == count;

	store_close_id(there);
	return good && read_chunk(s, set, 0, count, width, to);
}

void *store_read_values(struct store *s, const char *name, hid_t set,
			hid_t type, size_t *count)
{
	size_t width = H5Tget_size(type);
	void *values;

	if (column_count(s, name, set, width, count) || !*count)
		return NULL;
	if (!store_may_take(s, name, *count, width))
		return NULL;
	values = malloc(*count * width);
	if (!values) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	if (read_one_chunk(s, set, type, *count, values) ||
	    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0)
		return values;
	store_hdf5_fail(s, "damaged, cannot read ", name);
	free(values);
	return NULL;
}

void store_cannot_open(struct store *s, const char *what, const char *name)
{
	bool there = H5Lexists(s->file, name, H5P_DEFAULT) > 0;

	store_fail(s, -EINVAL, "the %s '%s' is %s", what, name,
		   there ? "damaged" : "missing");
}

/* Values in files that the file names: external storage, virtual datasets. */
static bool is_in_other_files(hid_t set)
{
	hid_t how = H5Dget_create_plist(set);
	bool is = H5Pget_layout(how) == H5D_VIRTUAL ||
		  H5Pget_external_count(how) != 0;

	store_close_id(how);
	return is;
}

hid_t store_set_open(struct store *s, const char *name, H5T_class_t class)
{
	hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
	hid_t type;

	if (set < 0) {
		store_cannot_open(s, "dataset", name);
		return H5I_INVALID_HID;
	}
	type = H5Dget_type(set);
	if (is_in_other_files(set))
		store_fail(s, -EINVAL, "the values of '%s' are in other files",
			   name);
	else if (H5Tget_class(type) != class)
		store_fail(s, -EINVAL, "'%s' has a wrong type", name);
	if (s->err) {
		store_close_id(set);
		set = H5I_INVALID_HID;
	}
	store_close_id(type);
	return set;
}

void *store_listed_values(struct store *s, const char *what, const char *name,
			  enum store_type type, size_t *width, size_t *count)
{
	const struct toc_entry *e = toc_find(s->toc, name);
	bool text = store_is_text(type);
	void *values;
	int err;

	*count = 0;
	if (!e) {
		store_fail(s, -EINVAL, "the %s '%s' is missing", what, name);
		return NULL;
	}
	if (text ? e->type != STORE_TEXT
		 : e->type != type || e->width != store_widths[type]) {
		store_fail(s, -EINVAL, "'%s' has a wrong type", name);
		return NULL;
	}
	if (!e->count || !store_may_take(s, name, e->count, e->width))
		return NULL;
	values = toc_values(s->toc, e, &err);
	if (!values)
		store_fail(s, err,
			   err == -ENOMEM ? "out of memory%.0s"
					  : "damaged, cannot read %s",
			   name);
	*width = e->width;
	*count = values ? e->count : 0;
	return values;
}

void *store_get(struct store *s, const char *name, enum store_type type,
		size_t *count)
{
	hid_t set;
	void *values = NULL;
	size_t width;

	*count = 0;
	if (s->err)
		return NULL;
	if (s->toc)
		return store_listed_values(s, "dataset", name, type, &width,
					   count);
	set = store_set_open(s, name, H5Tget_class(store_number_type(type)));
	if (set >= 0)
		values = store_read_values(s, name, set,
					   store_number_type(type), count);
	store_close_id(set);
	if (s->err)
		*count = 0;
	return values;
}

/* c->chunk: 0 unless they are ours, and no larger than we make them. */
static void look_at_chunks(struct store_column *c, size_t count)
{
	hid_t there = H5Dget_type(c->set);

	c->count = count;
	if (H5Tequal(there, c->type) > 0)
		c->chunk = length_of_our_chunks(c->set, c->width);
	if (c->chunk > CHUNK_BYTES / c->width)
		c->chunk = 0;
	store_close_id(there);
}

struct store_column *store_column_open(struct store *s, const char *name,
				       enum store_type type, size_t *count)
{
	struct store_column *c = s->err ? NULL : calloc(1, sizeof(*c));

	*count = 0;
	if (!c) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	c->store = s;
	c->type = store_number_type(type);
	c->set = store_set_open(s, name, H5Tget_class(c->type));
	c->width = store_widths[type];
	if (c->set >= 0 && !column_count(s, name, c->set, c->width, count))
		look_at_chunks(c, *count);
	if (!s->err)
		return c;
	store_column_close(c);
	return NULL;
}

static herr_t read_column_part(const struct store_column *c, hsize_t from,
			       hsize_t count, void *to)
{
	hid_t here = H5Screate_simple(1, &count, NULL);
	hid_t there = H5Dget_space(c->set);
	herr_t status = -1;

	if (here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, &from, NULL,
					     &count, NULL) >= 0)
		status = H5Dread(c->set, c->type, here, there, H5P_DEFAULT, to);
	if (status < 0)
		store_hdf5_fail(c->store, "damaged, cannot be read", "");
	store_close_id(there);
	store_close_id(here);
	return status;
}

/* The last chunk is longer than its values. */
static bool read_whole_chunk(const struct store_column *c, size_t from,
			     size_t count, void *to)
{
	size_t chunk = c->chunk;
	void *all = to;
	bool good;

	if (!chunk || from % chunk || count > chunk ||
	    (count < chunk && from + count < c->count))
		return false;
	if (count < chunk)
		all = malloc(chunk * c->width);
	good = all && read_chunk(c->store, c->set, from, chunk, c->width, all);
	if (good && all != to)
		memcpy(to, all, count * c->width);
	if (all != to)
		free(all);
	return good;
}

int store_column_read(struct store_column *c, size_t from, size_t count,
		      void *to)
{
	struct store *s = c->store;

	if (!count)
		return 0;
	pthread_mutex_lock(&store_hdf5_lock);
	if (!s->err && !read_whole_chunk(c, from, count, to))
		read_column_part(c, from, count, to);
	pthread_mutex_unlock(&store_hdf5_lock);
	return store_error(s);
}
