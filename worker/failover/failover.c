/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/failover/failover.h"

#include "common/base/alloc.h"
#include "worker/failover/failover_state.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

static bool is_good_for(const struct input *in, uint64_t ms, uint64_t now_ns)
{
	return is_good(in) && now_ns - in->good_ns >= ms * MS;
}

static bool had_hole(const struct input *in, uint64_t now_ns)
{
	return in->hole_ns != 0 &&
	       now_ns - in->hole_ns < FAILOVER_HOLE_MS * MS;
}

/* True if the input has been on air for this time, and has no recent hole. */
static bool is_whole_for(const struct input *in, uint64_t ms, uint64_t now_ns)
{
	return is_good_for(in, ms, now_ns) && !had_hole(in, now_ns);
}

static bool is_lossy(const struct input *in, uint64_t now_ns)
{
	return in->lossy_ns != 0 &&
	       now_ns - in->lossy_ns < FAILOVER_HOLE_MS * MS;
}

/* The time from which any other input may follow this one; UINT64_MAX: it is on
 * air. */
static uint64_t due_ns(const struct failover *f, const struct input *in)
{
	if (is_good(in))
		return UINT64_MAX;
	if (in->sight.ended)
		return 0;
	if (in->was_good || in->sight.broken)
		return in->bad_ns + f->cfg.start_ms * MS;
	return initial_ns(in);
}

static bool is_due(const struct failover *f, size_t i, uint64_t now_ns)
{
	return now_ns >= due_ns(f, &f->inputs[i]);
}

/* The time from which an input that is on air without a hole may follow this
 * one; UINT64_MAX: this one is on air without a recent hole or recent repeated
 * losses. */
static uint64_t leave_ns(struct failover *f, struct input *in, uint64_t now_ns)
{
	bool damped = damper_is_damped(&in->damper, now_ns);
	uint64_t delay_ns =
		damped ? 0 : MIN(f->cfg.loss_ms, f->cfg.start_ms) * MS;

	if (is_good(in) && had_hole(in, now_ns))
		return in->holes_ns + delay_ns;
	if (is_good(in))
		return is_lossy(in, now_ns) ? in->lossies_ns + delay_ns
					    : UINT64_MAX;
	if (in->was_good && (damped || had_hole(in, now_ns) ||
			     in->sight.level == FAILOVER_DEAD))
		return in->bad_ns + delay_ns;
	if (in->delivered && in->sight.level == FAILOVER_DEAD)
		return in->dead_ns + delay_ns;
	return due_ns(f, in);
}

/* --- the state of the inputs --- */

/* Notes that packets were lost in a pause, or again and again: the time on air
 * restarts.  Losses in quick succession are one failure.  last_ns: the time of
 * the last one; first_ns: the begin of its series. */
static void note_hole(struct input *in, uint64_t *last_ns, uint64_t *first_ns,
		      bool on_air, uint64_t now_ns)
{
	bool again = *last_ns != 0 &&
		     now_ns - *last_ns < 2 * FAILOVER_HOLE_MS * MS;

	*last_ns = now_ns;
	if (!again)
		*first_ns = now_ns;
	if (!on_air)
		return;
	in->good_ns = now_ns;
	if (!again)
		damper_failed(&in->damper, now_ns);
}

void failover_see(struct failover *f, size_t i,
		  const struct failover_sight *sight, uint64_t now_ns)
{
	struct input *in = &f->inputs[i];
	bool was = is_good(in);

	assert(i < f->cfg.n_inputs);
	if (!in->open)
		return;
	if (in->sight.level != FAILOVER_DEAD && sight->level == FAILOVER_DEAD)
		in->dead_ns = now_ns;
	in->delivered |= sight->level != FAILOVER_DEAD;
	in->sight = *sight;
	if (sight->loss)
		in->loss_ns = now_ns;
	if (sight->hole)
		note_hole(in, &in->hole_ns, &in->holes_ns, was && is_good(in),
			  now_ns);
	else if (sight->lossy)
		note_hole(in, &in->lossy_ns, &in->lossies_ns,
			  was && is_good(in), now_ns);
	if (is_good(in) == was)
		return;
	if (was) {
		in->bad_ns = now_ns;
		damper_failed(&in->damper, now_ns);
		return;
	}
	in->good_ns = now_ns;
	in->was_good = true;
	in->known_bad = false;
	in->failures = 0;
}

static void choose(struct failover *f, size_t i, enum failover_reason reason,
		   uint64_t now_ns)
{
	struct input *in = &f->inputs[i];

	f->decision.input = i;
	f->decision.reason = reason;
	if (is_good(in))
		return;
	/* the start delay and the initial delay count from now */
	in->was_good = false;
	in->opened_ns = now_ns;
	in->bad_ns = now_ns;
}

/* Chooses input i instead of the chosen input, which has failed. */
static void replace(struct failover *f, size_t i, uint64_t now_ns)
{
	struct input *failed = &f->inputs[f->decision.input];

	failed->failures++;
	failed->failed_ns = now_ns;
	choose(f, i, FAILOVER_FAULT, now_ns);
}

/* True if input i can follow the chosen input, which has failed.  patient: only
 * a damped input can; otherwise only an input that is not damped. */
static bool can_follow(struct failover *f, size_t i, bool patient,
		       uint64_t now_ns)
{
	struct input *in = &f->inputs[i];
	size_t c = f->decision.input;
	bool clean = is_good_for(in, FAILOVER_CLEAN_MS, now_ns) &&
		     (in->loss_ns == 0 ||
		      now_ns - in->loss_ns >= FAILOVER_CLEAN_MS * MS);

	if (damper_is_damped(&in->damper, now_ns) != patient)
		return false;
	/* a chosen input that only loses single packets is left only for an
	 * input without any loss */
	if (is_whole_for(&f->inputs[c], 0, now_ns) && !clean)
		return false;
	/* a cold input is not received before it is chosen, so nothing shows
	 * whether it will be on air: it follows only when the delay has passed,
	 * or if the chosen input is damped */
	if (in->cfg.cold && may_try(in, now_ns))
		return is_due(f, c, now_ns) ||
		       damper_is_damped(&f->inputs[c].damper, now_ns);
	return is_whole_for(in, patient ? FAILOVER_STEADY_MS : 0, now_ns);
}

/* The first input that can follow input c, damped ones last; c: there is
 * none. */
static size_t find_follower(struct failover *f, size_t c, uint64_t now_ns)
{
	for (int patient = 0; patient <= 1; patient++)
		for (size_t i = 0; i < f->cfg.n_inputs; i++)
			if (i != c && can_follow(f, i, patient, now_ns))
				return i;
	return c;
}

/* True if the input has packets that may be sent.  Packets that are not judged
 * yet may be sent if the input was on air before they ceased, or in the mode
 * `active' without a filler. */
static bool delivers(const struct failover *f, const struct input *in)
{
	if (!in->open)
		return false;
	if (in->sight.fresh || in->sight.level == FAILOVER_GOOD)
		return true;
	return in->sight.level == FAILOVER_UNKNOWN &&
	       f->cfg.mode == FAILOVER_ACTIVE && !f->cfg.filler;
}

/* As find_follower(), if input c has no packets.  Nothing is sent meanwhile, so
 * any input with packets that may be sent (delivers()) follows; those on air
 * first. */
static size_t find_any_packets(struct failover *f, size_t c, uint64_t now_ns)
{
	for (unsigned pass = 0; pass < 4; pass++)
		for (size_t i = 0; i < f->cfg.n_inputs; i++) {
			struct input *in = &f->inputs[i];

			if (i != c && delivers(f, in) &&
			    is_good(in) == (pass < 2) &&
			    damper_is_damped(&in->damper, now_ns) == pass % 2)
				return i;
		}
	return c;
}

/* As find_follower(), if input c is off air: an input with holes may follow,
 * too. */
static size_t find_any_follower(struct failover *f, size_t c, uint64_t now_ns)
{
	size_t follower = find_follower(f, c, now_ns);

	if (follower != c)
		return follower;
	for (size_t i = 0; i < f->cfg.n_inputs; i++)
		if (i != c && is_good(&f->inputs[i]) &&
		    !damper_is_damped(&f->inputs[i].damper, now_ns))
			return i;
	/* packets are better than none, where no filler is sent instead */
	if (f->cfg.mode == FAILOVER_STOP || f->cfg.filler ||
	    f->inputs[c].sight.level != FAILOVER_DEAD)
		return c;
	for (size_t i = 0; i < f->cfg.n_inputs; i++)
		if (f->inputs[i].open &&
		    f->inputs[i].sight.level == FAILOVER_POOR)
			return i;
	return c;
}

static void choose_watching(struct failover *f, uint64_t now_ns)
{
	size_t c = f->decision.input;
	uint64_t ms = f->cfg.return_ms;
	size_t i = c;

	if (now_ns >= leave_ns(f, &f->inputs[c], now_ns)) {
		i = find_follower(f, c, now_ns);
		if (i == c && f->inputs[c].sight.level == FAILOVER_DEAD)
			i = find_any_packets(f, c, now_ns);
	}
	if (i == c && is_due(f, c, now_ns))
		i = find_any_follower(f, c, now_ns);
	if (i != c)
		replace(f, i, now_ns);
	if (i != c || !is_good(&f->inputs[c]))
		return;
	/* returns to an input further up the list that was on air for the
	 * return delay */
	for (i = 0; i < c && !f->cfg.no_return; i++) {
		struct input *in = &f->inputs[i];

		if (damper_is_damped(&in->damper, now_ns) ||
		    is_lossy(in, now_ns))
			continue;
		if (is_whole_for(in, ms, now_ns) ||
		    (in->cfg.cold && may_try(in, now_ns) &&
		     now_ns - in->failed_ns >= ms * MS)) {
			choose(f, i, FAILOVER_RETURN, now_ns);
			return;
		}
	}
}

/* If the chosen input is off air for too long, or damped, chooses the next one
 * round the list that is on air or may be opened. */
static void choose_next(struct failover *f, uint64_t now_ns)
{
	size_t c = f->decision.input;
	struct input *chosen = &f->inputs[c];
	bool flaps = damper_is_damped(&chosen->damper, now_ns) &&
		     now_ns >= leave_ns(f, chosen, now_ns);

	if (!flaps && !is_due(f, c, now_ns))
		return;
	for (size_t k = 1; k < f->cfg.n_inputs; k++) {
		size_t i = (c + k) % f->cfg.n_inputs;
		const struct input *in = &f->inputs[i];

		if (is_good(in) || may_try(in, now_ns)) {
			replace(f, i, now_ns);
			return;
		}
	}
}

/* True if the input that is sent may stay, because it recovered before the
 * chosen input was entered.  It may not stay twice within return_ms: an input
 * that flaps faster than another one can be entered would stay for ever. */
static bool may_stay(struct failover *f, int playing, uint64_t now_ns)
{
	struct input *in;

	if (playing < 0 || (size_t)playing == f->decision.input ||
	    f->decision.reason != FAILOVER_FAULT)
		return false;
	in = &f->inputs[playing];
	return is_whole_for(in, 0, now_ns) && !is_lossy(in, now_ns) &&
	       !damper_is_damped(&in->damper, now_ns) &&
	       (in->stayed_ns == 0 ||
		now_ns - in->stayed_ns >= f->cfg.return_ms * MS);
}

static void decide_cover(struct failover *f, int playing, uint64_t now_ns)
{
	struct failover_decision *d = &f->decision;
	const struct input *in = &f->inputs[d->input];

	if (is_good(in) ||
	    (playing >= 0 && !is_due(f, (size_t)playing, now_ns)))
		d->cover = FAILOVER_KEEP;
	else if (f->cfg.mode == FAILOVER_STOP)
		d->cover = FAILOVER_NOTHING;
	else
		/* a fresh input is judged while it is sent */
		d->cover = f->cfg.filler && !in->sight.fresh ? FAILOVER_FILLER
							     : FAILOVER_KEEP;
	d->enter = d->cover == FAILOVER_KEEP ||
		in->sight.level == FAILOVER_UNKNOWN;
	/* an input chosen by hand is sent even off air, after its delay */
	d->force = f->cfg.mode == FAILOVER_DISABLE && playing >= 0 &&
		(size_t)playing != d->input && is_due(f, d->input, now_ns);
}

/* --- the next decision --- */

static void look_at(uint64_t *next_ns, uint64_t at_ns, uint64_t now_ns)
{
	if (at_ns > now_ns)
		*next_ns = MIN(*next_ns, at_ns);
}

static uint64_t find_next_ns(struct failover *f, uint64_t now_ns)
{
	uint64_t next = f->turn_end_ns;
	uint64_t return_ns = f->cfg.return_ms * MS;

	for (size_t i = 0; i < f->cfg.n_inputs; i++) {
		struct input *in = &f->inputs[i];

		look_at(&next, damper_reuse_ns(&in->damper, now_ns), now_ns);
		look_at(&next, retry_ns(in), now_ns);
		look_at(&next, in->failed_ns + return_ns, now_ns);
		if (!in->open)
			continue;
		look_at(&next, due_ns(f, in), now_ns);
		look_at(&next, leave_ns(f, in, now_ns), now_ns);
		look_at(&next, in->hole_ns + FAILOVER_HOLE_MS * MS, now_ns);
		look_at(&next, in->lossy_ns + FAILOVER_HOLE_MS * MS, now_ns);
		look_at(&next, in->loss_ns + FAILOVER_CLEAN_MS * MS, now_ns);
		look_at(&next, initial_ns(in), now_ns);
		if (!is_good(in))
			continue;
		look_at(&next, in->good_ns + return_ns, now_ns);
		look_at(&next, in->good_ns + FAILOVER_STEADY_MS * MS, now_ns);
	}
	return next;
}

const struct failover_decision *failover_decide(struct failover *f, int playing,
						uint64_t now_ns)
{
	if (may_stay(f, playing, now_ns)) {
		f->inputs[playing].stayed_ns = now_ns;
		choose(f, (size_t)playing, FAILOVER_RECOVERED, now_ns);
	} else if (watches(f)) {
		choose_watching(f, now_ns);
	} else if (f->cfg.mode == FAILOVER_PASSIVE) {
		choose_next(f, now_ns);
	}
	failover_watch(f, playing, now_ns);
	decide_cover(f, playing, now_ns);
	f->decision.next_ns = find_next_ns(f, now_ns);
	return &f->decision;
}

int failover_choose(struct failover *f, size_t i, uint64_t now_ns)
{
	assert(i < f->cfg.n_inputs);
	if (watches(f))
		return -EPERM;
	if (!is_usable(&f->inputs[i]))
		return -EINVAL;
	f->inputs[i].failures = 0;
	choose(f, i, FAILOVER_MANUAL, now_ns);
	return 0;
}

size_t failover_following(const struct failover *f, size_t i)
{
	for (size_t k = 1; k < f->cfg.n_inputs; k++) {
		size_t next = (i + k) % f->cfg.n_inputs;

		if (is_usable(&f->inputs[next]))
			return next;
	}
	return i;
}

struct failover *failover_new(const struct failover_config *cfg,
			      uint64_t now_ns)
{
	struct failover *f = xcalloc(1, sizeof *f);
	size_t first = MIN(cfg->first, cfg->n_inputs - 1);

	assert(cfg->n_inputs > 0 && cfg->n_inputs <= FAILOVER_INPUTS_MAX);
	f->cfg = *cfg;
	f->turn_end_ns = UINT64_MAX;
	for (size_t i = 0; i < cfg->n_inputs; i++) {
		struct input *in = &f->inputs[i];

		in->cfg = cfg->inputs[i];
		in->failed_ns = now_ns;
		damper_init(&in->damper, cfg->damping_ms * MS, now_ns);
	}
	if (!cfg->inputs[first].valid)
		first = failover_following(f, first);
	choose(f, first,
	       cfg->by_hand && !watches(f) && first == cfg->first
		       ? FAILOVER_MANUAL
		       : FAILOVER_START,
	       now_ns);
	return f;
}

void failover_free(struct failover **f)
{
	free(*f);
	*f = NULL;
}

uint64_t failover_due_ns(const struct failover *f, size_t i)
{
	return due_ns(f, &f->inputs[i]);
}

unsigned failover_penalty(const struct failover *f, size_t i, uint64_t now_ns)
{
	return damper_penalty(&f->inputs[i].damper, now_ns);
}

uint64_t failover_damped_ns(struct failover *f, size_t i, uint64_t now_ns)
{
	struct damper *d = &f->inputs[i].damper;
	size_t n = 0;

	/* damping cannot change the choice: there is no other input, or only an
	 * operator chooses */
	for (size_t k = 0; k < f->cfg.n_inputs; k++)
		n += is_usable(&f->inputs[k]);
	if (n <= 1 || f->cfg.mode == FAILOVER_DISABLE)
		return 0;
	return damper_is_damped(d, now_ns) ? damper_reuse_ns(d, now_ns) - now_ns
					   : 0;
}

const char *failover_reason_name(enum failover_reason reason)
{
	static const char *const names[] = {
		[FAILOVER_START] = "start",
		[FAILOVER_FAULT] = "fault",
		[FAILOVER_RETURN] = "return",
		[FAILOVER_RECOVERED] = "recovered",
		[FAILOVER_MANUAL] = "manual",
		[FAILOVER_FAILED] = "failed",
	};

	return names[reason];
}
