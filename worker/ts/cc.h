/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continuity of each PID (ISO/IEC 13818-1 2.4.3.3).
 *
 * Embedded; zeroed memory is ready.  One byte per PID.
 */
#pragma once

#include "worker/ts/packet.h"

struct cc {
	uint8_t pid[TS_PIDS];
};

enum cc_verdict {
	CC_OK,
	CC_DUPLICATE, /* the one repetition that is allowed */
	CC_ERROR,
};

enum cc_verdict cc_feed(struct cc *, const uint8_t *packet);
