/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the reports of a feed about its source, for the next report of its
 * multiplex (mpts).
 *
 * Feed and multiplex report once a second, but not at the same time: between
 * two reports of the multiplex, no report of the feed may arrive, or two.  The
 * faults are summed up until the next report of the multiplex, so that each
 * fault appears once.
 *
 * Embedded; zeroed memory is ready.  Owns its strings.
 */
#pragma once

#include "proto/ipc/msg.h"

struct feed_report {
	bool heard; /* the feed has reported its input */
	/* the newest report, with the sums of the faults */
	struct msg_input_status input;
	bool filler; /* the feed sends its filler now */
	/* number of reports of the feed since the last report of the
	 * multiplex */
	unsigned n_untaken;
	/* the newest change of each alarm of the input */
	size_t n_changes;
	struct msg_alarm_change changes[ALARM_COUNT];
};

/* Forgets all reports. */
void feed_report_clear(struct feed_report *);

/* Adds a report of the feed, whose first input is the source.  A report
 * without inputs forgets all reports. */
void feed_report_add(struct feed_report *, const struct msg_stream_status *);

/* While the feed sends its filler, sets this filler for the services of the
 * input at this position in the report of the multiplex.  A service that is off
 * air, or that has a filler of the multiplex, is not changed. */
void feed_report_filler(const struct feed_report *, unsigned position,
			enum service_filler filler, struct msg_stream_status *);

/* The multiplex has reported the faults and changes: clears them. */
void feed_report_taken(struct feed_report *);
