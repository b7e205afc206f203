/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last switches of a stream between its inputs, kept across workers and
 * masters.
 *
 * Embedded; zeroed memory is an empty log.  Pure.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>

enum { SWITCH_LOG_MAX = 32 };

struct switch_log {
	unsigned n;    /* number of entries; the oldest is first */
	struct switch_entry {
		/* members as in msg_stream_switched */
		uint64_t wall_ms;
		uint8_t from, to;
		bool filler, late;
		char reason[16];
		char fault[64];
	} entries[SWITCH_LOG_MAX];
};

/* Adds a switch and drops the oldest if the log is full. */
void switch_log_add(struct switch_log *, const struct msg_stream_switched *);

/* Formats a switch as {time, from, to, filler, late, reason, fault}, a new
 * object without empty members; time in seconds since 1970. */
json_t *switch_log_format(const struct msg_stream_switched *);

/* Returns all switches as switch_log_format(), the newest first: a new
 * array. */
json_t *switch_log_list(const struct switch_log *);

/* Records the switches between inputs for the next master: a new array. */
json_t *switch_log_write(const struct switch_log *);
/* Takes the valid entries of a record of switch_log_write() (may be NULL). */
void switch_log_read(struct switch_log *, const json_t *list);
