/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_proc.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ring.h"
#include "common/supervise/worker_proc.h"
#include "master/config/keep_active.h"
#include "master/config/play_conf.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"
#include "proto/ipc/contract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* most switches of input, and splice commands, between two statuses */
enum { SWITCHES_MAX = 100, SPLICES_MAX = 20 };

/* --- links to the rings that the stream reads --- */

static void send_link(struct stream_proc *p, struct channel *channel,
		      const char *stream)
{
	int fd = p->cfg.events->ring_of(stream, p->cfg.arg);
	const struct msg m = { .type = MSG_STREAM_LINK,
			       .stream_link = { stream, fd >= 0 } };

	(void)channel_send(channel, &m, &fd, fd >= 0);
}

struct stream_links stream_proc_links(const struct stream_proc *p)
{
	return p->plan != NULL ? p->plan->links : (struct stream_links){ 0 };
}

void stream_proc_relink(struct stream_proc *p, const char *stream)
{
	struct channel *channel = worker_proc_channel(p->proc);

	if (p->started && channel != NULL)
		send_link(p, channel, stream);
}

bool stream_proc_reads(const struct stream_proc *p, const char *stream)
{
	return !p->removed && p->plan != NULL && p->plan->enable &&
	       stream_plan_reads(p->plan, stream);
}

/* --- the ring --- */

/* Makes a ring of this size unless it exists (0: closes it); 0 or -errno. */
static int make_ring(struct stream_proc *p, size_t size)
{
	int err;

	if (size == p->ring.size)
		return 0;
	err = stream_proc_new_ring(p, size);
	spawner_touch(p->cfg.spawner);
	return err;
}

/* True: the ring has readers other than http outputs (streams, guide ...). */
static bool has_readers(const struct stream_proc *p)
{
	return p->others_read || p->cfg.epg ||
	       (p->cfg.play != NULL && (p->cfg.play->ts || p->cfg.play->hls));
}

/* Returns the size that the plan and other readers need; 0: no ring. */
static size_t ring_size(const struct stream_proc *p,
			const struct stream_plan *plan)
{
	return plan->ring_size == 0 && has_readers(p)
		       ? stream_proc_ring_size(p)
		       : plan->ring_size;
}

/* A ring without readers stays until the next stream_proc_set(). */
void stream_proc_set_read(struct stream_proc *p, bool others_read)
{
	const struct msg m = { .type = MSG_STREAM_RING };
	struct channel *channel = worker_proc_channel(p->proc);
	int err;

	p->others_read = others_read;
	if (!has_readers(p) || p->ring.fd >= 0 || p->plan == NULL ||
	    !p->plan->enable || p->error.text[0] != '\0')
		return;
	err = make_ring(p, ring_size(p, p->plan));
	if (err < 0) {
		log_error(worker_proc_name(p->proc),
			  "cannot create the ring buffer for viewers and "
			  "stream:// inputs: %s", strerror(-err));
		return;
	}
	if (p->started && channel != NULL)
		(void)channel_send(channel, &m, &p->ring.fd, 1);
	p->cfg.events->on_ring(p, p->cfg.arg);
}

int stream_proc_ring(const struct stream_proc *p)
{
	return p->removed ? -1 : p->ring.ro_fd;
}

/* --- conditional access --- */

/* Makes the CA systems of stream.start, new references; returns the number. */
static size_t resolve_cas(struct stream_proc *p,
			  struct cas_item ret[CAS_LIST_MAX])
{
	return p->cfg.cas != NULL
		       ? cas_procs_resolve(p->cfg.cas, p->plan->cas_list, ret)
		       : 0;
}

static void link_cas(struct stream_proc *p)
{
	struct channel *channel = worker_proc_channel(p->proc);

	if (p->started && channel != NULL && p->cfg.cas != NULL &&
	    p->plan->cas_list != NULL && !p->removed)
		cas_procs_link(p->cfg.cas, p->id, p->plan->cas_list, &p->cas,
			       channel);
}

bool stream_proc_uses_cas(const struct stream_proc *p, const char *id)
{
	const json_t *item;
	size_t i;

	if (p->plan == NULL || !stream_proc_is_wanted(p))
		return false;
	json_array_foreach((json_t *)p->plan->cas_list, i, item) {
		const char *used = json_string_value(
			json_object_get(item, "cas_id"));

		if (used != NULL && strcmp(used, id) == 0)
			return true;
	}
	return false;
}

/* --- the worker --- */

static void on_hello(struct worker_proc *proc, struct channel *channel,
		     void *arg)
{
	struct stream_proc *p = arg;
	struct msg m = { .type = MSG_STREAM_START,
			 .stream_start = p->plan->start };
	int fds[2];
	size_t n = 0;

	(void)proc;
	m.stream_start.guide = p->cfg.epg;
	m.stream_start.ring = p->ring.fd >= 0;
	m.stream_start.memory = p->memory.fd >= 0;
	m.stream_start.first = p->first;
	m.stream_start.by_hand = p->by_hand;
	if (m.stream_start.ring)
		fds[n++] = p->ring.fd;
	if (m.stream_start.memory)
		fds[n++] = p->memory.fd;
	m.stream_start.n_cas = resolve_cas(p, m.stream_start.cas);
	(void)channel_send(channel, &m, fds, n);
	cas_procs_drop(m.stream_start.cas, m.stream_start.n_cas);
	p->started = true;
	p->mux = p->plan->start.mux;
	p->cas = (struct cas_links){ 0 };
	p->clock = CLOCK_UNTOLD;
	stream_network_forget(p);
	link_cas(p);
	for (size_t i = 0; i < p->plan->links.n; i++)
		send_link(p, channel, p->plan->links.ids[i]);
	stream_receivers_up(p);
	stream_cams_up(p);
	if (!p->removed && p->cfg.events->on_up != NULL)
		p->cfg.events->on_up(p->id, p->cfg.arg);
}

static void set_first(struct stream_proc *p, unsigned position, bool by_hand)
{
	if (position == p->first && by_hand == p->by_hand)
		return;
	p->first = position;
	p->by_hand = by_hand;
	spawner_touch(p->cfg.spawner);
}

static void on_message(struct worker_proc *proc, const struct msg *m,
		       void *arg)
{
	struct stream_proc *p = arg;

	if (stream_proc_is_foreign(p, m->type)) {
		worker_proc_kill(proc, "it sent a message of another role");
		return;
	}
	if (m->type == MSG_STREAM_STATUS) {
		unsigned chosen = m->stream_status.chosen;

		p->n_switches = p->n_splices = 0;
		cas_links_report(&p->cas, m->stream_status.cas_linked);
		link_cas(p);
		stream_time_report(p, worker_proc_channel(proc));
		stream_network_report(p, worker_proc_channel(proc));
		if (chosen >= 1 && chosen <= p->plan->start.n_inputs)
			set_first(p, chosen, m->stream_status.by_hand);
		if (!p->removed)
			p->cfg.events->on_status(p->id, &m->stream_status,
						 p->cfg.arg);
	} else if (m->type == MSG_STREAM_CHOSEN) {
		if (m->stream_chosen.position > 0)
			set_first(p, m->stream_chosen.position, true);
		(void)input_choice_answer(p->choice, m->seq, &m->stream_chosen);
	} else if (m->type == MSG_STREAM_CUED) {
		stream_cues_answer(p, m->seq, &m->stream_cued);
	} else if (m->type == MSG_STREAM_SWITCHED) {
		if (++p->n_switches > SWITCHES_MAX) {
			worker_proc_kill(proc, "it reported more than 100 "
					       "switches of input a second");
			return;
		}
		switch_log_add(&p->switches, &m->stream_switched);
		spawner_touch(p->cfg.spawner);
		if (!p->removed)
			p->cfg.events->on_switched(p->id, &m->stream_switched,
						   p->cfg.arg);
	} else if (m->type == MSG_STREAM_ANALYSIS ||
		   m->type == MSG_STREAM_PLANNED) {
		analysis_answer(p->analysis, worker_proc_channel(proc), m);
	} else if (m->type == MSG_STREAM_SPLICE) {
		if (++p->n_splices <= SPLICES_MAX && !p->removed &&
		    p->cfg.events->on_splice != NULL)
			p->cfg.events->on_splice(
				p->id, m->stream_splice.record, p->cfg.arg);
	} else if (m->type == MSG_STREAM_RECORD) {
		input_scans_record(&p->scans, &m->stream_record);
	} else if (m->type == MSG_STREAM_ECM || m->type == MSG_STREAM_EMM) {
		softcams_take(p->cfg.softcams, &p->cams, m);
	} else {
		stream_receivers_message(p, m);
	}
	if (stream_ring_is_damaged(&p->ring))
		worker_proc_kill(proc, "it damaged its ring buffer");
}

/* The next worker continues in the same ring, unless this one damaged it. */
static void on_down(struct worker_proc *proc, void *arg)
{
	struct stream_proc *p = arg;
	const char *name = worker_proc_name(proc);
	int err;

	p->n_switches = p->n_splices = 0;
	p->started = false;
	input_choice_down(p->choice);
	worker_requests_down(&p->cues);
	analysis_down(p->analysis);
	input_scans_down(&p->scans);
	stream_receivers_down(p);
	softcams_user_down(&p->cams);
	if (!p->removed)
		p->cfg.events->on_down(p->id, worker_proc_failure(proc),
				       p->cfg.arg);
	if (!stream_proc_is_wanted(p))
		stream_mounts_pause(&p->mounts);
	if (!stream_ring_is_damaged(&p->ring))
		return;
	err = stream_proc_new_ring(p, p->ring.size);
	spawner_touch(p->cfg.spawner);
	if (err < 0) {
		log_error(name, "cannot replace the damaged ring buffer: %s",
			  strerror(-err));
		return;
	}
	log_warning(name, "damaged ring buffer replaced: viewers must "
			  "reconnect");
	stream_mounts_ring(&p->mounts, p->ring.ro_fd);
	p->cfg.events->on_ring(p, p->cfg.arg);
}

static void on_gone(struct worker_proc *proc, void *arg)
{
	struct stream_proc *p = arg;

	(void)proc;
	stream_memory_trim(&p->memory);
	p->cfg.events->on_gone(p, p->cfg.arg);
}

static const struct worker_proc_events proc_events = {
	.on_hello = on_hello,
	.on_message = on_message,
	.on_down = on_down,
	.on_gone = on_gone,
};

/* --- the plan --- */

static void on_viewers(bool lost, void *arg)
{
	struct stream_proc *p = arg;
	unsigned n = stream_mounts_viewers(&p->mounts);

	/* the call may free p */
	if (lost)
		stream_demand_lost(&p->demand, n);
	else
		stream_demand_viewers(&p->demand, n);
}

static bool can_run(const struct stream_proc *p)
{
	return p->plan != NULL && p->plan->enable && !p->removed &&
	       p->error.text[0] == '\0';
}

static void log_demand(const struct stream_proc *p, bool wanted)
{
	const char *name = worker_proc_name(p->proc);

	if (!wanted)
		log_info(name, "no viewer: stopping (http_keep_active)");
	else if (p->demand.demand.viewers > 0)
		log_info(name, "first viewer: starting");
	else
		log_info(name, "%s reads it: starting", p->reader);
}

static void on_demand(bool wanted, void *arg)
{
	struct stream_proc *p = arg;

	if (!can_run(p))
		return;
	if (!p->cfg.feed)
		log_demand(p, wanted);
	stream_cams_use(p, wanted);
	if (wanted) {
		stream_mounts_resume(&p->mounts);
		worker_proc_want(p->proc);
	}
	p->cfg.events->on_demand(p, p->cfg.arg);
	if (!wanted)
		worker_proc_unwant(p->proc); /* may free p */
}

bool stream_proc_is_wanted(const struct stream_proc *p)
{
	return can_run(p) && demand_is_wanted(&p->demand.demand);
}

void stream_proc_set_demanded(struct stream_proc *p, const char *reader)
{
	(void)snprintf(p->reader, sizeof p->reader, "%s",
		       reader != NULL ? reader : "");
	/* the call may free p: nothing follows it */
	stream_demand_read(&p->demand, reader != NULL);
}

/* Sets the mounts of a plan; NULL: none. */
static void set_mounts(struct stream_proc *p, const struct stream_plan *plan)
{
	stream_mounts_set(&p->mounts, p->cfg.deliver,
			  &(struct stream_mounts_config){
				  .stream = p->id,
				  .ring_fd = p->ring.ro_fd,
				  .outputs = plan != NULL ? plan->http : NULL,
				  .n = plan != NULL ? plan->n_http : 0,
				  .play = plan != NULL ? p->cfg.play : NULL,
				  .demand = p->demand.demand.keep_s >= 0,
				  .stopped = !demand_is_wanted(
					  &p->demand.demand),
				  .on_viewers = on_viewers,
				  .arg = p,
			  });
	stream_demand_recount(&p->demand, stream_mounts_viewers(&p->mounts));
	if (demand_is_wanted(&p->demand.demand))
		stream_mounts_resume(&p->mounts);
}

/* Makes the ring of the plan; 0 or -errno with error. */
static int prepare(struct stream_proc *p, const struct stream_plan *plan,
		   struct errmsg *error)
{
	size_t size = ring_size(p, plan);
	int err = stream_plan_judge(plan, error);

	if (err < 0)
		return err;
	err = size > 0 ? make_ring(p, size) : 0;
	if (err < 0)
		errmsg_set(error, "cannot create a ring buffer of %zu bytes: "
			   "%s", size, strerror(-err));
	return err;
}

void stream_proc_set(struct stream_proc *p, const struct stream_conf *conf,
		     bool others_read)
{
	struct stream_plan *old = p->plan, *plan =
		stream_plan_new(p->id, conf, p->cfg.defaults,
				spawner_variable(p->cfg.spawner,
						 SPAWN_RECORDINGS));
	bool same = old != NULL && stream_plan_is_same(old, plan);
	unsigned kept;
	int ring;
	bool run;

	p->removed = false;
	p->configured = true;
	stream_proc_set_read(p, others_read);
	ring = p->ring.ro_fd;
	p->error.text[0] = '\0';
	/* the next worker starts with the input that is active now */
	kept = stream_plan_first(p->plan, plan, p->first);
	p->by_hand = p->by_hand && kept > 0;
	p->first = MAX(kept, 1U);
	run = plan->enable && prepare(p, plan, &p->error) == 0;
	if (p->error.text[0] != '\0')
		log_error(worker_proc_name(p->proc), "cannot start: %s",
			  p->error.text);
	p->plan = plan;
	stream_demand_set(&p->demand,
			  run ? stream_proc_keep_s(p, conf) : KEEP_ALWAYS,
			  stream_proc_is_running(p));
	set_mounts(p, run ? plan : NULL);
	stream_plan_free(&old);
	if (!run || ring_size(p, plan) == 0)
		(void)make_ring(p, 0);
	if (ring != p->ring.ro_fd)
		p->cfg.events->on_ring(p, p->cfg.arg);
	/* a disabled stream keeps its memory: when it is enabled again, its
	 * counters and clocks continue */
	if (run)
		stream_memory_keep(&p->memory, true,
				   worker_proc_name(p->proc));
	spawner_touch(p->cfg.spawner);
	stream_cams_use(p, run && demand_is_wanted(&p->demand.demand));
	/* an adopted worker may have another state of its softcams */
	if (p->started)
		stream_cams_up(p);
	stream_proc_use(p);
	/* the calls may free p: nothing follows them */
	if (!run || !demand_is_wanted(&p->demand.demand))
		worker_proc_unwant(p->proc);
	else if (same)
		worker_proc_want(p->proc);
	else
		worker_proc_restart(p->proc);
}

bool stream_proc_is_configured(const struct stream_proc *p)
{
	return p->configured;
}

void stream_proc_restart(struct stream_proc *p)
{
	if (!stream_proc_is_wanted(p))
		return;
	if (p->mounts.n > 0)
		deliver_proc_hurry(p->cfg.deliver);
	worker_proc_restart(p->proc);
}

void stream_proc_stop(struct stream_proc *p)
{
	stream_demand_set(&p->demand, KEEP_ALWAYS, false);
	set_mounts(p, NULL);
	stream_cams_use(p, false);
	if (stream_proc_is_gone(p))
		p->cfg.events->on_gone(p, p->cfg.arg);
	else
		worker_proc_unwant(p->proc);
}

void stream_proc_remove(struct stream_proc *p)
{
	p->removed = true;
	p->cfg.events->on_ring(p, p->cfg.arg);
	stream_proc_stop(p);
}

bool stream_proc_is_removed(const struct stream_proc *p)
{
	return p->removed;
}

int stream_proc_choose_input(struct stream_proc *p, unsigned position,
			     input_choice_fn *done, void *arg)
{
	size_t n = p->plan != NULL ? p->plan->start.n_inputs : 0;
	struct channel *channel = worker_proc_channel(p->proc);

	if (position > n || n == 0)
		return -EINVAL;
	if (stream_proc_is_running(p) && channel != NULL)
		return input_choice_ask(p->choice, channel, position, done,
					arg);
	set_first(p, position > 0 ? position : p->first % (unsigned)n + 1,
		  true);
	return (int)p->first;
}

struct stream_proc *stream_proc_new(const struct stream_proc_config *cfg,
				    const char *id)
{
	struct stream_proc *p = xcalloc(1, sizeof *p);

	p->cfg = *cfg;
	p->id = xstrdup(id);
	stream_ring_init(&p->ring, cfg->bases);
	p->memory.fd = -1;
	p->first = 1;
	stream_receivers_init(p);
	stream_cams_init(p);
	stream_demand_init(&p->demand, cfg->loop, on_demand, p);
	p->choice = input_choice_new(cfg->loop);
	stream_cues_init(p);
	p->analysis = analysis_new(cfg->loop);
	p->proc = worker_proc_new(&(struct worker_proc_config){
		.loop = cfg->loop,
		.spawner = cfg->spawner,
		.role = "stream",
		.object = id,
		.beat = MSG_STREAM_STATUS,
		.remedy = "a change or restart-stream starts it at once",
		.events = &proc_events,
		.arg = p,
	});
	input_scans_init(&p->scans, p->proc);
	return p;
}

void stream_proc_free(struct stream_proc **pp)
{
	struct stream_proc *p = *pp;

	*pp = NULL;
	if (p == NULL)
		return;
	input_scans_down(&p->scans);
	stream_demand_done(&p->demand);
	stream_cams_use(p, false);
	worker_proc_free(&p->proc);
	input_choice_free(&p->choice);
	worker_requests_down(&p->cues);
	analysis_free(&p->analysis);
	stream_network_forget(p);
	stream_receivers_down(p);
	set_mounts(p, NULL);
	stream_ring_close(&p->ring);
	stream_memory_keep(&p->memory, false, NULL);
	stream_plan_free(&p->plan);
	free(p->id);
	free(p);
}

bool stream_proc_is_gone(const struct stream_proc *p)
{
	return worker_proc_state(p->proc) == PROC_GONE;
}

bool stream_proc_is_running(const struct stream_proc *p)
{
	return worker_proc_state(p->proc) == PROC_RUNNING;
}

const char *stream_proc_id(const struct stream_proc *p)
{
	return p->id;
}

void stream_proc_get(const struct stream_proc *p, struct stream_proc_info *ret)
{
	const char *error = p->error.text[0] != '\0' ? p->error.text : NULL;

	*ret = (struct stream_proc_info){
		.state = proc_state_format(worker_proc_state(p->proc)),
		.waiting = can_run(p) && !demand_is_wanted(&p->demand.demand),
		.pid = worker_proc_pid(p->proc),
		.restarts = worker_proc_unwanted_ends(p->proc),
		.alarm = error != NULL ? error : worker_proc_alarm(p->proc),
		.fault = error != NULL ? error : worker_proc_fault(p->proc),
		.silent_s = (unsigned)(worker_proc_silent_ms(p->proc) / 1000),
		.switches = &p->switches,
		.viewers = receivers_count(&p->receivers, mono_ms()),
		.n_outputs = p->plan != NULL ? p->plan->start.n_outputs : 0,
	};
	stream_mounts_get(&p->mounts, ret);
}
