/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Datagrams as the network brings them in, payloads in their order out, each
 * once.
 *
 * While they come in order they are handed on at once, from where they stand,
 * without a copy.  Behind a gap they are kept until it is filled: by a
 * datagram that was overtaken, by the same one of the other path (SMPTE
 * 2022-7), or by one that was repaired (SMPTE 2022-1).  When nothing can fill
 * it any more what is missing counts as lost, once, and the rest goes on.
 *
 * With a delay each datagram is kept that long from the time at which the
 * slower path brings it: then neither a gap nor the end of a path shows in the
 * times at which payloads go out.
 *
 * Owns what it keeps.  Pure: time comes in as a number.
 */
#pragma once

#include "worker/rtp/rtp_flow.h"
#include "worker/rtp/rtp_store.h"

enum {
	/* RFC 3550 A.1: a jump further on than this is no loss but another
	 * count; one further back no late datagram. */
	RTP_DROPOUT_MAX = 3000,
	RTP_MISORDER_MAX = 100,
};

struct rtp_window_config {
	uint16_t places;     /* a power of two; half of them may wait */
	unsigned paths;      /* 1, or 2 that bring the same */
	unsigned reorder_ms; /* so long an overtaken datagram is waited for */
	unsigned skew_ms;    /* and so long the slower path */
	unsigned delay_ms;   /* 0: nothing waits without need */

	/* The payload stays as it is until settle() was called. */
	void (*out)(const uint8_t *payload, size_t len, void *arg);
	/* To look at all payloads that were handed out, now. */
	void (*settle)(void *arg);
	void *arg;
};

struct rtp_path_counts {
	uint64_t received; /* datagrams of our count */
	uint64_t lost;     /* that it did not bring; of two paths only */
	uint64_t stray;    /* that it brought of another count than ours */
};

struct rtp_window_counts {
	uint64_t lost;       /* datagrams that nothing brought in time */
	uint64_t late;       /* that came when they were given up, or given */
	uint64_t reordered;  /* that came behind later ones, in time */
	uint64_t duplicates; /* that came twice on one path */
	uint64_t too_long;   /* more than RTP_LONGEST: not put in order */
	uint64_t repaired;   /* given by rtp_window_repair() in time */
	uint64_t merged;     /* that one path lost and the other brought */
	struct rtp_path_counts path[RTP_PATHS];
	int32_t skew_us;     /* how far path 2 is behind path 1, lately */
	bool live[RTP_PATHS];
};

struct rtp_window;

struct rtp_window *rtp_window_new(const struct rtp_window_config *);
void rtp_window_free(struct rtp_window **);

/* Its header may have been taken off: then data is payload. */
void rtp_window_feed(struct rtp_window *, const struct rtp_datagram *,
		     unsigned path, uint64_t now_ns);

/* After each read, and at each tick while rtp_window_waits(): gives up what
 * has to be given up.  What was handed out before has been looked at. */
void rtp_window_turn(struct rtp_window *, uint64_t now_ns);

/* Is something kept that has to go on? */
bool rtp_window_waits(const struct rtp_window *);

/* Did anything of the count that is followed come lately? */
bool rtp_window_is_live(const struct rtp_window *, uint64_t now_ns);

/* Once a second. */
void rtp_window_second(struct rtp_window *, uint64_t now_ns);

void rtp_window_counts(const struct rtp_window *,
		       struct rtp_window_counts *ret);

/* --- for who repairs --- */

enum rtp_presence {
	RTP_MISSING, /* it may be given */
	RTP_COMING,  /* nothing later came yet */
	RTP_KEPT,
	RTP_PASSED,  /* it is not there, and too late to be given */
};

/* From now on `kept` datagrams that went out can still be read, and a gap may
 * be filled until that many and `ahead` have come behind it (0: as without). */
void rtp_window_set_repair(struct rtp_window *, unsigned kept,
			   unsigned ahead);

/* What there is of this number; *ret only for RTP_KEPT, until the next call
 * of another function. */
enum rtp_presence rtp_window_find(const struct rtp_window *, uint16_t seq,
				  const struct rtp_slot **ret);

/* A datagram that was RTP_MISSING or RTP_COMING. */
void rtp_window_repair(struct rtp_window *, const struct rtp_datagram *,
		       uint64_t now_ns);

/* Of the count that is followed. */
uint32_t rtp_window_ssrc(const struct rtp_window *);
