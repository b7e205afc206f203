/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ring.h"
#include "common/supervise/handover.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/kept_memory.h"
#include "common/supervise/spawn.h"
#include "master/streams/stream_mounts.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_ring.h"
#include "common/supervise/worker_proc.h"
#include "proto/ipc/contract.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD_MAX = 100 }; /* switches between two statuses */

struct entry {
	struct entry_config cfg;
	char *id;
	struct stream_plan *plan; /* NULL before the first entry_set() */
	struct worker_proc *proc;

	struct stream_ring ring;
	bool read;      /* by other streams */
	bool started;   /* the worker was told to */
	struct kept_memory memory;

	unsigned first; /* the input that a next worker begins with; from 1 */
	struct input_choice *choice;
	struct analysis *analysis;
	struct switch_log switches;
	unsigned told; /* switches since the last status */
	struct receivers receivers;

	struct stream_mounts mounts;
	char fault[160]; /* why it cannot run; "" when it can */
};

/* --- what it reads of other streams --- */

static void tell_link(struct entry *e, struct channel *channel,
		      const char *stream)
{
	int fd = e->cfg.events->ring_of(stream, e->cfg.arg);
	const struct msg m = { .type = MSG_STREAM_LINK,
			       .stream_link = { stream, fd >= 0 } };

	(void)channel_send(channel, &m, &fd, fd >= 0);
}

struct entry_links entry_links(const struct entry *e)
{
	struct entry_links links = { 0 };

	if (e->plan == NULL)
		return links;
	links.n = e->plan->n_links;
	memcpy(links.ids, e->plan->links, sizeof links.ids);
	return links;
}

void entry_relink(struct entry *e, const char *stream)
{
	struct channel *channel = worker_proc_channel(e->proc);

	if (e->started && channel != NULL)
		tell_link(e, channel, stream);
}

bool entry_reads(const struct entry *e, const char *stream)
{
	return e->plan != NULL && e->plan->enable &&
	       stream_plan_reads(e->plan, stream);
}

/* --- the worker --- */

static void on_hello(struct worker_proc *proc, struct channel *channel,
		     void *arg)
{
	struct entry *e = arg;
	struct msg m = { .type = MSG_STREAM_START,
			 .stream_start = e->plan->start };
	int fds[2];
	size_t n = 0;

	(void)proc;
	m.stream_start.ring = e->ring.fd >= 0;
	m.stream_start.memory = e->memory.fd >= 0;
	m.stream_start.first = e->first;
	if (m.stream_start.ring)
		fds[n++] = e->ring.fd;
	if (m.stream_start.memory)
		fds[n++] = e->memory.fd;
	(void)channel_send(channel, &m, fds, n);
	e->started = true;
	for (size_t i = 0; i < e->plan->n_links; i++)
		tell_link(e, channel, e->plan->links[i]);
}

static void set_first(struct entry *e, unsigned position)
{
	if (position == e->first)
		return;
	e->first = position;
	spawner_touch(e->cfg.spawner);
}

static void hear_status(struct entry *e, const struct msg_stream_status *s)
{
	e->told = 0;
	if (s->chosen >= 1 && s->chosen <= e->plan->start.n_inputs)
		set_first(e, s->chosen);
	e->cfg.events->on_status(e->id, s, e->cfg.arg);
}

static void hear_switched(struct entry *e, const struct msg_stream_switched *s)
{
	switch_log_add(&e->switches, s);
	spawner_touch(e->cfg.spawner);
	e->cfg.events->on_switched(e->id, s, e->cfg.arg);
}

static void on_message(struct worker_proc *proc, const struct msg *m,
		       void *arg)
{
	struct entry *e = arg;

	if (m->type == MSG_STREAM_STATUS) {
		hear_status(e, &m->stream_status);
	} else if (m->type == MSG_STREAM_CHOSEN) {
		if (m->stream_chosen.position > 0)
			set_first(e, m->stream_chosen.position);
		(void)input_choice_hear(e->choice, m->seq, &m->stream_chosen);
	} else if (m->type == MSG_STREAM_SWITCHED) {
		if (++e->told > TOLD_MAX) {
			worker_proc_accuse(proc, "changes its input without "
						 "an end");
			return;
		}
		hear_switched(e, &m->stream_switched);
	} else if (m->type == MSG_STREAM_ANALYSIS) {
		analysis_hear(e->analysis, worker_proc_channel(proc), m->seq,
			      &m->stream_analysis);
	} else if (m->type == MSG_STREAM_RECEIVERS) {
		receivers_hear(&e->receivers, e->id, &m->stream_receivers,
			       mono_ms());
	}
	if (stream_ring_is_damaged(&e->ring))
		worker_proc_accuse(proc, "its ring is damaged");
}

static void replace_damaged_ring(struct entry *e);

/* The next one goes on in the same ring, unless this one has spoilt it. */
static void on_down(struct worker_proc *proc, void *arg)
{
	struct entry *e = arg;

	(void)proc;
	e->told = 0;
	e->started = false;
	input_choice_down(e->choice);
	analysis_down(e->analysis);
	receivers_clear(&e->receivers);
	if (stream_ring_is_damaged(&e->ring))
		replace_damaged_ring(e);
}

static void close_ring(struct entry *e)
{
	stream_ring_close(&e->ring);
	spawner_touch(e->cfg.spawner);
}

static void on_gone(struct worker_proc *proc, void *arg)
{
	struct entry *e = arg;

	(void)proc;
	e->cfg.events->on_gone(e, e->cfg.arg);
}

static const struct worker_proc_events proc_events = {
	.on_hello = on_hello,
	.on_message = on_message,
	.on_down = on_down,
	.on_gone = on_gone,
};

/* --- the ring --- */

/* As stream_ring_make(). */
static int make_ring(struct entry *e, size_t size)
{
	int err;

	if (size == e->ring.size)
		return 0;
	err = stream_ring_make(&e->ring, size);
	spawner_touch(e->cfg.spawner);
	return err;
}

static void replace_damaged_ring(struct entry *e)
{
	int err = stream_ring_replace(&e->ring);

	spawner_touch(e->cfg.spawner);
	if (err < 0) {
		log_error("streams",
			  "stream %s: its ring is damaged, and there "
			  "is no new one: %s",
			  e->id, strerror(-err));
		return;
	}
	log_warning("streams",
		    "stream %s: its ring was damaged and is replaced; "
		    "its viewers have to connect again",
		    e->id);
	stream_mounts_ring(&e->mounts, e->ring.ro_fd);
	e->cfg.events->on_ring(e, e->cfg.arg);
}

/* Of the plan's outputs, or of those who read it. */
static size_t ring_size(const struct entry *e, const struct stream_plan *plan)
{
	return plan->ring_size == 0 && e->read ? (size_t)RING_SIZE_DEFAULT
					       : plan->ring_size;
}

static void tell_ring(struct entry *e)
{
	const struct msg m = { .type = MSG_STREAM_RING };
	struct channel *channel = worker_proc_channel(e->proc);

	if (e->started && channel != NULL)
		(void)channel_send(channel, &m, &e->ring.fd, 1);
}

/* What nobody reads any more goes with the next change of the stream. */
void entry_set_read(struct entry *e, bool read)
{
	int err;

	e->read = read;
	if (!read || e->ring.fd >= 0 || e->plan == NULL || !e->plan->enable ||
	    e->fault[0] != '\0')
		return;
	err = make_ring(e, ring_size(e, e->plan));
	if (err < 0) {
		log_error("streams",
			  "stream %s: no ring for those who read it: "
			  "%s",
			  e->id, strerror(-err));
		return;
	}
	tell_ring(e);
	e->cfg.events->on_ring(e, e->cfg.arg);
}

int entry_ring(const struct entry *e)
{
	return e->ring.ro_fd;
}

/* --- the memory --- */

/* A stream can do without: then it begins anew with each worker. */
static void keep_memory(struct entry *e, bool keep)
{
	int err = 0;

	if (keep)
		err = kept_memory_make(&e->memory);
	else
		kept_memory_close(&e->memory);
	if (err < 0)
		log_warning("streams",
			    "stream %s: no memory for what is to "
			    "outlive its worker: %s",
			    e->id, strerror(-err));
	spawner_touch(e->cfg.spawner);
}

/* --- the plan --- */

static void set_mounts(struct entry *e, const struct stream_plan *plan)
{
	stream_mounts_set(&e->mounts, e->cfg.deliver,
			  &(struct stream_mounts_config){
				  .stream = e->id,
				  .ring_fd = e->ring.ro_fd,
				  .outputs = plan != NULL ? plan->http : NULL,
				  .n = plan != NULL ? plan->n_http : 0,
			  });
}

static bool prepare(struct entry *e, const struct stream_plan *plan)
{
	size_t size = ring_size(e, plan);
	int err;

	if (!stream_plan_fits(plan)) {
		(void)snprintf(e->fault, sizeof e->fault, "inputs and outputs "
			       "together are too long for a worker");
		return false;
	}
	/* a ring that is no longer needed goes with its last mount */
	if (size == 0)
		return true;
	err = make_ring(e, size);
	if (err < 0)
		(void)snprintf(e->fault, sizeof e->fault,
			       "no ring of %zu bytes: %s", size,
			       strerror(-err));
	return err == 0;
}

/* The input that ran is the first of the next worker's, too, wherever it
 * stands now. */
static unsigned find_first(const struct entry *e, const struct stream_plan *to)
{
	const struct msg_stream_start *old, *new = &to->start;

	if (e->plan == NULL)
		return 1;
	old = &e->plan->start;
	for (size_t i = 0; i < new->n_inputs && e->first <= old->n_inputs; i++)
		if (strcmp(old->inputs[e->first - 1], new->inputs[i]) == 0)
			return (unsigned)i + 1;
	return 1;
}

void entry_set(struct entry *e, const struct stream_conf *conf)
{
	struct stream_plan *plan = stream_plan_new(e->id, conf,
						   e->cfg.settings);
	struct stream_plan *old = e->plan;
	bool same = old != NULL && stream_plan_is_same(old, plan);
	int ring = e->ring.ro_fd;
	bool run;

	e->fault[0] = '\0';
	e->first = find_first(e, plan);
	run = plan->enable && prepare(e, plan);
	if (e->fault[0] != '\0')
		log_error("streams", "stream %s: %s", e->id, e->fault);
	e->plan = plan;
	set_mounts(e, run ? plan : NULL);
	stream_plan_free(&old);
	if (!run || ring_size(e, plan) == 0)
		(void)make_ring(e, 0);
	if (ring != e->ring.ro_fd)
		e->cfg.events->on_ring(e, e->cfg.arg);
	keep_memory(e, run);

	worker_proc_use(e->proc, plan->net ? SPAWN_WORKER_NET : SPAWN_WORKER);
	/* the last: what is not wanted may be gone inside */
	if (!run)
		worker_proc_unwant(e->proc);
	else if (same)
		worker_proc_want(e->proc);
	else
		worker_proc_restart(e->proc);
}

void entry_restart(struct entry *e)
{
	if (e->plan == NULL || !e->plan->enable || e->fault[0] != '\0')
		return;
	if (e->plan->n_http > 0)
		service_proc_hurry(deliver_proc_service(e->cfg.deliver));
	worker_proc_restart(e->proc);
}

void entry_stop(struct entry *e)
{
	set_mounts(e, NULL);
	if (entry_is_gone(e))
		e->cfg.events->on_gone(e, e->cfg.arg);
	else
		worker_proc_unwant(e->proc);
}

int entry_choose_input(struct entry *e, unsigned position,
		       input_choice_fn *done, void *arg)
{
	size_t n = e->plan != NULL ? e->plan->start.n_inputs : 0;
	struct channel *channel = worker_proc_channel(e->proc);

	if (position > n || n == 0)
		return -EINVAL;
	if (entry_is_running(e) && channel != NULL)
		return input_choice_ask(e->choice, channel, position, done,
					arg);
	set_first(e, position > 0 ? position : e->first % (unsigned)n + 1);
	return (int)e->first;
}

int entry_analyze(struct entry *e, analysis_fn *done, void *arg)
{
	struct channel *channel = worker_proc_channel(e->proc);

	if (!entry_is_running(e) || channel == NULL)
		return -ESRCH;
	return analysis_ask(e->analysis, channel, e->plan->start.n_inputs,
			    done, arg);
}

/* --- from master to master --- */

json_t *entry_write(struct entry *e, struct handover *h)
{
	json_t *record = json_object();

	(void)json_object_set_new(record, "id", json_string(e->id));
	(void)json_object_set_new(record, "worker",
				  worker_proc_write(e->proc, h));
	(void)json_object_set_new(record, "first", json_integer(e->first));
	(void)json_object_set_new(record, "switches",
				  switch_log_write(&e->switches));
	if (e->plan != NULL)
		(void)json_object_set_new(record, "plan",
					  stream_plan_write(e->plan));
	if (e->ring.fd >= 0)
		(void)json_object_set_new(record, "ring",
					  stream_ring_write(&e->ring, h));
	if (e->memory.fd >= 0)
		(void)json_object_set_new(record, "memory",
					  kept_memory_write(&e->memory, h));
	return record;
}

/* False when the plan needs a ring and this is none of its size. */
static bool take_ring(struct entry *e, const json_t *name, struct handover *h)
{
	size_t size = e->plan->ring_size;

	/* one without an output is for those who read it */
	if (size == 0)
		return name == NULL ||
		       stream_ring_take(&e->ring, name, h, RING_SIZE_DEFAULT);
	return stream_ring_take(&e->ring, name, h, size);
}

void entry_take(struct entry *e, const json_t *record, struct handover *h)
{
	json_int_t first = json_integer_value(json_object_get(record,
							      "first"));
	struct stream_conf *conf = stream_conf_new(
		json_object_get(record, "plan"));
	bool whole;

	/* what runs was given its defaults when it was started */
	e->plan = stream_plan_new(e->id, conf, NULL);
	stream_conf_free(&conf);
	if (first >= 1 && (size_t)first <= e->plan->start.n_inputs)
		e->first = (unsigned)first;
	switch_log_read(&e->switches, json_object_get(record, "switches"));
	worker_proc_use(e->proc, e->plan->net ? SPAWN_WORKER_NET
					      : SPAWN_WORKER);
	whole = take_ring(e, json_object_get(record, "ring"), h);
	kept_memory_take(&e->memory, json_object_get(record, "memory"), h);
	worker_proc_take(e->proc, json_object_get(record, "worker"), h,
			 whole && e->plan->enable);
	/* it says no hello to us */
	e->started = entry_is_running(e);
}

struct entry *entry_new(const struct entry_config *cfg, const char *id)
{
	struct entry *e = xcalloc(1, sizeof *e);

	e->cfg = *cfg;
	e->id = xstrdup(id);
	stream_ring_init(&e->ring);
	kept_memory_init(&e->memory);
	e->first = 1;
	e->choice = input_choice_new(cfg->loop);
	e->analysis = analysis_new(cfg->loop);
	e->proc = worker_proc_new(&(struct worker_proc_config){
		.loop = cfg->loop,
		.spawner = cfg->spawner,
		.role = "stream",
		.object = id,
		.beat = MSG_STREAM_STATUS,
		.events = &proc_events,
		.arg = e,
	});
	return e;
}

void entry_free(struct entry **ep)
{
	struct entry *e = *ep;

	*ep = NULL;
	if (e == NULL)
		return;
	worker_proc_free(&e->proc);
	input_choice_free(&e->choice);
	analysis_free(&e->analysis);
	receivers_clear(&e->receivers);
	set_mounts(e, NULL);
	close_ring(e);
	kept_memory_close(&e->memory);
	stream_plan_free(&e->plan);
	free(e->id);
	free(e);
}

const struct receivers *entry_receivers(const struct entry *e)
{
	return &e->receivers;
}

void entry_kick(struct entry *e, uint64_t client)
{
	struct msg m = { .type = MSG_STREAM_KICK, .stream_kick = { client } };
	struct channel *channel = worker_proc_channel(e->proc);

	if (channel != NULL)
		(void)channel_send(channel, &m, NULL, 0);
}

bool entry_is_gone(const struct entry *e)
{
	return worker_proc_state(e->proc) == PROC_GONE;
}

bool entry_is_running(const struct entry *e)
{
	return worker_proc_state(e->proc) == PROC_RUNNING;
}

const char *entry_id(const struct entry *e)
{
	return e->id;
}

void entry_get(const struct entry *e, struct stream_proc_info *ret)
{
	const struct stream_plan *plan = e->plan;

	*ret = (struct stream_proc_info){
		.state = proc_state_format(worker_proc_state(e->proc)),
		.pid = worker_proc_pid(e->proc),
		.restarts = worker_proc_unwanted_ends(e->proc),
		.alarm = e->fault[0] != '\0' ? e->fault
					     : worker_proc_alarm(e->proc),
		.switches = &e->switches,
		.viewers = receivers_count(&e->receivers),
		.n_outputs = plan != NULL ? plan->start.n_outputs : 0,
	};
	stream_mounts_get(&e->mounts, ret);
}
