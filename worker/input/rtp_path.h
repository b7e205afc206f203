/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sockets of one path of an RTP input: the media, and beside them the rows
 * and columns of SMPTE 2022-1 when the input asks for FEC.
 *
 * Owns its sockets.  An error of FEC does not affect the media: the sockets of
 * FEC are closed, and opened again as worker/socket/retry.h says.  Embedded.
 */
#pragma once

#include "worker/input/udp_flow.h"
#include "worker/socket/retry.h"

struct rtp_path {
	struct udp_flow media, columns, rows;
	bool fec; /* FEC is wanted */
	struct retry fec_retry;
	/* why rows and columns are closed; "": they are open or not used */
	struct errmsg fec_error;
};

void rtp_path_init(struct rtp_path *, const struct input_spec *);

/* Opens the sockets of the path.  0, or -errno with error: the media cannot be
 * received. */
int rtp_path_open(struct rtp_path *, uint64_t now_ns,
		  struct errmsg *error) MUST_CHECK;
void rtp_path_close(struct rtp_path *);

/* Reads rows and columns, when they are open. */
void rtp_path_read_fec(struct rtp_path *, const struct udp_reader *fec,
		       uint64_t now_ns);

/* Maintains the sockets of an open path, as udp_flow_every_second(). */
int rtp_path_every_second(struct rtp_path *, uint64_t now_ns,
			  struct errmsg *error) MUST_CHECK;

/* The error of an open path or of its FEC; NULL: none. */
const char *rtp_path_error(const struct rtp_path *);
