/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packs EMM sections one behind another into packets (ISO/IEC 13818-1 2.4.4),
 * so that short sections share packets.
 *
 *	while (!emm_packer_add(&packer, section, len))
 *		send(emm_packer_take(&packer));
 *
 * Each run that emm_packer_take() returns has whole sections only.  A packet in
 * which a section begins has a pointer_field.  The first three bytes of a
 * section are never split.  The stream sets PID and continuity counters later.
 */
#pragma once

#include "worker/ts/packet.h"

enum { EMM_PACKER_MAX = 64 /* packets; more than the longest section needs */ };

/* Zeroed memory is empty. */
struct emm_packer {
	size_t n;  /* packets; the last one may have room */
	size_t at; /* offset of the next byte in the last packet */
	uint8_t data[EMM_PACKER_MAX * TS_PACKET];
};

/* Appends a section of at most 4,096 bytes, without pointer_field.  False:
 * there is no room for the section, and nothing is appended. */
bool emm_packer_add(struct emm_packer *, const uint8_t *section, size_t len);

/* Takes all packets and leaves the packer empty.  The last packet is filled
 * with stuffing bytes.  The run is valid until the next call; n is 0 if there
 * were no packets. */
struct ts_run emm_packer_take(struct emm_packer *);
