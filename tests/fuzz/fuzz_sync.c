/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of an input through sync, analyzer, clock and random access points.
 *
 * The first byte chooses the mode and how the bytes are cut.
 */
#include "tests/fuzz/fuzz.h"
#include "worker/ts/analyze.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/rap.h"
#include "worker/ts/sync.h"

#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void feed(struct analyze *a, struct pcr_clock *clock, struct ts_run run)
{
	const struct psi *psi = analyze_psi(a);
	struct rap rap = { 0 };
	uint64_t pts;

	check(run.n > 0);
	for (size_t i = 0; i < run.n; i++) {
		const uint8_t *p = run.data + i * TS_PACKET;

		check(ts_sync_ok(p));
		if (pcr_clock_feed(clock, p))
			check(pcr_clock_bps(clock) > 0);
		(void)pes_pts(p, &pts);
	}
	analyze_feed(a, run);
	for (size_t i = 0; i < run.n; i++) {
		const uint8_t *p = run.data + i * TS_PACKET;
		uint16_t pid = ts_pid(p);

		rap_follow(&rap, pid, psi_stream_type(psi, pid),
			   psi_class(psi, pid));
		(void)rap_feed(&rap, p);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct analyze_config config = { .cc_limit = 3 };
	struct pcr_clock clock;
	struct analyze_report report;
	struct ts_sync sync;
	struct ts_run run;

	if (size == 0)
		return 0;

	size_t chunk = 7 + 188 * (size_t)(data[0] & 0x0f);

	config.no_analyze = data[0] & 0x20;
	ts_sync_init(&sync, data[0] & 0x10 ? TS_SYNC_DATAGRAM
					   : TS_SYNC_STREAM);
	pcr_clock_init(&clock, TS_PID_NULL);
	struct analyze *a = analyze_new(&config);

	data++;
	size--;
	while (size > 0) {
		size_t n = chunk < size ? chunk : size;
		uint8_t *part = malloc(n);

		memcpy(part, data, n);
		ts_sync_push(&sync, part, n);
		while (ts_sync_pull(&sync, &run))
			feed(a, &clock, run);
		free(part);
		data += n;
		size -= n;
	}
	analyze_every_second(a, 1000, &report);
	check(report.packets >= report.cc_error);
	analyze_free(&a);
	return 0;
}
