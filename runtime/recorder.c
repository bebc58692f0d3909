/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>
#include <sys/socket.h>

#include "recorder.h"
#include "watch.h"

/* It may still be starting: to look at a big machine's symbols and processes takes a while. */
#define ANSWER_LIMIT 30000000000LL

void recorder_switch(int descriptor, bool on)
{
	static const char *const words[] = { "disable\n", "enable\n" };
	int64_t limit = watch_now() + ANSWER_LIMIT;
	char answer[16];
	ssize_t got;

	if (descriptor < 0 ||
	    send(descriptor, words[on], strlen(words[on]), MSG_NOSIGNAL) < 0)
		return;
	/* Up to the end of its line. */
	do {
		watch_wait_input(descriptor, limit);
		got = recv(descriptor, answer, sizeof(answer), MSG_DONTWAIT);
	} while (got < 0 ? watch_now() < limit && !watch_signal() :
			   got > 0 && !memchr(answer, '\n', got));
}
