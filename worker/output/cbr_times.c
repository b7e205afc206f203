/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What concerns all clocks of an output: which of them announce a time base,
 * and the PCRs from which the next worker continues. */
#include "worker/output/cbr_state.h"

#include "common/base/units.h"

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

uint64_t cbr_next_pcr(const struct cbr *c)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < c->n_clocks; i++) {
		const struct cbr_clock *k = &c->clocks[i];

		if (k->sent && !cbr_is_gone(k, c->tick))
			next = MIN(next, k->sent_tick +
					 CBR_PCR_NULL_MS * CBR_TICKS_MS);
	}
	return next;
}

size_t cbr_times(const struct cbr *c, struct cbr_time *ret, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_clocks && n < max; i++) {
		const struct cbr_clock *k = &c->clocks[i];

		/* also a clock of cbr_resume() that has sent no PCR yet */
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

static void name_clock(struct cbr *c, const struct psi_program *program)
{
	struct pmt pmt;

	if (pmt_decode(program->pmt.data, program->pmt.len, &pmt) < 0)
		return;
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];

		if ((s->class == PID_VIDEO || s->class == PID_AUDIO) &&
		    c->pcr_of[s->pid] == TS_PID_NULL)
			c->pcr_of[s->pid] = pmt.pcr_pid;
	}
}

/* Sets for each video and audio PID the PCR PID of its program.  Subtitles and
 * teletext are left out, because their units arrive just in time. */
void cbr_name_clocks(struct cbr *c)
{
	const struct psi_program *programs;
	size_t n = psi_programs(c->psi, &programs);

	for (size_t i = 0; i < TS_PIDS; i++)
		c->pcr_of[i] = TS_PID_NULL;
	for (size_t i = 0; i < n; i++)
		if (programs[i].pmt.data != NULL)
			name_clock(c, &programs[i]);
}

void cbr_read_unit(struct cbr *c, const uint8_t *packet)
{
	struct pes_stamps at;
	uint8_t place;

	/* the packets of a multiplex have their times: the DTS is not used */
	if (c->places != NULL)
		return;
	place = c->clock_of[c->pcr_of[ts_pid(packet)]];
	if (place > 0 &&
	    pes_reader_take(&c->reader, packet, &at) == PES_READ)
		cbr_clock_unit(&c->clocks[place - 1], at.dts * PCR_PER_TICK);
}

uint64_t cbr_pause_ns(const struct cbr *c)
{
	int64_t ticks = CBR_PAUSE_MS * (int64_t)CBR_TICKS_MS;

	if (c->places != NULL)
		return CBR_PAUSE_MUX_MS * MS;
	for (size_t i = 0; i < c->n_clocks; i++)
		if (!cbr_is_gone(&c->clocks[i], c->tick))
			ticks = MIN(ticks, cbr_clock_slack(&c->clocks[i]));
	return (uint64_t)MAX(ticks, CBR_FAR_MS * (int64_t)CBR_TICKS_MS) /
	       CBR_TICKS_MS * MS;
}
