/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scrambles and descrambles payloads by the DVB Common Scrambling Algorithm
 * (ETSI TS 100 289).
 *
 * A batch is processed by a core for wide registers (core.h), or by the
 * bitslice core of libdvbcsa.  Both take nearly the same time for one payload
 * and for a full batch.  So the payloads of a small batch are processed one by
 * one, by the single cipher of libdvbcsa.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	CSA_CONTROL_WORD = 8, /* bytes of a control word */
	CSA_BREAK_EVEN = 12,  /* smallest batch in payloads for the bitslice
			       * core of libdvbcsa */
};

struct csa;
struct csa_core;

/* Makes a cipher with a core (core_choice.h); NULL: with libdvbcsa only.  It
 * has no control word before csa_set(). */
struct csa *csa_new(const struct csa_core *);
void csa_free(struct csa **);

/* The number of payloads in a full batch. */
size_t csa_batch(const struct csa *);

/* Sets the control word for the next batch.  The batch must be empty. */
void csa_set(struct csa *, const uint8_t control_word[CSA_CONTROL_WORD]);

/* Wipes the control word.  The batch must be empty. */
void csa_forget(struct csa *);

/* Adds a payload of at most 184 bytes to the batch, which borrows the bytes
 * until it is empty again.  A payload below 8 bytes is not added, and stays in
 * the clear.  Returns the number of payloads for which the batch still has
 * room. */
size_t csa_add(struct csa *, uint8_t *payload, size_t len);

/* Scramble or descramble the payloads of the batch in place, and empty the
 * batch. */
void csa_scramble(struct csa *);
void csa_descramble(struct csa *);

/* Empties the batch without changing the payloads. */
void csa_drop(struct csa *);
