/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz-store.c - rank files and databases that are sound HDF5 with wrong
 * contents: the input says what is changed in a real file.  (A file that is no
 * sound HDF5 is the HDF5 library's to refuse, and fuzzing finds that library's
 * faults, not ours.)
 *
 * FUZZ_BASES is a directory of real files, *.h5.  An input is a byte that
 * chooses one, then changes of eight bytes: what, where (number of the dataset,
 * whose high part is in what; or attribute), two bytes of offset, four of
 * value.
 */
#define H5_USE_110_API /* what H5Ovisit() is differs from 1.12 on */
#include <dirent.h>
#include <hdf5.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/fuzz/exercise.h"

#define MOST_BASES 64
#define MOST_SETS  4096
#define CHANGE     8

enum {
	SET_ONE,
	SET_SOME,
	SET_ATTRIBUTE,
	RESIZE,
	REMOVE,
	CHANGES
};

struct base {
	char *bytes;
	size_t size;
	char *sets[MOST_SETS]; /* names of its datasets */
	size_t set_count;
	char *groups[MOST_SETS]; /* and groups */
	size_t group_count;
	bool is_rank;
};

static struct base bases[MOST_BASES];
static size_t base_count;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static herr_t note(hid_t file, const char *name, const H5O_info_t *info,
		   void *to)
{
	struct base *b = to;

	(void)file;
	if (info->type == H5O_TYPE_DATASET && b->set_count < MOST_SETS)
		b->sets[b->set_count++] = strdup(name);
	if (info->type == H5O_TYPE_GROUP && b->group_count < MOST_SETS)
		b->groups[b->group_count++] = strdup(name);
	return 0;
}

static void read_base(const char *path)
{
	struct base *b = &bases[base_count++];
	FILE *from = fopen(path, "rb");
	hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);

	if (!from || file < 0)
		abort();
	fseek(from, 0, SEEK_END);
	b->size = (size_t)ftell(from);
	rewind(from);
	b->bytes = malloc(b->size);
	if (!b->bytes || fread(b->bytes, 1, b->size, from) != b->size)
		abort();
	fclose(from);
	b->is_rank = H5Lexists(file, "identity", H5P_DEFAULT) > 0;
	H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note, b);
	H5Fclose(file);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *from = getenv("FUZZ_BASES");
	struct dirent **entries;
	int count = from ? scandir(from, &entries, NULL, alphasort) : 0;

	(void)argc;
	(void)argv;
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	for (int i = 0; i < count; i++) {
		char *path = str_format("%s/%s", from, entries[i]->d_name);

		if (path && base_count < MOST_BASES &&
		    strstr(entries[i]->d_name, ".h5"))
			read_base(path);
		free(path);
		free(entries[i]);
	}
	if (count > 0)
		free(entries);
	if (!base_count) {
		fprintf(stderr, "FUZZ_BASES names no directory with *.h5\n");
		exit(1);
	}
	return 0;
}

static uint32_t word(const uint8_t *at, size_t bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/* Small values stay, large ones are -1, -2, …: what is near a limit. */
static void put(char *to, size_t size, uint32_t value)
{
	int64_t wide = (int32_t)value;

	memcpy(to, &wide, size < sizeof(wide) ? size : sizeof(wide));
}

/* Numbers that sums and conversions trip over, and those of the change. */
static void put_number(char *to, uint32_t value)
{
	static const double odd[] = { 1e300,  -1e300,   1e19,      -1e19,
				      1e-300, INFINITY, -INFINITY, NAN };
	size_t kinds = 2 * sizeof(odd) / sizeof(*odd);
	double number = value % kinds < kinds / 2 ? odd[value % kinds]
						  : (int32_t)value / 64.0;

	memcpy(to, &number, sizeof(number));
}

static void put_value(hid_t type, char *to, size_t size, uint32_t value)
{
	if (H5Tget_class(type) == H5T_FLOAT && size == sizeof(double))
		put_number(to, value);
	else
		put(to, size, value);
}

static void change_values(hid_t set, const uint8_t *change)
{
	hid_t space = H5Dget_space(set), type = H5Dget_type(set);
	hssize_t count = H5Sget_simple_extent_npoints(space);
	size_t size = H5Tget_size(type), n = count > 0 ? (size_t)count : 0;
	size_t some = change[0] % CHANGES == SET_ONE ? 1 : 16;
	char *values = n && n < 1 << 22 ? calloc(n, size) : NULL;

	if (values &&
	    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
		size_t at = word(change + 2, 2) % n;

		for (size_t i = at; i < n && i < at + some; i++)
			put_value(type, values + i * size, size,
				  word(change + 4, 4));
		H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
	}
	free(values);
	H5Tclose(type);
	H5Sclose(space);
}

static void resize(hid_t set, const uint8_t *change)
{
	hsize_t count = word(change + 2, 2);

	H5Dset_extent(set, &count);
}

/* Its number is of two bytes: a database has more than 256. */
static const char *chosen_set(const struct base *b, const uint8_t *change)
{
	return b->sets[(change[0] / CHANGES * 256u + change[1]) % b->set_count];
}

static void change_set(hid_t file, const struct base *b, const uint8_t *change)
{
	hid_t set;

	if (!b->set_count)
		return;
	set = H5Dopen2(file, chosen_set(b, change), H5P_DEFAULT);
	if (set < 0)
		return;
	if (change[0] % CHANGES == RESIZE)
		resize(set, change);
	else
		change_values(set, change);
	H5Dclose(set);
}

static void change_attribute(hid_t file, const struct base *b,
			     const uint8_t *change)
{
	const char *name = b->groups[change[1] % b->group_count];
	char value[4096] = "";
	H5O_info_t info;
	hid_t at, type;

	if (H5Oget_info_by_name(file, name, &info, H5P_DEFAULT) < 0 ||
	    !info.num_attrs)
		return;
	at = H5Aopen_by_idx(file, name, H5_INDEX_NAME, H5_ITER_INC,
			    change[2] % info.num_attrs, H5P_DEFAULT,
			    H5P_DEFAULT);
	type = at < 0 ? at : H5Aget_type(at);
	/* Texts have pointers, and are left. */
	if (at >= 0 && H5Tget_class(type) != H5T_STRING &&
	    H5Tget_size(type) <= sizeof(uint64_t)) {
		put_value(type, value, sizeof(uint64_t), word(change + 4, 4));
		H5Awrite(at, type, value);
	}
	if (at >= 0) {
		H5Tclose(type);
		H5Aclose(at);
	}
}

static void apply(hid_t file, const struct base *b, const uint8_t *change)
{
	switch (change[0] % CHANGES) {
	case SET_ATTRIBUTE:
		change_attribute(file, b, change);
		break;
	case REMOVE:
		/* Rarely: little of a file is read once something is gone. */
		if (change[2] < 8 && b->set_count)
			H5Ldelete(file, chosen_set(b, change), H5P_DEFAULT);
		break;
	default:
		change_set(file, b, change);
	}
}

static bool write_file(const char *path, const struct base *b,
		       const uint8_t *data, size_t size)
{
	FILE *to = fopen(path, "wb");
	hid_t file;
	bool good = to && fwrite(b->bytes, 1, b->size, to) == b->size;

	if (!to || fclose(to) || !good)
		return false;
	file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	if (file < 0)
		return false;
	for (; size >= CHANGE; data += CHANGE, size -= CHANGE)
		apply(file, b, data);
	return H5Fclose(file) >= 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct base *b;
	char *path = str_format("%s/input", exercise_directory());
	struct profile *p = NULL;
	struct run *run = NULL;
	uint32_t choice = exercise_choice(data, size);

	if (!size || !path) {
		free(path);
		return 0;
	}
	b = &bases[data[0] % base_count];
	if (write_file(path, b, data + 1, size - 1)) {
		if (b->is_rank && !profile_load(&p, path))
			exercise_profile(p, choice);
		if (!b->is_rank && !run_load(&run, path)) {
			exercise_run(run, choice);
			run_free(run);
		}
	}
	unlink(path);
	free(path);
	return 0;
}
