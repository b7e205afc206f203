/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an rtp:// input is asked beside its address. */
#pragma once

enum {
	RTP_REORDER_DEFAULT_MS = 20,
	RTP_REORDER_MAX_MS = 1000,
};

struct rtp_spec {
	unsigned reorder_ms; /* an overtaken datagram is waited for so long */
};
