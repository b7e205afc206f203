/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rebuilds PCRs that are missing, too far apart, or unrelated to the time
 * stamps.
 *
 * Compares the PCRs of each segment with its decoding times. If they do not
 * match, it removes the PCRs, and inserts a PCR made from the decoding time in
 * front of each picture (or PES of audio). So the stream can be paced, and
 * receivers can follow its clock.
 *
 * Owns its table parser. Pure.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* Duration of the stream that is examined before the first decision. */
	PCR_REBUILD_JUDGE_MS = 1000,
	/* PCRs that are further apart are rebuilt. */
	PCR_REBUILD_GAP_MS = 1000,
	/* Distance of a made PCR to the decoding time, if that of the source is
	 * unknown. */
	PCR_REBUILD_LEAD_MS = 1000,
	/* A larger distance of the PCRs of the source is wrong. */
	PCR_REBUILD_LEAD_MAX_MS = 10000,
	/* Tolerated difference between the advance of the PCRs and that of the
	 * decoding times, over a segment and its border. */
	PCR_REBUILD_LOOSE_MS = 500,
};

struct pcr_rebuild;

enum pcr_rebuild_state {
	PCR_UNDECIDED, /* not enough data was examined yet */
	PCR_KEPT,  /* the PCRs match the decoding times */
	PCR_REBUILT,  /* the PCRs are rebuilt */
};

struct pcr_rebuild *pcr_rebuild_new(void);
void pcr_rebuild_free(struct pcr_rebuild **);

/* Begins a segment: if the PCRs of the last segment did not match, they are
 * rebuilt from here on. cut: the segment does not continue the last one, so the
 * decision is made again. */
void pcr_rebuild_segment(struct pcr_rebuild *, bool cut);

/* Examines the next packet as received. */
void pcr_rebuild_feed(struct pcr_rebuild *, const uint8_t *packet);

enum pcr_rebuild_state pcr_rebuild_state(const struct pcr_rebuild *);
/* Decides by the data so far, because no more data will come. */
void pcr_rebuild_decide(struct pcr_rebuild *);

/* To be called if the PCR jumps at a segment border. step: the difference of
 * the PCRs, 27 MHz; head: the first packets of the segment. True: the decoding
 * times continue, so PCRs are rebuilt from here on. */
bool pcr_rebuild_takes_over(struct pcr_rebuild *, int64_t step,
			    const struct ts_run *head);

/* In PCR_REBUILT: writes the output for a packet, at most two, and returns
 * their number. */
size_t pcr_rebuild_write(struct pcr_rebuild *, const uint8_t *packet,
			 uint8_t *ret);
