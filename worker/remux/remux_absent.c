/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets the continuity counters of PIDs that are sent again after a time in
 * which they were not, or that replace another PID of the source on their
 * output PID.  The counter continues as if no packet had been dropped (ISO/IEC
 * 13818-1 2.4.3.3), and video and audio continue with the start of a unit.
 * From then on the counters of the source are shifted by a constant, so that a
 * loss stays visible.
 */
#include "worker/remux/remux_state.h"

/* The state of a source PID: a kind in the upper four bits, a value in the
 * lower four.  State 0: the PID keeps its counters if it is sent. */
enum {
	KIND = 0xf0,
	LEFT = 0x10,  /* not sent, but no packet was dropped yet.  Value: the
		       * shift of its counters before */
	GONE = 0x20,  /* not sent.  Value: its next counter in the output */
	BACK = 0x40,  /* sent again from the start of a unit on.  Value: its
		       * next counter in the output */
	SHIFT = 0x80, /* sent.  Value: added to its counters */
	BITS = 0x0f,
};

static uint8_t shifted(unsigned by)
{
	by &= BITS;
	return by != 0 ? (uint8_t)(SHIFT | by) : 0;
}

static bool goes_out(uint16_t route, uint8_t role)
{
	return (route & ROUTE_OUT) && role == ROLE_NONE;
}

static uint8_t leave(uint8_t state)
{
	switch (state & KIND) {
	case BACK:
		return (uint8_t)(GONE | (state & BITS));
	case SHIFT:
		return (uint8_t)(LEFT | (state & BITS));
	default:
		return LEFT;
	}
}

static uint8_t come_back(uint8_t state)
{
	switch (state & KIND) {
	case GONE:
		return (uint8_t)(BACK | (state & BITS));
	case LEFT:
		return shifted(state);
	default:
		return state;
	}
}

/* Stores that the output PID of `pid' has the packets of this PID from now on.
 * True: before, it had packets of another source PID. */
static bool replaces(struct remux *r, uint16_t pid)
{
	uint16_t route = r->route[pid];
	uint16_t *sender = &r->sender[route & ROUTE_PID], before = *sender;

	*sender = route != (ROUTE_OUT | pid) ? pid : 0;
	return before != 0 && before != pid;
}

void remux_absent_renew(struct remux *r, const uint16_t *before,
			const uint8_t *before_role)
{
	for (uint16_t pid = 0; pid < TS_PIDS; pid++) {
		uint8_t *state = &r->absent[pid];
		bool was = goes_out(before[pid], before_role[pid]);

		if (!goes_out(r->route[pid], r->role[pid])) {
			if (was)
				*state = leave(*state);
		} else if (replaces(r, pid)) {
			*state = BACK | (r->cc[r->route[pid] & ROUTE_PID] &
					 BITS);
		} else if (!was) {
			*state = come_back(*state);
		}
		if (*state != 0)
			r->route[pid] |= ROUTE_ABSENT;
	}
}

void remux_absent_drop(struct remux *r, const uint8_t *packet)
{
	uint8_t *state = &r->absent[ts_pid(packet)];
	unsigned step = ts_has_payload(packet) ? 0 : 1;
	unsigned next = ts_cc(packet) + *state + step;

	if ((*state & KIND) == LEFT && !ts_tei(packet))
		*state = (uint8_t)(GONE | (next & BITS));
}

uint8_t remux_absent_strip(struct remux *r, const uint8_t *packet)
{
	uint8_t *state = &r->absent[ts_pid(packet)];

	if (*state == 0)
		*state = GONE | 1;
	remux_absent_drop(r, packet);
	return (*state + 15) & BITS;
}

bool remux_absent_pass(struct remux *r, const uint8_t *packet, uint8_t *ret_cc)
{
	uint16_t pid = ts_pid(packet);
	uint8_t *state = &r->absent[pid];

	if ((*state & KIND) == BACK) {
		enum pid_class class = psi_class(r->psi, pid);
		/* its packets show where a PES packet begins */
		bool units = class == PID_VIDEO || class == PID_AUDIO;

		*ret_cc = (*state + 15) & BITS;
		if (!ts_has_payload(packet) || ts_tei(packet) ||
		    (!ts_pusi(packet) && units))
			return false;
		*state = shifted(*state + 16U - ts_cc(packet));
		if (*state == 0)
			r->route[pid] &= (uint16_t)~ROUTE_ABSENT;
	}
	*ret_cc = (uint8_t)((ts_cc(packet) + *state) & BITS);
	return true;
}
