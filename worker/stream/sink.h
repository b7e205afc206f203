/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One configured output: its address, and the open output while it has one.
 *
 * Owns the output.  An http output is served from the ring by others; here it
 * is only a line of the status.
 */
#pragma once

#include "worker/output/output.h"
#include "worker/stream/link_record.h"
#include "worker/stream/retry.h"

struct sink {
	unsigned position;  /* from 1 */
	bool valid;
	struct output_spec spec;
	struct output *output; /* NULL while it is not open, and for http */
	struct retry retry;
	struct errmsg error;
	struct output_counters closed; /* of outputs that were closed */
	struct link_record link;
};

void sink_init(struct sink *, unsigned position, const char *address);
void sink_done(struct sink *);

/* Opens it when it is closed, may be opened and the time has come. */
void sink_open(struct sink *, uint64_t now_ns);

/* Once a second.  May close the output, or open it again. */
void sink_second(struct sink *, uint64_t now_ns);

/* Since sink_init(). */
void sink_counters(const struct sink *, struct output_counters *ret);

/* What its protocol knows, for the status: as link_record_tell(). */
const json_t *sink_stats(struct sink *);
