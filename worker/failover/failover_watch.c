/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which inputs are open besides the chosen one, so that they are
 * watched. */
#include "worker/failover/failover_state.h"

#include <string.h>

/* True if the input is on air, or may be soon, because it is not judged yet. */
static bool is_hopeful(struct input *in, uint64_t now_ns)
{
	if (is_good(in))
		return true;
	if (in->known_bad)
		return false;
	if (!in->open)
		return true;
	in->known_bad = in->was_good || in->sight.broken ||
		now_ns >= initial_ns(in);
	return !in->known_bad;
}

/* Lists the inputs to watch besides the chosen one, in their order; returns
 * their number.  Behind the chosen one the list ends with the first promising
 * input. */
static size_t list_interesting(struct failover *f, size_t *list,
			       uint64_t now_ns)
{
	size_t c = f->decision.input;
	size_t n = 0;

	for (size_t i = 0; i < f->cfg.n_inputs; i++) {
		struct input *in = &f->inputs[i];
		bool promises = in->cfg.cold ? may_try(in, now_ns)
					     : is_hopeful(in, now_ns);

		if (i == c || !is_usable(in))
			continue;
		if (!in->cfg.cold)
			list[n++] = i;
		if (i > c && promises &&
		    !damper_is_damped(&in->damper, now_ns))
			break;
	}
	return n;
}

static bool waits_for_look(const struct failover *f, size_t i)
{
	return !f->decision.wanted[i] && !is_good(&f->inputs[i]);
}

/* Opens inputs that are off air in turns, as many as `places' at a time. */
static void want_in_turns(struct failover *f, const size_t *list, size_t n,
			  size_t places, uint64_t now_ns)
{
	size_t first = 0, waiting = 0, taken = 0;
	uint64_t ms = FAILOVER_TURN_MS;

	for (size_t k = 0; k < n; k++)
		waiting += waits_for_look(f, list[k]);
	if (now_ns >= f->turn_end_ns)
		f->turn = f->next_turn;
	while (first < n && list[first] < f->turn)
		first++;
	for (size_t k = 0; k < n && taken < places; k++) {
		size_t i = list[(first + k) % n];

		if (!waits_for_look(f, i))
			continue;
		f->decision.wanted[i] = true;
		f->next_turn = i + 1;
		ms = MAX(ms, f->inputs[i].cfg.initial_ms + UINT64_C(1000));
		taken++;
	}
	if (waiting <= places)
		f->turn_end_ns = UINT64_MAX;
	else if (now_ns >= f->turn_end_ns || f->turn_end_ns == UINT64_MAX)
		f->turn_end_ns = now_ns + ms * MS;
}

void failover_watch(struct failover *f, int playing, uint64_t now_ns)
{
	size_t list[FAILOVER_INPUTS_MAX];
	bool *wanted = f->decision.wanted;
	size_t n, places = FAILOVER_WATCHED_MAX;

	memset(wanted, 0, sizeof f->decision.wanted);
	wanted[f->decision.input] = true;
	if (playing >= 0)
		wanted[playing] = true;
	if (watches(f)) {
		n = list_interesting(f, list, now_ns);
		/* inputs on air go first: one of them may be needed soon */
		for (size_t k = 0; k < n && places > 1; k++) {
			if (!is_good(&f->inputs[list[k]]))
				continue;
			wanted[list[k]] = true;
			places--;
		}
		want_in_turns(f, list, n, places, now_ns);
	}
	for (size_t i = 0; i < f->cfg.n_inputs; i++) {
		struct input *in = &f->inputs[i];

		if (wanted[i] == in->open)
			continue;
		in->open = wanted[i];
		in->sight = (struct failover_sight){ .ended = in->sight.ended };
		in->was_good = in->delivered = false;
		in->opened_ns = now_ns;
		in->bad_ns = now_ns;
	}
}
