/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime's view of a testcase: what it has defined of the contract, and defaults for the rest.
 */
#ifndef OPSCALE_CONTRACT_H
#define OPSCALE_CONTRACT_H

#include "testcase.h"

/* The program's name without its mode. */
const char *contract_name(void);

/* Path of the testcase's source, NULL where it does not include the contract's header. */
const char *contract_source(void);

const struct testcase_needs *contract_needs(void);

/* Ends with an entry without a name. */
const struct testcase_option *contract_options(void);

/*
 * Takes NAME=VALUE from the command line; an unknown name or a wrong value is wrong usage and ends
 * the program.
 */
void contract_set_option(const char *assignment);

/* The hooks; nothing where the testcase has none. */
void contract_prepare(unsigned long tasks);
void contract_cleanup(void);

#endif
