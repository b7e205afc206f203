/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scrambles the components of a stream with a control word (ISO/IEC 13818-1
 * 2.4.3.3, ETSI TS 100 289).
 *
 * The PMTs name the components.  Tables, sections in the components (AIT,
 * DSM-CC, SCTE 35), packets without payload and packets that are scrambled
 * already stay as they are.
 *
 * A component whose PMT is not known yet must not leave in the clear.  So null
 * packets replace packets of PIDs that no table names, but for tables: until a
 * first PMT is known, and while a program of the PAT has none, for
 * SCRAMBLER_PMT_MS at most.
 */
#pragma once

#include "worker/csa/csa.h"
#include "worker/ts/packet.h"
#include "worker/ts/psi.h"

/* A PMT arrives every 500 ms (ETSI TR 101 290 1.5.a). */
enum { SCRAMBLER_PMT_MS = 2000 };

/* The PIDs that were components, for the packets behind a table that does not
 * list them any more, and for the next worker of the stream.  Embedded; any
 * content is valid. */
struct scrambler_pids {
	uint8_t bits[TS_PIDS / 8];
};

enum scrambler_mode {
	SCRAMBLER_ON,
	SCRAMBLER_CLEAR, /* packets stay as they are */
	SCRAMBLER_STOP,  /* null packets replace those of components */
};

struct scrambler;

/* core: as in csa_new().  pids: borrowed for the life of the scrambler, which
 * changes it. */
struct scrambler *scrambler_new(const struct csa_core *core,
				const uint8_t control_word[CSA_CONTROL_WORD],
				struct scrambler_pids *pids);
void scrambler_free(struct scrambler **);

/* Sets the word for the next packets.  Before the first call the word has even
 * parity. */
void scrambler_set_word(struct scrambler *,
			const uint8_t control_word[CSA_CONTROL_WORD], bool odd);
void scrambler_set_mode(struct scrambler *, enum scrambler_mode);

/* Sets which components are scrambled; bits by enum pid_class. */
void scrambler_set_classes(struct scrambler *, unsigned classes);

/* Sets the parser of the stream's tables (borrowed), before the first
 * packet. */
void scrambler_set_psi(struct scrambler *, const struct psi *);

/* Calls out with copies of all packets, scrambled as the mode says, in parts of
 * whole datagrams except for the last part. */
void scrambler_feed(struct scrambler *, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns, ts_out_fn *out, void *arg);
