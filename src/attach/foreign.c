/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.c - see foreign.h. */
#include "attach/foreign.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attach/attach-record.h"
#include "base/array.h"
#include "base/err.h"
#include "collect/registry.h"
#include "collect/unwind/loaded-object.h"
#include "collect/unwind/safe-read.h"
#include "launch/process.h"

#define VDSO "[vdso]"

enum {
	NOTES_MOST = 4096,
	DEPTH_OF_STACK = 64 << 20 /* so far above a copy is its stack */
};

enum {
	DEEP_PAGES = 256 /* of a thread */
};

struct foreign_deep {
	struct deep_page {
		uintptr_t at;               /* 0: none */
		uint64_t before_ns, now_ns; /* when they were read; 0: not */
		uint8_t before[PEEK_PAGE], now[PEEK_PAGE];
	} pages[DEEP_PAGES];
};

struct foreign_deep *foreign_deep_new(void)
{
	return calloc(1, sizeof(struct foreign_deep));
}

struct foreign_page {
	uintptr_t at;  /* 0: none */
	uint32_t look; /* that it is of; 0: a file's, of all */
	uint8_t bytes[PEEK_PAGE];
};

/* Mutable: whom the unwinder asks for; one at a time. */
static struct foreign *asked;

/* Mutable: other code than before, in any of the processes. */
struct registry_generations registry_generations = { 1, 1 };

void foreign_use(struct foreign *f, const void *stack, uintptr_t low,
		 size_t size)
{
	asked = f;
	f->stack = stack;
	f->stack_low = low;
	f->stack_high = low + size;
	f->edge = f->still = false;
	f->deep = NULL;
	f->look += f->look + 1 ? 1 : 2; /* not 0 */
}

void foreign_use_still(struct foreign *f, const void *stack, uintptr_t low,
		       size_t size)
{
	foreign_use(f, stack, low, size);
	f->still = true;
}

void foreign_use_deep(struct foreign *f, struct foreign_deep *deep, uint64_t ns)
{
	f->deep = deep;
	f->sample_ns = ns;
}

const struct foreign_mapping *foreign_mapping_of(struct foreign *f,
						 uintptr_t at)
{
	size_t low = 0, high = f->mapping_count;
	const struct foreign_mapping *m = &f->mappings[f->last];

	if (f->last < high && at >= m->start && at < m->end)
		return m;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (f->mappings[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == f->mapping_count || f->mappings[low].start > at)
		return NULL;
	f->last = low;
	return &f->mappings[low];
}

/*
 * Bytes of it.
 */

static bool read_process(struct foreign *f, void *to, uintptr_t at, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)at, size };

	if (f->unreadable)
		return false;
	if (process_vm_readv(f->pid, &here, 1, &there, 1, 0) == (ssize_t)size)
		return true;
	f->unreadable = errno == EPERM || errno == ENOSYS;
	return false;
}

/* The kernel maps the same code into all processes. */
static bool read_own_vdso(void *to, uint64_t offset, size_t size)
{
	const ElfW(Ehdr) *own = (const void *)getauxval(AT_SYSINFO_EHDR);
	uint64_t end =
		own ? own->e_shoff + (uint64_t)own->e_shnum * own->e_shentsize
		    : 0;

	if (offset >= end)
		return false;
	memcpy(to, (const char *)own + offset, size); /* whole pages */
	return true;
}

/* `m` is of a file; NULL: it is read from the process. */
static bool fill_foreign_page(struct foreign *f, struct foreign_page *page,
			      uintptr_t at, const struct foreign_mapping *m)
{
	const struct foreign_module *module = m ? &f->modules[m->module] : NULL;
	uint64_t offset = m ? m->offset + (at - m->start) : 0;
	ssize_t got = 0;

	page->at = 0;
	if (m && module->file >= 0)
		got = pread(module->file, page->bytes, PEEK_PAGE,
			    (off_t)offset);
	else if (m && !strcmp(module->path, VDSO))
		got = read_own_vdso(page->bytes, offset, PEEK_PAGE) ? PEEK_PAGE
								    : 0;
	if (got <= 0 && !read_process(f, page->bytes, at, PEEK_PAGE))
		return false;
	if (got > 0)
		memset(page->bytes + got, 0, (size_t)(PEEK_PAGE - got));
	page->at = at;
	page->look = m ? 0 : f->look;
	return true;
}

/* What is in no file, or may have changed since, is read anew each time, but of
   a thread that stands still. */
static bool read_page(struct foreign *f, void *to, uintptr_t at, size_t size)
{
	const struct foreign_mapping *m = foreign_mapping_of(f, at);
	uintptr_t start = at & ~(uintptr_t)(PEEK_PAGE - 1);
	struct foreign_page *page = &f->pages[at / PEEK_PAGE % FOREIGN_PAGES];

	if (m && (m->module == SIZE_MAX || m->writable))
		m = NULL;
	if (!m && !f->still)
		return read_process(f, to, at, size);
	if ((page->at != start || (page->look && page->look != f->look)) &&
	    !fill_foreign_page(f, page, start, m))
		return false;
	memcpy(to, page->bytes + (at - start), size);
	return true;
}

static struct deep_page *deep_slot(const struct foreign *f, uintptr_t at)
{
	return &f->deep->pages[at / PEEK_PAGE % DEEP_PAGES];
}

/*
 * A page that was not met before, and those above it, which the next samples
 * will need.
 */
static bool begin_deep_pages(struct foreign *f, uintptr_t at)
{
	const struct foreign_mapping *m = foreign_mapping_of(f, at);
	uintptr_t end = at + (DEEP_PAGES - 1) * PEEK_PAGE;

	if (m && m->end < end)
		end = m->end;
	for (uintptr_t next = at; next < end; next += PEEK_PAGE) {
		struct deep_page *page = deep_slot(f, next);

		if (page->at == next && page->now_ns)
			continue;
		page->at = next;
		page->before_ns = page->now_ns = 0;
		if (!read_process(f, page->now, next, PEEK_PAGE))
			break;
		page->now_ns = process_clock();
	}
	return false;
}

/* Reads the page again where that was before the sample. */
static bool renew_deep_page(struct foreign *f, struct deep_page *page,
			    uintptr_t at)
{
	if (page->at != at || !page->now_ns)
		return begin_deep_pages(f, at);
	if (page->now_ns > f->sample_ns)
		return true;
	memcpy(page->before, page->now, PEEK_PAGE);
	page->before_ns = page->now_ns;
	page->now_ns = 0;
	if (!read_process(f, page->now, at, PEEK_PAGE))
		return false;
	page->now_ns = process_clock();
	return true;
}

/* A word above the copy. */
static bool read_deep(struct foreign *f, void *to, uintptr_t at, size_t size)
{
	uintptr_t offset = at % PEEK_PAGE, start = at - offset;
	struct deep_page *page;

	if (!f->deep || offset + size > PEEK_PAGE)
		return false;
	page = deep_slot(f, at);
	if (!renew_deep_page(f, page, start) || !page->before_ns ||
	    page->before_ns > f->sample_ns ||
	    memcmp(page->before + offset, page->now + offset, size) != 0)
		return false;
	memcpy(to, page->now + offset, size);
	return true;
}

bool safe_read_copy(struct safe_read *p, void *to, uintptr_t at, size_t size)
{
	struct foreign *f = asked;

	(void)p;
	if (f->stack && at >= f->stack_low &&
	    at < f->stack_high + DEPTH_OF_STACK) {
		const struct foreign_mapping *m;

		if (at + size <= f->stack_high) {
			memcpy(to, f->stack + (at - f->stack_low), size);
			return true;
		}
		m = foreign_mapping_of(f, at);
		if (!f->still && (!m || m->module == SIZE_MAX)) {
			bool known = read_deep(f, to, at, size);

			f->edge |= !known;
			return known;
		}
	}
	while (size) {
		size_t left = PEEK_PAGE - at % PEEK_PAGE;
		size_t part = size < left ? size : left;

		if (!read_page(f, to, at, part))
			return false;
		to = (char *)to + part;
		at += part;
		size -= part;
	}
	return true;
}

bool safe_read_alone(struct safe_read *p, void *to, uintptr_t at, size_t size)
{
	return safe_read_copy(p, to, at, size);
}

void safe_read_forget(struct safe_read *p)
{
	(void)p; /* pages of files stay */
}

/* All is at hand, or as far as the process is. */
bool safe_read_has(const struct safe_read *p, uintptr_t at, size_t size)
{
	(void)p;
	(void)at;
	(void)size;
	return true;
}

bool safe_read_want(struct safe_read *p, uintptr_t at, size_t size)
{
	return safe_read_has(p, at, size);
}

void safe_read_wanted(struct safe_read *p)
{
	(void)p;
}

bool safe_read_reaches(struct safe_read *p, uintptr_t from, uintptr_t end)
{
	(void)p;
	return from >= asked->stack_low && end <= asked->stack_high;
}

/*
 * Its modules.
 */

enum loaded_found loaded_object_look(struct loaded_object *to, uintptr_t pc)
{
	const struct foreign_mapping *m = foreign_mapping_of(asked, pc);
	const struct foreign_module *module;

	if (!m || m->module == SIZE_MAX)
		return LOADED_NONE;
	module = &asked->modules[m->module];
	*to = (struct loaded_object){
		.start = module->start,
		.end = module->end,
		.map = (const struct link_map *)module,
		.eh_frame = module->eh_frame,
	};
	return LOADED_FOUND;
}

bool registry_module(struct registry_module *to,
		     const struct loaded_object *object,
		     struct safe_read *reader)
{
	const struct foreign_module *module = (const void *)object->map;

	(void)reader;
	*to = (struct registry_module){ .index = module->index,
					.base = module->base };
	return module->index != ATTACH_NO_MODULE;
}

bool registry_function(const struct registry_function *f, uint32_t *index)
{
	return attach_record_function(asked->record, f, index);
}

static void read_foreign_notes(struct foreign_module *m, uintptr_t at,
			       size_t size)
{
	char notes[NOTES_MOST];
	ElfW(Nhdr) note;

	if (size > sizeof(notes) || !safe_read_copy(NULL, notes, at, size))
		return;
	for (size_t i = 0; i + sizeof(note) <= size;) {
		size_t name = i + sizeof(note), data;

		memcpy(&note, notes + i, sizeof(note));
		data = name + ((note.n_namesz + 3ul) & ~3ul);
		i = data + ((note.n_descsz + 3ul) & ~3ul);
		if (i > size || data < name || i < data)
			return;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(notes + name, "GNU", 4) != 0 ||
		    note.n_descsz > sizeof(m->build_id))
			continue;
		m->build_id_size = note.n_descsz;
		memcpy(m->build_id, notes + data, note.n_descsz);
		return;
	}
}

/* From its header, which is mapped where the file begins. */
static void read_foreign_elf(struct foreign_module *m, uintptr_t begin)
{
	ElfW(Ehdr) elf;
	ElfW(Phdr) segment;
	bool based = false;

	if (!safe_read_copy(NULL, &elf, begin, sizeof(elf)) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_phentsize != sizeof(segment))
		return;
	for (int i = 0; i < elf.e_phnum; i++) {
		uintptr_t at =
			begin + elf.e_phoff + (uintptr_t)i * sizeof(segment);

		if (!safe_read_copy(NULL, &segment, at, sizeof(segment)))
			return;
		if (segment.p_type == PT_LOAD && !based) {
			m->base = begin - (segment.p_vaddr - segment.p_offset);
			based = true;
		}
	}
	for (int i = 0; based && i < elf.e_phnum; i++) {
		uintptr_t at =
			begin + elf.e_phoff + (uintptr_t)i * sizeof(segment);

		if (!safe_read_copy(NULL, &segment, at, sizeof(segment)))
			return;
		at = m->base + segment.p_vaddr;
		if (segment.p_type == PT_GNU_EH_FRAME)
			m->eh_frame = at;
		else if (segment.p_type == PT_DYNAMIC)
			m->dynamic = at;
		else if (segment.p_type == PT_NOTE && !m->build_id_size)
			read_foreign_notes(m, at, segment.p_memsz);
	}
}

/* The file that it has mapped; another may have its name by now. */
static int open_foreign_file(const struct foreign *f,
			     const struct foreign_module *m)
{
	static const char *const places[] = { "", "/proc/%d/root" };

	for (size_t i = 0; i < 2 && *m->path == '/'; i++) {
		char path[PATH_MAX + 64];
		struct stat st;
		int size = snprintf(path, sizeof(path), "%s", places[i]), fd;

		if (i)
			size = snprintf(path, sizeof(path), "/proc/%d/root",
					(int)f->pid);
		snprintf(path + size, sizeof(path) - (size_t)size, "%s",
			 m->path);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
		    st.st_ino == m->inode)
			return fd;
		close(fd);
	}
	return -1;
}

/* One line of /proc/PID/maps. */
struct map_line {
	struct foreign_mapping mapping;
	uint64_t device, inode;
	const char *path;
};

static bool parse_map_line(struct map_line *to, char *line)
{
	unsigned int major, minor;
	char rights[5];
	int at = 0;

	*to = (struct map_line){ .mapping.module = SIZE_MAX };
	if (sscanf(line,
		   "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &to->mapping.start, &to->mapping.end, rights,
		   &to->mapping.offset, &major, &minor, &to->inode, &at) < 7)
		return false;
	to->device = makedev(major, minor);
	to->path = line + at;
	to->mapping.code = rights[2] == 'x';
	to->mapping.writable = rights[1] == 'w';
	return true;
}

static bool is_module_line(const struct map_line *line)
{
	return !strcmp(line->path, VDSO) || (line->inode && *line->path == '/');
}

/* The module of a line that begins a file, or goes on with it. */
static size_t module_of_line(struct foreign *f, const struct map_line *line)
{
	const struct foreign_mapping *m = &line->mapping;
	struct foreign_module fresh = { .device = line->device,
					.inode = line->inode,
					.start = m->start,
					.end = m->end,
					.base = m->start - m->offset,
					.file = -1,
					.index = ATTACH_NO_MODULE };

	for (size_t i = f->module_count; i-- > 0;) {
		struct foreign_module *old = &f->modules[i];

		if (old->inode != line->inode || old->device != line->device ||
		    strcmp(old->path, line->path) != 0 ||
		    (m->offset ? m->start < old->start
			       : m->start != old->start))
			continue;
		if (m->end > old->end)
			old->end = m->end;
		old->gone = false;
		return i;
	}
	fresh.path = strdup(line->path);
	if (!fresh.path ||
	    !array_append(&f->modules, &f->module_count, &f->module_room,
			  sizeof(fresh), &fresh)) {
		free(fresh.path);
		return SIZE_MAX;
	}
	return f->module_count - 1;
}

static void take_map_line(struct foreign *f, char *text)
{
	struct map_line line;

	text[strcspn(text, "\n")] = 0;
	if (!parse_map_line(&line, text))
		return;
	if (is_module_line(&line))
		line.mapping.module = module_of_line(f, &line);
	array_append(&f->mappings, &f->mapping_count, &f->mapping_room,
		     sizeof(line.mapping), &line.mapping);
}

/* Those that are new, when all mappings are known. */
static void open_foreign_modules(struct foreign *f)
{
	for (size_t i = 0; i < f->mapping_count; i++) {
		const struct foreign_mapping *m = &f->mappings[i];
		struct foreign_module *module;

		if (!m->code || m->module == SIZE_MAX)
			continue;
		module = &f->modules[m->module];
		if (module->index != ATTACH_NO_MODULE)
			continue;
		module->file = open_foreign_file(f, module);
		read_foreign_elf(module, module->start);
		attach_record_module(f->record, module);
	}
}

/* The list as text, ended by 0; NULL: the process is gone. */
static char *read_map_list(pid_t pid)
{
	char path[64], *text = NULL, *more;
	size_t size = 0, room = 1 << 16;
	ssize_t got = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && got > 0) {
		more = realloc(text, room += room / 2);
		if (!more)
			break;
		text = more;
		while (size < room - 1 &&
		       (got = read(fd, text + size, room - 1 - size)) > 0)
			size += (size_t)got;
		text[size] = 0;
	}
	if (fd >= 0)
		close(fd);
	if (size)
		return text;
	free(text);
	return NULL;
}

/* Of the lines that have a file, or the kernel's code: memory comes and goes.
 */
static uint64_t hash_modules(const char *text)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		if (!memchr(text, '/', (size_t)(end - text)) &&
		    strncmp(end - strlen(VDSO), VDSO, strlen(VDSO)) != 0)
			continue;
		for (; text < end; text++)
			sum = (sum ^ (uint8_t)*text) * 0x100000001b3u;
	}
	return sum;
}

bool foreign_look(struct foreign *f)
{
	char *text = read_map_list(f->pid), *line, *rest;
	uint64_t hash;

	if (!text)
		return false;
	hash = hash_modules(text);
	if (hash == f->hash) {
		free(text);
		return true;
	}
	f->hash = hash;
	f->mapping_count = f->last = 0;
	for (size_t i = 0; i < f->module_count; i++)
		f->modules[i].gone = true;
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		take_map_line(f, line);
	free(text);
	for (size_t i = 0; i < FOREIGN_PAGES; i++)
		f->pages[i].at = 0;
	registry_generations.code++;
	foreign_use(f, NULL, 0, 0);
	open_foreign_modules(f);
	return true;
}

int foreign_open(struct foreign *f, pid_t pid, struct attach_record *record)
{
	*f = (struct foreign){ .pid = pid, .record = record };
	f->pages = calloc(FOREIGN_PAGES, sizeof(*f->pages));
	if (!f->pages)
		return no_memory();
	errno = 0;
	if (foreign_look(f))
		return 0;
	if (!errno)
		return fail(-ESRCH,
			    "process %d has no code of its own: it has ended, "
			    "or is a part of the kernel",
			    (int)pid);
	return fail(-errno, "what process %d has mapped cannot be read: %s",
		    (int)pid, strerror(errno));
}

void foreign_close(struct foreign *f)
{
	for (size_t i = 0; i < f->module_count; i++) {
		free(f->modules[i].path);
		if (f->modules[i].file >= 0)
			close(f->modules[i].file);
	}
	free(f->modules);
	free(f->mappings);
	free(f->pages);
	*f = (struct foreign){ 0 };
}
