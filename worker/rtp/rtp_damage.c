/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_damage.h"

#include "worker/ts/packet.h"

#include <string.h>

static bool is_damaged(const uint8_t *packet)
{
	return ts_sync_ok(packet) && ts_tei(packet);
}

bool rtp_damage_is_in(const uint8_t *payload, size_t len)
{
	if (len % TS_PACKET != 0)
		return false;
	for (size_t at = 0; at < len; at += TS_PACKET)
		if (is_damaged(payload + at))
			return true;
	return false;
}

size_t rtp_damage_replace(uint8_t *payload, const uint8_t *copy, size_t len)
{
	size_t replaced = 0;

	if (len % TS_PACKET != 0)
		return 0;
	for (size_t at = 0; at < len; at += TS_PACKET) {
		if (!is_damaged(payload + at) || !ts_sync_ok(copy + at) ||
		    ts_tei(copy + at))
			continue;
		memcpy(payload + at, copy + at, TS_PACKET);
		replaced++;
	}
	return replaced;
}
