/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of rtp:// beside its address. */
#pragma once

#include "common/base/sockaddr.h"

#include <stdbool.h>

enum {
	RTP_REORDER_DEFAULT_MS = 20,
	RTP_REORDER_MAX_MS = 1000,
	RTP_SKEW_DEFAULT_MS = 500,
	RTP_SKEW_MAX_MS = 1000,
	RTP_DELAY_MAX_MS = 2000,
	/* FEC uses UDP ports up to that of the media plus this number */
	RTP_FEC_PORTS = 4,
	/* limits of SMPTE 2022-1 */
	FEC_COLUMNS_MAX = 20,
	FEC_ROWS_MIN = 4,
	FEC_ROWS_MAX = 20,
	FEC_MATRIX_MAX = 100,
};

/* The options of an input. */
struct rtp_spec {
	unsigned reorder_ms; /* longest wait for a missing datagram */
	unsigned skew_ms;    /* longest wait for the slower of two paths */
	unsigned delay_ms;   /* fixed delay of every datagram; 0: only as long
			      * as needed */
	bool fec;            /* FEC of SMPTE 2022-1 is received, on the ports
			      * of the media plus 2 and plus 4 */
};

/* The options of an output. */
struct rtp_out_spec {
	unsigned fec_columns, fec_rows; /* SMPTE 2022-1; 0: no FEC */
	bool has_path2;                 /* each datagram is also sent to path2
					 * (SMPTE 2022-7) */
	struct sockaddr_any path2;
	char path2_iface[16];
};
