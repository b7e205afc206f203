/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of any kind, equal or not, on two paths that are merged by content:
 * every output packet is an input packet, none is sent more often than it
 * arrived, and none waits for ever. */
#include "tests/fuzz/fuzz.h"
#include "worker/merge/ts_merge.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 256, DELAY_MS = 20 };

/* Packets that arrived and were not sent, by content. */
struct fuzz {
	unsigned waits[KINDS];
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct fuzz *f = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			uint8_t kind = runs[i].data[k * TS_PACKET + 187];

			if (f->waits[kind]-- == 0)
				abort();
		}
}

/* Four PIDs, tables, null packets, times, filler and packets that look like it.
 * */
static void make(uint8_t *packet, uint8_t kind)
{
	static const uint16_t pids[] = { 0x100, 0x101, 0, TS_PID_NULL };

	memset(packet, 0xff, TS_PACKET);
	packet[0] = TS_SYNC_BYTE;
	packet[1] = kind & 0x40;
	ts_set_pid(packet, pids[kind & 3]);
	packet[3] = (uint8_t)(0x10 | (kind >> 2 & 0x0f));
	if (kind & 0x80) {
		packet[3] ^= 0x30;
		packet[4] = 0xb7;
		packet[5] = 0x10;
	}
	packet[187] = kind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz f = { .waits = { 0 } };
	struct ts_merge *m = ts_merge_new(DELAY_MS);
	uint64_t now_ns = UINT64_C(1000000000);
	struct batch batch;

	batch_init(&batch, on_packets, &f);
	/* a byte of path, number and time, one of content */
	for (; size >= 2; data += 2, size -= 2) {
		unsigned n = 1 + (data[0] >> 1 & 7);
		uint8_t packet[TS_PACKET];
		const struct ts_run run = { .data = packet, .n = 1 };

		for (unsigned i = 0; i < n; i++) {
			uint8_t kind = (uint8_t)(data[1] + 4 * i);

			make(packet, kind);
			f.waits[kind]++;
			ts_merge_feed(m, &run, 1, data[0] & 1, now_ns);
		}
		now_ns += (data[0] >> 4) * UINT64_C(500000);
		ts_merge_turn(m, &batch, now_ns);
		if (data[0] == 0xff)
			ts_merge_every_second(m, now_ns);
	}
	ts_merge_turn(m, &batch, now_ns + UINT64_C(1000000000));
	if (ts_merge_waits(m))
		abort();
	ts_merge_free(&m);
	return 0;
}
