/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descrambles the packets of a stream whose control words are known (ISO/IEC
 * 13818-1 2.4.3.3, ETSI TS 100 289).
 *
 * It collects packets, the clear ones too, so that their order stays.  They
 * leave when the batch of a parity is full, when DESCRAMBLER_HOLD_MS have
 * passed since the oldest one, or when no more packets arrive.  A packet
 * without a control word for its parity leaves as it came.
 *
 * Scrambling at the level of PES is not descrambled (2.4.3.7).
 */
#pragma once

#include "worker/csa/csa.h"
#include "worker/ts/packet.h"

#include <stdbool.h>

enum { DESCRAMBLER_HOLD_MS = 20 };

/* The values of transport_scrambling_control. */
enum descrambler_parity { DESCRAMBLER_EVEN = 2, DESCRAMBLER_ODD = 3 };

struct descrambler_counts {
	/* descrambled packets that begin a unit, and those of them that do not
	 * begin with a start code prefix */
	uint32_t starts, wrong_starts;
};

struct descrambler;

/* out gets the packets, which it may borrow for the call. */
struct descrambler *descrambler_new(ts_out_fn *out, void *arg);
void descrambler_free(struct descrambler **);

/* Takes the control word of a parity for the next packets. */
void descrambler_set(struct descrambler *, enum descrambler_parity,
		     const uint8_t control_word[CSA_CONTROL_WORD]);

void descrambler_feed(struct descrambler *, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns);

/* After each read.  more: it had packets. */
void descrambler_turn(struct descrambler *, bool more, uint64_t now_ns);

/* Drops the collected packets; the control words stay. */
void descrambler_reset(struct descrambler *);

/* Returns the counts since the last call. */
struct descrambler_counts descrambler_take_counts(struct descrambler *);
