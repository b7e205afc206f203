/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All clocks together: those that announce a time base, and their times, from
 * which the next worker continues. */
#include "worker/output/cbr_state.h"

bool cbr_is_undecided(const struct cbr *c)
{
	for (size_t i = 0; i < c->n_clocks; i++) {
		const struct cbr_clock *k = &c->clocks[i];
		bool waits = k->running && k->in_tick < c->held_tick &&
			     !cbr_is_gone(k, c->pause_tick);

		if (k->doubts || waits)
			return true;
	}
	return false;
}

struct cbr_clock *cbr_find_begun(struct cbr *c)
{
	size_t i = 0;

	if (c->n_begun == 0)
		return NULL;
	while (!c->clocks[i].begun)
		i++;
	return &c->clocks[i];
}

size_t cbr_times(const struct cbr *c, struct cbr_time *ret, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_clocks && n < max; i++) {
		const struct cbr_clock *k = &c->clocks[i];

		/* a resumed clock, too, that has sent nothing yet */
		if (k->running && !cbr_is_gone(k, c->tick))
			ret[n++] = (struct cbr_time){
				.pid = k->pid,
				.pcr = k->base_pcr,
				.at_ns = k->base_tick / 27 * 1000 +
					 k->base_tick % 27 * 1000 / 27,
			};
	}
	return n;
}

void cbr_resume(struct cbr *c, const struct cbr_time *t)
{
	struct cbr_clock *k;

	if (c->n_clocks == c->clocks_max || c->clock_of[t->pid] > 0)
		return;
	k = &c->clocks[c->n_clocks++];
	c->clock_of[t->pid] = (uint8_t)c->n_clocks;
	k->pid = t->pid;
	k->mux = c->places != NULL;
	k->running = true;
	k->base_pcr = k->in_pcr = t->pcr;
	k->base_tick = k->in_tick = cbr_tick(t->at_ns);
	k->window_tick = k->measured_tick = k->ramp_tick = k->base_tick;
	k->early = INT64_MIN;
	k->late = INT64_MAX;
}
