/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testcase.h"

char *testcase_description =
	"connect, accept, close both ends: a TCP connection on loopback, same listener";

const struct testcase_needs testcase_needs = { .files = 2 };

static struct sockaddr_in address;
static int listener;

/* Tells without a packet whether the loopback interface is up. */
static void skip_without_loopback(void)
{
	int probe = socket(AF_INET, SOCK_DGRAM, 0);

	if (probe < 0 || connect(probe, (struct sockaddr *)&address, sizeof(address)))
		testcase_skip("cannot connect to 127.0.0.1: %m: is the interface lo up?");
	CHECK(close(probe) == 0);
}

/*
 * Each task has one connection at most that nobody has accepted, and waits in accept() only after
 * it has connected: while all of them fit into the queue, nobody waits in vain.
 */
static void listen_for(unsigned long nr_tasks)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);

	CHECK(listen(listener, nr_tasks) == 0);
	CHECK(getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &size) == 0);
	/* Of a listener, this is the length of the queue that it was granted. */
	if (info.tcpi_sacked < nr_tasks)
		testcase_skip("%lu tasks need a listen queue of that length, and it is %u: "
			      "raise sysctl net.core.somaxconn", nr_tasks, info.tcpi_sacked);
}

void testcase_prepare(unsigned long nr_tasks)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	const int on = 1;
	socklen_t size = sizeof(address);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	address = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size))
		testcase_skip("cannot bind a TCP socket to 127.0.0.1: %m");
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	CHECK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
	/*
	 * Accepted sockets inherit this: closing one resets its connection. Otherwise each would
	 * hold a port in TIME_WAIT for a minute, and they would run out.
	 */
	CHECK(setsockopt(listener, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
	listen_for(nr_tasks);
	skip_without_loopback();
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	while (1) {
		int client = socket(AF_INET, SOCK_STREAM, 0), server;

		CHECK(client >= 0);
		/* Another task may accept the connection and reset it before connect() returns. */
		CHECK(connect(client, (struct sockaddr *)&address, sizeof(address)) == 0 ||
		      errno == ECONNRESET);
		server = accept(listener, NULL, NULL);
		CHECK(server >= 0);
		CHECK(close(server) == 0);
		CHECK(close(client) == 0);
		(*iterations)++;
	}
}
