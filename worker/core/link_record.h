/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of one configured input or output, over all the times that it
 * is opened.
 *
 * Owns what it tells.
 */
#pragma once

#include "proto/spec/link_stat.h"

/* Embedded; all zero at first. */
struct link_record {
	struct link_stats closed; /* what was counted before it was closed */
	json_t *told;
};

void link_record_done(struct link_record *);

/* It is closed; these were its last numbers. */
void link_record_close(struct link_record *, const struct link_stats *last);

/* For the status: what it says now, nothing when it is closed.  NULL when there
 * is nothing to tell; borrowed until the next call. */
const json_t *link_record_tell(struct link_record *, struct link_stats now);
