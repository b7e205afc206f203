/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes an endless constant-bitrate transport stream of one programme, or one
 * programme of a multiplex:
 * PAT and PMT ten times a second, H.264 video at 25 frames a second with a
 * random access point every second, a PCR at least every 40 ms, two per cent
 * null packets.  Each video packet carries a stamp.
 *
 * Embedded; owns nothing.  The pictures are not decodable: the stream is for
 * programs that carry it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	TSMAKER_PACKET = 188,
	TSMAKER_PMT_PID = 0x100,
	TSMAKER_VIDEO_PID = 0x101,
	TSMAKER_PID_STEP = 0x10, /* to those of the next programme */
	TSMAKER_PROGRAMS_MAX = 32,
};

struct tsmaker {
	uint64_t rate_bps;
	unsigned number;      /* of its programme, from 1 */
	uint64_t time_ns;     /* of the next packet in the stream's own time */
	uint64_t time_rest;   /* of the division behind time_ns */
	uint64_t index;       /* of the next packet */
	uint64_t seq;         /* of the next stamp */
	uint64_t next_psi_ns;
	uint64_t next_frame_ns;
	uint64_t next_pcr_ns;
	uint64_t frame;       /* of the next access unit */
	bool pmt_next;        /* a PAT was just sent */
	uint8_t pat_cc;
	uint8_t pmt_cc;
	uint8_t video_cc;
	uint8_t pat[TSMAKER_PACKET];
	uint8_t pmt[TSMAKER_PACKET];
	uint8_t fill[TSMAKER_PACKET];
};

void tsmaker_init(struct tsmaker *, uint64_t rate_bps);

/* Programme number (from 1) of n, whose packets take turns with those of the
 * others; the first one has the PAT of all. */
void tsmaker_init_program(struct tsmaker *, uint64_t rate_bps, unsigned number,
			  unsigned n);

/* Writes the next packet; sent_ns is the time in its stamp. */
void tsmaker_next(struct tsmaker *, uint64_t sent_ns, uint8_t *packet);
