/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a saved guide: what is loaded stays in the limits, and
 * is the same after it is saved and loaded again.
 */
#include "common/base/shared.h"
#include "tests/fuzz/fuzz.h"
#include "worker/epg/guide_file.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	NOW_S = 1548158400, /* 2019-01-22 12:00 UTC */
	SERVICES = 3,
	BYTES = 1 << 20,
	FILE_MAX = 256 << 10,
	INPUT_MAX = 16 << 10,
};

static struct guide *load(int fd)
{
	struct guide *g = guide_new(&(struct guide_limits){
		.services = SERVICES, .days = 7, .bytes = BYTES,
		.imports = true });
	struct guide_loader *l = guide_loader_new(fd, g);
	struct guide_counts c;

	while (guide_loader_run(l, NOW_S))
		continue;
	guide_loader_free(&l);
	c = guide_count(g);
	if (c.services > SERVICES || c.bytes > BYTES)
		abort();
	return g;
}

/* The saved guide. */
static int save(struct guide *g)
{
	int fd = shared_create("guide", FILE_MAX);
	struct guide_saver *s = guide_saver_new(dup(fd), g);
	int more = 1;

	while (more > 0)
		more = guide_saver_run(s);
	/* a file of its size */
	if (more < 0 || guide_saver_len(s) > FILE_MAX)
		abort();
	guide_saver_free(&s);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = -1;
	struct guide *g, *again;

	if (size > INPUT_MAX)
		return 0;
	fd = shared_create("fuzz", size);
	if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	g = load(fd);
	again = load(save(g));
	if (guide_count(again).events != guide_count(g).events)
		abort();
	guide_free(&again);
	guide_free(&g);
	return 0;
}
