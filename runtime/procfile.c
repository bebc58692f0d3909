/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "procfile.h"

double procfile_number(const char *path, const char *mark)
{
	FILE *file = fopen(path, "re");
	double number = INFINITY;
	const char *found = NULL;
	char line[256];

	if (!file)
		return number;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, mark);
	if (found && sscanf(found + strlen(mark), "%lf", &number) != 1)
		number = INFINITY;
	fclose(file);
	return number;
}
