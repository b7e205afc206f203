/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/master/fakes.h"

#include "common/base/util.h"
#include "common/http/server.h"
#include "common/supervise/spawn.h"
#include "common/ws/hub.h"
#include "master/streams/deliver_proc.h"
#include "master/config/play_conf.h"
#include "master/config/stream_conf.h"
#include "proto/si/cue_command.h"
#include "proto/wire/http_target.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct fakes fakes;

json_t *fakes_json(const char *text)
{
	return quoted(text);
}

void fakes_clear(void)
{
	fakes.told[0] = '\0';
}

static void tell(const char *format, ...) PRINTF_LIKE(1, 2);

static void tell(const char *format, ...)
{
	size_t len = strlen(fakes.told);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(fakes.told + len, sizeof fakes.told - len, format,
			args);
	va_end(args);
}

/* --- the reconciler --- */

void reconciler_set_cas(struct reconciler *r, const json_t *list)
{
	(void)r, (void)list;
}

void reconciler_set_stream(struct reconciler *f, const char *id,
		      const struct stream_conf *conf)
{
	(void)f;
	tell("%s %s\n", conf->is_enabled ? "run" : "stop", id);
}

void reconciler_set_defaults(struct reconciler *f, const json_t *settings)
{
	char *text = json_dumps(settings, JSON_COMPACT | JSON_SORT_KEYS);

	(void)f;
	(void)snprintf(fakes.defaults, sizeof fakes.defaults, "%s",
		       text != NULL ? text : "");
	free(text);
}

enum stream_change reconciler_foresee(const struct reconciler *f,
				      const char *id,
				      const struct stream_conf *conf,
				      const json_t *settings)
{
	bool runs = fakes.running != NULL && strcmp(fakes.running, id) == 0;

	(void)f, (void)settings;
	if (conf == NULL || !conf->is_enabled)
		return runs ? STREAM_STOPS : STREAM_STAYS;
	return runs ? STREAM_RESTARTS : STREAM_STARTS;
}

void reconciler_rename_stream(struct reconciler *r, const char *from,
			      const char *to)
{
	(void)r;
	tell("rename %s %s\n", from, to);
}

void reconciler_remove_stream(struct reconciler *f, const char *id)
{
	(void)f;
	tell("remove %s\n", id);
}

void reconciler_restart_stream(struct reconciler *f, const char *id)
{
	(void)f;
	tell("restart %s\n", id);
}

bool reconciler_get_stream(const struct reconciler *f, const char *id,
			   struct stream_proc_info *ret)
{
	(void)f, (void)id;
	*ret = fakes.stream;
	return fakes.stream.state != NULL;
}

int reconciler_ring(const struct reconciler *f, const char *id)
{
	(void)f, (void)id;
	return -1;
}

const char *reconciler_flaw(const struct reconciler *f)
{
	(void)f;
	return NULL;
}

struct auth_proc *reconciler_auth(struct reconciler *f)
{
	(void)f;
	return NULL;
}

struct jobs *reconciler_jobs(struct reconciler *f)
{
	(void)f;
	return NULL;
}

/* --- short-lived workers --- */

struct job *job_start(struct jobs *jobs, const struct job_kind *kind,
		      void *self)
{
	struct job *j = &fakes.jobs[fakes.n_jobs];

	(void)jobs;
	if (fakes.n_jobs == ARRAY_LEN(fakes.jobs))
		return NULL;
	fakes.n_jobs++;
	tell("job %s\n", kind->role);
	*j = (struct job){ kind, self };
	return j;
}

int job_send(struct job *j, const struct msg *m, const int *fd)
{
	(void)j, (void)m, (void)fd;
	return 0;
}

void job_set_deadline(struct job *j, unsigned ms)
{
	(void)j;
	tell("deadline %u\n", ms);
}

void job_free(struct job **j)
{
	if (*j != NULL) {
		tell("job over\n");
		(*j)->kind = NULL;
	}
	*j = NULL;
}

void reconciler_close_viewers(struct reconciler *f, bool closed)
{
	(void)f, (void)closed;
}

struct session_wait *reconciler_list_sessions(struct reconciler *f,
					      session_list_fn *done, void *arg)
{
	(void)f;
	fakes.on_sessions = done;
	fakes.on_sessions_arg = arg;
	return (struct session_wait *)&fakes.on_sessions;
}

void session_list_forget(struct session_wait **w)
{
	fakes.on_sessions = NULL;
	*w = NULL;
}

void fakes_tell_sessions(const char *text)
{
	json_t *list = text != NULL ? fakes_json(text) : NULL;

	if (fakes.on_sessions != NULL)
		fakes.on_sessions(list, fakes.on_sessions_arg);
	fakes.on_sessions = NULL;
	json_decref(list);
}

int reconciler_cue(struct reconciler *f, const char *id,
		   const struct cue_command *command, cue_done_fn *done,
		   void *arg)
{
	(void)f, (void)done, (void)arg;
	tell("cue %s %u\n", id, command->pre_roll_ms);
	return -EAGAIN;
}

int reconciler_choose_input(struct reconciler *f, const char *id,
			    unsigned position, input_choice_fn *done, void *arg)
{
	(void)f;
	tell("choose %s %u\n", id, position);
	fakes.on_choice = done;
	fakes.on_choice_arg = arg;
	return fakes.choice;
}

int reconciler_analyze(struct reconciler *f, const char *id,
		       enum analysis_kind kind, analysis_fn *done, void *arg)
{
	(void)f, (void)kind, (void)done, (void)arg;
	tell("analyze %s\n", id);
	return -ESRCH;
}

struct input_scan *reconciler_scan(struct reconciler *f, const char *id,
				   unsigned position,
				   const struct input_scan_events *events,
				   void *arg, int *ret_err)
{
	(void)f;
	tell("scan %s %u\n", id, position);
	fakes.on_scan = events;
	fakes.on_scan_arg = arg;
	*ret_err = fakes.scan_error;
	return fakes.scan_error == 0 ? (struct input_scan *)&fakes : NULL;
}

void input_scan_keep(struct input_scan *s)
{
	(void)s;
	tell("scan goes on\n");
}

void input_scan_free(struct input_scan **s)
{
	if (*s != NULL)
		tell("scan over\n");
	*s = NULL;
}

void reconciler_list_receivers(const struct reconciler *f, json_t *sessions)
{
	(void)f, (void)sessions;
}

void reconciler_close_session(struct reconciler *f, uint64_t client)
{
	(void)f;
	tell("kick %llu\n", (unsigned long long)client);
}

const char *reconciler_service_alarm(const struct reconciler *r, size_t i,
				     const char **ret_name)
{
	(void)r, (void)i;
	*ret_name = NULL;
	return NULL;
}

bool deliver_proc_takes_viewers(struct deliver_proc *d)
{
	(void)d;
	return false;
}

void deliver_proc_give_viewer(struct deliver_proc *d,
			      const struct msg_deliver_viewer *viewer, int fd,
			      uint64_t place)
{
	(void)d, (void)viewer, (void)fd, (void)place;
}

uint64_t deliver_proc_seed(const struct deliver_proc *d)
{
	(void)d;
	return 1;
}

int http_conn_take_socket(struct http_conn *c, struct buf *rest,
			  struct peer **ret_from)
{
	(void)c, (void)rest, (void)ret_from;
	return -1;
}

const struct play_conf *reconciler_play(const struct reconciler *r)
{
	static const struct play_conf none;

	(void)r;
	return &none;
}

struct deliver_proc *reconciler_deliver(struct reconciler *r)
{
	(void)r;
	return NULL;
}

const char *deliver_proc_play_error(const struct deliver_proc *r)
{
	(void)r;
	return NULL;
}

struct spawner *reconciler_spawner(struct reconciler *f)
{
	static struct spawner *spawner; /* of each test's process */

	(void)f;
	if (spawner == NULL)
		spawner = spawner_new(ev_loop_new(EVFLAG_AUTO), "/");
	return spawner;
}

void reconciler_watch_splices(struct reconciler *r, splice_fn *on_splice,
			      void *arg)
{
	(void)r;
	fakes.on_splice = on_splice;
	fakes.on_splice_arg = arg;
}

struct adapter_procs *reconciler_adapters(struct reconciler *r)
{
	(void)r;
	return NULL;
}

struct softcams *reconciler_softcams(struct reconciler *r)
{
	(void)r;
	return NULL;
}

struct tls_proc *reconciler_tls(struct reconciler *f)
{
	(void)f;
	return NULL;
}

const struct tls_facts *tls_proc_facts(const struct tls_proc *p)
{
	(void)p;
	return fakes.facts;
}

void tls_proc_set(struct tls_proc *p, json_t *chain, json_t *key)
{
	(void)p;
	if (chain != NULL)
		tell("certificate %s %s\n", json_string_value(chain),
		     json_string_value(key));
}

const char *tls_proc_error(const struct tls_proc *p)
{
	(void)p;
	return NULL;
}

struct tls_judgements *tls_proc_judgements(struct tls_proc *p)
{
	(void)p;
	return NULL;
}

struct tls_judgement *tls_judgement_new(struct tls_judgements *js,
					const char *chain, const char *key,
					tls_judgement_fn *done, void *arg)
{
	(void)js, (void)chain, (void)key;
	if (fakes.on_judged != NULL)
		return NULL;
	fakes.on_judged = done;
	fakes.on_judged_arg = arg;
	return (struct tls_judgement *)&fakes;
}

void tls_judgement_cancel(struct tls_judgement **j)
{
	*j = NULL;
	fakes.on_judged = NULL;
}

void fakes_tell_judgement(int result, const char *why)
{
	tls_judgement_fn *done = fakes.on_judged;
	struct errmsg text;

	errmsg_set(&text, "%s", why);
	fakes.on_judged = NULL;
	done(result, &text, fakes.on_judged_arg);
}

/* --- the hub --- */

void hub_broadcast(struct hub *h, const json_t *message, enum hub_urgency u)
{
	char *text = json_dumps(message, JSON_COMPACT | JSON_SORT_KEYS);

	(void)h;
	for (char *c = text; *c != '\0'; c++)
		if (*c == '"')
			*c = '\'';
	tell("%s%s\n", u == HUB_AT_ONCE ? "" : "soon ", text);
	free(text);
}

void hub_broadcast_text(struct hub *h, const char *text, size_t len,
			enum hub_urgency u)
{
	json_t *message = json_loadb(text, len, 0, NULL);

	hub_broadcast(h, message, u);
	json_decref(message);
}

void hub_broadcast_more(struct hub *h, const json_t *message)
{
	hub_broadcast(h, message, HUB_SOON);
}

void hub_send_extra(struct hub *h, enum hub_scope extra, const json_t *message)
{
	(void)extra;
	hub_broadcast(h, message, HUB_SOON);
}

bool hub_wants_extra(const struct hub *h, enum hub_scope extra)
{
	(void)h;
	return (extra == HUB_LOG && fakes.wants_log) ||
	       (extra == HUB_CUE && fakes.wants_cues) ||
	       (extra == HUB_EPG && fakes.wants_guide);
}

bool hub_wants_more(const struct hub *h)
{
	(void)h;
	return fakes.wants_more;
}

bool hub_has_listeners(const struct hub *h)
{
	(void)h;
	return fakes.listeners;
}

bool hub_is_handshake(const struct http_request *request)
{
	const char *upgrade = http_request_header(request, "upgrade");

	return upgrade != NULL && strcasecmp(upgrade, "websocket") == 0;
}

void hub_handshake(struct hub *h, struct http_conn *conn,
		   const struct http_request *request, enum hub_scope scope,
		   const char *login)
{
	static const char *const names[] = {
		[HUB_NONE] = "liveness",
		[HUB_EVENTS] = "listener",
		[HUB_ALL] = "all",
		[HUB_EVENTS | HUB_LOG] = "listener of the log",
		[HUB_ALL | HUB_LOG] = "all and the log",
	};

	(void)h, (void)conn, (void)request, (void)login;
	tell("handshake %s\n", names[scope]);
}

size_t hub_clients(const struct hub *h)
{
	(void)h;
	return 0;
}

void hub_review(struct hub *h, hub_judge_fn *judge, void *arg)
{
	(void)h, (void)judge, (void)arg;
}

/* --- HTTP --- */

const char *http_request_method(const struct http_request *r)
{
	return r->method;
}

const char *http_request_path(const struct http_request *r)
{
	return r->path;
}

const char *http_request_query(const struct http_request *r)
{
	return r->query;
}

const char *http_request_header(const struct http_request *r, const char *name)
{
	for (size_t i = 0; r->headers != NULL && r->headers[i][0] != NULL; i++)
		if (strcmp(r->headers[i][0], name) == 0)
			return r->headers[i][1];
	return NULL;
}

const char *http_conn_peer(const struct http_conn *conn)
{
	(void)conn;
	return "192.0.2.1";
}

const struct ip_address *http_conn_local(const struct http_conn *conn)
{
	static const struct ip_address unknown;

	(void)conn;
	return &unknown;
}

void http_continue(struct http_conn *conn)
{
	(void)conn;
}

bool http_conn_is_secure(const struct http_conn *conn)
{
	(void)conn;
	return fakes.secure;
}

bool http_request_query_get(const struct http_request *r, const char *key,
			    char *text, size_t size)
{
	return http_query_get(r->query, key, text, size);
}

const uint8_t *http_request_body(const struct http_request *r, size_t *ret_len)
{
	*ret_len = strlen(r->body);
	return (const uint8_t *)r->body;
}

void http_respond(struct http_conn *conn, const struct http_answer *a)
{
	size_t from;

	(void)conn;
	fakes.status = a->status;
	(void)snprintf(fakes.headers, sizeof fakes.headers, "%s",
		       a->headers != NULL ? a->headers : "");
	(void)snprintf(fakes.content_type, sizeof fakes.content_type, "%s",
		       a->content_type != NULL ? a->content_type : "");
	(void)snprintf(fakes.body, sizeof fakes.body, "%.*s", (int)a->len,
		       (const char *)a->body);
	from = a->len < sizeof fakes.tail ? 0 : a->len - sizeof fakes.tail + 1;
	(void)snprintf(fakes.tail, sizeof fakes.tail, "%.*s",
		       (int)(a->len - from), (const char *)a->body + from);
}

void http_drop(struct http_conn *conn)
{
	(void)conn;
	fakes.status = 0;
	fakes.body[0] = '\0';
	tell("drop\n");
}
