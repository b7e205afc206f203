/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes the report that a SAT>IP server sends about its tuner, in the
 * application packet "SES1" of RTCP (RFC 3550 6.7).
 *
 * Pure.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SES1_LEVEL_MAX = 255,
	SES1_QUALITY_MAX = 15,
};

struct ses1 {
	bool has_tuner;      /* level, lock and quality are set */
	uint8_t level;       /* signal strength, 0 to SES1_LEVEL_MAX */
	bool lock;
	uint8_t quality;     /* signal quality, 0 to SES1_QUALITY_MAX */
	bool bye;            /* the packet has a BYE: the server ended the
			      * session */
};

/* Decodes a compound packet of RTCP.  0; -EBADMSG: the data are not RTCP. */
int ses1_decode(const uint8_t *data, size_t len, struct ses1 *ret) MUST_CHECK;

/* The signal strength in percent, rounded. */
static inline unsigned ses1_signal(const struct ses1 *s)
{
	return (s->level * 100u + SES1_LEVEL_MAX / 2) / SES1_LEVEL_MAX;
}

static inline unsigned ses1_snr(const struct ses1 *s)
{
	return (s->quality * 100u + SES1_QUALITY_MAX / 2) / SES1_QUALITY_MAX;
}
