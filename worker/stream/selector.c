/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/selector.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/units.h"
#include "worker/mux/mux.h"
#include "worker/stream/selector_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	START_MS = 5000,
	RETURN_MS = 10000,
	DAMPING_MS = 60000,
};

static size_t count_chains(const struct selector *s)
{
	return s->n + (s->fill != NULL);
}

/* --- the choice of the input --- */

static void open_wanted(struct selector *s)
{
	for (size_t i = 0; i < s->n; i++)
		chain_want(&s->chains[i],
			   s->decision->wanted[i] ||
				   s->ending == &s->chains[i].candidate,
			   s->now_ns);
	if (s->fill != NULL)
		chain_want(s->fill,
			   s->decision->cover == FAILOVER_FILLER ||
				   s->on_air == &s->fill->candidate ||
				   s->ending == &s->fill->candidate,
			   s->now_ns);
}

static void decide(struct selector *s)
{
	const struct input_chain *on_air = selector_input_on_air(s);

	s->changed = false;
	s->decision =
		failover_decide(s->failover,
				on_air != NULL ? (int)(on_air - s->chains)
						: FAILOVER_PLAYS_NONE,
				s->now_ns);
	selector_follow(s);
	open_wanted(s);
}

static void look(struct selector *s)
{
	struct failover_sight sight;

	for (size_t i = 0; s->mux != NULL && i < s->n; i++)
		(void)chain_look(&s->chains[i], s->now_ns, &sight);
	if (s->mux != NULL)
		return;
	for (size_t i = 0; i < count_chains(s); i++) {
		struct input_chain *l = &s->chains[i];

		if (!l->wanted || !chain_look(l, s->now_ns, &sight))
			continue;
		if (l != s->fill)
			failover_see(s->failover, i, &sight, s->now_ns);
		s->changed = true;
	}
}

/* --- the turn --- */

/* The chosen input while it waits to be entered, else NULL. */
static struct input_chain *pending_chain(const struct selector *s)
{
	struct input_chain *c = &s->chains[s->decision->input];

	return c->candidate.state == CANDIDATE_PENDING ? c : NULL;
}

size_t selector_due(struct selector *s, uint64_t now_ns,
		    struct input_chain *ret[SELECTOR_DUE_MAX])
{
	/* the input whose last units are sent goes first */
	struct input_chain *first[4] = { 0 };
	size_t n = 0;

	s->now_ns = now_ns;
	for (size_t i = 0; s->mux != NULL && i < s->n; i++)
		ret[n++] = &s->chains[i];
	if (s->failover == NULL)
		return n;
	first[0] = selector_chain_of(s, s->ending);
	first[1] = selector_chain_of(s, s->on_air);
	first[2] = pending_chain(s);
	if (s->fill != first[0] && s->fill != first[1])
		first[3] = s->fill;
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		if (first[i] != NULL)
			ret[n++] = first[i];
	if (now_ns < s->standby_ns)
		return n;
	for (size_t i = 0; i < s->n; i++)
		if (s->chains[i].candidate.state == CANDIDATE_STANDBY)
			ret[n++] = &s->chains[i];
	s->standby_ns = now_ns + SELECTOR_STANDBY_MS * MS;
	return n;
}

void selector_turn(struct selector *s)
{
	if (s->mux != NULL)
		look(s);
	if (s->failover == NULL)
		return;
	if (s->ending != NULL && !splice_is_draining(s->splice, s->now_ns)) {
		/* the last units of the source were sent: it may be closed */
		selector_cut(s, s->ending);
		s->ending = NULL;
		s->changed = true;
	}
	look(s);
	/* twice, because the first decision may change the state */
	for (int i = 0; i < 2; i++)
		if (s->changed || s->now_ns >= s->decision->next_ns)
			decide(s);
}

void selector_link(struct selector *s, const char *stream, int fd)
{
	for (size_t i = 0; i < s->n; i++) {
		struct input_keeper *keeper = &s->chains[i].keeper;
		int own = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;

		if (!input_keeper_link(keeper, stream, own))
			fd_close(&own);
	}
}

void selector_show_tables(struct selector *s, unsigned position)
{
	for (size_t i = 0; i < s->n; i++)
		chain_show_tables(&s->chains[i],
				  s->chains[i].position == position);
}

void selector_take_cam(struct selector *s, const struct msg *m,
		       uint64_t now_ns)
{
	for (size_t i = 0; i < s->n; i++)
		chain_take_cam(&s->chains[i], m, now_ns);
}

void selector_rename(struct selector *s, const char *from, const char *to)
{
	for (size_t i = 0; i < s->n; i++)
		input_keeper_rename(&s->chains[i].keeper, from, to);
}

bool selector_is_busy(const struct selector *s)
{
	const struct input_chain *read[] = {
		selector_chain_of(s, s->on_air),
		s->failover != NULL ? pending_chain(s) : NULL,
		selector_chain_of(s, s->ending),
		s->fill,
	};

	/* a multiplex has a constant rate: it runs at every tick */
	if (s->mux != NULL)
		return s->n > 0;
	for (size_t i = 0; i < ARRAY_LEN(read); i++)
		if (read[i] != NULL && read[i]->keeper.input != NULL &&
		    (read[i]->empty_reads < CHAIN_EMPTY_READS ||
		     input_fd(read[i]->keeper.input) < 0))
			return s->failover != NULL;
	return false;
}

bool selector_is_roomy(const struct selector *s)
{
	for (size_t i = 0; i < count_chains(s); i++) {
		const struct input *input = s->chains[i].keeper.input;

		if (input != NULL && !input_is_roomy(input))
			return false;
	}
	return true;
}

int selector_fd(const struct selector *s)
{
	const struct input_chain *c = selector_chain_of(s, s->on_air);

	if (s->failover != NULL && c == NULL)
		c = pending_chain(s);
	return c != NULL && c->keeper.input != NULL ? input_fd(c->keeper.input)
						    : -1;
}

uint64_t selector_next_ns(const struct selector *s, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	if (s->failover == NULL)
		return next;
	next = s->decision->next_ns;
	if (s->still.state != CANDIDATE_STANDBY)
		next = MIN(next, filler_next_ns(s->filler));
	for (size_t i = 0; i < count_chains(s); i++) {
		const struct input_chain *c = &s->chains[i];
		uint64_t silent = silence_ns(&c->silence);

		if (c->wanted)
			next = MIN(next, input_keeper_next_ns(&c->keeper));
		if (c->wanted && silent > now_ns)
			next = MIN(next, silent);
		/* packets that the CA stage delays leave when their input is
		 * read */
		if (c->wanted && c->ca != NULL && c->keeper.input != NULL) {
			uint64_t held = ca_stage_next_ns(c->ca);

			if (c->candidate.state == CANDIDATE_STANDBY)
				held = MAX(held, s->standby_ns);
			next = MIN(next, held);
		}
		if (&c->candidate != s->on_air && c->keeper.input != NULL)
			next = MIN(next, s->standby_ns);
	}
	return next;
}

void selector_second(struct selector *s, uint64_t now_ns,
		     struct msg_stream_status *status)
{
	s->now_ns = now_ns;
	for (size_t i = 0; i < count_chains(s); i++)
		chain_second(&s->chains[i], now_ns);
	look(s);
	selector_report(s, status);
	if (s->failover != NULL)
		decide(s);
}

bool selector_is_relay(const struct selector *s)
{
	struct splice_counters spliced;

	splice_counters(s->splice, &spliced);
	return s->n == 1 && s->fill == NULL && s->mux == NULL &&
	       s->chains[0].remux == NULL &&
	       spliced.cuts == 0;
}

const struct input_chain *selector_chain(const struct selector *s,
					 unsigned position)
{
	return position >= 1 && position <= s->n ? &s->chains[position - 1]
						 : NULL;
}

bool selector_has_tables(const struct selector *s)
{
	for (size_t i = 0; i < count_chains(s); i++)
		if (s->chains[i].remux != NULL)
			return s->mux == NULL;
	return false;
}

bool selector_enters_still(const struct selector *s)
{
	return s->entered == &s->still;
}

struct candidate *selector_still(struct selector *s)
{
	return s->still.state != CANDIDATE_STANDBY ? &s->still : NULL;
}

void selector_warm(const struct selector *s, struct prefetch *w)
{
	const struct input_chain *c = selector_chain_of(s, s->on_air);

	prefetch_add(w, s, offsetof(struct selector, switch_log));
	prefetch_add(w, s->decision, PREFETCH_LINE);
	if (c == NULL)
		return;
	prefetch_add(w, c, offsetof(struct input_chain, error));
	prefetch_add(w, &c->seen, sizeof c->seen);
	prefetch_add(w, &c->keeper, offsetof(struct input_keeper, error) + 1);
	if (c->keeper.input != NULL)
		input_warm(c->keeper.input, w);
	if (c->watch.monitor != NULL)
		monitor_warm(c->watch.monitor, w);
}

/* --- the choice of an operator --- */

/* Writes what will happen if the chosen input is not on air now; "": it is on
 * air. */
static void warn_of_choice(const struct selector *s,
			   const struct input_chain *c, struct errmsg *ret)
{
	uint64_t due_ns = failover_due_ns(s->failover, c->position - 1);
	const char *fault = c->fault != NULL ? c->fault : "";
	const char *state = "is not on air";
	char reason[128] = "";
	unsigned due_s = 0;

	errmsg_set(ret, "%s", "");
	if (due_ns == UINT64_MAX)
		return;
	if (due_ns > s->now_ns)
		due_s = (unsigned)((due_ns - s->now_ns + SECOND_NS - 1) /
				   SECOND_NS);
	if (c->keeper.error.text[0] != '\0')
		fault = c->keeper.error.text;
	if (fault[0] != '\0')
		(void)snprintf(reason, sizeof reason, " (%.100s)", fault);
	else if (c->verdict == FAILOVER_UNKNOWN)
		state = "was not monitored";
	if (&c->candidate == s->on_air)
		errmsg_set(ret, "input %u is active and not on air%s",
			   c->position, reason);
	else if (s->forces)
		errmsg_set(ret, "input %u %s%s: it becomes active when it is "
			   "on air, or after %u s", c->position, state, reason,
			   due_s);
	else
		errmsg_set(ret, "input %u %s%s: if it is not on air in %u s, "
			   "the stream changes to the next input", c->position,
			   state,
			   reason, due_s);
}

int selector_choose(struct selector *s, unsigned position, uint64_t now_ns,
		    struct errmsg *error)
{
	size_t i = position - 1;
	int r;

	if (s->failover == NULL || position > s->n)
		return errmsg_fail(error, -EINVAL, "is not one of 1 to %zu",
				   s->n);
	if (position == 0)
		i = failover_following(s->failover, s->decision->input);
	r = failover_choose(s->failover, i, now_ns);
	if (r == -EPERM)
		return errmsg_fail(error, r, "is chosen by what the inputs "
				   "carry");
	if (r < 0)
		return errmsg_fail(error, r, "%s",
				   s->chains[i].keeper.error.text);
	s->now_ns = now_ns;
	decide(s);
	warn_of_choice(s, &s->chains[i], error);
	return (int)i + 1;
}

/* --- start and end --- */

static uint32_t delay_ms(int configured_s, uint32_t otherwise_ms)
{
	return configured_s == BACKUP_DELAY_DEFAULT
		       ? otherwise_ms
		       : (uint32_t)configured_s * 1000;
}

static void make_policy(struct selector *s, const struct selector_config *cfg)
{
	static const enum failover_mode modes[] = {
		[BACKUP_ACTIVE] = FAILOVER_ACTIVE,
		[BACKUP_STOP] = FAILOVER_STOP,
		[BACKUP_PASSIVE] = FAILOVER_PASSIVE,
		[BACKUP_DISABLE] = FAILOVER_DISABLE,
	};
	const struct stream_spec *spec = cfg->spec;
	struct failover_config policy = {
		.mode = modes[spec->backup],
		.start_ms = delay_ms(spec->backup_start_delay_s, START_MS),
		.loss_ms = delay_ms(spec->backup_start_delay_s, 0),
		.return_ms = delay_ms(spec->backup_return_delay_s, RETURN_MS),
		.no_return = !spec->backup_force_return,
		.damping_ms = delay_ms(spec->backup_damping_s, DAMPING_MS),
		.filler = spec->filler != FILLER_NONE,
		.first = MAX(cfg->start->first, 1U) - 1,
		.by_hand = cfg->start->by_hand,
		.n_inputs = s->n,
	};

	for (size_t i = 0; i < s->n; i++) {
		policy.inputs[i] = chain_policy(&s->chains[i]);
		policy.inputs[i].initial_ms =
			delay_ms(spec->backup_initial_delay_s,
				 policy.inputs[i].initial_ms);
	}
	s->forces = policy.mode == FAILOVER_DISABLE;
	s->failover = failover_new(&policy, s->now_ns);
	s->decision = failover_decide(s->failover, FAILOVER_PLAYS_NONE,
				      s->now_ns);
	/* the first choice is on air at once, as no other input is */
	s->chosen = s->decision->input;
	s->reason = s->decision->reason;
	s->on_air = &s->chains[s->chosen].candidate;
	candidate_handle(s->on_air, CANDIDATE_ENTER);
	si_versions_begin(s->si, s->chains[s->chosen].position);
	open_wanted(s);
	decide(s);
}

struct selector *selector_new(const struct selector_config *cfg)
{
	struct selector *s = xcalloc(1, sizeof *s);
	char fill[FILLER_PATH_MAX + 16];

	s->on_switch = cfg->on_switch;
	s->arg = cfg->arg;
	s->now_ns = cfg->now_ns;
	s->si = &cfg->memory->si;
	s->splice = cfg->splice;
	s->filler = cfg->filler;
	s->mux = cfg->mux;
	s->n = cfg->start->n_inputs;
	s->chains = xcalloc(s->n + 1, sizeof *s->chains);
	(void)snprintf(fill, sizeof fill, "file://%s#loop",
		       cfg->spec->filler_path);
	if (cfg->spec->filler == FILLER_FILE && cfg->mux == NULL)
		s->fill = &s->chains[s->n];
	for (size_t i = 0; i < count_chains(s); i++)
		chain_init(&s->chains[i],
			   &(struct chain_config){
				   .position = (unsigned)i + 1,
				   .address = i < s->n ? cfg->start->inputs[i]
						       : fill,
				   .is_filler = i == s->n,
				   .stream = cfg->spec,
				   .cas = cfg->cas,
				   .csa = cfg->csa,
				   .alone = s->n == 1 && s->fill == NULL,
				   .place = cfg->mux != NULL
						    ? mux_place(cfg->mux, i)
						    : NULL,
				   .versions = &cfg->memory->tables,
				   .si = &cfg->memory->si,
				   .decapsulated = cfg->decapsulated,
				   .descrambled = cfg->descrambled,
				   .remuxed = cfg->remuxed,
				   .arg = cfg->arg,
				   .ask = cfg->ask,
				   .ask_arg = cfg->ask_arg,
			   });
	for (size_t i = 0; s->mux != NULL && i < s->n; i++) {
		mux_set_remux(s->mux, i, s->chains[i].remux);
		chain_want(&s->chains[i], s->chains[i].keeper.valid,
			   s->now_ns);
	}
	if (s->n > 0 && s->mux == NULL)
		make_policy(s, cfg);
	return s;
}

void selector_free(struct selector **ptr)
{
	struct selector *s = *ptr;

	*ptr = NULL;
	if (s == NULL)
		return;
	for (size_t i = 0; i < count_chains(s); i++)
		chain_done(&s->chains[i]);
	failover_free(&s->failover);
	switch_point_free(&s->still.entry);
	free(s->chains);
	free(s);
}
