/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "options.h"
#include "tasks.h"
#include "team.h"
#include "turns.h"
#include "watch.h"

/* Seconds that the other program may keep the turn: it has limits of its own, which are shorter. */
#define TURN_LIMIT 600

#define SEC 1000000000LL

struct turns turns_parse(const char *text)
{
	struct turns turns = { .role = TURNS_NONE };
	int end = 0, type;
	socklen_t size = sizeof(type);

	if (sscanf(text, "first:%d%n", &turns.socket, &end) == 1 && !text[end])
		turns.role = TURNS_FIRST;
	else if (sscanf(text, "second:%d%n", &turns.socket, &end) == 1 && !text[end])
		turns.role = TURNS_SECOND;
	else
		usage_error("--turns %s: must be first or second, a colon and a descriptor", text);
	if (getsockopt(turns.socket, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_SEQPACKET)
		usage_error("--turns %s: the descriptor must be a SOCK_SEQPACKET socket", text);
	fcntl(turns.socket, F_SETFD, FD_CLOEXEC);
	return turns;
}

static bool fail(const struct run *run, const char *why)
{
	shared_verdict(run->shared, VERDICT_FAILED,
		       "the program that it takes turns with %s", why);
	return false;
}

bool turns_await(struct turns *turns, const struct run *run, struct team *team)
{
	int64_t limit = watch_now() + TURN_LIMIT * SEC, slice;
	char message[64] = "";
	ssize_t received;

	do {
		if (watch_now() > limit)
			return fail(run, "does not give it the turn");
		watch_wait_input(turns->socket, limit);
		if (!team_alive(run, team))
			return false;
		received = recv(turns->socket, message, sizeof(message) - 1, MSG_DONTWAIT);
	} while (received < 0 && (errno == EAGAIN || errno == EINTR));
	if (received <= 0)
		return fail(run, "has ended");
	if (sscanf(message, "turn %" SCNd64, &slice) != 1)
		return fail(run, "speaks another language");
	if (slice > turns->slice)
		turns->slice = slice;
	return true;
}

bool turns_pass(const struct turns *turns, const struct run *run)
{
	char message[64];
	int length = snprintf(message, sizeof(message), "turn %" PRId64, turns->slice);

	if (send(turns->socket, message, length, MSG_NOSIGNAL) != length)
		return fail(run, "has ended");
	return true;
}

unsigned long turns_slices(const struct turns *turns, unsigned long turn, unsigned long slices)
{
	unsigned long turns_in_all = slices / 2 + (turns->role == TURNS_FIRST);

	if (turn >= turns_in_all)
		return 0;
	return turns->role == TURNS_FIRST && (turn == 0 || turn == turns_in_all - 1) ? 1 : 2;
}
