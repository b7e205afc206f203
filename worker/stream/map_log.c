/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/map_log.h"

#include "common/base/log.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/remux/remux.h"

#include <stdio.h>
#include <string.h>

enum { NAMED_MAX = 8, TEXT = 80 };

/* Writes the sentence about the maps from number `from' on: "map: the PMT does
 * not list PID 101, 205: the map has no effect"; "" if the PMT lists all. */
static void describe(const struct remux *r, size_t from, struct errmsg *ret)
{
	uint16_t pids[REMUX_MAPS_MAX];
	size_t n = remux_unlisted(r, from, pids, ARRAY_LEN(pids)), len = 0;
	char text[TEXT] = "";

	ret->text[0] = '\0';
	for (size_t i = 0; i < MIN(n, (size_t)NAMED_MAX); i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%u",
					i > 0 ? ", " : "", pids[i]);
	if (n > NAMED_MAX)
		(void)snprintf(text + len, sizeof text - len, " and %zu more",
			       n - NAMED_MAX);
	if (n > 0)
		errmsg_set(ret, "map: the PMT does not list PID %s: the map "
			   "has no effect", text);
}

void map_log_second(struct map_log *l, const struct remux *r,
		    const char *where, uint64_t now_ns)
{
	unsigned suppressed;

	describe(r, l->from, &l->error);
	if (l->error.text[0] == '\0' ||
	    strcmp(l->error.text, l->logged.text) == 0 ||
	    !ratelimit_pass(&l->limit, now_ns / MS, &suppressed))
		return;
	l->logged = l->error;
	log_warning("stream", "%s: %s", where, l->error.text);
}
