/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"futex FUTEX_WAIT_PRIVATE on an own word that has another value: returns EAGAIN";

void testcase(unsigned long long *iterations, unsigned long nr)
{
	uint32_t word = 0;

	while (1) {
		CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) == -1 &&
		      errno == EAGAIN);
		(*iterations)++;
	}
}
