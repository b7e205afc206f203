/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moves all time stamps of a packet: PCR and OPCR of the adaptation field,
 * DTS_next_AU of its extension, and PTS, DTS and ESCR of the PES that begins in
 * the packet.
 *
 * Pure; never reads beyond the packet, the field or the header of a stamp.
 */
#pragma once

#include "worker/ts/packet.h"

/* The values that are added, with wrap; 90 kHz, below 2^33. */
struct stamps_move {
	uint64_t clock; /* added to PCR, OPCR and ESCR */
	uint64_t times; /* added to PTS, DTS and DTS_next_AU */
};

void stamps_move(uint8_t *packet, struct stamps_move);

/* Moves PTS, DTS and ESCR of the PES that begins here, as far as they lie
 * within len bytes. */
void stamps_move_header(uint8_t *pes, size_t len, struct stamps_move);

/* Replaces the PCR of a packet that has one by stuffing. */
void stamps_drop_pcr(uint8_t *packet);

/* Removes the payload of a packet that has a PCR.  The caller then sets its
 * continuity counter to that of the packet before, as for any packet without
 * payload. */
void stamps_drop_payload(uint8_t *packet);
