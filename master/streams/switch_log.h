/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last times that a stream changed over from one input to another: kept
 * while workers come and go, and from one master to the next.
 *
 * Embedded; zeroed memory is an empty log.  Pure.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>

enum { SWITCH_LOG_MAX = 32 };

struct switch_log {
	unsigned n;    /* entries, the oldest first */
	struct switch_entry {
		uint64_t wall_ms;
		uint8_t from, to;
		bool filler;
		char reason[16];
		char fault[64];
	} entries[SWITCH_LOG_MAX];
};

/* One more; the oldest goes when there is no room. */
void switch_log_add(struct switch_log *, const struct msg_stream_switched *);

/* One of them as {time, from, to, filler, reason, fault}: what is not is
 * absent, time is in seconds.  A new object. */
json_t *switch_log_format(const struct msg_stream_switched *);

/* All of them so, the newest first: a new array. */
json_t *switch_log_list(const struct switch_log *);

/* From master to master: a new array, and what is sound of one (may be
 * NULL). */
json_t *switch_log_write(const struct switch_log *);
void switch_log_read(struct switch_log *, const json_t *list);
