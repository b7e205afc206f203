/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decapsulates T2-MI (ETSI TS 102 773): takes the transport stream of a PLP out
 * of the packets of a PID.
 *
 * T2-MI packets follow one another in the payloads of the PID, where the
 * pointer_field names the first one that begins in a payload (5.1).  A T2-MI
 * packet with a wrong CRC-32, or with lost bytes, is dropped and counted.
 *
 * Of several T2-MI streams on the PID (t2mi_stream_id) the first one is taken.
 */
#pragma once

#include "common/base/errmsg.h"
#include "worker/t2mi/baseband.h"

enum {
	T2MI_HEADER = 6, /* bytes */
	T2MI_CRC = 4,
	T2MI_PACKET_MAX = T2MI_HEADER + 65535 / 8 + 1 + T2MI_CRC,
	T2MI_PLPS = 256,
};

struct t2mi_counts {
	uint32_t packets, crc_errors, cut;
	uint32_t frames; /* baseband frames of all PLPs */
	struct baseband_counts baseband; /* of the selected PLP */
};

struct t2mi;

/* plp: 0 to 255; another number stands for the PLP of the first frame. out:
 * receives the packets of the PLP, borrowed for the call. */
struct t2mi *t2mi_new(uint16_t pid, unsigned plp, ts_out_fn *out, void *arg);
void t2mi_free(struct t2mi **);

/* Forgets all packets, because another source begins. */
void t2mi_reset(struct t2mi *);

void t2mi_feed(struct t2mi *, const struct ts_run *runs, size_t n_runs);

/* The counts since the last call. */
struct t2mi_counts t2mi_take_counts(struct t2mi *);

/* Writes why a second with these counts had no packets of the PLP; false: the
 * counts have no reason. */
bool t2mi_explain(const struct t2mi *, const struct t2mi_counts *,
		  struct errmsg *ret);

/* The number of the selected PLP; 256 or more: none is selected yet. */
unsigned t2mi_plp(const struct t2mi *);

/* Has a frame of this PLP arrived since t2mi_reset()? */
bool t2mi_has_plp(const struct t2mi *, unsigned plp);
