/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scrambles the components of a stream with one control word (ISO/IEC 13818-1
 * 2.4.3.3, ETSI TS 100 289).
 *
 * The PMTs name the components.  Tables, sections in the components (AIT,
 * DSM-CC, SCTE 35), packets without payload and packets that are scrambled
 * already stay as they are.  Until a PMT is known null packets replace all
 * packets but those of the tables, so that no component leaves in the clear.
 */
#pragma once

#include "worker/csa/csa.h"
#include "worker/ts/packet.h"
#include "worker/ts/psi.h"

struct scrambler;

struct scrambler *scrambler_new(const uint8_t control_word[CSA_CONTROL_WORD]);
void scrambler_free(struct scrambler **);

/* Borrows the parser of the stream.  It comes before the first packet. */
void scrambler_set_psi(struct scrambler *, const struct psi *);

/* Calls out with a copy of all packets, in parts of whole datagrams but for the
 * last one. */
void scrambler_feed(struct scrambler *, const struct ts_run *runs,
		    size_t n_runs, ts_out_fn *out, void *arg);
