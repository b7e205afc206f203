/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends the tables of a transport stream to the master, a message for each new
 * section, and the PLPs of its T2-MI (plp_list.h).
 *
 * A second has a limit of messages and of bytes, because more would be a flood
 * for the master; JSON may have thirty times the bytes of a section.  Sections
 * above the limit, and those that arrive while the master does not read, are
 * sent at their next repetition.  EIT have half of each limit at most.
 *
 * Owns the collected tables and the list of PLPs; borrows the channel.
 */
#pragma once

#include "worker/ts/packet.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct channel;
struct record_feed;

struct record_feed_config {
	struct channel *channel;
	unsigned position; /* of an input: stream.record; 0: scan.record */
	unsigned records_max; /* in a second */
	size_t bytes_max;     /* of sections, in a second */
	/* Gets each record of a table that is sent; may be NULL. */
	void (*on_record)(const json_t *record, void *arg);
	void *arg;
	bool silent;          /* nothing is sent, and EIT are not read */
};

struct record_feed *record_feed_new(const struct record_feed_config *);
/* NULL-safe; sets *f to NULL. */
void record_feed_free(struct record_feed **);

void record_feed_packets(struct record_feed *, const struct ts_run *runs,
			 size_t n_runs);

/* Begins a new second, with new limits. */
void record_feed_second(struct record_feed *);
