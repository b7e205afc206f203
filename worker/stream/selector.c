/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/selector.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/units.h"
#include "worker/stream/selector_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	/* Of one tick of most streams. */
	SELECTOR_WARM_RUNS = 12,
	START_MS = 5000,
	RETURN_MS = 10000,
	DAMPING_MS = 60000,
};

static size_t count_chains(const struct selector *s)
{
	return s->n + (s->fill != NULL);
}

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct selector *s = arg;

	chain_take(s->reading, runs, n_runs, s->now_ns);
}

/* What the input chain has made of them. */
static void on_made(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct selector *s = arg;

	selector_take(s, s->reading, runs, n_runs);
}

/* --- who is to play --- */

static void open_wanted(struct selector *s)
{
	for (size_t i = 0; i < s->n; i++)
		chain_want(&s->chains[i],
		           s->decision->wanted[i] ||
		                   s->resting == &s->chains[i],
		           s->now_ns);
	if (s->fill != NULL)
		chain_want(s->fill,
		           s->filling || s->flowing == s->fill ||
		                   s->resting == s->fill,
		           s->now_ns);
}

static int playing_index(const struct selector *s)
{
	return s->playing != NULL ? (int)(s->playing - s->chains)
	                          : FAILOVER_PLAYS_NONE;
}

static void decide(struct selector *s)
{
	s->seen = false;
	s->decision = failover_decide(s->failover, playing_index(s),
				      s->now_ns);
	selector_follow(s);
	open_wanted(s);
}

static void look(struct selector *s)
{
	struct failover_sight sight;

	for (size_t i = 0; i < count_chains(s); i++) {
		struct input_chain *l = &s->chains[i];

		if (!l->wanted || !chain_look(l, s->now_ns, &sight))
			continue;
		if (l != s->fill)
			failover_see(s->failover, i, &sight, s->now_ns);
		s->seen = true;
	}
}

/* --- the turn --- */

static void read_chain(struct selector *s, struct input_chain *l)
{
	s->reading = l;
	if (l != NULL)
		chain_read(l, &s->batch, s->now_ns);
}

static bool is_urgent(const struct selector *s, const struct input_chain *l)
{
	return l == s->flowing || l == s->resting || l == s->pending ||
	       l == s->fill;
}

static void read_standbys(struct selector *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!is_urgent(s, &s->chains[i]))
			read_chain(s, &s->chains[i]);
	s->standby_ns = s->now_ns + SELECTOR_STANDBY_MS * MS;
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

void selector_turn(struct selector *s, uint64_t now_ns)
{
	struct input_chain *pending = s->pending, *fill = s->fill;

	s->now_ns = now_ns;
	if (s->failover == NULL)
		return;
	/* first what flows: what is left of it goes in front */
	read_chain(s, s->resting);
	read_chain(s, s->flowing);
	if (pending != s->flowing)
		read_chain(s, pending);
	if (fill != s->flowing && fill != s->resting)
		read_chain(s, fill);
	if (now_ns >= s->standby_ns)
		read_standbys(s);
	selector_run_still(s);
	selector_look_at_rest(s);
	splice_turn(s->splice, now_ns);
	look(s);
	/* the second time it is about what the first time changed */
	for (int i = 0; i < 2; i++)
		if (s->seen || now_ns >= s->decision->next_ns)
			decide(s);
}

static bool is_busy(const struct input_chain *l)
{
	return l != NULL && chain_is_busy(l);
}

bool selector_is_busy(const struct selector *s)
{
	return is_busy(s->flowing) || is_busy(s->pending) ||
	       is_busy(s->resting) || is_busy(s->fill);
}

int selector_fd(const struct selector *s)
{
	const struct input_chain *l =
		s->flowing != NULL ? s->flowing : s->pending;

	return l != NULL && l->keeper.input != NULL ? input_fd(l->keeper.input)
	                                            : -1;
}

uint64_t selector_next_ns(const struct selector *s, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	if (s->failover == NULL)
		return next;
	next = MIN(s->decision->next_ns, splice_next_ns(s->splice));
	if (s->still_state != STILL_OFF)
		next = MIN(next, filler_next_ns(s->still));
	for (size_t i = 0; i < count_chains(s); i++) {
		const struct input_chain *l = &s->chains[i];

		next = MIN(next, chain_next_ns(l, now_ns));
		if (l != s->flowing && l->keeper.input != NULL)
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
	return s->n == 1 && s->fill == NULL && s->chains[0].remux == NULL &&
	       spliced.cuts == 0;
}

const struct input_chain *selector_chain(const struct selector *s,
                                         unsigned position)
{
	return position >= 1 && position <= s->n ? &s->chains[position - 1]
	                                         : NULL;
}

const struct psi *selector_psi(const struct selector *s)
{
	return splice_psi(s->splice);
}

void selector_warm(const struct selector *s, struct warm *w)
{
	warm_add(w, s, offsetof(struct selector, switch_log));
	warm_add(w, &s->batch, SELECTOR_WARM_RUNS * sizeof s->batch.runs[0]);
	warm_add(w, s->decision, WARM_LINE);
	if (s->flowing != NULL)
		chain_warm(s->flowing, w);
	splice_warm(s->splice, w);
}

/* --- by hand --- */

int selector_choose(struct selector *s, unsigned position, uint64_t now_ns,
		    struct errmsg *why)
{
	size_t i = position - 1;
	int r;

	if (s->failover == NULL || position > s->n)
		return errmsg_fail(why, -EINVAL, "is not one of 1 to %zu",
				   s->n);
	if (position == 0)
		i = failover_following(s->failover, s->decision->input);
	r = failover_choose(s->failover, i, now_ns);
	if (r == -EPERM)
		return errmsg_fail(why, r, "is chosen by what the inputs "
				   "carry");
	if (r < 0)
		return errmsg_fail(why, r, "%s",
		                   s->chains[i].keeper.error.text);
	s->now_ns = now_ns;
	decide(s);
	return (int)i + 1;
}

/* --- its life --- */

static enum failover_mode mode_of(enum backup_type type)
{
	static const enum failover_mode modes[] = {
		[BACKUP_ACTIVE] = FAILOVER_ACTIVE,
		[BACKUP_STOP] = FAILOVER_STOP,
		[BACKUP_PASSIVE] = FAILOVER_PASSIVE,
		[BACKUP_DISABLE] = FAILOVER_DISABLE,
	};

	return modes[type];
}

static uint32_t delay_ms(int configured_s, uint32_t otherwise_ms)
{
	return configured_s == BACKUP_DELAY_DEFAULT
		       ? otherwise_ms
		       : (uint32_t)configured_s * 1000;
}

static void make_policy(struct selector *s, const struct selector_config *cfg)
{
	const struct stream_spec *spec = cfg->spec;
	struct failover_config policy = {
		.mode = mode_of(spec->backup),
		.start_ms = delay_ms(spec->backup_start_delay_s, START_MS),
		.return_ms = delay_ms(spec->backup_return_delay_s, RETURN_MS),
		.no_return = !spec->backup_force_return,
		.damping_ms = delay_ms(spec->backup_damping_s, DAMPING_MS),
		.filler = spec->filler != FILLER_NONE,
		.first = MAX(cfg->start->first, 1U) - 1,
		.n_inputs = s->n,
	};

	for (size_t i = 0; i < s->n; i++) {
		policy.inputs[i] = chain_policy(&s->chains[i]);
		policy.inputs[i].initial_ms =
			delay_ms(spec->backup_initial_delay_s,
				 policy.inputs[i].initial_ms);
	}
	s->failover = failover_new(&policy, s->now_ns);
	s->decision = failover_decide(s->failover, FAILOVER_PLAYS_NONE,
				      s->now_ns);
	/* there is nothing that could go on meanwhile */
	s->chosen = s->decision->input;
	s->playing = s->flowing = &s->chains[s->chosen];
	si_versions_begin(s->si, s->flowing->position);
	open_wanted(s);
	decide(s);
}

static void make_chain(struct selector *s, const struct selector_config *cfg,
                       size_t i, const char *address)
{
	chain_init(&s->chains[i], &(struct chain_config){
					  .position = (unsigned)i + 1,
					  .address = address,
					  .stream = cfg->spec,
					  .alone = s->n == 1 && s->fill == NULL,
					  .versions = &cfg->memory->tables,
					  .si = &cfg->memory->si,
					  .out = on_made,
					  .arg = s,
				  });
}

static void make_chains(struct selector *s, const struct selector_config *cfg)
{
	const struct stream_spec *spec = cfg->spec;
	char address[FILLER_PATH_MAX + 16];

	s->n = cfg->start->n_inputs;
	s->chains = xcalloc(s->n + 1, sizeof *s->chains);
	if (spec->filler == FILLER_FILE)
		s->fill = &s->chains[s->n];
	for (size_t i = 0; i < s->n; i++)
		make_chain(s, cfg, i, cfg->start->inputs[i]);
	(void)snprintf(address, sizeof address, "file://%s#loop",
		       spec->filler_path);
	if (s->fill != NULL)
		make_chain(s, cfg, s->n, address);
}

struct selector *selector_new(const struct selector_config *cfg)
{
	struct selector *s = xcalloc(1, sizeof *s);

	s->out = cfg->out;
	s->on_switch = cfg->on_switch;
	s->arg = cfg->arg;
	s->now_ns = cfg->now_ns;
	s->si = &cfg->memory->si;
	s->splice = splice_new(&(struct splice_config){
		.out = selector_send,
		.arg = s,
		.continuity = &cfg->memory->splice,
	});
	if (cfg->spec->filler == FILLER_STILL)
		s->still = filler_new(splice_psi(s->splice));
	batch_init(&s->batch, on_packets, s);
	make_chains(s, cfg);
	if (s->n > 0)
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
	filler_free(&s->still);
	switch_point_free(&s->still_entry);
	splice_free(&s->splice);
	free(s->chains);
	free(s);
}
