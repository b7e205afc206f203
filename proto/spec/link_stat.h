/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a protocol knows about its link: numbers by name.
 *
 * One table for all protocols, inputs and outputs.  A kind of input or output
 * sets what it knows in its function stats; the numbers stand in stream.status
 * and, as they are, on the control interface.  A new one is a line here, a line
 * in link_stat.c and a word in doc/api.md.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdint.h>

enum link_stat {
	/* how it is now */
	LINK_PEERS, /* connections that stand */
	LINK_INTERFACE, /* on which a group is joined: its index */
	LINK_RTT_US, /* round trip time */
	LINK_LATENCY_MS, /* how long the receiver keeps what comes */
	LINK_BANDWIDTH_KBPS, /* that the way is estimated to have */
	LINK_RATE_KBPS, /* with what was sent again */
	LINK_PATHS, /* that bring something, of two */
	LINK_SKEW_US, /* between two paths */
	LINK_MUX_STATE, /* enum mux_input_state */
	LINK_FREE_MIB, /* room on the disk */
	LINK_QUEUED_KIB, /* that wait for it */
	LINK_GAP_P50_US, /* from one datagram to the next, as they leave */
	LINK_GAP_P99_US,
	LINK_GAP_MAX_US,

	/* since the start of the worker */
	LINK_CONNECTS, /* so often a connection came to stand */
	LINK_REFUSED, /* calls that came to nothing */
	LINK_FILES, /* that were begun or continued */
	LINK_RECEIVED, /* datagrams */
	LINK_SENT, /* datagrams */
	LINK_LOST, /* gaps that were seen, whatever became of them */
	LINK_RECOVERED, /* lost, and had in time after all */
	LINK_RETRANSMITTED, /* sent again, as one side asked for it */
	LINK_DROPPED, /* datagrams that were too late to be of use */
	LINK_UNDECRYPTED, /* datagrams that no key fits */
	LINK_REORDERED, /* datagrams that later ones had overtaken */
	LINK_DUPLICATES, /* datagrams that came twice on one way */
	LINK_INVALID, /* datagrams that do not belong to the stream */
	LINK_FEC_SENT, /* datagrams of error correction */
	LINK_FEC_RECEIVED, /* datagrams of error correction */
	LINK_FEC_REPAIRED, /* datagrams that it restored */
	LINK_FEC_UNREPAIRED, /* that it could not */
	LINK_PATH1_RECEIVED, /* datagrams by each path ... */
	LINK_PATH2_RECEIVED,
	LINK_PATH1_LOST, /* ... and what it did not bring */
	LINK_PATH2_LOST,
	LINK_MUX_RECEIVED, /* packets of the PID of another stream */
	LINK_MUX_SENT, /* that went into ours */
	LINK_MUX_LOST, /* that did not come, by their counter */
	LINK_MUX_DROPPED, /* that came, and did not go on */
	LINK_CBR_OVERFLOW, /* packets that the constant rate cannot hold */
	LINK_CBR_LATE, /* places left out, as we were kept from working */

	/* of a playlist */
	LINK_BUFFER_MS, /* what waits to be played */
	LINK_VARIANT_BANDWIDTH, /* as the playlist tells it, bit/s */
	LINK_SEGMENTS, /* that were loaded */
	LINK_SEGMENT_ERRORS, /* tries to load one that failed */
	LINK_SEGMENTS_SKIPPED, /* that were never to be had */
	LINK_PLAYLIST_RELOADS,

	LINK_STAT_COUNT
};

/* All zero: nothing is known. */
struct link_stats {
	uint64_t known; /* a bit for each that was set */
	uint64_t value[LINK_STAT_COUNT];
};

/* "rtt_us" */
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

/* Adds what was counted before; what was measured before is past. */
void link_stats_carry(struct link_stats *, const struct link_stats *before);

/* What more knows stands in the place of what was known of it. */
void link_stats_take(struct link_stats *, const struct link_stats *more);

/* {name: number}, a new reference; NULL when nothing is known. */
json_t *link_stats_format(const struct link_stats *);

/* Is this what link_stats_format() makes?  0, or -EBADMSG with why. */
int link_stats_check(const json_t *, struct errmsg *why) MUST_CHECK;
