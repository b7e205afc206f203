/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scrambles the components of a stream with a control word (ISO/IEC 13818-1
 * 2.4.3.3, ETSI TS 100 289).
 *
 * The PMTs name the components.  Tables, sections in the components (AIT,
 * DSM-CC, SCTE 35), packets without payload and packets that are already
 * scrambled stay unchanged.
 *
 * A component must not be sent in the clear before its PMT is known.  So null
 * packets replace the packets of PIDs that no table names, except PIDs below
 * 0x20: until a first PMT is known, and while the PMT of a program in the PAT
 * is missing, for at most SCRAMBLER_PMT_MS.
 */
#pragma once

#include "worker/csa/csa.h"
#include "worker/ts/packet.h"
#include "worker/ts/psi.h"

/* TR 101 290 1.5.a requires a PMT every 500 ms. */
enum { SCRAMBLER_PMT_MS = 2000 };

/* The PIDs that were components at last: for packets that follow a table which
 * does not list their PID any more, and for the next worker of the stream.
 * Embedded; any content is valid. */
struct scrambler_pids {
	uint8_t bits[TS_PIDS / 8];
};

enum scrambler_mode {
	SCRAMBLER_ON,
	SCRAMBLER_CLEAR, /* packets stay unchanged */
	SCRAMBLER_STOP,  /* null packets replace the packets of components */
};

struct scrambler;

/* core: see csa_new().  pids: borrowed for the life of the scrambler, which
 * updates it. */
struct scrambler *scrambler_new(const struct csa_core *core,
				const uint8_t control_word[CSA_CONTROL_WORD],
				struct scrambler_pids *pids);
void scrambler_free(struct scrambler **);

/* Sets the word and its parity for the next packets.  The word of
 * scrambler_new() is even. */
void scrambler_set_word(struct scrambler *,
			const uint8_t control_word[CSA_CONTROL_WORD], bool odd);
void scrambler_set_mode(struct scrambler *, enum scrambler_mode);

/* Sets which components are scrambled; bits: 1 << enum pid_class. */
void scrambler_set_classes(struct scrambler *, unsigned classes);

/* Sets the parser of the stream's tables (borrowed).  Must be called before the
 * first packet. */
void scrambler_set_psi(struct scrambler *, const struct psi *);

/* Calls out with copies of all packets, scrambled as the mode requires, in
 * parts of whole datagrams; the last part may have fewer packets. */
void scrambler_feed(struct scrambler *, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns, ts_out_fn *out, void *arg);
