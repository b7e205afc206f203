/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/mux_plan.h"

#include "common/base/alloc.h"
#include "proto/si/json.h"
#include "proto/spec/plan_shape.h"
#include "worker/mux/mux_state.h"

#include <stdlib.h>

/* --- clashes --- */

/* With pid_mode `keep': the position (from 1) of another input because of which
 * the input cannot keep this service number: its set_pnr is this number, or it
 * precedes the input and uses the number; 0: there is none. */
static unsigned number_owner(const struct mux *m, size_t input, uint16_t number)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];

		if (i != input && in->number == number)
			return (unsigned)i + 1;
		for (size_t k = 0; i < input && k < in->n_found; k++)
			if (in->services[k].new_number == number)
				return (unsigned)i + 1;
	}
	return 0;
}

/* As number_owner(), for a PID that a map of the other input demands, or that a
 * preceding input uses. */
static unsigned pid_owner(const struct mux *m, size_t input, uint16_t pid)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];

		if (i != input && place_has(in->pids, pid))
			return (unsigned)i + 1;
		if (i < input && in->remux != NULL &&
		    remux_sends_pid(in->remux, pid))
			return (unsigned)i + 1;
	}
	return 0;
}

static void put_clash(json_t *o, unsigned owner)
{
	if (owner != 0)
		si_put_uint(o, "clash", owner);
}

/* --- services --- */

static void add_service(const struct mux *m, size_t input,
			const struct remux_service *s, json_t *list)
{
	const struct mux_source *in = &m->inputs[input];
	bool kept = m->cfg.keep && s->new_number == s->number;
	json_t *o = si_add_object(list);

	si_put_uint(o, "pnr", s->number);
	if (s->new_number != 0)
		si_put_uint(o, "out", s->new_number);
	if (s->pmt_pid != 0)
		si_put_uint(o, "pmt_pid", s->pmt_pid);
	if (in->number != 0 && s->new_number == in->number) {
		si_put_string(o, "from", "set_pnr");
	} else {
		si_put_string(o, "from", kept ? "keep" : "block");
		if (m->cfg.keep && !kept)
			put_clash(o, number_owner(m, input, s->number));
	}
}

/* --- PIDs --- */

static void add_pid(const struct mux *m, size_t input,
		    const struct remux_pid *pid, json_t *list)
{
	static const char *const names[] = {
		[PID_BY_MAP] = "map", [PID_KEPT] = "keep",
		[PID_MOVED] = "block", [PID_ADDED] = "mux",
		[PID_BY_HBBTV] = "hbbtv_url",
	};
	enum pid_origin origin = pid->origin;
	json_t *o = si_add_object(list);

	/* without pid_mode `keep' the PID comes from the block, even if its
	 * number is that of the source */
	if (origin == PID_KEPT && !m->cfg.keep)
		origin = PID_MOVED;
	if (pid->pid != 0)
		si_put_uint(o, "pid", pid->pid);
	if (pid->out != 0)
		si_put_uint(o, "out", pid->out);
	si_put_string(o, "from", names[origin]);
	if (m->cfg.keep && origin == PID_MOVED)
		put_clash(o, pid_owner(m, input, pid->pid));
}

json_t *mux_plan(const struct mux *m, size_t input, unsigned from,
		 unsigned *ret_next)
{
	const struct mux_source *in = &m->inputs[input];
	struct remux_pid pids[PLAN_PIDS_MAX];
	uint16_t at = (uint16_t)from;
	json_t *o = json_object(), *list;
	size_t n;

	*ret_next = 0;
	if (from == 0) {
		json_t *block = json_object();

		si_put_uint(block, "first", in->place.base);
		si_put_uint(block, "last", in->place.base +
					   in->place.count - 1U);
		(void)json_object_set_new(o, "block", block);
	}
	if (in->remux == NULL)
		return o;
	if (from == 0) {
		struct remux_service *services =
			xcalloc(PLAN_SERVICES_MAX, sizeof *services);

		list = si_put_list(o, "services");
		n = remux_services(in->remux, services, PLAN_SERVICES_MAX);
		n += remux_unsent(in->remux, services + n,
				  PLAN_SERVICES_MAX - n);
		for (size_t i = 0; i < n; i++)
			add_service(m, input, &services[i], list);
		free(services);
	}
	list = si_put_list(o, "pids");
	n = remux_pids(in->remux, &at, pids, PLAN_PIDS_MAX);
	for (size_t i = 0; i < n; i++)
		add_pid(m, input, &pids[i], list);
	*ret_next = at;
	return o;
}
