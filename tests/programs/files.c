/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.c - files PATTERN [FOLDER]: reads, writes and looks up files in a known
 * way, in FOLDER, and prints what a profile of it should say:
 *
 *   truth FUNCTION CALLS READ WRITTEN       of the calls in do_PATTERN()
 *   file NAME READS READ WRITES WRITTEN OPENS
 *   uring 1                                 it could use io_uring
 *
 * The patterns small to rewrite are each a mistake, good is none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, noipa))

static char block[1 << 20];
static const char *folder = ".";

static char *path_of(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		abort();
	return path;
}

static void must(int good)
{
	if (!good) {
		perror("files");
		exit(1);
	}
}

/* A file of so many blocks that were written one after the other. */
static int make_file(const char *name, int blocks)
{
	int fd = open(path_of(name), O_CREAT | O_TRUNC | O_RDWR, 0644);

	must(fd >= 0);
	for (int i = 0; i < blocks; i++)
		must(write(fd, block, sizeof(block)) == sizeof(block));
	return fd;
}

/* Bytes of many sizes, by each function for them. */
static KEPT void do_sizes(void)
{
	int fd = make_file("sizes", 0), sink;
	struct iovec two[2] = { { block, 30 }, { block, 70 } };
	struct stat st;

	for (int i = 0; i < 100; i++)
		must(write(fd, block, 1000) == 1000);
	for (int i = 0; i < 50; i++)
		must(pwrite(fd, block, 10, i * 20) == 10);
	for (int i = 0; i < 25; i++)
		must(writev(fd, two, 2) == 100);
	must(lseek(fd, 0, SEEK_SET) == 0);
	for (int i = 0; i < 40; i++)
		must(read(fd, block, 500) == 500);
	for (int i = 39; i >= 0; i--)
		must(pread(fd, block, 100, i * 100) == 100);
	for (int i = 0; i < 10; i++)
		must(!fstat(fd, &st));
	must(!fsync(fd));
	sink = make_file("copy", 0);
	must(lseek(fd, 0, SEEK_SET) == 0);
	must(copy_file_range(fd, NULL, sink, NULL, 50000, 0) == 50000);
	close(sink);
	close(fd);
	printf("truth write 100 0 100000\ntruth pwrite 50 0 500\n"
	       "truth writev 25 0 2500\ntruth read 40 20000 0\n"
	       "truth pread 40 4000 0\ntruth fstat 10 0 0\n"
	       "truth fsync 1 0 0\ntruth copy_file_range 1 50000 50000\n"
	       "truth lseek 2 0 0\ntruth close 2 0 0\n"
	       "file sizes 81 74000 175 103000 1\n"
	       "file copy 0 0 1 50000 1\n");
}

static KEPT void do_streams(void)
{
	FILE *f = fopen(path_of("stream"), "w");
	char line[100], *longer = NULL;
	size_t room = 0, bytes = 0;
	int lines = 0, number;

	must(f != NULL);
	for (int i = 0; i < 1000; i++)
		must(fprintf(f, "%07d\n", i) == 8);
	for (int i = 0; i < 500; i++)
		must(fputs("a text\n", f) >= 0);
	must(fwrite(block, 10, 30, f) == 30);
	must(!fclose(f));
	f = fopen(path_of("stream"), "r");
	must(f != NULL);
	while (lines < 1500 && fgets(line, sizeof(line), f))
		lines++;
	must(lines == 1500);
	must(fread(block, 1, 200, f) == 200);
	must(!fseek(f, 0, SEEK_SET));
	for (int i = 0; i < 100; i++)
		bytes += (size_t)getline(&longer, &room, f);
	must(bytes == 800);
	/* Across the ends of buffers, and to the end of the file. */
	must(!fseek(f, 0, SEEK_SET));
	for (int i = 0; i < 1000; i++)
		must(fscanf(f, "%d%*c", &number) == 1 && number == i);
	must(fscanf(f, "a text %d", &number) == 0);
	must(!fseek(f, 0, SEEK_END) && fscanf(f, "%d", &number) == EOF);
	must(!fclose(f));
	printf("truth fprintf 1000 0 8000\ntruth fputs 500 0 3500\n"
	       "truth fwrite 1 0 300\ntruth fgets 1500 11500 0\n"
	       "truth fread 1 200 0\ntruth getline 100 800 0\n"
	       "truth fscanf 1002 8007 0\n"
	       "truth fseek 3 0 0\ntruth fopen 2 0 0\ntruth fclose 2 0 0\n"
	       "file stream 2603 20507 1501 11800 2\n");
}

static void close_all_from(int fd)
{
#if __GLIBC_PREREQ(2, 34)
	must(!close_range((unsigned)fd, ~0U, 0));
#else
	for (; fd < 100; fd++)
		close(fd);
#endif
}

/* Numbers that were of files become those of others, and of no files. */
static KEPT void do_numbers(void)
{
	int fd = make_file("first", 0), other = make_file("second", 0), two[2];
	char c;

	must(write(fd, block, 11) == 11);
	must(dup2(other, fd) == fd);
	must(write(fd, block, 22) == 22);
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, two));
	must(dup2(two[0], fd) == fd);
	for (int i = 0; i < 100; i++)
		must(write(fd, "x", 1) == 1 && read(two[1], &c, 1) == 1);
	must(!syscall(SYS_close, other)); /* without a word to us */
	must(make_file("third", 0) == other);
	must(write(other, block, 33) == 33);
	must(dup(other) >= 0);
	must(write(dup(other), block, 44) == 44);
	close_all_from(fd);
	must(make_file("fourth", 0) == fd);
	must(write(fd, block, 55) == 55);
	printf("truth write 5 0 165\n"
	       "file first 0 0 1 11 1\nfile second 0 0 1 22 1\n"
	       "file third 0 0 2 77 1\nfile fourth 0 0 1 55 1\n");
}

static void *use_file(void *at)
{
	int fd = *(int *)at;

	for (int i = 0; i < 10000; i++)
		must(pwrite(fd, block, 10, 10 * i) == 10);
	return NULL;
}

/* All into one, at once; and one that ends before another one begins. */
static KEPT void do_threads(void)
{
	pthread_t threads[4];
	int fd = make_file("threads", 0);

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			must(!pthread_create(&threads[i], NULL, use_file, &fd));
		for (int i = 0; i < 4; i++)
			must(!pthread_join(threads[i], NULL));
	}
	close(fd);
	printf("truth pwrite 80000 0 800000\n"
	       "file threads 0 0 80000 800000 1\n");
}

/* Children have their parent's descriptors, and those of vfork() its memory. */
static KEPT void do_children(void)
{
	int fd = make_file("children", 0), other = make_file("other", 0);

	for (int i = 0; i < 5; i++) {
		pid_t child = fork();

		must(child >= 0);
		if (!child) {
			must(write(fd, block, 100) == 100);
			_exit(0);
		}
		must(waitpid(child, NULL, 0) == child);
	}
	for (int i = 0; i < 5; i++) {
		pid_t child = vfork();

		if (!child) {
			dup2(other, fd);
			close(other);
			_exit(0);
		}
		must(waitpid(child, NULL, 0) == child);
		must(write(fd, block, 1000) == 1000);
		must(write(other, block, 2000) == 2000);
	}
	printf("truth write 15 0 15500\n"
	       "file children 0 0 10 5500 1\nfile other 0 0 5 10000 1\n");
}

/* More than there is room for. */
static KEPT void do_many(void)
{
	for (int i = 0; i < 3000; i++) {
		char name[32];
		int fd;

		snprintf(name, sizeof(name), "many-%d", i);
		fd = make_file(name, 0);
		must(write(fd, block, 10) == 10);
		must(!close(fd) && !unlink(path_of(name)));
	}
	printf("truth write 3000 0 30000\n");
}

/* Calls that fail, of which some are given what cannot be read. */
static KEPT void do_failures(void)
{
	const char *volatile nowhere = NULL;
	char *volatile wild = (char *)16;
	struct stat st;
	int fd = make_file("failures", 0);

	must(open(nowhere, O_RDONLY) < 0 && errno == EFAULT);
	must(open(wild, O_RDONLY) < 0 && errno == EFAULT);
	must(stat(nowhere, &st) < 0 && errno == EFAULT);
	must(access("/nowhere/at all", R_OK) < 0 && errno == ENOENT);
	must(openat(fd, "below", O_RDONLY) < 0 && errno == ENOTDIR);
	must(read(-1, block, 1) < 0 && errno == EBADF);
	must(write(fd, wild, 1) < 0 && errno == EFAULT);
	must(read(65536 * 4, block, 1) < 0 && errno == EBADF);
	must(close(-1) < 0 && errno == EBADF);
	must(fopen("/nowhere/at all", "r") == NULL && errno == ENOENT);
	must(!close(fd));
	printf("truth access 1 0 0\nfile failures 0 0 0 0 1\n");
}

static KEPT void do_small(void)
{
	int fd = make_file("small", 0);

	for (int i = 0; i < 300000; i++)
		must(write(fd, block, 100) == 100);
	close(fd);
}

static KEPT void do_random(void)
{
	int fd = make_file("random", 64);

	for (int i = 0; i < 100000; i++)
		must(pread(fd, block, 70000 & 4096, random() % 16000 * 4096) >=
		     0);
	for (int i = 0; i < 6000; i++)
		must(pread(fd, block, 100000, random() % 600 * 100000) ==
		     100000);
	close(fd);
}

static KEPT void do_names(void)
{
	struct stat st;

	close(make_file("names", 0));
	for (int i = 0; i < 100000; i++)
		must(!stat(path_of("names"), &st));
}

static KEPT void do_sync(void)
{
	int fd = make_file("sync", 0);

	for (int i = 0; i < 100; i++)
		must(write(fd, block, 100000) == 100000 && !fsync(fd));
	close(fd);
}

static KEPT void do_reread(void)
{
	int fd = make_file("reread", 8);

	for (int i = 0; i < 100; i++) {
		lseek(fd, 0, SEEK_SET);
		while (read(fd, block, sizeof(block)) > 0)
			;
	}
	close(fd);
}

static KEPT void do_rewrite(void)
{
	int fd = make_file("rewrite", 8);

	for (int i = 0; i < 50; i++) {
		lseek(fd, 0, SEEK_SET);
		for (int k = 0; k < 8; k++)
			must(write(fd, block, sizeof(block)) == sizeof(block));
	}
	close(fd);
}

/*
 * By what is not seen: 3 MiB are written, 2 MiB read, 16 MiB changed in memory;
 * and by what is no file, 5 MiB.
 */
static KEPT void do_unseen(void)
{
	const size_t mapped = 16 * sizeof(block);
	int fd = make_file("unseen", 16), two[2], ring;
	FILE *f = fopen(path_of("unseen"), "r");
	char parameters[256] = { 0 }, *at;

	at = mmap(NULL, mapped, PROT_WRITE, MAP_SHARED, fd, 0);
	must(f && at != MAP_FAILED && !fsync(fd));
	for (size_t i = 0; i < mapped; i += 4096)
		at[i] = 1;
	for (int i = 0; i < 3; i++)
		must(syscall(SYS_write, fd, block, sizeof(block)) ==
		     sizeof(block));
	for (size_t i = 0; i < 2 * sizeof(block); i++)
		must(getc(f) != EOF);
	must(!pipe(two));
	for (int i = 0; i < 320; i++)
		must(write(two[1], block, 16384) == 16384 &&
		     read(two[0], block, 16384) == 16384);
	ring = (int)syscall(425, 4, parameters); /* io_uring_setup */
	printf("file unseen 0 0 16 16777216 2\nuring %d\n", ring >= 0);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *read_slowly(void *at)
{
	int fd = *(int *)at;

	for (int i = 0; i < 8; i++) {
		must(pread(fd, block, sizeof(block),
			   i * (off_t)sizeof(block)) == sizeof(block));
		usleep(50000);
	}
	return NULL;
}

/* 8 MiB are written, nothing is done for a second, two threads read 16 MiB. */
static KEPT void do_times(void)
{
	double written, begun;
	pthread_t thread;
	int fd;

	usleep(300000);
	fd = make_file("times", 8);
	written = now();
	usleep(1000000);
	begun = now();
	must(!pthread_create(&thread, NULL, read_slowly, &fd));
	read_slowly(&fd);
	must(!pthread_join(thread, NULL) && !close(fd));
	printf("gap %f\nfile times 16 16777216 8 8388608 1\n", begun - written);
}

static KEPT void do_good(void)
{
	volatile double x = 1;

	close(make_file("good", 20));
	for (int i = 0; i < 300000000; i++)
		x = x * 0.999999 + 1;
}

static const struct {
	const char *name;
	void (*run)(void);
} patterns[] = {
	{ "sizes", do_sizes },       { "streams", do_streams },
	{ "numbers", do_numbers },   { "threads", do_threads },
	{ "children", do_children }, { "many", do_many },
	{ "failures", do_failures }, { "small", do_small },
	{ "random", do_random },     { "names", do_names },
	{ "sync", do_sync },         { "reread", do_reread },
	{ "rewrite", do_rewrite },   { "times", do_times },
	{ "good", do_good },         { "unseen", do_unseen },
};

int main(int argc, char **argv)
{
	if (argc > 2)
		folder = argv[2];
	for (size_t i = 0; argc > 1 && i < sizeof(patterns) / sizeof(*patterns);
	     i++)
		if (!strcmp(argv[1], patterns[i].name)) {
			patterns[i].run();
			return 0;
		}
	return 2;
}
