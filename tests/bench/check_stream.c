/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/check_stream.h"

#include "common/base/util.h"
#include "tests/bench/stamp.h"

#include <string.h>

enum { TS_PACKET = 188, NULL_PID = 0x1fff, BURST_WINDOW_NS = 1000000 };

static bool seen_test(const struct check_stream *c, uint64_t seq)
{
	return c->seen[seq / 64 % ARRAY_LEN(c->seen)] >> (seq % 64) & 1;
}

static void seen_set(struct check_stream *c, uint64_t seq)
{
	c->seen[seq / 64 % ARRAY_LEN(c->seen)] |= (uint64_t)1 << (seq % 64);
}

/* Makes room for the numbers from c->next up to and with seq. */
static void seen_forward(struct check_stream *c, uint64_t seq)
{
	if (seq - c->next >= CHECK_SEQ_WINDOW) {
		memset(c->seen, 0, sizeof c->seen);
		return;
	}
	for (uint64_t i = c->next; i <= seq; i++)
		c->seen[i / 64 % ARRAY_LEN(c->seen)] &=
			~((uint64_t)1 << (i % 64));
}

static void check_seq(struct check_stream *c, uint64_t seq)
{
	if (!c->started) {
		c->started = true;
		c->first = c->next = seq;
	}
	if (seq >= c->next) {
		c->lost += seq - c->next;
		seen_forward(c, seq);
		c->next = seq + 1;
	} else if (c->next - seq > CHECK_SEQ_WINDOW || seen_test(c, seq)) {
		c->duplicated++;
		return;
	} else {
		c->reordered++;
		if (seq >= c->first)
			c->lost--;
	}
	seen_set(c, seq);
	c->stamped++;
}

static void check_cc(struct check_stream *c, const uint8_t *p)
{
	unsigned pid = (unsigned)(p[1] & 0x1f) << 8 | p[2];
	uint8_t cc = p[3] & 0x0f;
	bool payload = p[3] & 0x10;
	bool jump = (p[3] & 0x20) && p[4] > 0 && (p[5] & 0x80);

	if (pid == NULL_PID)
		return;
	if (c->cc[pid] != 0 && !jump) {
		uint8_t wanted = payload ? c->cc[pid] & 0x0f
					 : (c->cc[pid] - 1) & 0x0f;
		if (cc != wanted)
			c->cc_errors++;
	}
	c->cc[pid] = (uint8_t)(cc + 1);
}

static void check_packet(struct check_stream *c, struct check_totals *t,
			 const uint8_t *p, uint64_t at_ns)
{
	struct stamp stamp;

	c->packets++;
	if (p[0] != 0x47) {
		c->broken++;
		return;
	}
	check_cc(c, p);
	if (!stamp_get(p, &stamp))
		return;
	if (c->started && stamp.seq > c->next + CHECK_JUMP_MAX) {
		c->broken++; /* a packet put together from two */
		return;
	}
	check_seq(c, stamp.seq);
	histogram_add(&t->latency_us,
		      at_ns > stamp.sent_ns ? (at_ns - stamp.sent_ns) / 1000
					    : 0);
}

static void drop_oldest(struct check_stream *c)
{
	c->burst_bytes -= c->burst[c->burst_head].bytes;
	c->burst_head = (c->burst_head + 1) % CHECK_BURST_MAX;
	c->burst_n--;
}

static void check_burst(struct check_stream *c, struct check_totals *t,
			size_t len, uint64_t at_ns)
{
	while (c->burst_n > 0 &&
	       (c->burst_n == CHECK_BURST_MAX ||
		c->burst[c->burst_head].at_ns + BURST_WINDOW_NS <= at_ns))
		drop_oldest(c);
	size_t tail = (c->burst_head + c->burst_n++) % CHECK_BURST_MAX;
	c->burst[tail].at_ns = at_ns;
	c->burst[tail].bytes = len;
	c->burst_bytes += len;
	histogram_add(&t->burst_bytes, c->burst_bytes);
}

void check_datagram(struct check_stream *c, struct check_totals *t,
		    const uint8_t *data, size_t len, uint64_t at_ns)
{
	c->datagrams++;
	c->bytes += len;
	check_burst(c, t, len, at_ns);
	for (; len >= TS_PACKET; data += TS_PACKET, len -= TS_PACKET)
		check_packet(c, t, data, at_ns);
	if (len != 0)
		c->broken++;
}
