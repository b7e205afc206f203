/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of any content through T2-MI: what comes out has the sync byte, and
 * its number is bounded by what came in.
 *
 * The first byte chooses the PLP and where a reset comes.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"
#include "worker/t2mi/t2mi.h"

enum { PID = 4096, NULLS = 255 };

static void count(const struct ts_run *runs, size_t n_runs, void *arg)
{
	size_t *n = arg;

	for (size_t i = 0; i < n_runs; i++) {
		must(runs[i].n > 0 && runs[i].n <= BASEBAND_BATCH);
		for (size_t k = 0; k < runs[i].n; k++)
			must(ts_sync_ok(runs[i].data + k * TS_PACKET));
		*n += runs[i].n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = 0, packets;
	struct t2mi_counts counts;
	struct t2mi *t;

	if (size == 0)
		return 0;
	packets = (size - 1) / TS_PACKET;
	t = t2mi_new(PID, data[0] & 1 ? T2MI_PLPS : 0, count, &n);
	for (size_t i = 0; i < packets; i++) {
		struct ts_run run = { data + 1 + i * TS_PACKET, 1 };

		if (i > 0 && i == data[0] >> 1)
			t2mi_reset(t);
		t2mi_feed(t, &run, 1);
	}
	counts = t2mi_take_counts(t);
	must(n <= packets * (NULLS + 1));
	must(counts.crc_errors <= counts.packets);
	t2mi_free(&t);
	return 0;
}
