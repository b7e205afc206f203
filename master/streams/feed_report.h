/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a feed has reported about its source, for the next report of its
 * multiplex.
 *
 * Both report once a second, but not at the same time: two reports of the feed
 * may arrive between two of the multiplex, or none.  The faults of a second
 * are summed up until the multiplex reports them, so that each appears once.
 *
 * Embedded; zeroed memory is ready.  Owns its strings.
 */
#pragma once

#include "proto/ipc/msg.h"

struct feed_report {
	bool heard; /* the process has reported its input */
	/* the newest report, with the sums of the faults */
	struct msg_input_status input;
	bool filler; /* it sends its filler */
	unsigned n_untaken; /* reports in the sums */
	/* the newest change of each alarm of the input */
	size_t n_changes;
	struct msg_alarm_change changes[ALARM_COUNT];
};

/* Forgets all reports. */
void feed_report_clear(struct feed_report *);

/* Adds a report of the feed; its first input is the source. */
void feed_report_add(struct feed_report *, const struct msg_stream_status *);

/* While the feed sends its filler, the services of its input (at this position)
 * have it in the report of the multiplex.  One that is not on air there has
 * none, or that of the multiplex. */
void feed_report_filler(const struct feed_report *, unsigned position,
			enum service_filler filler, struct msg_stream_status *);

/* The multiplex has reported the faults and changes. */
void feed_report_taken(struct feed_report *);
