/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports maps of an input whose PID its PMT does not list: a sentence for the
 * status, and a line in the log when it changes.
 *
 * Embedded; zeroed memory has reported nothing.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ratelimit.h"

#include <stddef.h>
#include <stdint.h>

struct remux;

struct map_log {
	size_t from; /* the first map (remux_unlisted()) that is judged */
	struct errmsg error;  /* current error; "": none */
	struct errmsg logged; /* the error that was logged last */
	struct ratelimit limit;
};

/* Call it once a second.  where: begins the line of the log ("input 1"). */
void map_log_second(struct map_log *, const struct remux *, const char *where,
		    uint64_t now_ns);
