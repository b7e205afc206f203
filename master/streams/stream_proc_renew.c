/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps a stream running while its id or the master changes.  Makes its ring,
 * and returns its filler. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ring.h"
#include "common/supervise/handover.h"
#include "common/supervise/worker_proc.h"
#include "master/config/keep_active.h"
#include "master/config/stream_links.h"
#include "master/streams/mpts.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"

#include <stdlib.h>

const char *stream_proc_filler(const struct stream_proc *p)
{
	return p->plan != NULL ? json_string_value(json_object_get(
					 p->plan->start.options, "filler"))
			       : NULL;
}

int stream_proc_new_ring(struct stream_proc *p, size_t size)
{
	return p->cfg.feed ? stream_ring_make_fixed(&p->ring, size)
			   : stream_ring_make(&p->ring, size);
}

struct input_scans *stream_proc_scans(struct stream_proc *p)
{
	return &p->scans;
}

size_t stream_proc_ring_size(const struct stream_proc *p)
{
	return p->cfg.feed ? MPTS_RING_SIZE : RING_SIZE_DEFAULT;
}

void stream_proc_use(struct stream_proc *p)
{
	worker_proc_use(p->proc,
			p->plan->net ? SPAWN_WORKER_NET : SPAWN_WORKER,
			p->plan->start.mux ? "mux" : "stream");
}

bool stream_proc_is_foreign(const struct stream_proc *p, enum msg_type type)
{
	/* a multiplex sends all inputs at the same time */
	return p->mux &&
	       (type == MSG_STREAM_CHOSEN || type == MSG_STREAM_CUED ||
		type == MSG_STREAM_SWITCHED);
}

int stream_proc_keep_s(const struct stream_proc *p,
		       const struct stream_conf *conf)
{
	return p->cfg.feed ? 0 : keep_active_of(conf, p->cfg.settings,
						p->cfg.play);
}

/* Makes the plan again, with another stream object; the worker is not
 * restarted. */
static void replan(struct stream_proc *p, const json_t *stream)
{
	struct stream_conf *conf = stream_conf_new(stream);
	struct stream_plan *old = p->plan;

	p->plan = stream_plan_new(p->id, conf, p->cfg.defaults,
				  spawner_variable(p->cfg.spawner,
						   SPAWN_RECORDINGS));
	stream_plan_free(&old);
	stream_conf_free(&conf);
	spawner_touch(p->cfg.spawner);
}

void stream_proc_rename(struct stream_proc *p, const char *id)
{
	char *old = p->id;

	log_info(worker_proc_name(p->proc), "renamed to %s", id);
	p->id = xstrdup(id);
	worker_proc_rename(p->proc, id);
	if (p->plan != NULL)
		replan(p, p->plan->source);
	stream_mounts_rename(&p->mounts, id);
	receivers_rename(&p->receivers, id);
	stream_cams_use(p, stream_proc_is_wanted(p));
	free(old);
}

void stream_proc_rename_link(struct stream_proc *p, const char *from,
			     const char *to)
{
	const struct msg m = { .type = MSG_STREAM_RENAME,
			       .stream_rename = { from, to } };
	struct channel *channel = worker_proc_channel(p->proc);
	json_t *stream = p->plan != NULL
		? stream_links_rename(p->plan->source, from, to) : NULL;

	if (stream == NULL)
		return;
	replan(p, stream);
	json_decref(stream);
	if (p->started && channel != NULL)
		(void)channel_send(channel, &m, NULL, 0);
}

/* --- from master to master --- */

json_t *stream_proc_write(struct stream_proc *p, struct handover *h)
{
	json_t *worker = worker_proc_write(p->proc, h);
	json_t *plan = p->plan != NULL ? stream_plan_write(p->plan) : NULL;
	json_t *ring = NULL, *memory = NULL;

	if (p->ring.fd >= 0)
		ring = handover_put(h, 'r', &p->ring.number, p->ring.fd);
	if (p->memory.fd >= 0)
		memory = handover_put(h, 'm', &p->memory.number, p->memory.fd);
	return json_pack("{s:s, s:o, s:i, s:b, s:o, s:o, s:o*, s:o*, s:o*}",
			 "id", p->id, "worker", worker,
			 "first", (int)p->first, "by_hand", p->by_hand,
			 "switches", switch_log_write(&p->switches),
			 "receivers", receivers_write(&p->receivers),
			 "plan", plan, "ring", ring, "memory", memory);
}

void stream_proc_adopt(struct stream_proc *p, const json_t *record,
		       struct handover *h)
{
	json_int_t first =
		json_integer_value(json_object_get(record, "first"));
	struct stream_conf *conf = stream_conf_new(
		json_object_get(record, "plan"));
	const json_t *ring = json_object_get(record, "ring");
	bool usable = true;

	/* no defaults: the record contains those that the worker got */
	p->plan = stream_plan_new(p->id, conf, NULL, NULL);
	stream_conf_free(&conf);
	if (first >= 1 && (size_t)first <= p->plan->start.n_inputs)
		p->first = (unsigned)first;
	p->by_hand = json_is_true(json_object_get(record, "by_hand"));
	switch_log_read(&p->switches, json_object_get(record, "switches"));
	stream_proc_use(p);
	/* a ring with plan->ring_size 0 is for other readers than outputs */
	if (ring != NULL || p->plan->ring_size > 0)
		usable = stream_ring_take(&p->ring, ring, h,
					  p->plan->ring_size > 0
						  ? p->plan->ring_size
						  : stream_proc_ring_size(p));
	stream_memory_take(&p->memory, json_object_get(record, "memory"), h);
	worker_proc_adopt(p->proc, json_object_get(record, "worker"), h,
			  usable && p->plan->enable);
	/* an adopted worker sends no second hello */
	p->started = stream_proc_is_running(p);
	p->mux = p->plan->start.mux;
	if (p->started)
		receivers_take(&p->receivers, p->id,
			       json_object_get(record, "receivers"), mono_ms());
}
