/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdbool.h>

#include "testcase.h"

char *testcase_description =
	"switch to a partner task or back: signal a condition and wait for one";

const struct testcase_needs testcase_needs = { .partners = 1 };

struct pair {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool partners_turn;
};

/* Waits for the own turn, and gives the other the next. */
static void take_turn(struct pair *pair, bool partner)
{
	CHECK_ERROR(pthread_mutex_lock(&pair->mutex));
	while (pair->partners_turn != partner)
		CHECK_ERROR(pthread_cond_wait(&pair->changed, &pair->mutex));
	pair->partners_turn = !partner;
	CHECK_ERROR(pthread_cond_signal(&pair->changed));
	CHECK_ERROR(pthread_mutex_unlock(&pair->mutex));
}

static void *partner_main(void *arg)
{
	while (1)
		take_turn(arg, true);
	return NULL;
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	struct pair *pair = shared_memory(sizeof(*pair));
	pthread_mutexattr_t mutex;
	pthread_condattr_t condition;

	CHECK_ERROR(pthread_mutexattr_init(&mutex));
	CHECK_ERROR(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED));
	CHECK_ERROR(pthread_mutex_init(&pair->mutex, &mutex));
	CHECK_ERROR(pthread_condattr_init(&condition));
	CHECK_ERROR(pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED));
	CHECK_ERROR(pthread_cond_init(&pair->changed, &condition));
	new_task(partner_main, pair);
	while (1) {
		take_turn(pair, false);
		(*iterations) += 2;
	}
}
