/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends the tables of a transport stream to the master, with one message for
 * each new section, and the PLPs of its T2-MI (plp_list.h).
 *
 * Messages and bytes in a second are limited, to protect the master: the JSON
 * of a section may have thirty times its bytes.  Sections above the limit, and
 * those that arrive while the master does not read, are sent at their next
 * repetition.  EIT may use at most half of each limit.
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
	unsigned position; /* position of the input, for messages stream.record;
			    * 0: messages scan.record are sent */
	unsigned records_max; /* messages in a second */
	size_t bytes_max;     /* bytes of sections in a second */
	/* called with each record of a section, also if `silent'; may be
	 * NULL */
	void (*on_record)(const json_t *record, void *arg);
	void *arg;
	bool silent;          /* no message is sent, and EIT are not read */
};

struct record_feed *record_feed_new(const struct record_feed_config *);
/* NULL-safe; sets *f to NULL. */
void record_feed_free(struct record_feed **);

/* Takes packets of the transport stream. */
void record_feed_packets(struct record_feed *, const struct ts_run *runs,
			 size_t n_runs);

/* Begins a new second, with new limits. */
void record_feed_second(struct record_feed *);
