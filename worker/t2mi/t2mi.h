/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decapsulates T2-MI (ETSI TS 102 773): takes the transport stream of a PLP out
 * of the packets of a PID.
 *
 * T2-MI packets follow one another in the payloads of the PID.  pointer_field
 * is the offset of the first T2-MI packet that begins in a payload (5.1).  A
 * T2-MI packet with a wrong CRC-32, or with lost bytes, is dropped and counted.
 *
 * If the PID has several T2-MI streams (t2mi_stream_id), only the first one
 * that is received is read.
 */
#pragma once

#include "common/base/errmsg.h"
#include "worker/t2mi/baseband.h"

enum {
	T2MI_HEADER = 6, /* bytes */
	T2MI_CRC = 4,    /* bytes */
	T2MI_PACKET_MAX = T2MI_HEADER + 65535 / 8 + 1 + T2MI_CRC,
	T2MI_PLPS = 256,
};

struct t2mi_counts {
	/* T2-MI packets: all, with a wrong CRC-32, and with lost bytes */
	uint32_t packets, crc_errors, cut;
	uint32_t frames; /* baseband frames of all PLPs */
	struct baseband_counts baseband; /* counts of the selected PLP */
};

struct t2mi;

/* pid: the PID with T2-MI.  plp: 0 to 255; another number selects the PLP of
 * the first frame.  out: receives the packets of the PLP, borrowed for the
 * call. */
struct t2mi *t2mi_new(uint16_t pid, unsigned plp, ts_out_fn *out, void *arg);
void t2mi_free(struct t2mi **);

/* Forgets all packets, because another source begins. */
void t2mi_reset(struct t2mi *);

void t2mi_feed(struct t2mi *, const struct ts_run *runs, size_t n_runs);

/* Returns the counts since the last call, and sets them to 0. */
struct t2mi_counts t2mi_take_counts(struct t2mi *);

/* Writes why a second with these counts had no packets of the PLP.  False: the
 * counts do not show a reason. */
bool t2mi_explain(const struct t2mi *, const struct t2mi_counts *,
		  struct errmsg *ret);

/* The number of the selected PLP; 256 or more: none is selected yet. */
unsigned t2mi_plp(const struct t2mi *);

/* Has a frame of this PLP arrived since t2mi_reset()? */
bool t2mi_has_plp(const struct t2mi *, unsigned plp);
