/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packs sections of EMMs back to back into packets (ISO/IEC 13818-1 2.4.4), so
 * that short ones need no packet each.
 *
 *	while (!emm_packer_add(&packer, section, len))
 *		send(emm_packer_take(&packer));
 *
 * Each run has whole sections only.  A packet in which a section begins has a
 * pointer_field; a header of three bytes is never split.  The stream sets PID
 * and counters.
 */
#pragma once

#include "worker/ts/packet.h"

enum { EMM_PACKER_MAX = 64 /* packets; more than the longest section needs */ };

/* Zeroed memory is empty. */
struct emm_packer {
	size_t n;  /* packets, the last of which may have room */
	size_t at; /* of the next byte in the last packet */
	uint8_t data[EMM_PACKER_MAX * TS_PACKET];
};

/* Appends a section of at most 4,096 bytes, without pointer_field.  False: it
 * has no room beside those that are there; nothing is changed. */
bool emm_packer_add(struct emm_packer *, const uint8_t *section, size_t len);

/* Takes all packets, the last one filled up with stuffing, and leaves the
 * packer empty.  The run is valid until the next call; n is 0 if there were no
 * packets. */
struct ts_run emm_packer_take(struct emm_packer *);
