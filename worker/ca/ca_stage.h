/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descrambles an input with the control words of softcams.
 *
 * It reads PAT, PMT and CAT of the received packets, chooses the ECM PIDs of
 * the services by the CAIDs of the softcams, and asks for the control words of
 * each ECM that changes.  Control words go to the descrambler, which keeps them
 * until others replace them: a softcam that does not answer, or whose worker
 * has ended, costs nothing until the parity ends.
 *
 * Several softcams: the first one is asked.  The next one is asked as well when
 * the first is not logged in, refuses, or takes longer than it usually does.
 *
 * `shift` delays the packets in front of the descrambler.  A control word
 * counts from the packets on that arrived with its ECM.
 *
 * Borrows the descrambler, which gets all packets.
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
	CA_HEDGE_DEFAULT_MS = 500, /* until an answer was measured */
	CA_HEDGE_MIN_MS = 100,
	CA_HEDGE_MAX_MS = 2000,
	/* A softcam that answered when the first one did not stays the first
	 * for so long. */
	CA_PREFER_MS = 60000,
	CA_EMM_RATE = 20, /* EMMs in a second to all softcams */
};

struct ca_stage_config {
	const struct cam_list *cams; /* copied */
	uint16_t ecm_pid;   /* 0: as the tables say */
	uint16_t pnr;       /* 0: all programs */
	unsigned shift_ms;  /* CAM_SHIFT_DEFAULT: that of the first softcam */
	unsigned position;  /* of the input, below 256 */
	struct descrambler *descrambler;
	/* stream.ecm and stream.emm; the message is borrowed. */
	int (*send)(const struct msg *, void *arg);
	void *arg;
};

struct ca_stage *ca_stage_new(const struct ca_stage_config *);
void ca_stage_free(struct ca_stage **);

/* Forgets the tables and ECMs, because another source begins.  The control
 * words stay. */
void ca_stage_reset(struct ca_stage *);

/* Takes received packets. */
void ca_stage_feed(struct ca_stage *, const struct ts_run *runs, size_t n_runs,
		   uint64_t now_ns);

/* Sends the packets and the questions that are due; to be called in each
 * turn. */
void ca_stage_turn(struct ca_stage *, uint64_t now_ns);
/* The time at which waiting packets are due; UINT64_MAX: none wait. */
uint64_t ca_stage_next_ns(const struct ca_stage *);

/* Takes the messages stream.cam and stream.word; ignores those of other
 * softcams. */
void ca_stage_take_cam(struct ca_stage *, const struct msg_stream_cam *,
		       uint64_t now_ns);
void ca_stage_take_word(struct ca_stage *, const struct msg_cam_word *,
			uint64_t now_ns);

/* To be called once a second: returns the sums of the descrambler's counts, and
 * leaves a softcam whose control words are wrong. */
struct descrambler_counts ca_stage_second(struct ca_stage *, uint64_t now_ns);

/* Writes why packets were not descrambled in the last second, or that no PMT
 * has a CA descriptor; false: neither is known. */
bool ca_stage_error(const struct ca_stage *, struct errmsg *ret);
/* Writes why descrambled packets were wrong in the last second: the words of a
 * softcam are wrong, or are those of an earlier ECM, because the last ECM has
 * no answer yet.  counts: those of that second. */
void ca_stage_explain_wrong(const struct ca_stage *,
			    const struct descrambler_counts *counts,
			    struct errmsg *ret);
