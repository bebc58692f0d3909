/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <netinet/in.h>
#include <sys/socket.h>

#include "testcase.h"

/* Of receive buffer for a datagram: the kernel counts its own structures, and frees with delay. */
#define DATAGRAM 1280

char *testcase_description =
	"send and receive 1 byte by UDP on loopback, own sender, same receiver";

const struct testcase_needs testcase_needs = { .files = 1 };

static struct sockaddr_in address;
static int receiver;

/*
 * Each task has one datagram at most that nobody has received, and waits for one only after it has
 * sent one: while all of them fit into the buffer, none is lost and nobody waits in vain.
 */
static void make_room(unsigned long nr_tasks)
{
	const int needed = nr_tasks * DATAGRAM;
	socklen_t size = sizeof(int);
	int there;

	if (setsockopt(receiver, SOL_SOCKET, SO_RCVBUFFORCE, &needed, size))
		CHECK(setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &needed, size) == 0);
	CHECK(getsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &there, &size) == 0);
	if (there < needed)
		testcase_skip("%lu tasks need a receive buffer of %d bytes, and it is %d: "
			      "raise sysctl net.core.rmem_max", nr_tasks, needed, there);
}

void testcase_prepare(unsigned long nr_tasks)
{
	socklen_t size = sizeof(address);

	receiver = socket(AF_INET, SOCK_DGRAM, 0);
	address = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (receiver < 0 || bind(receiver, (struct sockaddr *)&address, size))
		testcase_skip("cannot bind a UDP socket to 127.0.0.1: %m");
	CHECK(getsockname(receiver, (struct sockaddr *)&address, &size) == 0);
	make_room(nr_tasks);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int sender = socket(AF_INET, SOCK_DGRAM, 0);
	char byte = 0;

	CHECK(sender >= 0);
	if (connect(sender, (struct sockaddr *)&address, sizeof(address)))
		testcase_skip("cannot connect to 127.0.0.1: %m: is the interface lo up?");
	while (1) {
		CHECK(send(sender, &byte, 1, 0) == 1);
		CHECK(recv(receiver, &byte, 1, 0) == 1);
		(*iterations)++;
	}
}
