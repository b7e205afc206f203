/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers that serve all streams.  Makes the lists of workers for
 * conditional access and for adapters, and the links that pass events of the
 * guide to streams.  Returns each kind of worker to the other modules. */
#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "common/supervise/tls_proc.h"
#include "master/config/entry.h"
#include "master/softcams/softcam_list.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/cas_procs.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/guide_links.h"
#include "master/streams/receivers.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_proc.h"
#include "proto/spec/io_spec.h"

#include <stdio.h>

/* --- conditional access --- */

void reconciler_set_cas(struct reconciler *r, const json_t *list)
{
	json_t *before = r->cas_list;

	r->cas_list = json_incref((json_t *)list);
	json_decref(before);
}

static const json_t *cas_entry_of(const char *id, void *arg)
{
	const struct reconciler *r = arg;

	return entry_find(r->cas_list, "id", id);
}

static bool is_cas_used(const char *id, void *arg)
{
	const struct reconciler *r = arg;

	for (size_t i = 0; i < r->n && !r->stopping; i++)
		if (!stream_proc_is_removed(r->streams[i]) &&
		    stream_proc_uses_cas(r->streams[i], id))
			return true;
	return false;
}

void reconciler_open_cas(struct reconciler *r,
			 const struct service_config *service)
{
	r->cas = cas_procs_new(&(struct cas_procs_config){
		.service = *service,
		.entry_of = cas_entry_of,
		.is_used = is_cas_used,
		.arg = r,
	});
}

/* --- adapters --- */

static void on_adapter_ring(const char *id, void *arg)
{
	struct reconciler *r = arg;
	char link[IO_LINK_MAX + 1];

	(void)snprintf(link, sizeof link, IO_ADAPTER "%s", id);
	if (!r->stopping)
		reconciler_relink(r, link);
}

static size_t programs_of(const char *id, uint16_t *ret, size_t max, void *arg)
{
	const struct reconciler *r = arg;
	const struct stream_proc *p;
	char link[IO_LINK_MAX + 1];
	size_t n = 0;

	(void)snprintf(link, sizeof link, IO_ADAPTER "%s", id);
	for (size_t i = 0; (p = reconciler_proc(r, i)) != NULL; i++)
		n = stream_proc_modules(p, link, ret, n, max);
	return n;
}

void reconciler_renew_cam(struct reconciler *r, const char *link)
{
	const size_t len = sizeof IO_ADAPTER - 1;

	if (r->stopping || strncmp(link, IO_ADAPTER, len) != 0)
		return;
	adapter_procs_update(r->adapters, link + len);
}

static void add_programs(const char *id, struct msg_adapter_programs *ret,
			 void *arg)
{
	const struct reconciler *r = arg;
	const struct stream_proc *p;
	char link[IO_LINK_MAX + 1];

	(void)snprintf(link, sizeof link, IO_ADAPTER "%s", id);
	for (size_t i = 0; (p = reconciler_proc(r, i)) != NULL; i++)
		stream_proc_add_programs(p, link, ret);
}

void reconciler_open_adapters(struct reconciler *r,
			      const struct service_config *service)
{
	r->adapters = adapter_procs_new(&(struct adapter_procs_config){
		.service = *service,
		.on_ring = on_adapter_ring,
		.programs_of = programs_of,
		.add_programs = add_programs,
		.ring_of = reconciler_link_ring,
		.on_link = reconciler_follow_adapter,
		.arg = r,
	});
}

struct adapter_procs *reconciler_adapters(struct reconciler *r)
{
	return r->adapters;
}

/* --- the guide --- */

const char *reconciler_stream_at(size_t i, int *ret_ring, void *arg)
{
	const struct reconciler *r = arg;

	if (i >= r->n)
		return NULL;
	*ret_ring = stream_proc_ring(r->streams[i]);
	return stream_proc_id(r->streams[i]);
}

void reconciler_guide_stale(const char *stream, void *arg)
{
	const struct reconciler *r = arg;

	guide_links_stale(r->guides, stream);
}

void reconciler_stream_up(const char *id, void *arg)
{
	const struct reconciler *r = arg;

	guide_links_up(r->guides, id);
}

void reconciler_stream_network(const char *id, void *arg)
{
	const struct reconciler *r = arg;

	guide_links_network(r->guides, id);
}

static void send_guide(const char *stream, const struct msg_stream_guide *m,
		       int fd, void *arg)
{
	const struct reconciler *r = arg;
	struct stream_proc *p = stream_index_find(&r->index, stream);

	if (p != NULL && !r->stopping)
		stream_proc_guide(p, m, fd);
}

void reconciler_open_guides(struct reconciler *r)
{
	r->guides = guide_links_new(&(struct guide_links_config){
		.loop = r->cfg.loop, .epg = r->epg, .send = send_guide,
		.arg = r });
}

/* --- the others --- */

struct auth_proc *reconciler_auth(struct reconciler *r)
{
	return r->auth;
}

struct backend_proc *reconciler_backend(struct reconciler *r)
{
	return r->backend;
}

struct picture_proc *reconciler_picture(struct reconciler *r)
{
	return r->picture;
}

struct epg_proc *reconciler_epg(struct reconciler *r)
{
	return r->epg;
}

struct epg_docs *reconciler_epg_docs(struct reconciler *r)
{
	return r->epg_docs;
}

struct softcams *reconciler_softcams(struct reconciler *r)
{
	return r->softcams;
}

void reconciler_set_viewers(struct reconciler *r, struct viewers *v)
{
	if (r == NULL)
		return;
	r->viewers = v;
	deliver_proc_set_viewers(r->deliver, v);
	for (size_t i = 0; i < r->n; i++)
		stream_proc_use_viewers(r->streams[i]);
}

struct jobs *reconciler_jobs(struct reconciler *r)
{
	return r->jobs;
}

struct querier_proc *reconciler_querier(struct reconciler *r)
{
	return r->querier;
}

struct tls_proc *reconciler_tls(struct reconciler *r)
{
	return r->tls;
}

void reconciler_close_viewers(struct reconciler *r, bool closed)
{
	deliver_proc_close_viewers(r->deliver, closed);
}

struct session_wait *reconciler_list_sessions(struct reconciler *r,
					      session_list_fn *done, void *arg)
{
	return deliver_proc_list(r->deliver, done, arg);
}

void reconciler_list_receivers(const struct reconciler *r, json_t *sessions)
{
	for (size_t i = 0; i < r->n; i++)
		receivers_list(stream_proc_receivers(r->streams[i]), mono_ms(),
			       sessions);
}

void reconciler_close_session(struct reconciler *r, uint64_t client)
{
	for (size_t i = 0; i < r->n; i++)
		if (receivers_has(stream_proc_receivers(r->streams[i]),
				  client)) {
			stream_proc_kick(r->streams[i], client);
			return;
		}
	deliver_proc_close_session(r->deliver, client);
}

void reconciler_open_play(struct reconciler *r)
{
	deliver_proc_set_play(r->deliver, &r->play);
}

const struct play_conf *reconciler_play(const struct reconciler *r)
{
	return &r->play;
}

struct deliver_proc *reconciler_deliver(struct reconciler *r)
{
	return r->deliver;
}

struct service_proc *reconciler_service(const struct reconciler *r, size_t i)
{
	const struct service_list *cas = cas_procs_list(r->cas);
	const struct service_list *adapters = adapter_procs_list(r->adapters);
	size_t n = 0;
	struct service_proc *s;

	while ((s = deliver_proc_service(r->deliver, (unsigned)n)) != NULL &&
	       n < i)
		n++;
	if (s != NULL)
		return s;
	i -= n;
	if (i < ARRAY_LEN(r->services))
		return r->services[i];
	i -= ARRAY_LEN(r->services);
	if (i < cas->n)
		return service_list_at(cas, i);
	i -= cas->n;
	if (i < adapters->n)
		return service_list_at(adapters, i);
	i -= adapters->n;
	return softcams_service(r->softcams, i);
}

const char *reconciler_service_alarm(const struct reconciler *r, size_t i,
				     const char **ret_name)
{
	const struct service_proc *s = reconciler_service(r, i);

	*ret_name = s != NULL ? service_proc_name(s) : NULL;
	if (s == NULL)
		return NULL;
	return service_proc_fault(s);
}

void reconciler_watch_splices(struct reconciler *r, splice_fn *on_splice,
			      void *arg)
{
	r->on_splice = on_splice;
	r->splice_watcher = arg;
}

void reconciler_tell_splice(const char *id, const json_t *record,
			    void *reconciler)
{
	const struct reconciler *r = reconciler;

	if (!r->stopping && r->on_splice != NULL)
		r->on_splice(id, record, r->splice_watcher);
}
