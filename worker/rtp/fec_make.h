/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the FEC rows and columns (SMPTE 2022-1) of datagrams that are sent.
 *
 * A row is sent after its last datagram.  The columns of a matrix are sent one
 * by one during the next matrix.  This avoids a burst, and a loss that hits a
 * column together with its datagrams.
 *
 * Owns the sums (XORs) of the rows and columns.  Pure.
 */
#pragma once

#include "worker/rtp/fec.h"
#include "worker/rtp/datagrams.h"

enum fec_kind { FEC_COLUMN, FEC_ROW, FEC_KINDS };

/* Sends one FEC datagram, head and body; borrowed for the call. */
typedef void fec_send_fn(enum fec_kind, const struct iovec *iov, size_t n,
			 void *arg);

struct fec_make;

struct fec_make *fec_make_new(unsigned columns, unsigned rows,
			      fec_send_fn *, void *arg);
void fec_make_free(struct fec_make **);

/* Takes datagrams that were sent, with their RTP headers. */
void fec_make_feed(struct fec_make *, const struct datagrams *);
