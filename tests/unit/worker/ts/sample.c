/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/ts/sample.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

size_t sample_packets(const char *name, uint8_t (*ret)[TS_PACKET], size_t max)
{
	const char *srcdir = getenv("srcdir");
	char *path = xasprintf("%s/../shared/data/ts/%s",
			       srcdir ? srcdir : ".", name);
	FILE *f = fopen(path, "rb");
	size_t n;

	if (f == NULL)
		cr_skip("no sample %s", path);
	n = fread(ret, TS_PACKET, max, f);
	(void)fclose(f);
	free(path);
	return n;
}
