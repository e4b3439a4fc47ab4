/* SPDX-License-Identifier: BSD-3-Clause */
/* footprint.c - the memory that processes held: read, and kept for long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/memory-limits.h"
#include "launch/memory-pages.h"
#include "live/footprint.h"
#include "tests/lib/test.h"

#define SECOND 1000000000u
#define MIB    1048576u

static struct live_footprint kept;

static void read_at(uint64_t second, uint64_t resident)
{
	const struct footprint_reading r = { .ns = (second + 1) * SECOND,
					     .resident = resident,
					     .available = 1000 - resident,
					     .group = resident * 2 };

	footprint_add(&kept, &r);
}

TEST(footprint_knows_the_most)
{
	kept = (struct live_footprint){ 0 };
	read_at(0, 10);
	read_at(1, 70);
	read_at(2, 30);
	CHECK(kept.readings, ==, 3);
	CHECK(kept.peak, ==, 70);
	CHECK(kept.peak_ns, ==, 2ull * SECOND);
	CHECK(kept.host_least, ==, 930);
	CHECK(kept.group_most, ==, 140);
	CHECK(kept.count, ==, 3);
}

/* A day: the spacing is even, all of the time is there, and the last seconds.
 */
TEST(footprint_keeps_a_day)
{
	const uint64_t day = 86400;
	uint64_t most = 0;

	kept = (struct live_footprint){ 0 };
	for (uint64_t i = 0; i < day; i++)
		read_at(i, i == 1000 ? 900 : 1 + i / 1000);
	CHECK(kept.readings, ==, day);
	CHECK(kept.count, >, FOOTPRINT_SPACED / 2);
	CHECK(kept.count, <=, FOOTPRINT_SPACED);
	for (uint64_t i = 0; i < kept.count; i++) {
		if (kept.spaced[i].resident > most)
			most = kept.spaced[i].resident;
		if (i)
			CHECK(kept.spaced[i].ns - kept.spaced[i - 1].ns, <=,
			      2 * kept.every_ns);
	}
	CHECK(kept.every_ns * kept.count, >, day / 2 * SECOND);
	CHECK(kept.spaced[kept.count - 1].ns + 2 * kept.every_ns, >=,
	      day * SECOND);
	CHECK(most, ==, 900);
	for (uint64_t i = 0; i < FOOTPRINT_RECENT; i++)
		CHECK(kept.recent[i].ns, >, (day - FOOTPRINT_RECENT) * SECOND);
}

/* A made host. */

static void put_text(const char *path, const char *text)
{
	FILE *to = fopen(path, "w");

	CHECK(to);
	CHECK(fputs(text, to), >=, 0);
	CHECK(fclose(to), ==, 0);
}

static void make_host(const char *own_groups)
{
	char path[] = "/tmp/copse-unit.XXXXXX";

	CHECK(mkdtemp(path));
	CHECK(chdir(path), ==, 0);
	CHECK(mkdir("self", 0700), ==, 0);
	put_text("self/cgroup", own_groups);
	put_text("meminfo", "MemTotal:       1048576 kB\n"
			    "MemFree:          99999 kB\n"
			    "MemAvailable:    524288 kB\n");
}

/* The folder goes with its files. */
static void remove_host(void)
{
	char path[256], command[300];

	CHECK(getcwd(path, sizeof(path)));
	snprintf(command, sizeof(command), "rm -r '%s'", path);
	CHECK(system(command), ==, 0);
}

TEST(least_limit_of_all_groups_counts)
{
	struct memory_limits m;

	make_host("1:name=systemd:/other\n0::/job/step\n");
	CHECK(mkdir("job", 0700), ==, 0);
	CHECK(mkdir("job/step", 0700), ==, 0);
	put_text("job/memory.max", "104857600\n");
	put_text("job/memory.current", "73400320\n");
	put_text("job/memory.peak", "83886080\n");
	put_text("job/memory.events", "low 0\nhigh 0\nmax 7\noom 1\n"
				      "oom_kill 5\noom_group_kill 0\n");
	put_text("job/memory.stat", "anon 1\nfile 31457280\n"
				    "inactive_file 20971520\n"
				    "active_file 10485760\n");
	put_text("job/step/memory.max", "max\n");
	put_text("job/step/memory.events", "oom 0\noom_kill 2\n");
	memory_limits_open(&m, ".", ".");
	CHECK(m.version, ==, 2);
	CHECK(m.total, ==, 1024ull * MIB);
	CHECK(m.limit, ==, 100 * MIB);
	CHECK(memory_available(&m), ==, 512 * MIB);
	CHECK(memory_held(&m), ==, 70 * MIB);
	CHECK(memory_peak(&m), ==, 80 * MIB);
	CHECK(memory_refusals(&m), ==, 7);
	CHECK(memory_kills(&m), ==, 2);
	/* File cache is left out where it matters. */
	put_text("job/memory.current", "99614720\n");
	CHECK(memory_held(&m), ==, 65 * MIB);
	memory_limits_close(&m);
	remove_host();
}

TEST(groups_of_version_1)
{
	struct memory_limits m;

	make_host("4:cpu,memory:/a\n0::/\n");
	put_text("self/cgroup", "5:cpu:/\n4:memory:/a\n0::/\n");
	CHECK(mkdir("memory", 0700), ==, 0);
	CHECK(mkdir("memory/a", 0700), ==, 0);
	put_text("memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_text("memory/a/memory.limit_in_bytes", "209715200\n");
	put_text("memory/a/memory.usage_in_bytes", "10485760\n");
	put_text("memory/a/memory.max_usage_in_bytes", "20971520\n");
	put_text("memory/a/memory.failcnt", "3\n");
	put_text("memory/a/memory.oom_control",
		 "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
	memory_limits_open(&m, ".", ".");
	CHECK(m.version, ==, 1);
	CHECK(m.limit, ==, 200 * MIB);
	CHECK(memory_held(&m), ==, 10 * MIB);
	CHECK(memory_peak(&m), ==, 20 * MIB);
	CHECK(memory_refusals(&m), ==, 3);
	CHECK(memory_kills(&m), ==, 1);
	memory_limits_close(&m);
	remove_host();
}

/* In a container the path is the host's, and its own group is the root. */
TEST(groups_of_a_container)
{
	struct memory_limits m;

	make_host("0::/kubepods/pod1/abc\n");
	put_text("memory.max", "52428800\n");
	put_text("memory.current", "1048576\n");
	put_text("memory.events", "oom_kill 4\n");
	memory_limits_open(&m, ".", ".");
	CHECK(m.limit, ==, 50 * MIB);
	CHECK(memory_held(&m), ==, MIB);
	CHECK(memory_kills(&m), ==, 4);
	memory_limits_close(&m);
	remove_host();
}

TEST(without_groups_the_host_is_known)
{
	struct memory_limits m;

	make_host("");
	memory_limits_open(&m, ".", ".");
	CHECK(m.limit, ==, 0);
	CHECK(memory_available(&m), ==, 512 * MIB);
	CHECK(memory_held(&m), ==, 0);
	CHECK(memory_kills(&m), ==, 0);
	memory_limits_close(&m);
	remove_host();
}

/* Cores 0 to 3 and 8 on two nodes, and one node without cores. */
static void make_nodes(const char *allowed)
{
	char status[100];

	make_host("");
	CHECK(mkdir("node0", 0700), ==, 0);
	CHECK(mkdir("node1", 0700), ==, 0);
	CHECK(mkdir("node2", 0700), ==, 0);
	put_text("node0/cpulist", "0-1,8\n");
	put_text("node1/cpulist", "2-3\n");
	put_text("node2/cpulist", "\n");
	CHECK(mkdir("process", 0700), ==, 0);
	snprintf(status, sizeof(status),
		 "Name:\ta\nCpus_allowed:\t0f\nCpus_allowed_list:\t%s\n",
		 allowed);
	put_text("process/status", status);
	put_text("process/smaps_rollup",
		 "0-1 ---p 0 00:00 0 [rollup]\nRss: 9000 kB\n"
		 "AnonHugePages:      4096 kB\nShmemPmdMapped: 2048 kB\n"
		 "FilePmdMapped: 0 kB\nPrivate_Hugetlb: 1024 kB\n");
	put_text("process/numa_maps",
		 "7f00 default anon=20 dirty=20 N0=10 N1=7 N2=3 "
		 "kernelpagesize_kB=4\n7f01 default file=/x/N1=9\n"
		 "7f02 default huge anon=2 N1=2 kernelpagesize_kB=2048\n");
}

TEST(pages_of_far_nodes_are_known)
{
	struct memory_pages pages;

	make_nodes("8");
	memory_pages_read(&pages, "process", ".");
	CHECK(pages.huge, ==, 7 * MIB);
	CHECK(pages.far, ==, 10 * 4096 + 4 * MIB);
	remove_host();
	make_nodes("0-2");
	memory_pages_read(&pages, "process", ".");
	CHECK(pages.far, ==, 3 * 4096);
	remove_host();
}

TEST(a_process_that_has_gone_has_no_pages)
{
	struct memory_pages pages;

	memory_pages_read(&pages, "/nowhere", "/nowhere");
	CHECK(pages.huge, ==, 0);
	CHECK(pages.far, ==, 0);
}
