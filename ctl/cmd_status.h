/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of status and top: three lines about the service. */
#pragma once

#include "common/base/buf.h"
#include "ctl/overview.h"

struct status_counts {
	size_t on_air, off_air, waiting, disabled;
	json_int_t viewers, kbit;
};
void status_count(const struct overview *, struct status_counts *ret);

/* Appends three lines: version and uptime, load, numbers of streams.  Each
 * ends with end.  answer: the overview. */
void status_head(const json_t *answer, const struct status_counts *,
		 struct buf *to, const char *end);
