/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends the payloads of RTP datagrams once each, in the order of their sequence
 * numbers.
 *
 * Datagrams in order are sent at once, from the memory of the caller, without a
 * copy.  Behind a gap they wait until the gap is filled: by a datagram that was
 * overtaken, by the other path (SMPTE 2022-7), or by a repair (SMPTE 2022-1).
 * When nothing can fill a gap any more, the missing datagrams count as lost.
 *
 * A jump of the sequence numbers is an outage if the SSRC is the same and the
 * time stamp advanced by about the duration of the missing datagrams.  All of
 * them count as lost, however many they are.  Any other jump is a restart of
 * the sender, and no datagram counts as lost.
 *
 * If a datagram of one of two paths has packets with transport_error_indicator,
 * it waits for the copy of the other path, as long as a gap waits.  The packets
 * of that copy replace the damaged ones.  Then the datagram counts as lost on
 * the path with the damage.
 *
 * With a delay each datagram is sent that long after the faster path delivers
 * it, or would have delivered it.  So neither a gap nor the failure of a path
 * changes the times of the output, if the delay is longer than the wait.
 *
 * Owns the datagrams that wait.  Pure: the caller passes the time.
 */
#pragma once

#include "worker/rtp/rtp_flow.h"
#include "worker/rtp/rtp_store.h"

enum {
	/* After a jump ahead by this number or more (or by half of the places,
	 * if that is more), two datagrams in order are required (RFC 3550
	 * A.1). */
	RTP_DROPOUT_MAX = 3000,
	/* A datagram that is further behind is not taken for a late one
	 * without a check of its time stamp (RFC 3550 A.1). */
	RTP_MISORDER_MAX = 100,
};

struct rtp_window_config {
	uint16_t places;     /* datagrams that are recorded, a power of two;
			      * half of them may wait */
	unsigned paths;      /* 1; or 2, which carry the same datagrams */
	unsigned reorder_ms; /* longest wait of a gap for a late datagram */
	unsigned skew_ms;    /* longest wait of a gap for the slower path */
	unsigned delay_ms;   /* from arrival on the faster path to sending; 0:
			      * datagrams in order are sent at once */

	/* Receives a payload, which is valid until settle() returns. */
	void (*out)(const uint8_t *payload, size_t len, void *arg);
	/* Called before the memory of payloads is used again: the owner must
	 * process all payloads that out() received. */
	void (*settle)(void *arg);
	void *arg;
};

struct rtp_path_counts {
	uint64_t received; /* datagrams of the sequence that is followed,
			    * without duplicates */
	uint64_t lost;     /* datagrams that the path lost; only with 2 paths */
	uint64_t stray;    /* datagrams of other sequences */
};

struct rtp_window_counts {
	uint64_t lost;       /* datagrams that neither path delivered in time */
	uint64_t late;       /* datagrams that arrived after they were counted
			      * as lost, or were repaired */
	uint64_t reordered;  /* datagrams that arrived out of order, in time */
	uint64_t duplicates; /* datagrams that arrived twice on a path */
	uint64_t too_long;   /* datagrams above RTP_LONGEST bytes, which cannot
			      * be reordered */
	uint64_t repaired;   /* datagrams that FEC repaired in time */
	uint64_t merged;     /* datagrams that one path lost and the other
			      * delivered */
	struct rtp_path_counts path[RTP_PATHS];
	int32_t skew_us;     /* mean delay of path 2 behind path 1 in the last
			      * second with datagrams of both */
	bool live[RTP_PATHS]; /* the path delivers datagrams */
};

struct rtp_window;

struct rtp_window *rtp_window_new(const struct rtp_window_config *);
void rtp_window_free(struct rtp_window **);

/* Takes a datagram that arrived on this path (0 or 1). */
void rtp_window_feed(struct rtp_window *, const struct rtp_datagram *,
		     unsigned path, uint64_t now_ns);

/* Closes gaps that cannot be filled any more.  Call it after each read, and at
 * each tick while rtp_window_waits().  The owner must have processed all
 * payloads of out(). */
void rtp_window_turn(struct rtp_window *, uint64_t now_ns);

/* True if a datagram waits. */
bool rtp_window_waits(const struct rtp_window *);

/* True if a datagram of the followed sequence arrived within RTP_LIVE_MS. */
bool rtp_window_is_live(const struct rtp_window *, uint64_t now_ns);

void rtp_window_every_second(struct rtp_window *, uint64_t now_ns);

void rtp_window_counts(const struct rtp_window *,
		       struct rtp_window_counts *ret);

/* --- for FEC --- */

enum rtp_presence {
	RTP_MISSING, /* the datagram is missing; a repair is possible */
	RTP_COMING,  /* no datagram with this or a later number has arrived */
	RTP_KEPT,    /* the datagram can be read */
	RTP_PASSED,  /* the datagram cannot be read, and a repair is too late */
};

/* Keeps the last `kept' sent datagrams, so that rtp_window_find() can return
 * them, and makes a gap wait for a repair until `ahead' datagrams have arrived
 * behind it. */
void rtp_window_set_repair(struct rtp_window *, unsigned kept,
			   unsigned ahead);

/* Returns the state of the datagram with this sequence number.  *ret is set
 * only for RTP_KEPT, and valid until the next call of another function. */
enum rtp_presence rtp_window_find(const struct rtp_window *, uint16_t seq,
				  const struct rtp_slot **ret);

/* Takes a repaired datagram.  Ignores it if it belongs to another sequence, is
 * not missing, or is too late. */
void rtp_window_repair(struct rtp_window *, const struct rtp_datagram *,
		       uint64_t now_ns);

/* The SSRC of the sequence that is followed. */
uint32_t rtp_window_ssrc(const struct rtp_window *);
