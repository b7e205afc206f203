/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/batch.h"

#include "common/base/util.h"

#include <string.h>

void batch_init(struct batch *b, batch_fn *on_packets, void *arg)
{
	b->on_packets = on_packets;
	b->arg = arg;
	b->n_runs = 0;
	b->n_scratch = 0;
}

void batch_flush(struct batch *b)
{
	size_t n = b->n_runs;

	b->n_runs = 0;
	b->n_scratch = 0;
	if (n > 0)
		b->on_packets(b->runs, n, b->arg);
}

void batch_add(struct batch *b, struct ts_run run)
{
	if (b->n_runs > 0) {
		struct ts_run *last = &b->runs[b->n_runs - 1];

		if (last->data + last->n * TS_PACKET == run.data) {
			last->n += run.n;
			return;
		}
	}
	if (b->n_runs == BATCH_RUNS)
		batch_flush(b);
	b->runs[b->n_runs++] = run;
}

void batch_sync(struct batch *b, struct ts_sync *sync, const void *data,
		size_t len)
{
	struct ts_run run;

	ts_sync_push(sync, data, len);
	while (ts_sync_pull(sync, &run)) {
		uintptr_t at = (uintptr_t)run.data, own = (uintptr_t)sync;

		if (at < own || at - own >= sizeof *sync) {
			batch_add(b, run);
			continue;
		}
		/* the run is in memory of the sync, which the next pull
		 * overwrites: copies the run */
		for (size_t n; run.n > 0;
		     run.data += n * TS_PACKET, run.n -= n) {
			/* before the copy: a flush empties the scratch */
			if (b->n_scratch == BATCH_SCRATCH ||
			    b->n_runs == BATCH_RUNS)
				batch_flush(b);

			uint8_t *to = b->scratch + b->n_scratch * TS_PACKET;

			n = MIN(run.n, BATCH_SCRATCH - b->n_scratch);
			memcpy(to, run.data, n * TS_PACKET);
			b->n_scratch += n;
			batch_add(b, (struct ts_run){ .data = to, .n = n });
		}
	}
}
