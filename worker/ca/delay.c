/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ca/delay.h"

#include "common/base/alloc.h"
#include "common/base/units.h"

#include <stdlib.h>

void delay_init(struct delay *d, unsigned ms)
{
	*d = (struct delay){ .ms = ms };
	packet_ring_init(&d->ring, DELAY_BYTES_MAX / TS_PACKET);
}

void delay_done(struct delay *d)
{
	packet_ring_done(&d->ring);
	free(d->steps);
	d->steps = NULL;
}

void delay_reset(struct delay *d)
{
	packet_ring_done(&d->ring);
	d->head = d->n = 0;
}

static struct delay_step *step_at(const struct delay *d, size_t i)
{
	return &d->steps[(d->head + i) % DELAY_STEPS_MAX];
}

void delay_push(struct delay *d, struct ts_run run, uint64_t now_ns)
{
	struct delay_step *last;

	if (d->steps == NULL)
		d->steps = xcalloc(DELAY_STEPS_MAX, sizeof *d->steps);
	last = d->n > 0 ? step_at(d, d->n - 1) : NULL;
	if (last == NULL || (now_ns - last->ns >= DELAY_STEP_MS * MS &&
			     d->n < DELAY_STEPS_MAX)) {
		last = step_at(d, d->n++);
		*last = (struct delay_step){ .ns = now_ns };
	}
	last->n += run.n;
	while (run.n > 0) {
		struct ts_run put = packet_ring_push(&d->ring, run);

		run.data += put.n * TS_PACKET;
		run.n -= put.n;
	}
}

struct ts_run delay_pull(struct delay *d, uint64_t now_ns, uint64_t *ret_ns)
{
	/* leaves an eighth of the ring free for the next reads */
	const size_t most = d->ring.max - d->ring.max / 8;
	struct delay_step *step;
	struct ts_run run = { 0 };

	if (d->n == 0)
		return run;
	step = step_at(d, 0);
	if (now_ns < step->ns + d->ms * MS && d->ring.len <= most)
		return run;
	run = packet_ring_run(&d->ring, step->n);
	*ret_ns = step->ns;
	packet_ring_drop(&d->ring, run.n);
	step->n -= run.n;
	if (step->n == 0) {
		d->head = (d->head + 1) % DELAY_STEPS_MAX;
		d->n--;
	}
	return run;
}

uint64_t delay_next_ns(const struct delay *d)
{
	return d->n > 0 ? step_at(d, 0)->ns + d->ms * MS : UINT64_MAX;
}
