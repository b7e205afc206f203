/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the last random access picture of a video PID: the bytes of its PES
 * after the header, which may lie in several packets, for any codec.
 *
 * Owns its memory: as much as two pictures take.
 */
#pragma once

#include "worker/ts/rap.h"

struct picture_keeper {
	uint8_t *data;   /* the last complete picture; NULL: none yet */
	size_t len, size; /* bytes of data; bytes allocated for it */
	uint8_t stream_id; /* stream_id of the picture in data */
	bool collecting; /* packets of the next picture are added to next */
	/* later packets show whether the picture in next is a random access
	 * point */
	bool open;
	uint8_t cc;      /* continuity counter of the last packet */
	uint8_t *next;   /* the picture that is being collected */
	size_t next_len, next_size; /* bytes of next; bytes allocated for it */
	struct pes_skip skip; /* state of the PES header of next */
};

/* Frees the pictures.  Zeroed memory is a new keeper. */
void picture_keeper_done(struct picture_keeper *);

/* Takes a packet of the PID, and the result of rap_feed() for it. */
void picture_keeper_feed(struct picture_keeper *, const uint8_t *packet,
			 enum rap_sign);
