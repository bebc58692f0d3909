/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"one of two messages of 1 byte, to a partner task and back, own TCP connection on loopback";

/* For a moment there is a listener too. */
const struct testcase_needs testcase_needs = { .files = 3, .partners = 1 };

/* A connection that is reset at its end leaves no port in TIME_WAIT, which would last a minute. */
static void configure(int end)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	const int on = 1;

	CHECK(setsockopt(end, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
	CHECK(setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0);
}

static int listen_on_loopback(struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (listener < 0 || bind(listener, (struct sockaddr *)address, size))
		testcase_skip("cannot bind a TCP socket to 127.0.0.1: %m");
	CHECK(getsockname(listener, (struct sockaddr *)address, &size) == 0);
	/* The accepted end inherits this. */
	configure(listener);
	CHECK(listen(listener, 1) == 0);
	return listener;
}

static void connected_pair(int ends[2])
{
	struct sockaddr_in address;
	int listener = listen_on_loopback(&address);

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(ends[0] >= 0);
	configure(ends[0]);
	if (connect(ends[0], (struct sockaddr *)&address, sizeof(address)))
		testcase_skip("cannot connect to 127.0.0.1: %m: is the interface lo up?");
	ends[1] = accept(listener, NULL, NULL);
	CHECK(ends[1] >= 0);
	CHECK(close(listener) == 0);
}

static void *partner(void *arg)
{
	int end = *(int *)arg;
	char byte;

	while (1) {
		CHECK(recv(end, &byte, 1, 0) == 1);
		CHECK(send(end, &byte, 1, 0) == 1);
	}
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	int ends[2];
	char byte = 0;

	connected_pair(ends);
	new_task(partner, &ends[1]);
	while (1) {
		CHECK(send(ends[0], &byte, 1, 0) == 1);
		CHECK(recv(ends[0], &byte, 1, 0) == 1);
		(*iterations) += 2;
	}
}
