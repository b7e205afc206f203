/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descrambles the packets of a stream whose control words are known (ISO/IEC
 * 13818-1 2.4.3.3, ETSI TS 100 289).
 *
 * The descrambler collects all packets, also the clear ones, so that their
 * order stays.  It sends them when the batch of a parity or the buffer is full,
 * when DESCRAMBLER_HOLD_MS have passed since the oldest packet, or when no more
 * packets arrive; only in descrambler_feed() and descrambler_turn().  A packet
 * without a control word for its parity is sent unchanged.
 *
 * The PIDs of a group share their control words.  At first all PIDs are in
 * group 0.
 *
 * Scrambling at PES level (2.4.3.7) is not descrambled.
 */
#pragma once

#include "worker/csa/csa.h"
#include "worker/ts/packet.h"

#include <stdbool.h>

enum {
	DESCRAMBLER_HOLD_MS = 20,
	DESCRAMBLER_GROUPS = 32,
	/* packets of a PID without a group stay unchanged */
	DESCRAMBLER_NO_GROUP = 0xff,
};

/* The values of transport_scrambling_control. */
enum descrambler_parity { DESCRAMBLER_EVEN = 2, DESCRAMBLER_ODD = 3 };

struct descrambler_counts {
	/* starts: descrambled packets that begin a PES packet, on PIDs with a
	 * prefix (descrambler_judge()); wrong_starts: those of them without a
	 * start code prefix */
	uint32_t starts, wrong_starts;
};

struct descrambler;

/* core: see csa_new().  out: called with the packets, which it may use during
 * the call. */
struct descrambler *descrambler_new(const struct csa_core *core, ts_out_fn *out,
				    void *arg);
void descrambler_free(struct descrambler **);

/* Puts a PID into a group; DESCRAMBLER_NO_GROUP: into none. */
void descrambler_assign(struct descrambler *, uint16_t pid, uint8_t group);
/* Puts all PIDs into a group; DESCRAMBLER_NO_GROUP: into none. */
void descrambler_assign_all(struct descrambler *, uint8_t group);
/* Sets whether units of a PID begin with a start code prefix, which shows
 * whether the control word was right; false for sections.  At first true for
 * all PIDs. */
void descrambler_judge(struct descrambler *, uint16_t pid, bool has_prefix);

/* Offers a control word for a group.  A word for the other parity than that of
 * the current packets is used as soon as packets have this parity.  A word for
 * the parity of the current packets is for the next period of this parity, with
 * two exceptions, in which it is used at once: no word of this parity is known;
 * or the known word is from an earlier period or was wrong, and no unit of this
 * period has begun with a start code prefix. */
void descrambler_offer(struct descrambler *, uint8_t group,
		       enum descrambler_parity,
		       const uint8_t control_word[CSA_CONTROL_WORD]);

/* Wipes the control words of a group. */
void descrambler_forget(struct descrambler *, uint8_t group);

/* The number of packets of a group that had no control word, since the last
 * call. */
uint32_t descrambler_take_missed(struct descrambler *, uint8_t group);

/* Sets the control word of a parity for the next packets of group 0. */
void descrambler_set(struct descrambler *, enum descrambler_parity,
		     const uint8_t control_word[CSA_CONTROL_WORD]);

void descrambler_feed(struct descrambler *, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns);

/* Call it after each read.  Sends the collected packets if the read returned
 * none (more is false), or if the oldest has waited DESCRAMBLER_HOLD_MS. */
void descrambler_turn(struct descrambler *, bool more, uint64_t now_ns);

/* Drops the collected packets; the control words stay. */
void descrambler_reset(struct descrambler *);

/* The counts of a group since the last call. */
struct descrambler_counts descrambler_take_counts(struct descrambler *,
						  uint8_t group);
