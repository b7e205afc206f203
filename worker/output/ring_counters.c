/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/ring_counters.h"

#include "common/base/ring.h"
#include "common/base/units.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"

enum {
	/* A number of packets that contains every table several times. */
	RESUME_PACKETS = 20000,
	SHIFT_OPEN = 0x10,  /* the first packet of the PID decides the shift */
	OPEN_MS = 60000,    /* time after the start in which the first packet
			     * of a PID may decide its shift */
};

static bool is_pmt_start(const uint8_t *packet)
{
	const uint8_t *section;

	return section_first(packet, &section) > 0 &&
	       section_table_id(section) == PMT_TABLE_ID;
}

void ring_counters_resume(struct ring_counters *c,
			  const struct ring_writer *ring)
{
	uint8_t seen[TS_PIDS / 8] = { 0 };
	size_t n;

	for (uint64_t back = 0; back < RESUME_PACKETS * TS_PACKET;
	     back += n * TS_PACKET) {
		const uint8_t *p = ring_before(ring, back, &n);

		for (size_t i = n; i > 0; i--) {
			const uint8_t *packet = p + (i - 1) * TS_PACKET;
			uint16_t pid = ts_pid(packet);
			uint8_t bit = (uint8_t)(1U << pid % 8);

			if (is_pmt_start(packet))
				c->had_pmt[pid / 8] |= bit;
			if (seen[pid / 8] & bit || !ts_has_payload(packet))
				continue;
			seen[pid / 8] |= bit;
			*cc_rewrite_next(&c->cc, pid) = (uint8_t)(
				(ts_cc(packet) + 1) & 0x0f);
			c->shift[pid] = pid != TS_PID_NULL ? SHIFT_OPEN : 0;
			c->n_shift += pid != TS_PID_NULL;
		}
		if (n == 0)
			return;
	}
}

void ring_counters_shift(struct ring_counters *c, uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	uint8_t *shift = &c->shift[pid];

	if (*shift == SHIFT_OPEN && !ts_tei(packet)) {
		unsigned next = *cc_rewrite_next(&c->cc, pid);

		if (!ts_has_payload(packet))
			next += 15;
		*shift = (uint8_t)((next - ts_cc(packet)) & 0x0f);
		c->n_shift -= *shift == 0;
	}
	ts_set_cc(packet, ts_cc(packet) + *shift);
}

bool ring_counters_table(struct ring_counters *c, uint8_t *packet)
{
	uint8_t *shift = &c->shift[ts_pid(packet)];

	c->n_shift -= *shift != 0;
	*shift = 0;
	return cc_rewrite_feed(&c->cc, packet);
}

void ring_counters_forget(struct ring_counters *c, uint64_t now_ns)
{
	if (c->n_shift == 0)
		return;
	if (c->open_until_ns == 0)
		c->open_until_ns = now_ns + OPEN_MS * MS;
	if (now_ns < c->open_until_ns)
		return;
	c->open_until_ns = UINT64_MAX;
	for (size_t pid = 0; pid < TS_PIDS; pid++) {
		if (c->shift[pid] != SHIFT_OPEN)
			continue;
		c->shift[pid] = 0;
		c->n_shift--;
	}
}
