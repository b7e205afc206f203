/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/proc_state.h"

#include <signal.h>

/* Handles an event: changes p, fills do_, returns the next state. */
typedef enum proc_state proc_fn(struct proc *p, uint64_t now_ms,
				struct proc_effects *do_);

static enum proc_state enter(struct proc *p, enum proc_state state,
			     uint64_t deadline_ms)
{
	p->deadline_ms = deadline_ms;
	return state;
}

static enum proc_state start(struct proc *p, uint64_t now,
			     struct proc_effects *do_)
{
	p->wanted = true;
	p->ordered = p->granted = false;
	if (p->left >= PROC_LEFT_MAX)
		return enter(p, PROC_LOST, 0);
	do_->start = true;
	backoff_started(&p->backoff, now);
	return enter(p, PROC_STARTING, now + PROC_READY_MS);
}

/* Starts a process after a change by an operator: earlier failures do not
 * count. */
static enum proc_state start_fresh(struct proc *p, uint64_t now,
				   struct proc_effects *do_)
{
	backoff_reset(&p->backoff);
	return start(p, now, do_);
}

static enum proc_state forget(struct proc *p, uint64_t now,
			      struct proc_effects *do_)
{
	(void)now, (void)do_;
	p->wanted = false;
	backoff_reset(&p->backoff);
	return enter(p, PROC_GONE, 0);
}

static enum proc_state want(struct proc *p, uint64_t now,
			    struct proc_effects *do_)
{
	(void)now, (void)do_;
	p->wanted = true;
	return p->state;
}

static enum proc_state unwant(struct proc *p, uint64_t now,
			      struct proc_effects *do_)
{
	(void)now, (void)do_;
	p->wanted = false;
	p->ordered = true;
	return p->state;
}

static enum proc_state stop(struct proc *p, uint64_t now,
			    struct proc_effects *do_)
{
	p->wanted = false;
	p->ordered = true;
	backoff_reset(&p->backoff);
	do_->signal = SIGTERM;
	return enter(p, PROC_STOPPING, now + PROC_TERM_MS);
}

static enum proc_state restart(struct proc *p, uint64_t now,
			       struct proc_effects *do_)
{
	enum proc_state next = stop(p, now, do_);

	p->wanted = true;
	return next;
}

/* Notes a restart while the process stops: the next process starts at once. */
static enum proc_state restart_after(struct proc *p, uint64_t now,
				     struct proc_effects *do_)
{
	(void)now, (void)do_;
	p->wanted = true;
	p->ordered = true;
	backoff_reset(&p->backoff);
	return p->state;
}

static enum proc_state enter_running(struct proc *p, uint64_t now)
{
	p->beat_ms = now;
	p->looked = false;
	return enter(p, PROC_RUNNING, now + PROC_LOOK_MS);
}

static enum proc_state ready(struct proc *p, uint64_t now,
			     struct proc_effects *do_)
{
	(void)do_;
	backoff_ready(&p->backoff, now);
	return enter_running(p, now);
}

/* Takes over a process of the previous master.  Its healthy time starts now,
 * because its age is unknown. */
static enum proc_state adopt(struct proc *p, uint64_t now,
			     struct proc_effects *do_)
{
	p->wanted = true;
	p->ordered = p->granted = false;
	backoff_started(&p->backoff, now);
	return ready(p, now, do_);
}

static enum proc_state beat(struct proc *p, uint64_t now,
			    struct proc_effects *do_)
{
	(void)do_;
	backoff_alive(&p->backoff, now);
	return enter_running(p, now);
}

static enum proc_state die(struct proc *p, uint64_t now,
			   struct proc_effects *do_)
{
	(void)do_;
	return enter(p, PROC_DYING, now + PROC_DYING_MS);
}

/* Sends SIGABRT to a worker that hangs: the core file shows where. */
static enum proc_state leave_a_core(struct proc *p, uint64_t now,
				    struct proc_effects *do_)
{
	do_->signal = SIGABRT;
	return enter(p, PROC_DYING, now + PROC_DYING_MS);
}

/* Gives a worker that starts and had no processor more time, up to
 * PROC_READY_MOST_MS: another start would need the same time again. */
static enum proc_state extend_start(struct proc *p, uint64_t now,
				    struct proc_effects *do_)
{
	if (now - p->backoff.started_ms >= PROC_READY_MOST_MS)
		return leave_a_core(p, now, do_);
	return enter(p, PROC_STARTING, now + PROC_GRACE_MS);
}

/* Gives a worker that had no processor more time, up to PROC_STARVED_MS. */
static enum proc_state extend(struct proc *p, uint64_t now,
			      struct proc_effects *do_)
{
	if (now - p->beat_ms >= PROC_STARVED_MS)
		return leave_a_core(p, now, do_);
	return enter(p, PROC_RUNNING, now + PROC_GRACE_MS);
}

static enum proc_state miss_beat(struct proc *p, uint64_t now,
				 struct proc_effects *do_)
{
	bool late = now - p->deadline_ms >= PROC_LATE_MS;

	if (p->looked && !late)
		return leave_a_core(p, now, do_);
	/* if the loop of the master was blocked, a status may still be
	 * unread */
	p->looked = true;
	do_->look = true;
	return extend(p, now, do_);
}

static enum proc_state kill_it(struct proc *p, uint64_t now,
			       struct proc_effects *do_)
{
	do_->signal = SIGKILL;
	return enter(p, PROC_KILLING, now + PROC_KILL_MS);
}

/* The process has ended: the next state depends on the cause. */
static enum proc_state after_end(struct proc *p, uint64_t now,
				 struct proc_effects *do_)
{
	unsigned wait = 0;

	if (!p->ordered)
		p->unwanted_ends++;
	if (!p->wanted || p->once)
		return forget(p, now, do_);
	if (p->granted)
		wait = backoff_spacing(&p->backoff, now);
	else if (!p->ordered && p->left < PROC_LEFT_MAX)
		wait = backoff_ended(&p->backoff, now);
	if (wait == 0)
		return start(p, now, do_);
	return enter(p,
		     backoff_is_quarantine(&p->backoff) ? PROC_QUARANTINE
							: PROC_BACKOFF,
		     now + wait);
}

/* Grants the end of a worker that asks for a successor, if it does not ask too
 * often; such an end is no failure. */
static enum proc_state renew(struct proc *p, uint64_t now,
			     struct proc_effects *do_)
{
	(void)do_;
	/* a second request changes nothing */
	if (!p->once && !p->ordered && backoff_renew(&p->backoff, now))
		p->granted = p->ordered = true;
	return p->state;
}

static enum proc_state wait_for_resources(struct proc *p, uint64_t now,
					  struct proc_effects *do_)
{
	(void)do_;
	return enter(p, PROC_BACKOFF, now + PROC_SHORT_MS);
}

static enum proc_state leave_behind(struct proc *p, uint64_t now,
				    struct proc_effects *do_)
{
	do_->leave = true;
	p->left++;
	return after_end(p, now, do_);
}

static enum proc_state count_left(struct proc *p, uint64_t now,
				  struct proc_effects *do_)
{
	(void)now, (void)do_;
	p->left--;
	return p->state;
}

static enum proc_state start_after_left(struct proc *p, uint64_t now,
					struct proc_effects *do_)
{
	p->left--;
	return start(p, now, do_);
}

/* The function of each event in each state.  An event without a function
 * changes nothing. */
static proc_fn *const table[PROC_STATES][PROC_EVENTS] = {
	[PROC_GONE] = {
		[PROC_WANT] = start_fresh,
		[PROC_RESTART] = start_fresh,
		[PROC_ADOPT] = adopt,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_STARTING] = {
		[PROC_UNWANT] = stop,
		[PROC_RESTART] = restart,
		[PROC_READY] = ready,
		[PROC_CLOSED] = die,
		[PROC_BAD] = kill_it,
		[PROC_RENEW] = renew,
		[PROC_EXIT] = after_end,
		[PROC_SHORT] = wait_for_resources,
		[PROC_DEADLINE] = leave_a_core,
		[PROC_STARVED] = extend_start,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_RUNNING] = {
		[PROC_UNWANT] = stop,
		[PROC_RESTART] = restart,
		[PROC_BEAT] = beat,
		[PROC_CLOSED] = die,
		[PROC_BAD] = kill_it,
		[PROC_RENEW] = renew,
		[PROC_EXIT] = after_end,
		[PROC_DEADLINE] = miss_beat,
		[PROC_STARVED] = extend,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_DYING] = {
		[PROC_WANT] = want,
		[PROC_UNWANT] = unwant,
		[PROC_RESTART] = restart_after,
		[PROC_BAD] = kill_it,
		[PROC_RENEW] = renew,
		[PROC_EXIT] = after_end,
		[PROC_DEADLINE] = kill_it,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_STOPPING] = {
		[PROC_WANT] = want,
		[PROC_UNWANT] = unwant,
		[PROC_RESTART] = restart_after,
		[PROC_BAD] = kill_it,
		[PROC_EXIT] = after_end,
		[PROC_DEADLINE] = kill_it,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_KILLING] = {
		[PROC_WANT] = want,
		[PROC_UNWANT] = unwant,
		[PROC_RESTART] = restart_after,
		[PROC_EXIT] = after_end,
		[PROC_DEADLINE] = leave_behind,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_BACKOFF] = {
		[PROC_UNWANT] = forget,
		[PROC_RESTART] = start_fresh,
		[PROC_DEADLINE] = start,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_QUARANTINE] = {
		[PROC_UNWANT] = forget,
		[PROC_RESTART] = start_fresh,
		[PROC_DEADLINE] = start,
		[PROC_LEFT_EXIT] = count_left,
	},
	[PROC_LOST] = {
		[PROC_UNWANT] = forget,
		[PROC_LEFT_EXIT] = start_after_left,
	},
};

struct proc_effects proc_handle(struct proc *p, enum proc_event event,
				uint64_t now_ms)
{
	struct proc_effects do_ = { 0 };
	proc_fn *fn = table[p->state][event];

	/* the deadline was moved after its timer was set */
	if ((event == PROC_DEADLINE || event == PROC_STARVED) &&
	    (p->deadline_ms == 0 || now_ms < p->deadline_ms))
		return do_;
	if (fn != NULL)
		p->state = fn(p, now_ms, &do_);
	return do_;
}

const char *proc_state_format(enum proc_state state)
{
	static const char *const names[PROC_STATES] = {
		[PROC_GONE] = "stopped",
		[PROC_STARTING] = "starting",
		[PROC_RUNNING] = "running",
		[PROC_DYING] = "stopping",
		[PROC_STOPPING] = "stopping",
		[PROC_KILLING] = "stopping",
		[PROC_BACKOFF] = "backoff",
		[PROC_QUARANTINE] = "quarantine",
		[PROC_LOST] = "lost",
	};

	return names[state];
}
