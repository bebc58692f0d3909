/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testcase.h"

#define BYTES 4096

char *testcase_description =
	"create, stat, write 4 KiB, map, touch, unmap, close and unlink, own file, all in one "
	"directory";

const struct testcase_needs testcase_needs = { .files = 1, .memory = 2 * BYTES };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	const char *path = scratch_path("own-%lu", nr);
	char buffer[BYTES] ALIGNED = { 0 };
	struct stat status;

	while (1) {
		int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
		volatile char *memory;

		CHECK(file >= 0);
		CHECK(stat(path, &status) == 0);
		CHECK(write(file, buffer, BYTES) == BYTES);
		memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		CHECK(memory != MAP_FAILED);
		memory[0] = 1;
		CHECK(munmap((void *)memory, BYTES) == 0);
		CHECK(close(file) == 0);
		CHECK(unlink(path) == 0);
		(*iterations)++;
	}
}
