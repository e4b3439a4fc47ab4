/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol-cache.c - a file for each build id, read whole and replaced whole. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/comparison.h"
#include "config.h"
#include "symbol/symbol-cache.h"

#define FORMAT "copse names 3 " PACKAGE_VERSION

#define MOST_FILE  (64ull << 20)
#define MOST_ALL   (256ull << 20)
#define MOST_KEPT  (192ull << 20) /* after a trim */
#define STALE_TEMP (24 * 3600)    /* seconds */

/*
 * A file: the header, the addresses, where the frames of each begin (one more
 * than addresses), the frames, and the strings, each ended by a zero byte.
 * Numbers are this machine's: the cache belongs to one user, and a file of
 * another kind of machine fails its checksum.
 */
struct cache_header {
	char format[32];
	uint64_t checksum;       /* of all that follows this member */
	uint64_t size, mtime_ns; /* of the module's file; 0: there was none */
	uint64_t loops;          /* whether they were looked for */
	uint64_t addresses, frames, strings, bytes;
};

struct stamp {
	uint64_t size, mtime_ns;
};

static struct stamp stamp_of(const char *path)
{
	struct stat s;

	if (stat(path, &s))
		return (struct stamp){ 0 };
	return (struct stamp){ (uint64_t)s.st_size,
			       (uint64_t)s.st_mtim.tv_sec * 1000000000 +
				       (uint64_t)s.st_mtim.tv_nsec };
}

/*
 * The folder.
 */

/* By malloc; NULL: there is to be none. */
static char *folder_path(void)
{
	const char *set = symbol_options.cache, *home;

	if (!set)
		set = getenv("COPSE_CACHE");
	if (set && *set)
		return *set == '/' ? strdup(set) : NULL; /* "off" */
	home = getenv("XDG_CACHE_HOME");
	if (home && *home == '/')
		return str_format("%s/copse", home);
	home = getenv("HOME");
	return home && *home == '/' ? str_format("%s/.cache/copse", home)
				    : NULL;
}

/* The folder, and the one that it is in, of which most users have one. */
static int make_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *outer = strndup(path, (size_t)(slash - path));
	int err = -1;

	if (outer && *outer)
		mkdir(outer, 0700);
	if (!mkdir(path, 0700))
		err = 0;
	free(outer);
	return err;
}

/* A descriptor of a folder that is the user's own; -1: there is none. */
static int open_folder(bool make)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char *path = folder_path();
	struct stat s;
	int fd;

	if (!path)
		return -1;
	fd = open(path, flags);
	if (fd < 0 && errno == ENOENT && make && !make_folder(path))
		fd = open(path, flags);
	free(path);
	if (fd >= 0 && (fstat(fd, &s) || s.st_uid != geteuid() ||
			s.st_mode & (S_IRWXG | S_IRWXO))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A build id that makes a good key, and a good name for a file. */
static bool is_key(const char *build_id)
{
	size_t length = strlen(build_id);

	for (size_t i = 0; i < length; i++)
		if (!isxdigit((unsigned char)build_id[i]))
			return false;
	return length >= 16 && length <= 128;
}

/*
 * Reading.
 */

/* FNV-1a, by words: against torn and damaged files, not against people. */
static uint64_t cache_checksum(const char *at, uint64_t size)
{
	uint64_t sum = 0xcbf29ce484222325u, word;

	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3u;
		sum ^= sum >> 29;
	}
	while (size--)
		sum = (sum ^ (unsigned char)*at++) * 0x100000001b3u;
	return sum;
}

#define AFTER_SUM (offsetof(struct cache_header, checksum) + sizeof(uint64_t))

/* All of a regular file of the user's, by malloc; NULL: none, or too large. */
static char *read_cache_file(int folder, const char *name, uint64_t *size)
{
	int fd = openat(folder, name,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat s;
	char *at = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
	    s.st_size >= (off_t)sizeof(struct cache_header) &&
	    (uint64_t)s.st_size <= MOST_FILE) {
		*size = (uint64_t)s.st_size;
		at = malloc(*size);
		if (at && read(fd, at, *size) != s.st_size) {
			free(at);
			at = NULL;
		}
		futimens(fd, NULL); /* it was used */
	}
	close(fd);
	return at;
}

static bool sizes_agree(const struct cache_header *h, uint64_t size)
{
	return h->addresses <= size && h->frames <= size &&
	       h->strings <= size && h->bytes <= size &&
	       size == sizeof(*h) + h->addresses * sizeof(uint64_t) +
			       (h->addresses + 1) * sizeof(uint32_t) +
			       h->frames * sizeof(struct symbol_frame) +
			       h->bytes;
}

static bool header_is_good(const struct cache_header *h, const char *file,
			   uint64_t size, struct stamp now)
{
	if (h->loops != symbol_loops() ||
	    memcmp(h->format, (char[32]){ FORMAT }, sizeof(h->format)) != 0 ||
	    !sizes_agree(h, size) ||
	    cache_checksum(file + AFTER_SUM, size - AFTER_SUM) != h->checksum)
		return false;
	/* Merged where the program is not: the build id has to do. */
	return !now.size ||
	       (now.size == h->size && now.mtime_ns == h->mtime_ns);
}

static bool load_image_strings(struct symbol_module *to, const char *at,
			       const struct cache_header *h)
{
	const char *end = at + h->bytes;

	for (uint64_t i = 0; i < h->strings; i++) {
		const char *zero = memchr(at, '\0', (size_t)(end - at));

		if (!zero || str_add(&to->strings, at) != i)
			return false;
		at = zero + 1;
	}
	return at == end;
}

static bool indices_are_good(const struct symbol_module *m)
{
	if (m->first[0] || m->first[m->count] != m->frame_count)
		return false;
	for (size_t i = 0; i < m->count; i++)
		if (m->first[i] >= m->first[i + 1] ||
		    m->first[i + 1] > m->frame_count ||
		    (i && m->addresses[i - 1] >= m->addresses[i]))
			return false;
	for (size_t i = 0; i < m->frame_count; i++)
		if (m->frames[i].function >= m->strings.count ||
		    m->frames[i].file >= m->strings.count)
			return false;
	return true;
}

static void *copy_next(const char **at, size_t size)
{
	void *to = malloc(size + 1);

	if (to)
		memcpy(to, *at, size);
	*at += size;
	return to;
}

static bool load_image(struct symbol_module *to, const char *file,
		       const struct cache_header *h)
{
	const char *at = file + sizeof(*h);

	to->count = h->addresses;
	to->frame_count = h->frames;
	to->addresses = copy_next(&at, to->count * sizeof(*to->addresses));
	to->first = copy_next(&at, (to->count + 1) * sizeof(*to->first));
	to->frames = copy_next(&at, to->frame_count * sizeof(*to->frames));
	return to->addresses && to->first && to->frames &&
	       load_image_strings(to, at, h) && indices_are_good(to);
}

void symbol_cache_load(struct symbol_module *kept,
		       const struct symbol_module *module)
{
	int folder = is_key(module->build_id) ? open_folder(false) : -1;
	struct cache_header h;
	uint64_t size;
	char *file;

	*kept = (struct symbol_module){ 0 };
	if (folder < 0)
		return;
	file = read_cache_file(folder, module->build_id, &size);
	close(folder);
	if (!file)
		return;
	memcpy(&h, file, sizeof(h));
	if (!header_is_good(&h, file, size, stamp_of(module->path)) ||
	    !load_image(kept, file, &h))
		symbol_cache_free(kept);
	free(file);
}

void symbol_cache_free(struct symbol_module *kept)
{
	free((void *)kept->addresses);
	symbol_module_fini(kept);
}

/*
 * Writing.
 */

/* What is to be written: of two modules, in the order of addresses. */
struct cache_image {
	struct symbol_module all; /* its strings and frames; own addresses */
	uint64_t *addresses;
	size_t count;
};

static int add_answer(struct cache_image *to, const struct symbol_module *from,
		      size_t i)
{
	to->addresses[to->count] = from->addresses[i];
	to->all.first[to->count++] = (uint32_t)to->all.frame_count;
	for (uint32_t f = from->first[i]; f < from->first[i + 1]; f++) {
		struct symbol_frame frame = from->frames[f];

		frame.function =
			str_add(&to->all.strings,
				str_at(&from->strings, frame.function));
		frame.file = str_add(&to->all.strings,
				     str_at(&from->strings, frame.file));
		if (frame.function == STR_NONE || frame.file == STR_NONE)
			return -ENOMEM;
		to->all.frames[to->all.frame_count++] = frame;
	}
	to->all.first[to->count] = (uint32_t)to->all.frame_count;
	return 0;
}

static bool is_frame_settled(const struct symbol_module *m, size_t i)
{
	return m->frames[m->first[i]].flags & SYMBOL_SETTLED;
}

/* The two are sorted: join them. */
static int join_modules(struct cache_image *to, const struct symbol_module *a,
			const struct symbol_module *b)
{
	size_t i = 0, k = 0;
	int err = str_add(&to->all.strings, "") ? -ENOMEM : 0;

	while (!err && (i < a->count || k < b->count)) {
		if (k == b->count ||
		    (i < a->count && a->addresses[i] <= b->addresses[k])) {
			if (k < b->count && a->addresses[i] == b->addresses[k])
				k++;
			if (is_frame_settled(a, i))
				err = add_answer(to, a, i);
			i++;
		} else {
			err = add_answer(to, b, k++);
		}
	}
	return err;
}

static int image_make(struct cache_image *to,
		      const struct symbol_module *module,
		      const struct symbol_module *kept)
{
	size_t count = module->count + kept->count;
	size_t frames = module->frame_count + kept->frame_count;

	to->addresses = calloc(count + 1, sizeof(*to->addresses));
	to->all.first = calloc(count + 1, sizeof(*to->all.first));
	to->all.frames = calloc(frames + 1, sizeof(*to->all.frames));
	if (!to->addresses || !to->all.first || !to->all.frames)
		return -ENOMEM;
	return join_modules(to, module, kept);
}

static void image_fini(struct cache_image *image)
{
	free(image->addresses);
	symbol_module_fini(&image->all);
}

static char *copy_bytes(char *to, const void *from, size_t size)
{
	return (char *)memcpy(to, from, size) + size;
}

/* The whole file, by malloc. */
static char *cache_file_of(const struct cache_image *image, struct stamp stamp,
			   uint64_t *size)
{
	const struct symbol_module *m = &image->all;
	struct cache_header h = { .format = FORMAT,
				  .size = stamp.size,
				  .mtime_ns = stamp.mtime_ns,
				  .loops = symbol_loops(),
				  .addresses = image->count,
				  .frames = m->frame_count,
				  .strings = m->strings.count };
	char *file, *to;

	for (uint32_t s = 0; s < m->strings.count; s++)
		h.bytes += strlen(m->strings.at[s]) + 1;
	*size = sizeof(h) + h.addresses * sizeof(uint64_t) +
		(h.addresses + 1) * sizeof(uint32_t) +
		h.frames * sizeof(struct symbol_frame) + h.bytes;
	file = *size <= MOST_FILE ? malloc(*size) : NULL;
	if (!file)
		return NULL;
	to = copy_bytes(file, &h, sizeof(h));
	to = copy_bytes(to, image->addresses, image->count * sizeof(uint64_t));
	to = copy_bytes(to, m->first, (image->count + 1) * sizeof(uint32_t));
	to = copy_bytes(to, m->frames, m->frame_count * sizeof(*m->frames));
	for (uint32_t s = 0; s < m->strings.count; s++)
		to = copy_bytes(to, m->strings.at[s],
				strlen(m->strings.at[s]) + 1);
	h.checksum = cache_checksum(file + AFTER_SUM, *size - AFTER_SUM);
	memcpy(file + offsetof(struct cache_header, checksum), &h.checksum,
	       sizeof(h.checksum));
	return file;
}

/* A name of its own first, then the final one, so nobody reads a half. */
static void write_cache_file(int folder, const char *name, const char *file,
			     uint64_t size)
{
	static _Atomic unsigned int number;
	char temporary[64];
	bool whole;
	int fd;

	snprintf(temporary, sizeof(temporary), ".new-%ld-%u", (long)getpid(),
		 atomic_fetch_add(&number, 1));
	fd = openat(folder, temporary,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	whole = write(fd, file, size) == (ssize_t)size;
	if (close(fd) || !whole || renameat(folder, temporary, folder, name))
		unlinkat(folder, temporary, 0);
}

static bool has_settled_frame(const struct symbol_module *module)
{
	for (size_t i = 0; i < module->count; i++)
		if (is_frame_settled(module, i))
			return true;
	return false;
}

/* The file of both, by malloc; NULL when out of memory, or too large. */
static char *joined_file(const struct symbol_module *module,
			 const struct symbol_module *kept, uint64_t *size)
{
	struct cache_image image = { 0 };
	char *file = NULL;

	if (!image_make(&image, module, kept))
		file = cache_file_of(&image, stamp_of(module->path), size);
	image_fini(&image);
	return file;
}

void symbol_cache_store(const struct symbol_module *module,
			const struct symbol_module *kept)
{
	static const struct symbol_module none;
	uint64_t size;
	char *file;
	int folder;

	if (!is_key(module->build_id) || !has_settled_frame(module))
		return;
	folder = open_folder(true);
	if (folder < 0)
		return;
	file = joined_file(module, kept, &size);
	if (!file) /* the latest are worth more */
		file = joined_file(module, &none, &size);
	if (file)
		write_cache_file(folder, module->build_id, file, size);
	free(file);
	close(folder);
}

/*
 * The bound.
 */

struct kept_file {
	char name[NAME_MAX + 1];
	uint64_t size;
	time_t used;
};

ORDER_BY(by_use, struct kept_file, DESC(used))

/* Ours are named by a build id; the rest in the folder is not our business. */
static bool read_kept_file(int folder, const char *name, struct kept_file *to)
{
	bool temporary = !strncmp(name, ".new-", 5);
	struct stat s;

	if ((!temporary && !is_key(name)) ||
	    fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(s.st_mode))
		return false;
	if (temporary) { /* of a process that was killed */
		if (s.st_mtime + STALE_TEMP < time(NULL))
			unlinkat(folder, name, 0);
		return false;
	}
	snprintf(to->name, sizeof(to->name), "%s", name);
	to->size = (uint64_t)s.st_size;
	to->used = s.st_mtime;
	return true;
}

static struct kept_file *list_files(DIR *dir, size_t *count)
{
	struct kept_file *files = NULL;
	const struct dirent *entry;
	struct kept_file file;
	size_t room = 0;

	*count = 0;
	while ((entry = readdir(dir)))
		if (read_kept_file(dirfd(dir), entry->d_name, &file) &&
		    !array_append(&files, count, &room, sizeof(file), &file))
			break;
	return files;
}

void symbol_cache_trim(void)
{
	int folder = open_folder(false);
	DIR *dir = folder < 0 ? NULL : fdopendir(folder);
	struct kept_file *files;
	uint64_t sum = 0;
	size_t count;

	if (!dir) {
		if (folder >= 0)
			close(folder);
		return;
	}
	files = list_files(dir, &count);
	for (size_t i = 0; i < count; i++)
		sum += files[i].size;
	if (sum > MOST_ALL) {
		qsort(files, count, sizeof(*files), by_use);
		while (count && sum > MOST_KEPT) {
			sum -= files[--count].size;
			unlinkat(dirfd(dir), files[count].name, 0);
		}
	}
	free(files);
	closedir(dir);
}
