/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports the tables of one input of the stream, from the packets that the
 * stream receives.  No input is opened for the report.
 *
 * The report ends SCAN_KEEP_S after the last request.  Owns the collected
 * tables; borrows the channel.
 */
#pragma once

#include "worker/si/record_feed.h"

#include <stdint.h>

struct msg_stream_scan;

struct tap {
	/* sends the tables to the master; NULL: no input is reported */
	struct record_feed *feed;
	unsigned position; /* position of the reported input, from 1; 0: none */
	uint64_t until_ns; /* time at which the report ends */
};

/* Starts to report the input that the master requests, or extends the report.
 * Position 0 ends it. */
void tap_request(struct tap *, const struct msg_stream_scan *,
		 struct channel *, uint64_t now_ns);
void tap_second(struct tap *, uint64_t now_ns);
void tap_done(struct tap *);

/* Takes received packets of the input at this position. */
static inline void tap_packets(struct tap *t, unsigned position,
			       const struct ts_run *runs, size_t n_runs)
{
	if (__builtin_expect(t->feed != NULL, 0) && position == t->position)
		record_feed_packets(t->feed, runs, n_runs);
}
