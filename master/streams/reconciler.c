/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/reconciler.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/supervise/handover.h"
#include "common/supervise/auth_proc.h"
#include "master/config/check.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/stream_proc.h"
#include "common/supervise/jobs.h"
#include "master/streams/querier_proc.h"
#include "common/supervise/spawn.h"
#include "common/supervise/tls_proc.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	/* reconciler_stop() is over by then, whatever is stuck in the kernel */
	STOP_MS = 4500,
};

struct member {
	TAILQ_ENTRY(member) link;
	struct reconciler *reconciler;
	struct entry *entry;
	bool claimed; /* the configuration has it */
	bool removed; /* freed when its process is gone */
};

struct reconciler {
	struct reconciler_config cfg;
	json_t *settings; /* cfg.settings; NULL: none */
	struct spawner *spawner;
	struct deliver_proc *deliver;
	struct auth_proc *auth;
	struct tls_proc *tls;
	struct querier_proc *querier;
	/* of those above, in the order in which they are stopped */
	struct service_proc *services[4];
	struct jobs *jobs;
	TAILQ_HEAD(, member) members;
	bool stopping;
	ev_timer stop_timer; /* runs while stopping, until it is told */
};

static void member_free(struct member *m)
{
	TAILQ_REMOVE(&m->reconciler->members, m, link);
	entry_free(&m->entry);
	free(m);
}

static struct member *find(const struct reconciler *f, const char *id)
{
	struct member *m;

	TAILQ_FOREACH(m, &f->members, link)
		if (strcmp(entry_id(m->entry), id) == 0)
			return m;
	return NULL;
}

static bool is_gone(const struct reconciler *f)
{
	const struct member *m;

	TAILQ_FOREACH(m, &f->members, link)
		if (!entry_is_gone(m->entry))
			return false;
	for (size_t i = 0; i < ARRAY_LEN(f->services); i++)
		if (!service_proc_is_gone(f->services[i]))
			return false;
	return jobs_is_gone(f->jobs);
}

/* The end is told from the loop: whoever hears it may free the reconciler. */
static void look_whether_gone(struct reconciler *f)
{
	if (!f->stopping || !is_gone(f))
		return;
	ev_timer_stop(f->cfg.loop, &f->stop_timer);
	ev_timer_set(&f->stop_timer, 0., 0.);
	ev_timer_start(f->cfg.loop, &f->stop_timer);
}

static void on_stop_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct reconciler *f = container_of(t, struct reconciler, stop_timer);

	(void)loop, (void)revents;
	if (!is_gone(f))
		log_error("streams", "some workers do not end: left behind");
	f->cfg.events->on_stopped(f->cfg.arg);
}

static void on_status(const char *id, const struct msg_stream_status *status,
		      void *arg)
{
	struct member *m = arg;
	struct reconciler *f = m->reconciler;

	if (!m->removed && !f->stopping)
		f->cfg.events->on_stream_status(id, status, f->cfg.arg);
}

static void on_switched(const char *id, const struct msg_stream_switched *s,
			void *arg)
{
	struct member *m = arg;
	struct reconciler *f = m->reconciler;

	if (!m->removed && !f->stopping &&
	    f->cfg.events->on_stream_switched != NULL)
		f->cfg.events->on_stream_switched(id, s, f->cfg.arg);
}

/* --- streams that read streams --- */

static void on_ring(struct entry *entry, void *arg)
{
	struct member *m = arg, *other;

	TAILQ_FOREACH(other, &m->reconciler->members, link)
		if (entry_reads(other->entry, entry_id(entry)))
			entry_relink(other->entry, entry_id(entry));
}

static int ring_of(const char *stream, void *arg)
{
	const struct member *m = arg;
	const struct member *other = find(m->reconciler, stream);

	return other != NULL && !other->removed ? entry_ring(other->entry)
						: -1;
}

static bool is_read(const struct reconciler *f, const char *id)
{
	const struct member *m;

	TAILQ_FOREACH(m, &f->members, link)
		if (!m->removed && entry_reads(m->entry, id))
			return true;
	return false;
}

/* What somebody reads, or read, has a ring as long as anybody does. */
static void look_at_links(struct reconciler *f, const struct entry_links *links)
{
	for (size_t i = 0; i < links->n; i++) {
		struct member *m = find(f, links->ids[i]);

		if (m != NULL && !m->removed)
			entry_set_read(m->entry, is_read(f, links->ids[i]));
	}
}

static void on_entry_gone(struct entry *entry, void *arg)
{
	struct member *m = arg;
	struct reconciler *f = m->reconciler;

	(void)entry;
	if (m->removed)
		member_free(m);
	look_whether_gone(f);
}

static const struct entry_events entry_events = {
	.on_status = on_status,
	.on_switched = on_switched,
	.on_ring = on_ring,
	.ring_of = ring_of,
	.on_gone = on_entry_gone,
};

static void on_service_gone(void *arg)
{
	look_whether_gone(arg);
}

static struct member *member_new(struct reconciler *f, const char *id)
{
	struct member *m = xcalloc(1, sizeof *m);

	m->reconciler = f;
	m->entry = entry_new(
		&(struct entry_config){
			.loop = f->cfg.loop,
			.spawner = f->spawner,
			.deliver = f->deliver,
			.settings = f->cfg.settings,
			.events = &entry_events,
			.arg = m,
		},
		id);
	TAILQ_INSERT_TAIL(&f->members, m, link);
	return m;
}

/* Deliver and tls speak with each other past us; each new one of them gets a
 * new link to the other. */
static void link_services(struct reconciler *f)
{
	int fds[2], err;

	if (!tls_proc_is_on(f->tls) ||
	    service_proc_channel(tls_proc_service(f->tls)) == NULL ||
	    service_proc_channel(deliver_proc_service(f->deliver)) == NULL)
		return;
	err = fd_seqpacket_pair(fds);
	if (err < 0) {
		log_error("streams", "no link from deliver to tls: %s",
			  strerror(-err));
		return;
	}
	tls_proc_link(f->tls, fds[0]);
	deliver_proc_link(f->deliver, fds[1]);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
}

static void on_service_up(void *arg)
{
	link_services(arg);
}

static unsigned querier_timeout(const json_t *settings)
{
	const json_t *value = json_object_get(settings, "querier_timeout");

	if (!json_is_integer(value))
		return QUERIER_TIMEOUT_S;
	return (unsigned)MAX(0, MIN(json_integer_value(value),
				    QUERIER_TIMEOUT_MAX_S));
}

static void open_services(struct reconciler *f)
{
	struct service_config cfg = {
		.loop = f->cfg.loop,
		.spawner = f->spawner,
		.on_gone = on_service_gone,
		.arg = f,
	};

	f->auth = auth_proc_new(&cfg);
	f->jobs = jobs_new(&cfg);
	f->querier = querier_proc_new(&cfg, querier_timeout(f->settings));
	cfg.on_up = on_service_up;
	f->tls = tls_proc_new(&cfg);
	f->deliver = deliver_proc_new(&cfg, f->tls);
	f->services[0] = deliver_proc_service(f->deliver);
	f->services[1] = auth_proc_service(f->auth);
	f->services[2] = tls_proc_service(f->tls);
	f->services[3] = querier_proc_service(f->querier);
}

struct reconciler *reconciler_new(const struct reconciler_config *cfg)
{
	struct reconciler *f = xcalloc(1, sizeof *f);

	f->cfg = *cfg;
	f->settings = json_deep_copy(cfg->settings);
	f->cfg.settings = f->settings;
	TAILQ_INIT(&f->members);
	f->spawner = spawner_new(cfg->loop, cfg->worker_path);
	if (cfg->events->on_change != NULL)
		spawner_set_on_change(f->spawner, cfg->events->on_change,
				      cfg->arg);
	open_services(f);
	ev_timer_init(&f->stop_timer, on_stop_timer, 0., 0.);
	return f;
}

void reconciler_free(struct reconciler **fp)
{
	struct reconciler *f = *fp;
	struct member *m;

	*fp = NULL;
	if (f == NULL)
		return;
	f->stopping = true;
	ev_timer_stop(f->cfg.loop, &f->stop_timer);
	while ((m = TAILQ_FIRST(&f->members)) != NULL)
		member_free(m);
	deliver_proc_free(&f->deliver);
	auth_proc_free(&f->auth);
	jobs_free(&f->jobs);
	tls_proc_free(&f->tls);
	querier_proc_free(&f->querier);
	spawner_free(&f->spawner);
	json_decref(f->settings);
	ev_timer_stop(f->cfg.loop, &f->stop_timer);
	free(f);
}

/* --- from master to master --- */

void reconciler_write(struct reconciler *f, struct handover *h)
{
	json_t *document = handover_document(h);
	json_t *streams = json_array();
	struct member *m;

	spawner_write(f->spawner, h);
	(void)json_object_set_new(document, "deliver",
				  deliver_proc_write(f->deliver, h));
	(void)json_object_set_new(document, "tls", tls_proc_write(f->tls, h));
	(void)json_object_set_new(document, "querier",
				  querier_proc_write(f->querier, h));
	TAILQ_FOREACH(m, &f->members, link)
		if (!m->removed)
			(void)json_array_append_new(streams,
						    entry_write(m->entry, h));
	(void)json_object_set_new(document, "streams", streams);
}

void reconciler_take(struct reconciler *f, struct handover *h)
{
	const json_t *document = handover_document(h);
	const json_t *streams = json_object_get(document, "streams");
	const json_t *record;
	size_t i;

	spawner_take(f->spawner, h);
	deliver_proc_take(f->deliver, json_object_get(document, "deliver"), h);
	tls_proc_take(f->tls, json_object_get(document, "tls"), h);
	querier_proc_take(f->querier, json_object_get(document, "querier"), h);
	json_array_foreach(streams, i, record) {
		const char *id = json_string_value(
			json_object_get(record, "id"));

		if (id == NULL || find(f, id) != NULL)
			continue;
		entry_take(member_new(f, id)->entry, record, h);
	}
	spawner_end_unclaimed(f->spawner);
}

/* May free it. */
static void remove_member(struct member *m)
{
	struct entry_links links = entry_links(m->entry);

	m->removed = true;
	on_ring(m->entry, m);
	look_at_links(m->reconciler, &links);
	entry_stop(m->entry);
}

void reconciler_settle(struct reconciler *f)
{
	struct member *m, *next;

	for (m = TAILQ_FIRST(&f->members); m != NULL; m = next) {
		next = TAILQ_NEXT(m, link);
		if (m->claimed || m->removed)
			continue;
		remove_member(m);
	}
	deliver_proc_settle(f->deliver);
	link_services(f);
}

void reconciler_set_stream(struct reconciler *f, const char *id,
			   const struct stream_conf *conf)
{
	struct member *m = find(f, id);
	struct entry_links before, after;

	if (f->stopping)
		return;
	if (m == NULL)
		m = member_new(f, id);
	m->removed = false;
	m->claimed = true;
	before = entry_links(m->entry);
	entry_set_read(m->entry, is_read(f, id));
	entry_set(m->entry, conf);
	after = entry_links(m->entry);
	look_at_links(f, &before);
	look_at_links(f, &after);
}

void reconciler_remove_stream(struct reconciler *f, const char *id)
{
	struct member *m = find(f, id);

	if (m == NULL || m->removed || f->stopping)
		return;
	remove_member(m);
}

void reconciler_restart_stream(struct reconciler *f, const char *id)
{
	struct member *m = find(f, id);

	if (m != NULL && !m->removed && !f->stopping)
		entry_restart(m->entry);
}

int reconciler_choose_input(struct reconciler *f, const char *id,
			    unsigned position, input_choice_fn *done, void *arg)
{
	struct member *m = find(f, id);

	if (m == NULL || m->removed || f->stopping)
		return -ENOENT;
	return entry_choose_input(m->entry, position, done, arg);
}

int reconciler_analyze(struct reconciler *f, const char *id, analysis_fn *done,
		       void *arg)
{
	struct member *m = find(f, id);

	if (m == NULL || m->removed || f->stopping)
		return -ENOENT;
	return entry_analyze(m->entry, done, arg);
}

void reconciler_stop(struct reconciler *f)
{
	struct member *m, *next;

	if (f->stopping)
		return;
	f->stopping = true;
	ev_timer_set(&f->stop_timer, STOP_MS / 1000., 0.);
	ev_timer_start(f->cfg.loop, &f->stop_timer);
	/* before the streams: deliver need not hear of every path that goes */
	for (size_t i = 0; i < ARRAY_LEN(f->services); i++)
		service_proc_stop(f->services[i]);
	jobs_stop(f->jobs);
	for (m = TAILQ_FIRST(&f->members); m != NULL; m = next) {
		next = TAILQ_NEXT(m, link);
		entry_stop(m->entry);
	}
	look_whether_gone(f);
}

bool reconciler_get_stream(const struct reconciler *f, const char *id,
			   struct stream_proc_info *ret)
{
	const struct member *m = find(f, id);

	if (m == NULL || m->removed)
		return false;
	entry_get(m->entry, ret);
	return true;
}

void reconciler_totals(const struct reconciler *f, unsigned *ret_workers,
		       unsigned *ret_viewers)
{
	const struct member *m;
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(f->services); i++)
		n += service_proc_is_running(f->services[i]);
	*ret_viewers = deliver_proc_viewers(f->deliver);
	TAILQ_FOREACH(m, &f->members, link) {
		n += entry_is_running(m->entry);
		*ret_viewers += receivers_count(entry_receivers(m->entry));
	}
	*ret_workers = n;
}

struct auth_proc *reconciler_auth(struct reconciler *f)
{
	return f->auth;
}

struct jobs *reconciler_jobs(struct reconciler *f)
{
	return f->jobs;
}

struct querier_proc *reconciler_querier(struct reconciler *f)
{
	return f->querier;
}

struct tls_proc *reconciler_tls(struct reconciler *f)
{
	return f->tls;
}

void reconciler_list_sessions(struct reconciler *f, session_list_fn *done,
			      void *arg)
{
	deliver_proc_list(f->deliver, done, arg);
}

void reconciler_list_receivers(const struct reconciler *f, json_t *sessions)
{
	const struct member *m;

	TAILQ_FOREACH(m, &f->members, link)
		receivers_list(entry_receivers(m->entry), mono_ms(),
			       sessions);
}

void reconciler_close_session(struct reconciler *f, uint64_t client)
{
	const struct member *m;

	TAILQ_FOREACH(m, &f->members, link)
		if (receivers_has(entry_receivers(m->entry), client)) {
			entry_kick(m->entry, client);
			return;
		}
	deliver_proc_kick(f->deliver, client);
}
