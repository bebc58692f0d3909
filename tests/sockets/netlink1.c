/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include "testcase.h"

char *testcase_description =
	"ask for the interface lo (RTM_GETLINK) and receive the answer, own netlink socket";

const struct testcase_needs testcase_needs = { .files = 1 };

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg interface;
	} request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_GETLINK,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.interface.ifi_index = if_nametoindex("lo"),
	};
	union {
		struct nlmsghdr header;
		char bytes[16 << 10];
	} answer;
	int kernel = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	if (kernel < 0)
		testcase_skip("cannot make a netlink socket: %m");
	if (!request.interface.ifi_index)
		testcase_skip("there is no interface lo");
	while (1) {
		CHECK(send(kernel, &request, sizeof(request), 0) == sizeof(request));
		CHECK(recv(kernel, &answer, sizeof(answer), 0) > (ssize_t)sizeof(request));
		CHECK(answer.header.nlmsg_type == RTM_NEWLINK);
		(*iterations)++;
	}
}
