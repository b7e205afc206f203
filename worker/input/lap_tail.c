/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/lap_tail.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a PES up to the end of PES_packet_length. */
enum { LENGTH_END = 6 };

/* The last unit of a PID. */
struct unit {
	size_t at;   /* index of its first packet */
	size_t size; /* payload bytes up to the last packet read */
	uint8_t head[LENGTH_END]; /* first bytes of the unit */
	uint8_t cc;  /* counter of its first packet */
	bool begun;  /* its first packet was read, and is in the clear */
	bool ended;  /* its last packet has stuffing */
	/* all units of unknown length before it ended with stuffing */
	bool regular;
	size_t before; /* number of units of unknown length before it */
};

/* True if the adaptation field has stuffing bytes. */
static bool is_stuffed(const uint8_t *packet)
{
	uint8_t flags = ts_adaptation_flags(packet);
	size_t used = 1;

	if (!ts_has_adaptation(packet))
		return false;
	/* bytes of PCR, OPCR and splice_countdown */
	used += (flags & 0x10 ? 6U : 0U) + (flags & 0x08 ? 6U : 0U) +
		(flags & 0x04 ? 1U : 0U);
	for (unsigned flag = 0x02; flag > 0; flag >>= 1)
		/* private data, extension: a length byte, then that many */
		if (flags & flag && 5 + used < TS_PACKET)
			used += 1U + packet[5 + used];
	return packet[4] == 0 || packet[4] > used;
}

static bool is_pes(const struct unit *u)
{
	static const uint8_t start[] = { 0, 0, 1 };

	return u->begun &&
	       memcmp(u->head, start, MIN(u->size, sizeof start)) == 0;
}

/* The length of the PES packet in bytes by its header; 0: unknown. */
static size_t length_of(const struct unit *u)
{
	size_t len = (size_t)u->head[4] << 8 | u->head[5];

	return u->size >= LENGTH_END && len > 0 ? len + LENGTH_END : 0;
}

static bool is_open(const struct unit *u)
{
	return is_pes(u) && length_of(u) == 0;
}

static void follow(struct unit *u, const uint8_t *packet, size_t at)
{
	size_t offset = ts_payload_offset(packet), len = TS_PACKET - offset;

	if (ts_pusi(packet)) {
		if (is_open(u)) {
			u->regular = u->ended && (u->before == 0 || u->regular);
			u->before++;
		}
		u->at = at;
		u->cc = ts_cc(packet);
		u->size = 0;
		u->begun = !ts_scrambling(packet);
	}
	if (u->size < LENGTH_END)
		memcpy(u->head + u->size, packet + offset,
		       MIN(len, LENGTH_END - u->size));
	u->size += len;
	u->ended = is_stuffed(packet);
}

static bool is_cut_unit(const struct unit *u)
{
	if (!is_pes(u) || u->size == 0)
		return false;
	if (length_of(u) > 0)
		return u->size < length_of(u);
	return u->size < PES_HEADER || (!u->ended && u->regular);
}

static bool is_cut(const struct unit *u, const uint8_t *packet, size_t at)
{
	return is_cut_unit(u) && at >= u->at && ts_sync_ok(packet) &&
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
