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
	PCR_REBUILD_JUDGE_MS = 1000,
	/* PCRs further apart are of no use. */
	PCR_REBUILD_GAP_MS = 1000,
	/* What a picture is before its decoding time if nothing tells. */
	PCR_REBUILD_LEAD_MS = 1000,
	PCR_REBUILD_LEAD_MAX_MS = 10000,
	/* How far two clocks may differ over a segment and its border. */
	PCR_REBUILD_LOOSE_MS = 500,
};

struct pcr_rebuild;

enum pcr_rebuild_state {
	PCR_UNDECIDED, /* not enough was seen */
	PCR_KEPT,  /* they are good */
	PCR_REBUILT,  /* they are to be made */
};

struct pcr_rebuild *pcr_rebuild_new(void);
void pcr_rebuild_free(struct pcr_rebuild **);

/* A segment begins: what was found in the last one counts from here.  cut: it
 * is another programme, nothing is known of it. */
void pcr_rebuild_segment(struct pcr_rebuild *, bool cut);

/* Looks at the next packet, as it came. */
void pcr_rebuild_feed(struct pcr_rebuild *, const uint8_t *packet);

enum pcr_rebuild_state pcr_rebuild_state(const struct pcr_rebuild *);
/* No more will come to judge by. */
void pcr_rebuild_decide(struct pcr_rebuild *);

/* At the border of a segment, at a PCR that does not go on (step, 27 MHz): do
 * the decoding times, in spite of it?  Then it makes PCRs from here on. */
bool pcr_rebuild_takes_over(struct pcr_rebuild *, int64_t step,
                            const struct ts_run *head);

/* In PCR_REBUILT: what goes out for a packet, in room for two; how many. */
size_t pcr_rebuild_write(struct pcr_rebuild *, const uint8_t *packet,
                         uint8_t *ret);
