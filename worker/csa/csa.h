/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scrambles and descrambles payloads by the DVB Common Scrambling Algorithm
 * (ETSI TS 100 289).
 *
 * A batch goes through a core for wide registers (core.h), or through the
 * bitslice core of libdvbcsa.  Both cost nearly the same for one payload and
 * for a full batch.  So a small batch goes through the cipher of libdvbcsa for
 * single payloads.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	CSA_CONTROL_WORD = 8, /* bytes */
	CSA_BREAK_EVEN = 12,  /* payloads, with libdvbcsa */
};

struct csa;
struct csa_core;

/* Makes a cipher with a core (core_choice.h), or with libdvbcsa alone if core
 * is NULL.  It has no control word before csa_set(). */
struct csa *csa_new(const struct csa_core *);
void csa_free(struct csa **);

/* The number of payloads in a full batch. */
size_t csa_batch(const struct csa *);

/* Takes another control word.  The batch must be empty. */
void csa_set(struct csa *, const uint8_t control_word[CSA_CONTROL_WORD]);

/* Wipes the control word.  The batch must be empty. */
void csa_forget(struct csa *);

/* Adds a payload of at most 184 bytes to the batch, which borrows the bytes
 * until it is emptied.  Returns the free places that the batch has after it. */
size_t csa_add(struct csa *, uint8_t *payload, size_t len);

/* Scramble or descramble the payloads of the batch in place, and empty it. */
void csa_scramble(struct csa *);
void csa_descramble(struct csa *);

/* Empties the batch and changes no byte. */
void csa_drop(struct csa *);
