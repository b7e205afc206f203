/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/reconciler.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "common/supervise/handover.h"
#include "common/supervise/auth_proc.h"
#include "master/config/check.h"
#include "master/config/play_conf.h"
#include "master/softcams/softcam_list.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/cas_procs.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/feeds.h"
#include "master/streams/guide_links.h"
#include "master/streams/hls_bases.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_plan.h"
#include "master/streams/stream_proc.h"
#include "master/viewers/backend_proc.h"
#include "common/supervise/jobs.h"
#include "master/streams/epg_docs.h"
#include "master/streams/epg_proc.h"
#include "master/streams/picture_proc.h"
#include "master/streams/querier_proc.h"
#include "common/supervise/spawn.h"
#include "common/supervise/tls_proc.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Time limit of reconciler_stop(), also if a process does not end. */
	STOP_MS = 4500,
};

static struct stream_proc *find(const struct reconciler *r, const char *id)
{
	return stream_index_find(&r->index, id);
}

/* Returns the stream with this id; NULL: none, it is removed, or the reconciler
 * is stopping. */
static struct stream_proc *find_active(const struct reconciler *r,
				       const char *id)
{
	struct stream_proc *p = r->stopping ? NULL : find(r, id);

	return p != NULL && !stream_proc_is_removed(p) ? p : NULL;
}

static void drop(struct reconciler *r, struct stream_proc *p)
{
	size_t i = 0;

	stream_index_remove(&r->index, p);
	while (r->streams[i] != p)
		i++;
	memmove(&r->streams[i], &r->streams[i + 1],
		(--r->n - i) * sizeof(*r->streams));
	stream_proc_free(&p);
}

static bool is_gone(const struct reconciler *r)
{
	const struct service_proc *s;
	const struct stream_proc *p;

	for (size_t i = 0; (p = reconciler_proc(r, i)) != NULL; i++)
		if (!stream_proc_is_gone(p))
			return false;
	for (size_t i = 0; (s = reconciler_service(r, i)) != NULL; i++)
		if (!service_proc_is_gone(s))
			return false;
	return jobs_is_gone(r->jobs);
}

/* After a stop: if all workers have ended, arranges the call of on_stopped().
 * The call comes from the loop, because it may free the reconciler. */
void reconciler_check_gone(void *arg)
{
	struct reconciler *r = arg;

	if (!r->stopping || !is_gone(r))
		return;
	timer_start(r->cfg.loop, &r->stop_timer, 0.);
}

static void on_stop_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct reconciler *r = container_of(t, struct reconciler, stop_timer);

	(void)loop, (void)revents;
	if (!is_gone(r))
		log_error("streams", "shutdown: some workers did not end "
				     "within %.1f s and keep running",
			  STOP_MS / 1000.);
	r->cfg.events->on_stopped(r->cfg.arg);
}

/* --- reports of streams --- */

static void on_status(const char *id, const struct msg_stream_status *status,
		      void *arg)
{
	struct reconciler *r = arg;

	if (r->stopping)
		return;
	if (feeds_has(r->feeds, id))
		reconciler_report_mux(r, id, status);
	else
		r->cfg.events->on_stream_status(id, status, r->cfg.arg);
}

static void on_switched(const char *id, const struct msg_stream_switched *s,
			void *arg)
{
	struct reconciler *r = arg;

	if (!r->stopping && r->cfg.events->on_stream_switched != NULL)
		r->cfg.events->on_stream_switched(id, s, r->cfg.arg);
}

static void on_stream_down(const char *id, const char *failure, void *arg)
{
	struct reconciler *r = arg;

	if (!r->stopping && r->cfg.events->on_stream_down != NULL)
		r->cfg.events->on_stream_down(id, failure, r->cfg.arg);
}

static void on_ring(struct stream_proc *p, void *arg)
{
	struct reconciler *r = arg;
	const char *id = stream_proc_id(p);

	reconciler_relink(r, id);
	epg_proc_set_ring(r->epg, id, stream_proc_ring(p));
}

static void on_stream_gone(struct stream_proc *p, void *arg)
{
	struct reconciler *r = arg;
	const char *id = stream_proc_id(p);

	/* another stream may have been renamed to this id meanwhile */
	if (stream_proc_is_removed(find(r, id))) {
		epg_proc_remove_stream(r->epg, id);
		guide_links_remove(r->guides, id);
		/* a stream that is added with this id is a new one for the
		 * guide: the worker reports no change of the old events */
		guide_links_stale(r->guides, id);
	}
	if (stream_proc_is_removed(p))
		drop(r, p);
	reconciler_check_gone(r);
}

static const struct stream_proc_events stream_events = {
	.on_status = on_status,
	.on_switched = on_switched,
	.on_splice = reconciler_tell_splice,
	.on_down = on_stream_down,
	.on_demand = reconciler_follow_demand,
	.on_ring = on_ring,
	.ring_of = reconciler_link_ring,
	.source_of = reconciler_source_of,
	.on_up = reconciler_stream_up,
	.on_network = reconciler_stream_network,
	.on_gone = on_stream_gone,
};

static struct stream_proc_config proc_config(struct reconciler *r)
{
	return (struct stream_proc_config){
		.loop = r->cfg.loop,
		.spawner = r->spawner,
		.deliver = r->deliver,
		.softcams = r->softcams,
		.cas = r->cas,
		.bases = r->bases,
		.settings = r->cfg.settings,
		.defaults = r->defaults,
		.viewers = &r->viewers,
		.events = &stream_events,
		.arg = r,
	};
}

static struct stream_proc *add(struct reconciler *r, const char *id)
{
	struct stream_proc_config cfg = proc_config(r);

	if (r->n == r->room) {
		r->room = MAX(2 * r->room, (size_t)16);
		r->streams = xrealloc(r->streams,
				      r->room * sizeof(*r->streams));
	}
	cfg.play = &r->play;
	cfg.epg = epg_proc_is_on(r->epg);
	r->streams[r->n] = stream_proc_new(&cfg, id);
	stream_index_add(&r->index, r->streams[r->n]);
	return r->streams[r->n++];
}

/* A deliver worker has started: makes its channel to the tls worker. */
static void on_deliver_up(void *arg)
{
	struct reconciler *r = arg;

	deliver_proc_link_tls(r->deliver, false);
}

static void on_tls_up(void *arg)
{
	struct reconciler *r = arg;

	deliver_proc_link_tls(r->deliver, true);
}

static void open_services(struct reconciler *r)
{
	const json_t *value = json_object_get(r->settings, "querier_timeout");
	json_int_t timeout_s = QUERIER_TIMEOUT_S;
	struct service_config cfg = {
		.loop = r->cfg.loop,
		.spawner = r->spawner,
		.on_gone = reconciler_check_gone,
		.arg = r,
	};

	if (json_is_integer(value))
		timeout_s = MAX(0, MIN(json_integer_value(value),
				       QUERIER_TIMEOUT_MAX_S));
	r->auth = auth_proc_new(&cfg);
	r->jobs = jobs_new(&cfg);
	r->querier = querier_proc_new(&cfg, (unsigned)timeout_s);
	r->backend = backend_proc_new(&cfg);
	r->picture = picture_proc_new(&cfg);
	r->epg = epg_proc_new(&cfg, &(struct epg_config){
		.settings = r->settings, .path = r->cfg.epg_path,
		.stream_at = reconciler_stream_at,
		.on_stale = reconciler_guide_stale, .arg = r });
	r->epg_docs = epg_docs_new(r->epg);
	reconciler_open_guides(r);
	r->softcams = softcams_new(&cfg);
	reconciler_open_cas(r, &cfg);
	reconciler_open_adapters(r, &cfg);
	cfg.on_up = on_tls_up;
	r->tls = tls_proc_new(&cfg);
	cfg.on_up = on_deliver_up;
	r->deliver = deliver_proc_new(&cfg, r->tls, r->settings, r->cfg.seed);
	play_conf_read(&r->play, r->settings, r->cfg.control);
	r->services[0] = auth_proc_service(r->auth);
	r->services[1] = tls_proc_service(r->tls);
	r->services[2] = querier_proc_service(r->querier);
	r->services[3] = backend_proc_service(r->backend);
	r->services[4] = picture_proc_service(r->picture);
	r->services[5] = epg_proc_service(r->epg);
	deliver_proc_set_pictures(r->deliver, &(struct deliver_pictures){
		.proc = r->picture, .ring_of = reconciler_picture_ring,
		.arg = r });
}

struct reconciler *reconciler_new(const struct reconciler_config *cfg)
{
	struct reconciler *r = xcalloc(1, sizeof *r);
	struct stream_proc_config proc;

	r->cfg = *cfg;
	r->settings = json_deep_copy(cfg->settings);
	r->cfg.settings = r->settings;
	r->defaults = json_object();
	reconciler_set_defaults(r, r->settings);
	r->bases = hls_bases_new(cfg->loop, cfg->bases_path);
	r->spawner = spawner_new(cfg->loop, cfg->worker_path);
	if (cfg->events->on_change != NULL)
		spawner_set_on_change(r->spawner, cfg->events->on_change,
				      cfg->arg);
	open_services(r);
	proc = proc_config(r);
	reconciler_open_feeds(r, &proc);
	ev_init(&r->stop_timer, on_stop_timer);
	return r;
}

void reconciler_free(struct reconciler **rp)
{
	struct reconciler *r = *rp;

	*rp = NULL;
	if (r == NULL)
		return;
	r->stopping = true;
	while (r->n > 0)
		drop(r, r->streams[0]);
	feeds_free(&r->feeds);
	deliver_proc_free(&r->deliver);
	auth_proc_free(&r->auth);
	jobs_free(&r->jobs);
	tls_proc_free(&r->tls);
	querier_proc_free(&r->querier);
	backend_proc_free(&r->backend);
	picture_proc_free(&r->picture);
	epg_proc_free(&r->epg);
	guide_links_free(&r->guides);
	epg_docs_free(&r->epg_docs);
	softcams_free(&r->softcams);
	cas_procs_free(&r->cas);
	adapter_procs_free(&r->adapters);
	hls_bases_free(&r->bases);
	spawner_free(&r->spawner);
	json_decref(r->settings);
	json_decref(r->defaults);
	json_decref(r->cas_list);
	ev_timer_stop(r->cfg.loop, &r->stop_timer);
	stream_index_free(&r->index);
	free(r->streams);
	free(r);
}

/* --- from master to master --- */

void reconciler_write(struct reconciler *r, struct handover *h)
{
	json_t *document = handover_document(h);
	json_t *streams = json_array();

	spawner_write(r->spawner, h);
	(void)json_object_set_new(document, "deliver",
				  deliver_proc_write(r->deliver, h));
	(void)json_object_set_new(document, "tls", tls_proc_write(r->tls, h));
	(void)json_object_set_new(document, "querier",
				  querier_proc_write(r->querier, h));
	(void)json_object_set_new(document, "adapters",
				  adapter_procs_write(r->adapters, h));
	for (size_t i = 0; i < r->n; i++)
		if (!stream_proc_is_removed(r->streams[i]))
			(void)json_array_append_new(
				streams, stream_proc_write(r->streams[i], h));
	(void)json_object_set_new(document, "streams", streams);
	(void)json_object_set_new(document, "feeds", feeds_write(r->feeds, h));
}

void reconciler_adopt(struct reconciler *r, struct handover *h)
{
	const json_t *document = handover_document(h);
	const json_t *streams = json_object_get(document, "streams");
	const json_t *record;
	size_t i;

	if (!handover_is_of_our_protocol(h))
		log_warning("master", "the previous program had another "
				      "protocol for its workers: all workers "
				      "are replaced, and all streams are "
				      "interrupted");
	spawner_take(r->spawner, h);
	deliver_proc_adopt(r->deliver, json_object_get(document, "deliver"), h);
	tls_proc_adopt(r->tls, json_object_get(document, "tls"), h);
	querier_proc_adopt(r->querier, json_object_get(document, "querier"), h);
	adapter_procs_adopt(r->adapters, json_object_get(document, "adapters"),
			    h);
	json_array_foreach(streams, i, record) {
		const char *id = json_string_value(
			json_object_get(record, "id"));

		if (id != NULL && find(r, id) == NULL)
			stream_proc_adopt(add(r, id), record, h);
	}
	feeds_adopt(r->feeds, json_object_get(document, "feeds"), h);
	spawner_end_unclaimed(r->spawner);
}

void reconciler_settle(struct reconciler *r)
{
	size_t n = 0;

	while (reconciler_proc(r, n) != NULL)
		n++;
	/* backwards: the call may remove the process from the list */
	while (n-- > 0) {
		struct stream_proc *p = reconciler_proc(r, n);

		if (!stream_proc_is_configured(p) && !stream_proc_is_removed(p))
			reconciler_remove_proc(r, p);
	}
	deliver_proc_settle(r->deliver);
	deliver_proc_link_tls(r->deliver, true);
}

static void set_stream(struct reconciler *r, const char *id,
		       const struct stream_conf *conf)
{
	struct stream_proc *p = find(r, id);

	p = p != NULL ? p : add(r, id);
	reconciler_set_proc(r, p, conf);
	epg_proc_set_keys(r->epg, id, conf->stream, stream_proc_ring(p));
	guide_links_set(r->guides, id, conf->stream);
}

void reconciler_set_stream(struct reconciler *r, const char *id,
			   const struct stream_conf *conf)
{
	struct stream_conf *mux;
	json_t *object;

	if (r->stopping)
		return;
	if (!mpts_is_mux(conf->stream)) {
		set_stream(r, id, conf);
		reconciler_set_feeds(r, id, NULL);
		return;
	}
	reconciler_set_feeds(r, id, conf->stream);
	object = mpts_mux(conf->stream, id);
	mux = stream_conf_new(object);
	set_stream(r, id, mux);
	stream_conf_free(&mux);
	json_decref(object);
}

void reconciler_rename_stream(struct reconciler *r, const char *from,
			      const char *to)
{
	struct stream_proc *p = find_active(r, from);
	char old[IO_FEED_MAX + 1], new[IO_FEED_MAX + 1];

	if (r->stopping)
		return;
	if (p != NULL) {
		stream_index_remove(&r->index, p);
		stream_proc_rename(p, to);
		stream_index_add(&r->index, p);
		epg_proc_rename_stream(r->epg, from, to, stream_proc_ring(p));
	}
	guide_links_rename(r->guides, from, to);
	reconciler_rename_links(r, from, to);
	feeds_rename(r->feeds, from, to);
	for (unsigned i = 1; i <= MSG_INPUTS_MAX; i++) {
		mpts_link(from, i, old);
		mpts_link(to, i, new);
		if (feeds_active(r->feeds, to, i) != NULL)
			reconciler_rename_links(r, old, new);
	}
}

void reconciler_remove_stream(struct reconciler *r, const char *id)
{
	struct stream_proc *p = find_active(r, id);

	if (p != NULL)
		reconciler_remove_proc(r, p);
	reconciler_set_feeds(r, id, NULL);
}

void reconciler_restart_stream(struct reconciler *r, const char *id)
{
	struct stream_proc *p = find_active(r, id);

	if (p == NULL)
		return;
	stream_proc_restart(p);
	feeds_restart(r->feeds, id);
}

int reconciler_cue(struct reconciler *r, const char *id,
		   const struct cue_command *command, cue_done_fn *done,
		   void *arg)
{
	struct stream_proc *p = find_active(r, id);

	return p != NULL ? stream_proc_cue(p, command, done, arg) : -ENOENT;
}

int reconciler_choose_input(struct reconciler *r, const char *id,
			    unsigned position, input_choice_fn *done, void *arg)
{
	struct stream_proc *p = find_active(r, id);

	return p != NULL ? stream_proc_choose_input(p, position, done, arg)
			 : -ENOENT;
}

int reconciler_analyze(struct reconciler *r, const char *id,
		       enum analysis_kind kind, analysis_fn *done, void *arg)
{
	struct stream_proc *p = find_active(r, id);

	return p != NULL ? stream_proc_analyze(p, kind, done, arg) : -ENOENT;
}

struct input_scan *reconciler_scan(struct reconciler *r, const char *id,
				   unsigned position,
				   const struct input_scan_events *events,
				   void *arg, int *ret_err)
{
	struct stream_proc *p = find_active(r, id);
	struct stream_proc *feed =
		p != NULL ? feeds_active(r->feeds, id, position) : NULL;

	/* the feed receives the input, so it has the tables as they were before
	 * the options of the input changed them */
	if (feed != NULL) {
		p = feed;
		position = 1;
	}
	*ret_err = -ENOENT;
	return p != NULL ? input_scan_start(stream_proc_scans(p), position,
					    events, arg, ret_err)
			 : NULL;
}

void reconciler_stop(struct reconciler *r)
{
	struct service_proc *s;
	size_t n = 0;

	if (r->stopping)
		return;
	r->stopping = true;
	timer_start(r->cfg.loop, &r->stop_timer, STOP_MS / 1000.);
	/* services first: then no deliver worker needs a message per path */
	epg_proc_stop(r->epg);
	for (size_t i = 0; (s = reconciler_service(r, i)) != NULL; i++)
		if (s != epg_proc_service(r->epg))
			service_proc_stop(s);
	softcams_stop(r->softcams);
	jobs_stop(r->jobs);
	while (reconciler_proc(r, n) != NULL)
		n++;
	/* backwards: the call may remove the process from the list */
	while (n-- > 0)
		if (reconciler_proc(r, n) != NULL)
			stream_proc_stop(reconciler_proc(r, n));
	reconciler_check_gone(r);
}

bool reconciler_get_stream(const struct reconciler *r, const char *id,
			   struct stream_proc_info *ret)
{
	const struct stream_proc *p = find(r, id);

	if (p == NULL || stream_proc_is_removed(p))
		return false;
	stream_proc_get(p, ret);
	feeds_add_faults(r->feeds, id, ret);
	return true;
}

int reconciler_ring(const struct reconciler *r, const char *id)
{
	const struct stream_proc *p = find(r, id);

	return p != NULL ? stream_proc_ring(p) : -1;
}

struct spawner *reconciler_spawner(struct reconciler *r)
{
	return r->spawner;
}

const char *reconciler_flaw(const struct reconciler *r)
{
	return spawner_flaw(r->spawner);
}

size_t reconciler_pids(const struct reconciler *r, pid_t *list, size_t room)
{
	return spawner_pids(r->spawner, list, room);
}

void reconciler_totals(const struct reconciler *r, unsigned *ret_workers,
		       unsigned *ret_viewers)
{
	const struct service_proc *s;
	const struct stream_proc *p;
	unsigned n = 0;

	for (size_t i = 0; (s = reconciler_service(r, i)) != NULL; i++)
		n += service_proc_is_running(s);
	*ret_viewers = deliver_proc_viewers(r->deliver);
	for (size_t i = 0; (p = reconciler_proc(r, i)) != NULL; i++) {
		n += stream_proc_is_running(p);
		*ret_viewers += receivers_count(stream_proc_receivers(p),
						mono_ms());
	}
	*ret_workers = n;
}
