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
	size_t len, size;
	uint8_t stream_id;
	/* the picture that is being collected */
	bool collecting;
	bool open;       /* later packets decide whether it is one */
	uint8_t cc;
	uint8_t *next;
	size_t next_len, next_size;
	struct pes_skip skip; /* its header */
};

/* Frees the pictures.  For a new keeper zeroed memory is ready. */
void picture_keeper_done(struct picture_keeper *);

/* Takes a packet of the PID, and what rap_feed() says about it. */
void picture_keeper_feed(struct picture_keeper *, const uint8_t *packet,
			 enum rap_sign);
