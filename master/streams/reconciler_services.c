/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers that serve all streams, for the rest of the master. */
#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "common/supervise/tls_proc.h"
#include "master/softcams/softcam_list.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/receivers.h"
#include "master/streams/reconciler_state.h"
#include "master/streams/stream_proc.h"

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
	return softcams_service(r->softcams, i - ARRAY_LEN(r->services));
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
