/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parent that gets a CPU when it asks for one, among thousands of tasks that never sleep. */
#ifndef OPSCALE_PROMPT_H
#define OPSCALE_PROMPT_H

#include <stdbool.h>

/*
 * Switches it on, or back to how the program was started. Children inherit it: none may be made in
 * between. Without the means it does nothing; samples then come late, which makes a run longer and
 * no rate wrong.
 */
void prompt(bool on);

#endif
