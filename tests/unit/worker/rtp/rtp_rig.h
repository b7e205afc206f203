/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds an rtp_window with numbered datagrams and records its output. */
#pragma once

#include "worker/rtp/rtp_window.h"

enum { RTP_RIG_OUT = 8192, RTP_RIG_PAYLOAD = 188 };

/* The number of a datagram determines its header and payload. */
struct rtp_rig {
	struct rtp_window *window;
	uint64_t now_ns;
	uint32_t ssrc;
	uint16_t first_seq;  /* of number 0 */
	uint32_t first_time;
	bool headerless;     /* data is the payload */
	size_t n;            /* numbers that came out, in out[] */
	uint32_t out[RTP_RIG_OUT];
	unsigned settled;
	uint8_t datagram[RTP_HEADER + RTP_RIG_PAYLOAD];
};

/* cfg: all but the functions. */
void rtp_rig_init(struct rtp_rig *, struct rtp_window_config cfg);
void rtp_rig_done(struct rtp_rig *);

/* Writes the datagram of this number into ret; its size. */
size_t rtp_rig_write(const struct rtp_rig *, uint32_t number, uint8_t *ret);

void rtp_rig_feed_path(struct rtp_rig *, uint32_t number, unsigned path);
static inline void rtp_rig_feed(struct rtp_rig *r, uint32_t number)
{
	rtp_rig_feed_path(r, number, 0);
}

/* Those from a number on, up to another. */
void rtp_rig_feed_all(struct rtp_rig *, uint32_t from, uint32_t end);

/* So much later. */
void rtp_rig_pass(struct rtp_rig *, unsigned ms);

struct rtp_window_counts rtp_rig_counts(const struct rtp_rig *);

/* The output since the last call is from, from + 1, ... from + n - 1. */
void rtp_rig_expect(struct rtp_rig *, uint32_t from, size_t n);
