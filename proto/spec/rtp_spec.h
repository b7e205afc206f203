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
	RTP_FEC_PORTS = 4, /* after that of the media */
	/* SMPTE 2022-1 */
	FEC_COLUMNS_MAX = 20,
	FEC_ROWS_MIN = 4,
	FEC_ROWS_MAX = 20,
	FEC_MATRIX_MAX = 100,
};

/* The options of an input. */
struct rtp_spec {
	unsigned reorder_ms; /* wait for an overtaken datagram */
	unsigned skew_ms;    /* wait for the slower of two paths */
	unsigned delay_ms;   /* delay of every datagram; 0: as needed */
	bool fec;            /* SMPTE 2022-1 on the next ports */
};

/* The options of an output. */
struct rtp_out_spec {
	unsigned fec_columns, fec_rows; /* SMPTE 2022-1; 0: none */
	bool has_path2;                 /* SMPTE 2022-7: the same to path2 */
	struct sockaddr_any path2;
	char path2_iface[16];
};
