/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a source gives in lumps, played at the pace of its PCRs.
 *
 * Begins when what waits lasts as long as it is to (lead_ms), and holds that:
 * the source has a clock of its own, so the pace is corrected a little.  When
 * nothing is left it waits for the lead again.
 *
 * Owns the packets that wait.  Pure: time comes in as a number.  Embedded.
 */
#pragma once

#include "worker/input/batch.h"
#include "worker/input/file_clock.h"
#include "worker/output/fifo.h"

enum {
	/* The pace is never more than that off the PCRs' (ISO/IEC 13818-1 asks
	 * for 30 ppm of a source; a receiver follows much more). */
	PLAYOUT_SPEED_PPM = 2000,
	/* Less room than what one push may bring is none. */
	PLAYOUT_ROOM_MIN = 2048,
};

struct playout {
	struct fifo fifo;
	struct pcr_clock in;     /* of what was pushed */
	struct file_clock clock; /* of what is taken */
	uint64_t sent;     /* packets taken out of the fifo, ever */
	uint64_t lead_ns;  /* 0: at once, as it comes */
	bool plays;
	uint64_t checked_ns; /* when the pace was corrected last */
	uint64_t taken_ns; /* when something was taken last */
	uint32_t underruns;
};

void playout_init(struct playout *, unsigned lead_ms, size_t packets_max,
		  uint64_t now_ns);
void playout_done(struct playout *);

/* How many packets there is room for. */
size_t playout_room(const struct playout *);
/* run.n <= playout_room() */
void playout_push(struct playout *, struct ts_run run);

/* Hands what is due to the batch and flushes it; the number of packets. */
size_t playout_take(struct playout *, struct batch *, uint64_t now_ns);

/* Is nothing left to play, or not enough to begin with? */
bool playout_is_dry(const struct playout *);

/* Once a second: gives back memory. */
void playout_second(struct playout *);
