/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the three lines about the service that "status" and "top" begin
 * with. */
#pragma once

#include "common/base/buf.h"
#include "ctl/overview.h"

struct status_counts {
	size_t on_air, off_air, waiting, disabled; /* streams */
	json_int_t viewers, kbit; /* sums over all streams; kbit/s */
};
void status_count(const struct overview *, struct status_counts *ret);

/* Appends three lines: version and uptime, load, numbers of streams.  Each line
 * ends with `end'.  answer: the reply of the overview. */
void status_head(const json_t *answer, const struct status_counts *,
		 struct buf *to, const char *end);
