/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moves every time stamp that stands in a packet.
 *
 * PCR and OPCR of the adaptation field, DTS_next_AU of its extension, and PTS,
 * DTS and ESCR of the PES that begins in the packet.  Pure; never looks beyond
 * the packet nor beyond the field or header a stamp stands in.
 */
#pragma once

#include "worker/ts/packet.h"

/* 90 kHz, below 2^33: what is added, with wrap. */
struct stamps_move {
	uint64_t clock; /* to PCR, OPCR and ESCR */
	uint64_t times; /* to PTS, DTS and DTS_next_AU */
};

void stamps_move(uint8_t *packet, struct stamps_move);

/* Takes the PCR out of a packet that has one; stuffing takes its room. */
void stamps_drop_pcr(uint8_t *packet);

/* Makes a packet that has a PCR one without payload.  Its counter is to be
 * that of the packet before. */
void stamps_drop_payload(uint8_t *packet);
