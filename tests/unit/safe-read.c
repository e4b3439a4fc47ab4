/* SPDX-License-Identifier: BSD-3-Clause */
/* safe-read.c - memory that is there, that is not, and a kernel that refuses.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collect/unwind/safe-read.h"
#include "tests/lib/test.h"

static uint8_t room[PEEK_PAGES][PEEK_PAGE];
static struct safe_read peek = { .bytes = room };

/* Two pages that can be read, one that cannot, one that can. */
static char *four_pages(void)
{
	char *at = mmap(NULL, 4 * PEEK_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED);
	for (int i = 0; i < 2 * PEEK_PAGE; i++)
		at[i] = (char)(i * 7 % 251);
	CHECK(!mprotect(at + 2 * PEEK_PAGE, PEEK_PAGE, PROT_NONE));
	return at;
}

static bool copies(const char *from, size_t size)
{
	char to[64] = "";

	safe_read_forget(&peek);
	return safe_read_copy(&peek, to, (uintptr_t)from, size) &&
	       !memcmp(to, from, size);
}

static void copies_what_is_there(void)
{
	char *at = four_pages();

	CHECK(copies(at, 64));
	CHECK(copies(at + PEEK_PAGE - 20, 64));
	CHECK(copies(at + 2 * PEEK_PAGE - 64, 64));
	CHECK(!copies(at + 2 * PEEK_PAGE - 63, 64));
	CHECK(!copies(at + 2 * PEEK_PAGE, 1));
	CHECK(!copies(NULL, 8));
	CHECK(!copies((char *)~(uintptr_t)7, 4));
	munmap(at, 4 * PEEK_PAGE);
	CHECK(!copies(at, 1));
}

static void copies_what_is_wanted(void)
{
	char *at = four_pages();

	safe_read_forget(&peek);
	CHECK(safe_read_want(&peek, (uintptr_t)at, 2 * PEEK_PAGE));
	safe_read_wanted(&peek);
	CHECK(copies(at + PEEK_PAGE - 20, 64));
}

TEST(what_is_there_is_copied)
{
	copies_what_is_there();
}

TEST(what_was_copied_is_kept_until_forgotten)
{
	char *at = four_pages(), first, second;

	CHECK(safe_read_copy(&peek, &first, (uintptr_t)at + 5, 1));
	at[5]++;
	CHECK(safe_read_copy(&peek, &second, (uintptr_t)at + 5, 1));
	CHECK(first, ==, second);
	safe_read_forget(&peek);
	CHECK(safe_read_copy(&peek, &second, (uintptr_t)at + 5, 1));
	CHECK((char)(first + 1), ==, second);
}

/* Of six pages all but the fourth can be read. */
static uintptr_t six_pages(void)
{
	char *at = mmap(NULL, 6 * PEEK_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED);
	for (int i = 0; i < 6 * PEEK_PAGE; i++)
		at[i] = (char)(i / PEEK_PAGE + i % 7);
	CHECK(!mprotect(at + 3 * PEEK_PAGE, PEEK_PAGE, PROT_NONE));
	return (uintptr_t)at;
}

static bool is_copied(uintptr_t at)
{
	return safe_read_has(&peek, at, 8);
}

/* What a page was when all of them were asked for, whatever it is now. */
static bool was(uintptr_t at)
{
	char before[8], now[8];

	memcpy(before, (const char *)at, 8);
	((char *)at)[3]++;
	return safe_read_copy(&peek, now, at, 8) && !memcmp(now, before, 8);
}

TEST(what_is_wanted_is_copied_at_once)
{
	uintptr_t at = six_pages();

	if (process_vm_readv(getpid(), NULL, 0, NULL, 0, 0) && errno == ENOSYS)
		SKIP("no process_vm_readv here");
	safe_read_forget(&peek);
	CHECK(safe_read_want(&peek, at + PEEK_PAGE - 4, 8));
	CHECK(safe_read_want(&peek, at + 5 * PEEK_PAGE + 100, 8));
	CHECK(!is_copied(at));
	safe_read_wanted(&peek);
	CHECK(is_copied(at) && is_copied(at + PEEK_PAGE - 4));
	CHECK(!is_copied(at + 2 * PEEK_PAGE) && is_copied(at + 5 * PEEK_PAGE));
	CHECK(was(at + 9) && was(at + PEEK_PAGE) && was(at + 5 * PEEK_PAGE));
}

/* What stands behind one that cannot be read is read when it is asked for. */
TEST(what_is_wanted_and_not_there)
{
	uintptr_t at = six_pages(), far = at + PEEK_PAGES * PEEK_PAGE;
	char now[8];

	safe_read_forget(&peek);
	for (int i = 0; i < 6; i++)
		CHECK(safe_read_want(&peek, at + i * PEEK_PAGE, 8));
	CHECK(!safe_read_want(&peek, far, 8));
	safe_read_wanted(&peek);
	CHECK(!is_copied(at + 3 * PEEK_PAGE));
	for (int i = 0; i < 6; i++)
		CHECK(safe_read_copy(&peek, now, at + i * PEEK_PAGE, 8), ==,
		      (i != 3));
}

TEST(a_gap_is_found)
{
	char *at = four_pages();
	uintptr_t first = (uintptr_t)at;

	CHECK(safe_read_reaches(&peek, first + 100, first + 2 * PEEK_PAGE));
	CHECK(!safe_read_reaches(&peek, first + 2 * PEEK_PAGE,
				 first + 4 * PEEK_PAGE));
	munmap(at + PEEK_PAGE, PEEK_PAGE);
	CHECK(!safe_read_reaches(&peek, first, first + 4 * PEEK_PAGE));
	CHECK(safe_read_reaches(&peek, first, first + PEEK_PAGE));
}

/* As some containers do. */
TEST(without_process_vm_readv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		SKIP("no seccomp filters here");
	copies_what_is_there();
	copies_what_is_wanted();
}
