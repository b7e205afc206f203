/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descrambles an input with the control words of softcams.
 *
 * The stage reads PAT, PMTs and CAT in the received packets, chooses the ECM
 * PIDs of the programs by the CAIDs of the softcams, and requests control words
 * for each new ECM.  The descrambler keeps a control word until another one
 * replaces it.  So a softcam that does not answer, or whose worker has ended,
 * has no effect before the parity changes.
 *
 * If there are several softcams, the first one is asked.  The next one is
 * asked, too, if the first is not logged in, refuses, or takes longer than
 * usual.
 *
 * `shift` delays the packets before they reach the descrambler.  A control word
 * is used from the packets on that arrived with its ECM.
 *
 * Borrows the descrambler, to which all packets go.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/ipc/msg.h"
#include "proto/spec/cam_spec.h"
#include "worker/csa/descrambler.h"
#include "worker/ts/packet.h"

#include <stdbool.h>

struct ca_stage;

enum {
	CA_HEDGE_DEFAULT_MS = 500, /* before the first answer was measured */
	CA_HEDGE_MIN_MS = 100,
	CA_HEDGE_MAX_MS = 2000,
	/* a softcam that became the first, because it answered when the first
	 * one did not, stays the first for so long */
	CA_PREFER_MS = 60000,
	CA_EMM_RATE = 20, /* EMMs per second, to all softcams together */
};

struct ca_stage_config {
	const struct cam_list *cams; /* copied */
	uint16_t ecm_pid;   /* 0: the PIDs of the PMTs */
	uint16_t pnr;       /* number of the program; 0: all programs */
	unsigned shift_ms;  /* delay of the packets; CAM_SHIFT_DEFAULT: that of
			     * the first softcam */
	unsigned position;  /* number of the input, below 256 */
	struct descrambler *descrambler;
	/* Sends stream.ecm or stream.emm; borrows the message for the call. */
	int (*send)(const struct msg *, void *arg);
	void *arg;
};

struct ca_stage *ca_stage_new(const struct ca_stage_config *);
void ca_stage_free(struct ca_stage **);

/* Drops the tables, the delayed packets and the control words that wait for
 * them, because another source begins.  The descrambler keeps its words. */
void ca_stage_reset(struct ca_stage *);

/* Takes received packets. */
void ca_stage_feed(struct ca_stage *, const struct ts_run *runs, size_t n_runs,
		   uint64_t now_ns);

/* Sends the packets and ECM requests that are due; to be called in each
 * tick. */
void ca_stage_turn(struct ca_stage *, uint64_t now_ns);
/* The time when waiting packets are due; UINT64_MAX: none wait. */
uint64_t ca_stage_next_ns(const struct ca_stage *);

/* Take the messages stream.cam and stream.word; messages of other softcams are
 * ignored. */
void ca_stage_take_cam(struct ca_stage *, const struct msg_stream_cam *,
		       uint64_t now_ns);
void ca_stage_take_word(struct ca_stage *, const struct msg_cam_word *,
			uint64_t now_ns);

/* To be called once a second: returns the sum of the descrambler's counts, and
 * stops using a softcam whose control words are wrong. */
struct descrambler_counts ca_stage_second(struct ca_stage *, uint64_t now_ns);

/* Writes why packets were not descrambled in the last second, or that no PMT
 * has a CA descriptor; false: there is no error. */
bool ca_stage_error(const struct ca_stage *, struct errmsg *ret);
/* Writes why descrambled packets were wrong in the last second: the softcam's
 * control words are wrong; or they are those of an earlier ECM, because the
 * last ECM has no answer yet.  counts: those of that second. */
void ca_stage_explain_wrong(const struct ca_stage *,
			    const struct descrambler_counts *counts,
			    struct errmsg *ret);
