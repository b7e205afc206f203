/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the rows and columns of SMPTE 2022-1 for datagrams that are sent.
 *
 * A row goes out behind its last datagram; the columns of a matrix are spread
 * over the next one, so that they come neither in a burst nor beside what they
 * protect.
 *
 * Owns the sums.  Pure.
 */
#pragma once

#include "worker/rtp/fec.h"
#include "worker/rtp/datagrams.h"

enum fec_kind { FEC_COLUMN, FEC_ROW, FEC_KINDS };

/* One datagram of FEC, head and body; borrowed for the call. */
typedef void fec_send_fn(enum fec_kind, const struct iovec *iov, size_t n,
			 void *arg);

struct fec_make;

struct fec_make *fec_make_new(unsigned columns, unsigned rows,
			      fec_send_fn *, void *arg);
void fec_make_free(struct fec_make **);

/* They were sent, each with an RTP header in front. */
void fec_make_feed(struct fec_make *, const struct datagrams *);
