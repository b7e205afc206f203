/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/ecm_packets.h"

#include "worker/ts/section.h"

#include <string.h>

enum { SECTION_HEAD = 3 };

size_t ecm_packets_make(const uint8_t *section, size_t len, uint8_t *ret,
			size_t max)
{
	uint8_t cc = 0;

	if (len < SECTION_HEAD || len > SECTION_MAX ||
	    section_length(section) != len || section_packets(len) > max)
		return 0;
	return section_pack(section, len, TS_PID_NULL, &cc, ret);
}

size_t ecm_packets_copy(const uint8_t *packets, size_t len, uint8_t *ret,
			size_t max)
{
	size_t n = len / TS_PACKET;

	if (n == 0 || n > max || len % TS_PACKET != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = packets + i * TS_PACKET;

		if (!ts_sync_ok(p) || ts_tei(p) || ts_scrambling(p) != 0)
			return 0;
	}
	memcpy(ret, packets, len);
	return n;
}
