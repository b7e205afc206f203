/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continuity of each PID (ISO/IEC 13818-1 2.4.3.3).
 *
 * Each of these is one error:
 *   - a packet with payload whose counter is neither one above that of the
 *     PID's last packet nor that of a permitted duplicate.  However many
 *     packets are missing, the gap is one error;
 *   - a packet without payload whose counter differs from the last one;
 *   - the second repetition in a row: a packet may be sent twice.
 * These are no errors:
 *   - the first packet of a PID, and any with discontinuity_indicator: they
 *     set the counter;
 *   - a duplicate: payload, the same counter, the same bytes as the PID's
 *     last packet (but for the PCR);
 *   - null packets, and packets that do not begin with the sync byte.
 * Scrambling does not matter.
 *
 * A packet with transport_error_indicator is never an error (TR 101 290 5.2.2),
 * because its PID and counter may be damaged.  If its counter is the next one
 * of the PID, its header is probably intact, and the packet behind it may have
 * the same counter or the next one.  Otherwise it does not change the state of
 * the PID.  It is then probably the packet that is missing on another PID: see
 * cc_is_excused().
 *
 * The continuity plugin of TSDuck applies the same rules to intact packets, but
 * compares a duplicate with the whole last packet of the PID.  Here a digest of
 * ten bits, made of the header and of eight bytes after the PCR, represents the
 * last packet.  So of 1,024 losses of 15, 31, … packets about one counts as a
 * duplicate.
 *
 * Embedded; zeroed memory is ready.  Two bytes per PID.
 */
#pragma once

#include "worker/ts/packet.h"

#include <string.h>

struct cc {
	/* counter, flags and digest of the last packet of each PID */
	uint16_t pid[TS_PIDS];
	/* Number of damaged packets whose counter did not fit their PID, and
	 * that have not excused a gap yet: old_strays of the last second,
	 * strays of the current one. */
	uint16_t old_strays, strays;
};

enum {
	CC_KIND = 0x30, /* mask of the flags; 0: the PID had no packet yet */
	CC_SEEN = 0x10, /* the last packet was intact */
	CC_DAMAGED = 0x20,  /* the last packet was damaged; no digest */
	CC_REPEATED = 0x30, /* the last packet was a duplicate */
	CC_DIGEST_SHIFT = 6,
};

enum cc_verdict {
	CC_OK,
	CC_DUPLICATE, /* the first repetition, which is allowed */
	CC_ERROR,
};

static inline uint16_t cc_state(const uint8_t *packet)
{
	uint64_t bytes;
	uint32_t header;

	memcpy(&header, packet, sizeof header);
	memcpy(&bytes, packet + 12, sizeof bytes);
	bytes = (bytes ^ header) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint16_t)(bytes >> 54 << CC_DIGEST_SHIFT | CC_SEEN |
			  ts_cc(packet));
}

/* Judges any intact packet.  cc_step() handles the expected packet itself, and
 * calls this function for all others. */
enum cc_verdict cc_judge(uint16_t *pid, const uint8_t *packet);

/* Takes a packet with transport_error_indicator; pid: the entry of its PID. */
void cc_damaged(struct cc *, uint16_t *pid, const uint8_t *packet);

/* To be called after CC_ERROR.  True: the gap is no error, because in this
 * second and the last one there were at least as many damaged packets that fit
 * no counter as packets are missing.  Each damaged packet excuses only one
 * missing packet.  before: the entry of the PID before this packet. */
bool cc_is_excused(struct cc *, uint16_t before, const uint8_t *packet);

/* Ends a second: damaged packets of older seconds excuse no gap any more. */
static inline void cc_every_second(struct cc *cc)
{
	cc->old_strays = cc->strays;
	cc->strays = 0;
}

/* As cc_feed(), for an intact packet.  pid: the entry of its PID, which may be
 * in a table of the caller. */
static inline enum cc_verdict cc_step(uint16_t *pid, const uint8_t *packet)
{
	unsigned next = (*pid + 1u) & 0x0f;

	if (!ts_has_payload(packet) || !(*pid & CC_SEEN) ||
	    ts_cc(packet) != next || !ts_sync_ok(packet) ||
	    ts_pid(packet) == TS_PID_NULL)
		return cc_judge(pid, packet);
	*pid = cc_state(packet);
	return CC_OK;
}

/* Takes the next packet of any PID.  A damaged packet is CC_OK. */
static inline enum cc_verdict cc_feed(struct cc *cc, const uint8_t *packet)
{
	if (ts_tei(packet)) {
		cc_damaged(cc, &cc->pid[ts_pid(packet)], packet);
		return CC_OK;
	}
	return cc_step(&cc->pid[ts_pid(packet)], packet);
}
