/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes the fields of a transport packet (ISO/IEC 13818-1 2.4.3).
 *
 * All functions take a pointer to 188 bytes and never read beyond them, even if
 * the length fields in the packet are wrong.  Runs are borrowed: a stage that
 * keeps packets copies them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TS_PACKET = 188,
	TS_SYNC_BYTE = 0x47,
	TS_PIDS = 8192,
	TS_PID_PAT = 0x0000,
	TS_PID_FREE = 0x0010, /* PIDs below 0x10 are reserved for tables */
	TS_PID_NULL = 0x1fff,
	DATAGRAM_PACKETS = 7, /* most packets of a datagram in Ethernet */
};

/* n whole packets in a row. */
struct ts_run {
	const uint8_t *data;
	size_t n;
};

/* Called by a stage with the packets that it passes.  The runs are borrowed for
 * the call: they point into the packets that the stage received, or into its
 * own memory. */
typedef void ts_out_fn(const struct ts_run *runs, size_t n_runs, void *arg);

static inline bool ts_sync_ok(const uint8_t *p)
{
	return p[0] == TS_SYNC_BYTE;
}

/* transport_error_indicator: the other fields may be damaged */
static inline bool ts_tei(const uint8_t *p)
{
	return p[1] & 0x80;
}

/* payload_unit_start_indicator */
static inline bool ts_pusi(const uint8_t *p)
{
	return p[1] & 0x40;
}

static inline uint16_t ts_pid(const uint8_t *p)
{
	return (uint16_t)((p[1] & 0x1f) << 8 | p[2]);
}

static inline void ts_set_pid(uint8_t *p, uint16_t pid)
{
	p[1] = (uint8_t)((p[1] & 0xe0) | (pid >> 8 & 0x1f));
	p[2] = (uint8_t)pid;
}

/* transport_scrambling_control: 0 clear, 2 even key, 3 odd key */
static inline unsigned ts_scrambling(const uint8_t *p)
{
	return p[3] >> 6;
}

static inline bool ts_has_adaptation(const uint8_t *p)
{
	return p[3] & 0x20;
}

static inline bool ts_has_payload(const uint8_t *p)
{
	return p[3] & 0x10;
}

static inline uint8_t ts_cc(const uint8_t *p)
{
	return p[3] & 0x0f;
}

static inline void ts_set_cc(uint8_t *p, unsigned cc)
{
	p[3] = (uint8_t)((p[3] & 0xf0) | (cc & 0x0f));
}

/* The offset of the payload, 4 to 188; 188: the packet has no payload, or its
 * adaptation field is longer than the packet. */
static inline size_t ts_payload_offset(const uint8_t *p)
{
	if (!ts_has_payload(p))
		return TS_PACKET;
	if (!ts_has_adaptation(p))
		return 4;
	return p[4] > TS_PACKET - 5 ? TS_PACKET : (size_t)5 + p[4];
}

/* The flags of the adaptation field; 0 when it has none. */
static inline uint8_t ts_adaptation_flags(const uint8_t *p)
{
	if (!ts_has_adaptation(p) || p[4] == 0 || p[4] > TS_PACKET - 5)
		return 0;
	return p[5];
}

/* discontinuity_indicator */
static inline bool ts_discontinuity(const uint8_t *p)
{
	return ts_adaptation_flags(p) & 0x80;
}

/* random_access_indicator */
static inline bool ts_random_access(const uint8_t *p)
{
	return ts_adaptation_flags(p) & 0x40;
}

/* Reads the PCR in 27 MHz ticks; false: the packet has none. */
static inline bool ts_pcr(const uint8_t *p, uint64_t *ret)
{
	if (!(ts_adaptation_flags(p) & 0x10) || p[4] < 7)
		return false;

	uint64_t base = (uint64_t)p[6] << 25 | (uint64_t)p[7] << 17 |
		(uint64_t)p[8] << 9 | (uint64_t)p[9] << 1 | p[10] >> 7;
	unsigned extension = (unsigned)(p[10] & 0x01) << 8 | p[11];

	*ret = base * 300 + extension;
	return true;
}

/* Writes the PCR of a packet that has one. */
static inline void ts_set_pcr(uint8_t *p, uint64_t pcr)
{
	uint64_t base = pcr / 300 & 0x1ffffffff;
	unsigned extension = (unsigned)(pcr % 300);

	p[6] = (uint8_t)(base >> 25);
	p[7] = (uint8_t)(base >> 17);
	p[8] = (uint8_t)(base >> 9);
	p[9] = (uint8_t)(base >> 1);
	p[10] = (uint8_t)((base & 1) << 7 | (p[10] & 0x7e) | extension >> 8);
	p[11] = (uint8_t)extension;
}
