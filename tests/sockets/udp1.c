/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <netinet/in.h>
#include <sys/socket.h>

#include "testcase.h"

char *testcase_description = "send and receive 1 byte, own pair of UDP sockets on loopback";

const struct testcase_needs testcase_needs = { .files = 2 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
	char byte = 0;

	if (receiver < 0 || sender < 0 || bind(receiver, (struct sockaddr *)&address, size))
		testcase_skip("cannot bind a UDP socket to 127.0.0.1: %m");
	CHECK(getsockname(receiver, (struct sockaddr *)&address, &size) == 0);
	if (connect(sender, (struct sockaddr *)&address, size))
		testcase_skip("cannot connect to 127.0.0.1: %m: is the interface lo up?");
	while (1) {
		CHECK(send(sender, &byte, 1, 0) == 1);
		CHECK(recv(receiver, &byte, 1, 0) == 1);
		(*iterations)++;
	}
}
