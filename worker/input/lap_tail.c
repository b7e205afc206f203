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
	bool open;   /* its length is unknown, ... */
	bool ended;  /* ... and its last packet has stuffing */
	/* units of unknown length before it: all ended with stuffing */
	bool regular;
	size_t before; /* their number */
};

/* Has the adaptation field bytes without a meaning? */
static bool is_stuffed(const uint8_t *packet)
{
	uint8_t flags = ts_adaptation_flags(packet);
	size_t used = 1;

	if (!ts_has_adaptation(packet))
		return false;
	/* PCR, OPCR, splice_countdown */
	used += (flags & 0x10 ? 6U : 0U) + (flags & 0x08 ? 6U : 0U) +
		(flags & 0x04 ? 1U : 0U);
	for (unsigned flag = 0x02; flag > 0; flag >>= 1)
		/* private data, extension: a length, and so many bytes */
		if (flags & flag && 5 + used < TS_PACKET)
			used += 1U + packet[5 + used];
	return packet[4] == 0 || packet[4] > used;
}

/* A unit begins with this packet. */
static void begin(struct unit *u, const uint8_t *packet, size_t at)
{
	size_t len = TS_PACKET - ts_payload_offset(packet), whole;
	const uint8_t *pes = pes_find(packet, &len);

	if (u->open) {
		u->regular = u->ended && (u->before == 0 || u->regular);
		u->before++;
	}
	u->at = at;
	u->cc = ts_cc(packet);
	u->left = 0;
	u->open = false;
	if (pes == NULL)
		return;
	whole = (size_t)pes[4] << 8 | pes[5];
	u->open = whole == 0;
	u->ended = is_stuffed(packet);
	if (whole + 6 > len && !u->open)
		u->left = whole + 6 - len;
}

static void follow(struct unit *u, const uint8_t *packet, size_t at)
{
	size_t len = TS_PACKET - ts_payload_offset(packet);

	if (ts_pusi(packet)) {
		begin(u, packet, at);
		return;
	}
	u->left -= MIN(u->left, len);
	u->ended = is_stuffed(packet);
}

static bool is_cut(const struct unit *u, const uint8_t *packet, size_t at)
{
	bool cut = u->left > 0 || (u->open && !u->ended && u->regular);

	return cut && at >= u->at && ts_sync_ok(packet) && !ts_tei(packet);
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
