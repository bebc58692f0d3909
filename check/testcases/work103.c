/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other build of it: with 3 % more work. */
#define WORK 1030
#include "work100.c"
