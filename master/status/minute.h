/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last sixty seconds of a stream.
 *
 * Embedded; zeroed memory is an empty minute.  Pure.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MINUTE_SECONDS = 60 };

/* What was received in one second by the active input, or by all inputs of a
 * multiplex; all zero: no input was active, and no filler was sent.  The
 * bitrate of a multiplex, or while a filler is sent, is that of the output. */
struct second {
	bool active;
	bool onair;
	uint32_t bitrate_kbps;
	uint32_t packets;
	uint32_t cc_error;
	uint32_t pes_error;
	uint32_t sc_error;
	uint32_t video_count;
	uint32_t audio_count;
};

struct minute {
	struct second seconds[MINUTE_SECONDS];
	size_t n;    /* seconds so far, at most MINUTE_SECONDS */
	size_t next; /* index of the next second */
};

/* Several seconds together: the mean bitrate, and the sums of packets and
 * errors.  The other members are those of the newest second. */
struct minute_sum {
	bool active;
	bool onair;
	uint64_t bitrate_kbps;
	uint64_t packets;
	uint64_t cc_error;
	uint64_t pes_error;
	uint64_t sc_error;
	uint32_t video_count;
	uint32_t audio_count;
};

void minute_add(struct minute *, const struct second *);

/* Replaces the last second; an empty minute gets its first one. */
void minute_amend(struct minute *, const struct second *);

/* Formats the minute as text, which the caller frees. */
char *minute_format(const struct minute *);
/* Reads a text of minute_format().  Returns 0; or -EINVAL, if the text is not
 * valid. */
int minute_parse(const char *text, struct minute *ret) MUST_CHECK;

/* Returns the sums of the last n seconds (n > 0), their mean bitrate, and the
 * state of the last second; all zero: the minute is empty. */
struct minute_sum minute_sum(const struct minute *, size_t n);
