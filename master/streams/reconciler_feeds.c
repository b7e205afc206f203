/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The feeds of an mpts of several inputs follow its configuration. */
#include "master/config/stream_conf.h"
#include "master/streams/feeds.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler_state.h"

static void on_ring(const char *link, void *arg)
{
	reconciler_relink(arg, link);
}

void reconciler_open_feeds(struct reconciler *r,
			   const struct stream_proc_config *proc)
{
	r->feeds = feeds_new(&(struct feeds_config){
		.proc = *proc,
		.on_ring = on_ring,
		.on_demand = reconciler_follow_demand,
		.ring_of = reconciler_link_ring,
		.on_gone = reconciler_check_gone,
		.arg = r,
	});
}

static void set_feed(struct reconciler *r, const char *mpts, unsigned position,
		     const json_t *object)
{
	struct stream_proc *p = feeds_active(r->feeds, mpts, position);
	struct stream_conf *conf;

	if (object == NULL && p != NULL)
		reconciler_remove_proc(r, p);
	if (object == NULL)
		return;
	conf = stream_conf_new(object);
	reconciler_set_proc(r, feeds_get(r->feeds, mpts, position), conf);
	stream_conf_free(&conf);
}

void reconciler_set_feeds(struct reconciler *r, const char *id,
			  const json_t *object)
{
	for (unsigned i = 1; i <= MSG_INPUTS_MAX && !r->stopping; i++) {
		json_t *feed = object != NULL ? mpts_feed(object, id, i)
					      : NULL;

		set_feed(r, id, i, feed);
		json_decref(feed);
	}
}

void reconciler_report_mux(struct reconciler *r, const char *id,
			   const struct msg_stream_status *status)
{
	struct msg_stream_status copy = *status;

	feeds_report(r->feeds, id, &copy);
	r->cfg.events->on_stream_status(id, &copy, r->cfg.arg);
}
