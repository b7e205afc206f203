/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rebuilds PCRs that are missing, too far apart, or unrelated to the time
 * stamps.
 *
 * Compares the PCRs of each segment with its decoding times. If they do not
 * match, it removes them and inserts a PCR made from the decoding time before
 * each picture (or audio frame). So the stream can be paced, and receivers can
 * follow it.
 *
 * Owns its table parser. Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* Examined before the first decision. */
	PCR_REBUILD_JUDGE_MS = 1000,
	/* PCRs further apart are useless. */
	PCR_REBUILD_GAP_MS = 1000,
	/* Distance of the PCR to the decoding time if it is unknown. */
	PCR_REBUILD_LEAD_MS = 1000,
	PCR_REBUILD_LEAD_MAX_MS = 10000,
	/* Tolerated drift between the two over a segment and its border. */
	PCR_REBUILD_LOOSE_MS = 500,
};

struct pcr_rebuild;

enum pcr_rebuild_state {
	PCR_UNDECIDED, /* not enough data */
	PCR_KEPT,  /* the PCRs match */
	PCR_REBUILT,  /* PCRs are rebuilt */
};

struct pcr_rebuild *pcr_rebuild_new(void);
void pcr_rebuild_free(struct pcr_rebuild **);

/* Begins a segment: the findings in the last one apply from here. cut: another
 * programme, no findings. */
void pcr_rebuild_segment(struct pcr_rebuild *, bool cut);

/* Examines the next packet as received. */
void pcr_rebuild_feed(struct pcr_rebuild *, const uint8_t *packet);

enum pcr_rebuild_state pcr_rebuild_state(const struct pcr_rebuild *);
/* Decides now: no more data will come. */
void pcr_rebuild_decide(struct pcr_rebuild *);

/* At a segment border, after a PCR jump (step, 27 MHz): true if the decoding
 * times continue. It then rebuilds PCRs from here. */
bool pcr_rebuild_takes_over(struct pcr_rebuild *, int64_t step,
			    const struct ts_run *head);

/* In PCR_REBUILT: writes the output for a packet, at most two, and returns
 * their number. */
size_t pcr_rebuild_write(struct pcr_rebuild *, const uint8_t *packet,
			 uint8_t *ret);
