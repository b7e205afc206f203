/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes out when the inputs together exceed the rate. */
#include "common/base/units.h"
#include "worker/mux/mux_state.h"

enum {
	/* Time in which a change shows its effect. */
	EFFECT_MS = 300,
	CALM_MS = 1000,
	/* The part of the rate, in percent, that the inputs may have when
	 * another one is released. */
	ROOM_PERCENT = 96,
};

static uint64_t capacity(const struct mux *m, uint64_t ms)
{
	return m->cfg.kbps * ms / 8 / TS_PACKET;
}

/* The input that goes first; NULL: only one is left. */
static struct mux_source *find_lowest(struct mux *m)
{
	struct mux_source *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (in->blocked || in->silent || in->remux == NULL)
			continue;
		n++;
		/* of equal ones the last */
		if (found == NULL || in->priority <= found->priority)
			found = in;
	}
	return n > 1 ? found : NULL;
}

/* The blocked input that comes first and fits; NULL: none. */
static struct mux_source *find_fitting(struct mux *m)
{
	uint64_t sum = 0, most = capacity(m, 1000) * ROOM_PERCENT / 100;
	struct mux_source *found = NULL;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (!in->blocked)
			sum += in->rate;
		else if (found == NULL || in->priority > found->priority)
			found = in;
	}
	return found != NULL && sum + found->rate <= most ? found : NULL;
}

static void change(struct mux *m, struct mux_source *in, bool blocked)
{
	if (in == NULL)
		return;
	in->blocked = blocked;
	m->changed_ns = m->calm_ns = m->now_ns;
}

void mux_limit(struct mux *m)
{
	uint64_t waiting = cbr_waiting(m->cbr);
	uint64_t most = capacity(m, m->cfg.delay_ms);

	if (waiting > most / 4)
		m->calm_ns = m->now_ns;
	if (m->now_ns - m->changed_ns < EFFECT_MS * MS)
		return;
	if (waiting > most)
		change(m, find_lowest(m), true);
	else if (m->now_ns - m->calm_ns >= CALM_MS * MS)
		change(m, find_fitting(m), false);
}

static bool is_pmt(const struct mux_source *in, uint16_t pid)
{
	for (size_t i = 0; i < in->n_services; i++)
		if (in->services[i].pmt_pid == pid)
			return true;
	return false;
}

bool mux_admits(struct mux *m, struct mux_source *in, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	uint8_t *stopped = &m->stopped[pid];
	bool begins = ts_has_payload(packet) && ts_pusi(packet);

	if (!in->blocked && !*stopped)
		return true;
	if (is_pmt(in, pid))
		return true;
	if (begins) {
		*stopped = in->blocked;
		if (in->blocked)
			mux_counters_forget(&m->counters, pid);
	}
	if (*stopped)
		in->dropped++;
	return !*stopped;
}
