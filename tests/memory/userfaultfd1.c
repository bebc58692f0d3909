/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"read fault of an own page that a partner fills (UFFDIO_COPY), and MADV_DONTNEED of it";

const struct testcase_needs testcase_needs = { .files = 1, .partners = 1 };

struct faults {
	int file;			/* tells the partner of faults */
	unsigned long page;
};

static void *partner(void *arg)
{
	const struct faults *faults = arg;
	char *content = mmap(NULL, faults->page, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(content != MAP_FAILED);
	*content = 1;
	while (1) {
		struct uffdio_copy copy = { .src = (unsigned long)content, .len = faults->page };
		struct uffd_msg message;

		CHECK(read(faults->file, &message, sizeof(message)) == sizeof(message));
		CHECK(message.event == UFFD_EVENT_PAGEFAULT);
		copy.dst = message.arg.pagefault.address & -faults->page;
		CHECK(ioctl(faults->file, UFFDIO_COPY, &copy) == 0);
	}
}

static int open_userfaultfd(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	/* Faults of user code only: that needs no privilege. */
	int file = syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	/* Linux 5.10 does not know the flag. */
	if (file < 0 && errno == EINVAL)
		file = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (file < 0)
		testcase_skip("userfaultfd: %m");
	CHECK(ioctl(file, UFFDIO_API, &api) == 0);
	return file;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct faults faults = { .file = open_userfaultfd(), .page = sysconf(_SC_PAGESIZE) };
	char *memory = mmap(NULL, faults.page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register area = {
		.range = { .start = (unsigned long)memory, .len = faults.page },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	CHECK(memory != MAP_FAILED);
	CHECK(ioctl(faults.file, UFFDIO_REGISTER, &area) == 0);
	new_task(partner, &faults);
	while (1) {
		CHECK(*(volatile char *)memory == 1);
		CHECK(madvise(memory, faults.page, MADV_DONTNEED) == 0);
		(*iterations)++;
	}
}
