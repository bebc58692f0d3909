/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"connect, accept, close both ends: a TCP connection on loopback, own listener";

const struct testcase_needs testcase_needs = { .files = 3 };

/* Tells without a packet whether the loopback interface is up. */
static void skip_without_loopback(const struct sockaddr_in *address)
{
	int probe = socket(AF_INET, SOCK_DGRAM, 0);

	if (probe < 0 || connect(probe, (const struct sockaddr *)address, sizeof(*address)))
		testcase_skip("cannot connect to 127.0.0.1: %m: is the interface lo up?");
	CHECK(close(probe) == 0);
}

static int listen_on_loopback(struct sockaddr_in *address)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	socklen_t size = sizeof(*address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (listener < 0 || bind(listener, (struct sockaddr *)address, size))
		testcase_skip("cannot bind a TCP socket to 127.0.0.1: %m");
	CHECK(getsockname(listener, (struct sockaddr *)address, &size) == 0);
	/*
	 * Accepted sockets inherit this: closing one resets its connection. Otherwise each would
	 * hold a port in TIME_WAIT for a minute, and they would run out.
	 */
	CHECK(setsockopt(listener, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
	CHECK(listen(listener, 1) == 0);
	return listener;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct sockaddr_in address;
	int listener = listen_on_loopback(&address);

	skip_without_loopback(&address);
	while (1) {
		int client = socket(AF_INET, SOCK_STREAM, 0), server;

		CHECK(client >= 0);
		CHECK(connect(client, (struct sockaddr *)&address, sizeof(address)) == 0);
		server = accept(listener, NULL, NULL);
		CHECK(server >= 0);
		CHECK(close(server) == 0);
		CHECK(close(client) == 0);
		(*iterations)++;
	}
}
