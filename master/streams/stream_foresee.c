/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Foresees the effect of a configuration change on the process of a stream, and
 * sets the defaults of streams. */
#include "common/supervise/worker_proc.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc_state.h"

#include <string.h>

static enum stream_change compare(const struct stream_proc *p,
				  const struct stream_plan *plan)
{
	bool runs = worker_proc_pid(p->proc) != 0;

	if (!plan->enable)
		return runs ? STREAM_STOPS : STREAM_STAYS;
	/* a stream on demand waits for a viewer, before and after the change */
	if (!runs && p->plan != NULL && p->plan->enable)
		return STREAM_STAYS;
	if (!runs)
		return STREAM_STARTS;
	return p->plan != NULL && stream_plan_is_same(p->plan, plan)
		       ? STREAM_STAYS : STREAM_RESTARTS;
}

enum stream_change stream_proc_foresee(const struct stream_proc *p,
				       const struct stream_conf *conf,
				       const json_t *settings)
{
	json_t *object = mpts_is_mux(conf->stream)
				 ? mpts_mux(conf->stream, p->id)
				 : json_incref((json_t *)conf->stream);
	struct stream_conf *read = stream_conf_new(object);
	struct stream_plan *plan = stream_plan_new(
		p->id, read, settings != NULL ? settings : p->cfg.defaults,
		spawner_variable(p->cfg.spawner, SPAWN_RECORDINGS));
	enum stream_change change = compare(p, plan);

	stream_plan_free(&plan);
	stream_conf_free(&read);
	json_decref(object);
	return change;
}

enum stream_change reconciler_foresee(const struct reconciler *r,
				      const char *id,
				      const struct stream_conf *conf,
				      const json_t *settings)
{
	const struct stream_proc *p = stream_index_find(&r->index, id);

	if (p == NULL || stream_proc_is_removed(p))
		return conf != NULL && conf->is_enabled ? STREAM_STARTS
							: STREAM_STAYS;
	if (conf == NULL)
		return worker_proc_pid(p->proc) != 0 ? STREAM_STOPS
						     : STREAM_STAYS;
	return stream_proc_foresee(p, conf, settings);
}

void reconciler_set_defaults(struct reconciler *r, const json_t *settings)
{
	json_t *copy = json_deep_copy(settings);

	(void)json_object_clear(r->defaults);
	(void)json_object_update(r->defaults, copy);
	json_decref(copy);
}
