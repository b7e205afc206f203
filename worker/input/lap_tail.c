/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/lap_tail.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <stdlib.h>
#include <string.h>

/* The last unit of a PID. */
struct unit {
	size_t at;   /* index of its first packet */
	size_t left; /* missing bytes; 0: whole, or of unknown length */
	uint8_t cc;  /* counter of its first packet */
};

static void follow(struct unit *u, const uint8_t *packet, size_t at)
{
	size_t len = TS_PACKET - ts_payload_offset(packet), whole;
	const uint8_t *pes;

	if (!ts_pusi(packet)) {
		u->left -= MIN(u->left, len);
		return;
	}
	pes = pes_find(packet, &len);
	*u = (struct unit){ .at = at, .cc = (uint8_t)ts_cc(packet) };
	if (pes == NULL)
		return;
	whole = (size_t)pes[4] << 8 | pes[5];
	if (whole > 0 && whole + 6 > len)
		u->left = whole + 6 - len;
}

static bool is_cut(const struct unit *u, const uint8_t *packet, size_t at)
{
	return u->left > 0 && at >= u->at && ts_sync_ok(packet) &&
	       !ts_tei(packet);
}

size_t lap_tail_trim(uint8_t *packets, size_t n)
{
	struct unit *units = xcalloc(TS_PIDS, sizeof *units);
	size_t kept = 0;
	uint64_t pcr;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = packets + i * TS_PACKET;

		if (ts_sync_ok(p) && !ts_tei(p) && ts_has_payload(p) &&
		    ts_payload_offset(p) < TS_PACKET)
			follow(&units[ts_pid(p)], p, i);
	}
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = packets + i * TS_PACKET;
		const struct unit *u = &units[ts_pid(p)];

		if (is_cut(u, p, i)) {
			if (!ts_pcr(p, &pcr))
				continue;
			stamps_drop_payload(p);
			ts_set_cc(p, u->cc + 15U);
		}
		if (kept != i)
			memcpy(packets + kept * TS_PACKET, p, TS_PACKET);
		kept++;
	}
	free(units);
	return kept;
}
