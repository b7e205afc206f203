/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hostile packets through the monitor of TR 101 290: any packets at any time.
 * Only a counted fault raises an alarm, and seconds without a fault clear it.
 * Each packet: a byte of action, its header, then as many bytes as it says.
 */
#include "common/base/units.h"
#include "tests/fuzz/fuzz.h"
#include "worker/analysis/monitor.h"
#include "worker/remux/section_writer.h"

#include <stdlib.h>
#include <string.h>

struct input {
	const uint8_t *data;
	size_t len;
	uint64_t now_ns;
	struct monitor *monitor;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t take(struct input *in)
{
	if (in->len == 0)
		return 0;
	in->len--;
	return *in->data++;
}

/* Tables get past their CRC_32. */
static void seal(uint8_t *p)
{
	size_t len;

	p[4] = 0;
	len = 12 + p[7] % (TS_PACKET - 5 - 12);
	p[6] = 0xb0;
	p[7] = (uint8_t)(len - 3);
	section_seal(p + 5, len);
}

static void make_packet(struct input *in, uint8_t what, uint8_t *p)
{
	static const uint16_t pids[8] = { 0, 0x100, 0x101, 0x102, 0x11, 1,
					  0x1fff, 0x14 };
	size_t len;

	memset(p, 0xff, TS_PACKET);
	p[0] = what == 0x3f ? 0x46 : 0x47;
	p[1] = take(in);
	if (what & 0x08)
		p[1] &= 0x5f;
	/* no tables are on the PID of null packets */
	ts_set_pid(p, (what & 0x17) == 0x16 ? 0x1ffb : pids[what & 7]);
	p[3] = take(in);
	len = take(in) % (TS_PACKET - 4);
	for (size_t i = 0; i < len; i++)
		p[4 + i] = take(in);
	if (what & 0x10) {
		p[1] |= 0x40;
		p[3] = (uint8_t)(0x10 | (p[3] & 0x0f));
		seal(p);
	}
}

static void end_second(struct input *in, const struct monitor_counts *counts)
{
	const struct alarm *alarms = monitor_alarms(in->monitor);
	struct analyze_counts counted;

	in->now_ns += 1000 * MS;
	monitor_counted(in->monitor, &counted);
	(void)monitor_second(in->monitor, counts, in->now_ns, 1);
	for (int i = 0; i < ALARM_COUNT; i++)
		check(!alarms[i].raised || alarms[i].count > 0);
}

static void step(struct input *in)
{
	uint8_t what = take(in), packet[TS_PACKET];
	struct monitor_counts counts = { 0 };
	struct ts_run run = { packet, 1 };

	in->now_ns += (uint64_t)(what >> 6) * 50 * MS;
	switch (what & 0x3f) {
	case 0x3e:
		counts.senders = take(in);
		counts.network_lost = take(in);
		end_second(in, &counts);
		break;
	case 0x3d:
		monitor_reset(in->monitor, in->now_ns);
		break;
	default:
		make_packet(in, what & 0x3f, packet);
		monitor_feed(in->monitor, &run, 1, NULL, in->now_ns);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct monitor_counts none;
	struct input in = { .data = data, .len = size, .now_ns = 1000 * MS };

	in.monitor = monitor_new(NULL, in.now_ns);
	while (in.len > 0)
		step(&in);
	end_second(&in, &none);
	check(monitor_psi(in.monitor) != NULL);
	monitor_free(&in.monitor);
	return 0;
}
