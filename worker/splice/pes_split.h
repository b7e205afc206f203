/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moves the time stamps of a PES whose header lies in several packets: collects
 * the header, and writes its parts into the copies of these packets.
 *
 * Pure.  Embedded.
 */
#pragma once

#include "worker/splice/stamps.h"

#include <stdbool.h>

/* The header of a PES up to its last stamp. */
struct pes_split {
	uint16_t pid;
	uint8_t cc;   /* of the last packet with a part, as received */
	uint8_t first_cc;
	uint8_t len;
	uint8_t from; /* where the part of that packet begins, and ... */
	uint8_t next; /* ... that of the next one */
	uint8_t bytes[STAMPS_HEADER_MAX];
};

enum pes_split_sign {
	SPLIT_NONE,  /* all stamps of the PES, if one begins, are there */
	SPLIT_WHOLE, /* the packets up to this one have all of the header */
	SPLIT_WAITS, /* the rest has not arrived */
	SPLIT_LOST,  /* ... and will not */
};

/* SPLIT_WAITS: a PES begins in the packet whose stamps lie behind its end, and
 * *ret has the first part of its header. */
enum pes_split_sign pes_split_read(const uint8_t *packet,
				   struct pes_split *ret);

/* The same for the next packet of any PID, after SPLIT_WAITS. */
enum pes_split_sign pes_split_add(struct pes_split *, const uint8_t *packet);

/* After SPLIT_WHOLE: moves the header, and writes the part of the packet in
 * which the PES begins. */
void pes_split_begin(struct pes_split *, uint8_t *copy, struct stamps_move);

/* Writes the part of a packet of the PID that follows; cc: its counter, as
 * received.  False: the PES has no part of the header there, and no later
 * one. */
bool pes_split_continue(struct pes_split *, uint8_t *copy, unsigned cc);

/* A PES in whose first packet the header is not whole loses its times, which
 * are those of another clock: the header has stuffing alone. */
void pes_split_drop(uint8_t *copy);
