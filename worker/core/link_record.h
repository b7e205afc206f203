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
	struct link_stats closed; /* counted before it was closed */
	json_t *reported;
};

void link_record_done(struct link_record *);

/* It was closed with these counters. */
void link_record_close(struct link_record *, const struct link_stats *last);

/* now: the counters of the open one, all zero while it is closed.  NULL: no
 * counters; borrowed until the next call. */
const json_t *link_record_report(struct link_record *, struct link_stats now);
