/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A clock for streams whose PCRs are none: missing, far apart, or strangers to
 * the time stamps.
 *
 * The PCRs of each segment are held against the decoding times in it.  Where
 * they do not fit they are taken out, and one made of the decoding time is put
 * in front of each picture (or frame of sound).  So the stream can be played
 * at its pace, and a receiver can follow it.
 *
 * Owns the tables it follows.  Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* So much is looked at before the first word. */
	MEND_JUDGE_MS = 1000,
	/* PCRs further apart are of no use. */
	MEND_GAP_MS = 1000,
	/* What a picture is before its decoding time if nothing tells. */
	MEND_LEAD_MS = 1000,
	MEND_LEAD_MAX_MS = 10000,
	/* How far two clocks may differ over a segment and its border. */
	MEND_LOOSE_MS = 500,
};

struct mend;

enum mend_is {
	MEND_JUDGES, /* not enough was seen */
	MEND_KEEPS,  /* they are good */
	MEND_MAKES,  /* they are to be made */
};

struct mend *mend_new(void);
void mend_free(struct mend **);

/* A segment begins: what was found in the last one counts from here.  cut: it
 * is another programme, nothing is known of it. */
void mend_segment(struct mend *, bool cut);

/* Looks at the next packet, as it came. */
void mend_look(struct mend *, const uint8_t *packet);

enum mend_is mend_state(const struct mend *);
/* No more will come to judge by. */
void mend_decide(struct mend *);

/* At the border of a segment, at a PCR that does not go on (step, 27 MHz): do
 * the decoding times, in spite of it?  Then it makes PCRs from here on. */
bool mend_takes_over(struct mend *, int64_t step, const struct ts_run *head);

/* In MEND_MAKES: what goes out for a packet, in room for two; how many. */
size_t mend_make(struct mend *, const uint8_t *packet, uint8_t *ret);
