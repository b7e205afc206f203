/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descrambles the packets of a stream whose control words are known (ISO/IEC
 * 13818-1 2.4.3.3, ETSI TS 100 289).
 *
 * It collects packets, the clear ones too, so that their order stays.  They
 * leave when the batch of a parity is full, when DESCRAMBLER_HOLD_MS have
 * passed since the oldest one, or when no more packets arrive, and only in
 * descrambler_feed() and descrambler_turn().  A packet without a control word
 * for its parity leaves as it came.
 *
 * The PIDs of a group share their control words.  At first all PIDs are in
 * group 0.
 *
 * Scrambling at the level of PES is not descrambled (2.4.3.7).
 */
#pragma once

#include "worker/csa/csa.h"
#include "worker/ts/packet.h"

#include <stdbool.h>

enum {
	DESCRAMBLER_HOLD_MS = 20,
	DESCRAMBLER_GROUPS = 32,
	DESCRAMBLER_NO_GROUP = 0xff, /* its packets stay as they are */
};

/* The values of transport_scrambling_control. */
enum descrambler_parity { DESCRAMBLER_EVEN = 2, DESCRAMBLER_ODD = 3 };

struct descrambler_counts {
	/* descrambled packets that begin a unit on a judged PID, and those of
	 * them that do not begin with a start code prefix */
	uint32_t starts, wrong_starts;
};

struct descrambler;

/* core: see csa_new().  out gets the packets, which it may borrow for the
 * call. */
struct descrambler *descrambler_new(const struct csa_core *core, ts_out_fn *out,
				    void *arg);
void descrambler_free(struct descrambler **);

/* Puts a PID into a group; DESCRAMBLER_NO_GROUP: into none. */
void descrambler_assign(struct descrambler *, uint16_t pid, uint8_t group);
/* Puts all PIDs into a group; DESCRAMBLER_NO_GROUP: into none. */
void descrambler_assign_all(struct descrambler *, uint8_t group);
/* Sets whether the units of a PID begin with a start code prefix, by which
 * control words are judged; false for sections.  At first true for all PIDs. */
void descrambler_judge(struct descrambler *, uint16_t pid, bool has_prefix);

/* Takes a control word for a group.  A word for the parity that its packets
 * have now is for their next period, and counts when they have that parity
 * again.  It counts at once if no word of that parity is known, or if the known
 * one is that of an earlier period and no unit of this one has begun right. */
void descrambler_offer(struct descrambler *, uint8_t group,
		       enum descrambler_parity,
		       const uint8_t control_word[CSA_CONTROL_WORD]);

/* Forgets the control words of a group. */
void descrambler_forget(struct descrambler *, uint8_t group);

/* The packets of a group that had no control word, since the last call. */
uint32_t descrambler_take_missed(struct descrambler *, uint8_t group);

/* Takes the control word of a parity of group 0 for the next packets. */
void descrambler_set(struct descrambler *, enum descrambler_parity,
		     const uint8_t control_word[CSA_CONTROL_WORD]);

void descrambler_feed(struct descrambler *, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns);

/* To be called after each read; sends packets that are due.  more: the read had
 * packets. */
void descrambler_turn(struct descrambler *, bool more, uint64_t now_ns);

/* Drops the collected packets; the control words stay. */
void descrambler_reset(struct descrambler *);

/* The counts of a group since the last call. */
struct descrambler_counts descrambler_take_counts(struct descrambler *,
						  uint8_t group);
