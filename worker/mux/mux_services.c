/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The services of the inputs: their PIDs of video and audio, and whether these
 * have packets. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/mux/mux_state.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>
#include <string.h>

/* Time between two checks of whether services on air are silent. */
enum { LOOK_MS = 40 };

/* --- the list --- */

bool mux_service_pmt(const struct mux_source *in, size_t nth, struct pmt *ret)
{
	size_t len;
	const uint8_t *section = remux_pmt(in->remux,
					   in->services[nth].new_number, &len);

	return section != NULL && pmt_decode(section, len, ret) == 0;
}

bool mux_main_stream(const struct mux_source *in, size_t nth,
		     struct pmt_stream *ret)
{
	bool found = false;
	struct pmt pmt;

	if (!mux_service_pmt(in, nth, &pmt))
		return false;
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];

		if (s->class == PID_VIDEO) {
			*ret = *s;
			return true;
		}
		if (s->class == PID_AUDIO && !found) {
			*ret = *s;
			found = true;
		}
	}
	return found;
}

static void find_av(const struct mux_source *in, size_t nth)
{
	struct mux_service *s = &in->states[nth];
	struct pmt pmt;

	s->n_av = 0;
	if (!mux_service_pmt(in, nth, &pmt))
		return;
	for (size_t i = 0; i < pmt.n_streams && s->n_av < MUX_AV_MAX; i++)
		if (pmt.streams[i].class == PID_VIDEO ||
		    pmt.streams[i].class == PID_AUDIO)
			s->av[s->n_av++] = pmt.streams[i].pid;
}

static void drop_held(struct mux_service *s)
{
	fifo_done(&s->held);
	s->held = (struct fifo){ 0 };
	s->holds = false;
}

void mux_free_services(struct mux_source *in)
{
	for (size_t i = 0; i < in->n_found; i++) {
		drop_held(&in->states[i]);
		mux_free_fill(&in->states[i]);
	}
	free(in->states);
	free(in->gone);
	in->states = NULL;
	in->gone = NULL;
}

/* The state of the service with this number; NULL: there is none. */
static struct mux_service *find_old(struct mux_service *states,
				    const struct remux_service *services,
				    size_t n, uint16_t number)
{
	for (size_t i = 0; i < n; i++)
		if (services[i].new_number == number)
			return &states[i];
	return NULL;
}

void mux_read_services(struct mux *m, struct mux_source *in)
{
	struct remux_service before[MUX_SERVICES_MAX];
	struct remux_service unsent[MUX_SERVICES_MAX];
	struct mux_service *old = in->states;
	size_t n_old = in->n_found;

	/* The next change does not wait for the PMTs that are missing now. */
	in->await_ns = 0;
	in->n_unsent = remux_unsent(in->remux, unsent, MUX_SERVICES_MAX);
	for (size_t i = 0; i < in->n_unsent; i++)
		in->unsent[i] = unsent[i].number;

	memcpy(before, in->services, sizeof before);
	in->builds = remux_builds(in->remux);
	in->n_found = remux_services(in->remux, in->services,
				     MUX_SERVICES_MAX);
	in->states = xcalloc(in->n_found + 1, sizeof *in->states);
	for (size_t i = 0; i < n_old; i++)
		drop_held(&old[i]);
	for (size_t i = 0; i < in->n_found; i++) {
		struct mux_service *s = find_old(old, before, n_old,
						 in->services[i].new_number);

		if (s != NULL) {
			in->states[i] = *s;
			s->fill = NULL;
		} else {
			mux_resume_service(m, in, i);
		}
		/* the main stream may have another PID now */
		in->states[i].return_ns = 0;
		find_av(in, i);
	}
	for (size_t i = 0; i < n_old; i++)
		mux_free_fill(&old[i]);
	free(old);
}

/* --- silence --- */

/* True if MUX_SILENT_MS have passed since heard_ns. */
static bool is_over(const struct mux *m, uint64_t heard_ns)
{
	return m->now_ns - MIN(heard_ns, m->now_ns) > MUX_SILENT_MS * MS;
}

static bool look_at_services(struct mux *m, struct mux_source *in)
{
	bool changed = false;

	for (size_t k = 0; k < in->n_services; k++) {
		struct mux_service *s = &in->states[k];
		bool silent;

		for (size_t i = 0; i < s->n_av; i++)
			s->heard_ns = MAX(s->heard_ns, m->fed_ns[s->av[i]]);
		if (s->n_av == 0)
			s->heard_ns = in->heard_ns;
		silent = in->silent || is_over(m, s->heard_ns);
		changed |= silent != s->silent;
		s->silent = silent;
	}
	return changed;
}

bool mux_look_for_silence(struct mux *m)
{
	bool all = m->now_ns - m->looked_ns >= LOOK_MS * MS, changed = false;

	if (all)
		m->looked_ns = m->now_ns;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];
		bool was = in->silent;

		in->silent = in->heard_ns == 0 || is_over(m, in->heard_ns);
		/* When the input ends a silence in which all its packets have
		 * left the line, the PMTs of the remux are sent. */
		if (in->silent && in->line.n == 0) {
			in->drained = true;
		} else if (!in->silent && in->drained) {
			in->drained = false;
			for (size_t k = 0; k < in->n_services; k++)
				mux_renew_pmt(m, in, k);
		}
		/* A service that can return is checked in each call, so that
		 * its first packets end the silence. */
		if (all || in->silent != was || in->n_absent > 0 ||
		    in->n_gated > 0)
			changed |= look_at_services(m, in);
	}
	return changed;
}
