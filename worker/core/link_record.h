/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums the protocol counters of a configured input or output over all the times
 * that it is opened, for the status.
 *
 * Owns the JSON object that it reports.
 */
#pragma once

#include "proto/spec/link_stat.h"

/* Embedded; all zero at first. */
struct link_record {
	struct link_stats closed; /* sum of the counters of past openings */
	json_t *reported;         /* the last report; NULL: none yet */
};

void link_record_done(struct link_record *);

/* Adds the last counters of an input or output that was closed. */
void link_record_close(struct link_record *, const struct link_stats *last);

/* Returns the sums over all openings as JSON, borrowed until the next call;
 * NULL: no counters.  now: the counters since the last opening, all zero while
 * closed. */
const json_t *link_record_report(struct link_record *, struct link_stats now);
