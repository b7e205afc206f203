/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports PMTs of the output that have no room for all streams and
 * descriptors, and an SDT without room for its service: a line in the log when
 * that changes, and the current state in JSON.  Also logs the number of
 * programs of the source that exceed the limit.
 *
 * Embedded; zeroed memory has logged nothing.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/remux/remux.h"

#include <jansson.h>

struct omission_log {
	uint64_t logged; /* hash of the omissions as logged; 0: none */
	struct ratelimit limit;
	size_t ignored; /* psi_ignored() as logged */
	struct ratelimit ignored_limit;
};

/* Call it once a second.  where: begins the line of the log ("input 1"). */
void omission_log_second(struct omission_log *, const struct remux *,
			 const char *where, uint64_t now_ns);

/* A list of the programs whose PMTs omit a part; NULL: none does. */
json_t *omission_list(const struct remux *);
/* An object with the parts that the SDT omits; NULL: it omits none. */
json_t *omission_sdt(const struct remux *);
