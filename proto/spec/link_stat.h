/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values that a protocol measures on its link, by name.
 *
 * One table is for all protocols, inputs and outputs: link_stat.c has the name,
 * unit and meaning of each value.  Each type of input or output sets the values
 * that it measures.  They are sent in stream.status and shown by the API.  A
 * new value is a line here, a row in link_stat.c and a line in doc/api.md.
 */
#pragma once

#include "common/base/util.h"
#include "proto/spec/field.h"

#include <jansson.h>
#include <stdint.h>

enum link_stat {
	/* values at the moment; link_stats_carry() does not add them */
	LINK_PEERS,
	LINK_INTERFACE,
	LINK_RTT_US,
	LINK_LATENCY_MS,
	LINK_BANDWIDTH_KBPS,
	LINK_RATE_KBPS,
	LINK_PATHS,
	LINK_SKEW_US,
	LINK_MUX_STATE,
	LINK_FREE_MIB,
	LINK_QUEUED_KIB,
	LINK_GAP_P50_US,
	LINK_GAP_P99_US,
	LINK_GAP_MAX_US,
	LINK_BUFFER_MS,
	LINK_VARIANT_BANDWIDTH,

	/* counters since the start of the worker */
	LINK_FIRST_COUNTER,
	LINK_CONNECTS = LINK_FIRST_COUNTER,
	LINK_REFUSED,
	LINK_FILES,
	LINK_RECEIVED,
	LINK_SENT,
	LINK_LOST,
	LINK_RECOVERED,
	LINK_RETRANSMITTED,
	LINK_DROPPED,
	LINK_UNDECRYPTED,
	LINK_REORDERED,
	LINK_DUPLICATES,
	LINK_INVALID,
	LINK_FEC_SENT,
	LINK_FEC_RECEIVED,
	LINK_FEC_REPAIRED,
	LINK_FEC_UNREPAIRED,
	LINK_PATH1_RECEIVED,
	LINK_PATH2_RECEIVED,
	LINK_PATH1_LOST,
	LINK_PATH2_LOST,
	LINK_MUX_RECEIVED,
	LINK_MUX_SENT,
	LINK_MUX_LOST,
	LINK_MUX_DROPPED,
	LINK_CBR_OVERFLOW,
	LINK_CBR_LATE,
	LINK_SEGMENTS,
	LINK_SEGMENT_ERRORS,
	LINK_SEGMENTS_SKIPPED,
	LINK_PLAYLIST_RELOADS,

	LINK_STAT_COUNT
};

/* Values of a link.  Zeroed memory: no value is known. */
struct link_stats {
	uint64_t known; /* bit i is set: value[i] is known */
	uint64_t value[LINK_STAT_COUNT];
};

/* The name in messages and the API, such as "rtt_us". */
const char *link_stat_name(enum link_stat);

static inline void link_stats_set(struct link_stats *s, enum link_stat what,
				  uint64_t value)
{
	s->known |= UINT64_C(1) << what;
	s->value[what] = value;
}

static inline void link_stats_add(struct link_stats *s, enum link_stat what,
				  uint64_t n)
{
	link_stats_set(s, what, s->value[what] + n);
}

/* Adds the counters of an earlier connection to those of this one. */
void link_stats_carry(struct link_stats *, const struct link_stats *before);

/* Copies the values that are known in `more'; the others stay. */
void link_stats_take(struct link_stats *, const struct link_stats *more);

/* The known values as an object {name: number}, a new reference; NULL if none
 * is known. */
json_t *link_stats_format(const struct link_stats *);

extern const struct field_table link_stat_fields;
