/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repairs lost datagrams of an rtp_window from FEC rows and columns (SMPTE
 * 2022-1); a repaired datagram may allow the next repair.
 *
 * It makes the window keep as many sent datagrams as the matrix needs.  It owns
 * the FEC datagrams that cannot repair a datagram yet, and borrows the window.
 * Pure.
 */
#pragma once

#include "worker/rtp/rtp_window.h"

struct fec_repair;

struct fec_repair_counts {
	uint64_t received; /* valid FEC datagrams */
	uint64_t invalid;  /* datagrams that are no valid FEC */
};

struct fec_repair *fec_repair_new(struct rtp_window *);
void fec_repair_free(struct fec_repair **);

void fec_repair_feed(struct fec_repair *, const uint8_t *data, size_t len,
		     uint64_t now_ns);

/* Repairs all datagrams that the stored FEC can repair.  Call it after each
 * read of the media, before rtp_window_turn(). */
void fec_repair_turn(struct fec_repair *, uint64_t now_ns);

void fec_repair_every_second(struct fec_repair *, uint64_t now_ns);

void fec_repair_counts(const struct fec_repair *,
		       struct fec_repair_counts *ret);
