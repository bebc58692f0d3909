/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description =
	"io_uring: submit a read of 4 KiB of an own file and take its completion, own ring";

const struct testcase_needs testcase_needs = {
	.files = 2,
	.memory = 16 << 10,
	.whole_runs = true,
};

struct ring {
	int file;
	unsigned int *submitted;	/* tail of the submissions */
	unsigned int *seen, *completed;	/* head and tail of the completions */
	struct io_uring_sqe *entry;
	const struct io_uring_cqe *completions;
	unsigned int mask;
};

static void *map(int file, size_t bytes, off_t what)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file,
			    what);

	CHECK(memory != MAP_FAILED);
	return memory;
}

/* A ring of one entry, which is submitted again and again. */
static struct ring make_ring(void)
{
	struct io_uring_params params = { 0 };
	int file = syscall(SYS_io_uring_setup, 1, &params);
	struct ring ring = { .file = file };
	char *submissions, *completions;

	if (file < 0)
		testcase_skip("io_uring_setup: %m (sysctl kernel.io_uring_disabled, ulimit -l)");
	submissions = map(file, params.sq_off.array + params.sq_entries * sizeof(unsigned int),
			  IORING_OFF_SQ_RING);
	completions = map(file, params.cq_off.cqes +
			  params.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	ring.entry = map(file, params.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	ring.submitted = (unsigned int *)(submissions + params.sq_off.tail);
	ring.seen = (unsigned int *)(completions + params.cq_off.head);
	ring.completed = (unsigned int *)(completions + params.cq_off.tail);
	ring.completions = (const void *)(completions + params.cq_off.cqes);
	ring.mask = params.cq_entries - 1;
	*(unsigned int *)(submissions + params.sq_off.array) = 0;
	return ring;
}

/* Submits the entry and waits for its completion; what it returned. */
static int submit(struct ring *ring)
{
	unsigned int head = *ring->seen;
	int result;

	__atomic_store_n(ring->submitted, *ring->submitted + 1, __ATOMIC_RELEASE);
	CHECK(syscall(SYS_io_uring_enter, ring->file, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
	CHECK(__atomic_load_n(ring->completed, __ATOMIC_ACQUIRE) == head + 1);
	result = ring->completions[head & ring->mask].res;
	__atomic_store_n(ring->seen, head + 1, __ATOMIC_RELEASE);
	return result;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	char buffer[BYTES] ALIGNED;
	struct ring ring = make_ring();

	/* Seen on Linux 6.18: on a tmpfs a worker of the kernel reads, on ext4 the task. */
	*ring.entry = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ,
		.fd = scratch_file(BYTES),
		.addr = (unsigned long)buffer,
		.len = BYTES,
	};
	if (submit(&ring) == -EINVAL)
		testcase_skip("io_uring does not know IORING_OP_READ (Linux 5.6)");

	while (1) {
		CHECK(submit(&ring) == BYTES);
		(*iterations)++;
	}
}
