/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an rtp:// input is asked beside its address. */
#pragma once

#include <stdbool.h>

enum {
	RTP_REORDER_DEFAULT_MS = 20,
	RTP_REORDER_MAX_MS = 1000,
	RTP_SKEW_DEFAULT_MS = 500,
	RTP_SKEW_MAX_MS = 1000,
	RTP_DELAY_MAX_MS = 2000,
	RTP_FEC_PORTS = 4, /* behind that of the media */
};

struct rtp_spec {
	unsigned reorder_ms; /* an overtaken datagram is waited for so long */
	unsigned skew_ms;    /* and so long the slower of two paths */
	unsigned delay_ms;   /* all are kept so long; 0: only when needed */
	bool fec;            /* SMPTE 2022-1 on the ports behind */
};
