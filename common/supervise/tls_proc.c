/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/tls_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/helper.h"
#include "common/loop/timer.h"
#include "common/supervise/pem_source.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	PAIR_BUFFER = 32768, /* bytes that may wait between the processes */
	/* limit for opening the files; an error is set when it is over */
	OPEN_SLOW_MS = 3000,
};

/* A client that waits for the worker. */
struct waiting {
	TAILQ_ENTRY(waiting) link;
	int fds[2]; /* the client's socket, the worker's end of the pair */
	uint64_t since_ms;
};

struct tls_proc {
	struct ev_loop *loop;
	struct spawner *spawner;
	struct service_proc *service;
	struct helpers *helpers;
	/* opens the certificate and its key; NULL: not in progress */
	struct helper_call *opening;
	ev_timer slow; /* runs while opening */
	struct tls_judgements *judgements;
	bool has_certificate; /* the running worker was sent a certificate */
	json_t *chain; /* NULL: no TLS */
	json_t *key;
	uint32_t last_seq;
	/* seq of the certificate sent last; 0: it was answered */
	uint32_t use_seq;
	/* error of the pair that was checked last; "": the pair is valid */
	struct errmsg error;
	struct tls_facts facts; /* facts of the certificate in use */
	bool is_former; /* facts are those that the previous worker sent */
	TAILQ_HEAD(, waiting) waiting; /* in order of arrival */
	unsigned n_waiting;
	ev_timer patience;
};

/* --- clients --- */

static void drop_first(struct tls_proc *p)
{
	struct waiting *w = TAILQ_FIRST(&p->waiting);

	TAILQ_REMOVE(&p->waiting, w, link);
	p->n_waiting--;
	fd_close(&w->fds[0]);
	fd_close(&w->fds[1]);
	free(w);
}

static void arm(struct tls_proc *p)
{
	const struct waiting *w = TAILQ_FIRST(&p->waiting);
	uint64_t now = mono_ms(), due;

	ev_timer_stop(p->loop, &p->patience);
	if (w == NULL)
		return;
	due = w->since_ms + TLS_WAIT_MS;
	timer_start(p->loop, &p->patience,
		    due > now ? (double)(due - now) / 1e3 : 0.);
}

/* Sends the next waiting client to the worker, only while the channel is empty:
 * each client in it costs the master two descriptors.  The certificate goes
 * first. */
static void hand_over(void *tls_proc)
{
	struct tls_proc *p = tls_proc;
	struct channel *channel = service_proc_channel(p->service);
	const struct msg m = { .type = MSG_TLS_SERVE };
	struct waiting *w;

	if (p->opening != NULL && !p->has_certificate)
		channel = NULL;
	while (channel != NULL && channel_is_idle(channel) &&
	       (w = TAILQ_FIRST(&p->waiting)) != NULL) {
		/* the worker has ended: the client waits for the next */
		if (channel_send(channel, &m, w->fds, ARRAY_LEN(w->fds)) < 0)
			break;
		drop_first(p);
	}
	arm(p);
}

static void on_patience(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct tls_proc *p = container_of(t, struct tls_proc, patience);
	uint64_t now = mono_ms();
	const struct waiting *w;

	(void)loop, (void)revents;
	while ((w = TAILQ_FIRST(&p->waiting)) != NULL &&
	       now - w->since_ms >= TLS_WAIT_MS)
		drop_first(p);
	arm(p);
}

int tls_proc_serve(int fd, void *tls_proc)
{
	struct tls_proc *p = tls_proc;
	struct waiting *w;
	int pair[2], err;

	if (p->chain == NULL)
		return -ENOTSUP;
	err = fd_stream_pair(pair, PAIR_BUFFER);
	if (err < 0)
		return err;
	if (p->n_waiting >= TLS_WAITING_MAX)
		drop_first(p);
	w = xcalloc(1, sizeof *w);
	w->fds[0] = fd;
	w->fds[1] = pair[1];
	w->since_ms = mono_ms();
	TAILQ_INSERT_TAIL(&p->waiting, w, link);
	p->n_waiting++;
	hand_over(p);
	return pair[0];
}

/* --- the certificate --- */

static void set_error(struct tls_proc *p, const struct errmsg *error)
{
	p->error = *error;
	errmsg_prefix(&p->error, "settings.");
	log_error("tls", "%s: certificate not used", p->error.text);
	/* a worker that has just started has no older certificate */
	if (p->is_former)
		p->facts = (struct tls_facts){ 0 };
	p->is_former = false;
	spawner_touch(p->spawner);
}

static void on_opened(int result, const struct pem_pair *take,
		      const struct errmsg *error, void *arg)
{
	struct tls_proc *p = arg;
	struct channel *channel = service_proc_channel(p->service);
	struct msg m = { .type = MSG_TLS_CERTIFICATE,
			 .tls_certificate = { .use = true } };
	struct pem_pair pair = *take;
	const int fds[] = { pair.chain, pair.key };

	p->opening = NULL;
	ev_timer_stop(p->loop, &p->slow);
	if (result != 0) {
		set_error(p, error);
	} else if (p->chain != NULL && channel != NULL) {
		if (++p->last_seq == 0)
			p->last_seq = 1;
		p->use_seq = m.seq = p->last_seq;
		p->has_certificate = true;
		(void)channel_send(channel, &m, fds, ARRAY_LEN(fds));
	}
	pem_pair_close(&pair);
	hand_over(p);
}

static void on_slow(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct errmsg error;

	(void)loop, (void)revents;
	errmsg_set(&error, "crt_chain: the file system of the certificate or "
		   "the key does not answer");
	set_error(container_of(t, struct tls_proc, slow), &error);
}

static void send_certificate(struct tls_proc *p)
{
	helper_call_cancel(&p->opening);
	ev_timer_stop(p->loop, &p->slow);
	/* the answer to an older pair clears no error of this one */
	p->use_seq = 0;
	if (p->chain == NULL || service_proc_channel(p->service) == NULL)
		return;
	p->opening = pem_opening_new(p->helpers, json_string_value(p->chain),
				     json_string_value(p->key), on_opened, p);
	timer_start(p->loop, &p->slow, OPEN_SLOW_MS / 1e3);
}

void tls_proc_set(struct tls_proc *p, json_t *chain, json_t *key)
{
	json_t *before[] = { p->chain, p->key };

	p->chain = json_incref(chain);
	p->key = json_incref(key);
	json_decref(before[0]);
	json_decref(before[1]);
	/* otherwise the error stays until the worker accepts the pair */
	if (p->chain == NULL)
		p->error.text[0] = '\0';
	else
		service_proc_want(p->service);
	send_certificate(p);
}

/* --- the worker --- */

static void on_hello(void *self)
{
	struct tls_proc *p = self;

	/* The worker gets the certificate in a moment.  The facts, and an alarm
	 * that follows from them, stay until it accepts or rejects it. */
	p->is_former = p->facts.end_s != 0;
	send_certificate(p);
	tls_judgements_up(p->judgements);
	hand_over(p);
}

static void take_facts(struct tls_proc *p, const struct msg_tls_facts *m)
{
	struct tls_facts *f = &p->facts;

	p->is_former = false;
	*f = (struct tls_facts){ .begin_s = (int64_t)m->begin_s,
				 .end_s = (int64_t)m->end_s };
	(void)snprintf(f->subject, sizeof f->subject, "%s", m->subject);
	(void)snprintf(f->issuer, sizeof f->issuer, "%s", m->issuer);
	(void)snprintf(f->names, sizeof f->names, "%s", m->names);
	(void)snprintf(f->key, sizeof f->key, "%s", m->key);
}

const struct tls_facts *tls_proc_facts(const struct tls_proc *p)
{
	return p->chain != NULL && p->facts.end_s != 0 ? &p->facts : NULL;
}

static void on_message(const struct msg *m, void *self)
{
	struct tls_proc *p = self;
	struct errmsg error;

	if (m->type == MSG_TLS_FACTS) {
		take_facts(p, &m->tls_facts);
		spawner_touch(p->spawner);
		return;
	}
	if (m->type != MSG_TLS_RESULT) {
		if (p->chain == NULL && tls_judgements_is_empty(p->judgements))
			service_proc_unwant(p->service);
		return;
	}
	if (m->seq == 0 || m->seq != p->use_seq) {
		tls_judgements_answer(p->judgements, m);
		return;
	}
	p->use_seq = 0;
	if (m->tls_result.ok) {
		p->error.text[0] = '\0';
		spawner_touch(p->spawner);
		return;
	}
	errmsg_set(&error, "%s: %s", m->tls_result.field, m->tls_result.error);
	set_error(p, &error);
}

static void on_down(void *self)
{
	struct tls_proc *p = self;

	p->use_seq = 0;
	p->has_certificate = false;
	tls_judgements_down(p->judgements);
}

static const struct service_kind kind = {
	.role = "tls",
	.program = SPAWN_WORKER_TLS,
	.beat = MSG_TLS_STATUS,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_drained = hand_over,
	.on_down = on_down,
};

struct tls_proc *tls_proc_new(const struct service_config *cfg)
{
	struct tls_proc *p = xcalloc(1, sizeof *p);

	p->loop = cfg->loop;
	p->spawner = cfg->spawner;
	TAILQ_INIT(&p->waiting);
	ev_init(&p->patience, on_patience);
	ev_init(&p->slow, on_slow);
	p->helpers = helpers_new(cfg->loop, PEM_THREADS_MAX);
	p->service = service_proc_new(cfg, &kind, "1", p);
	p->judgements = tls_judgements_new(cfg->loop, p->service, p->helpers,
					   &p->last_seq);
	return p;
}

void tls_proc_free(struct tls_proc **tls)
{
	struct tls_proc *p = *tls;

	*tls = NULL;
	if (p == NULL)
		return;
	while (!TAILQ_EMPTY(&p->waiting))
		drop_first(p);
	ev_timer_stop(p->loop, &p->patience);
	tls_judgements_free(&p->judgements);
	ev_timer_stop(p->loop, &p->slow);
	helper_call_cancel(&p->opening);
	helpers_free(&p->helpers);
	service_proc_free(&p->service);
	json_decref(p->chain);
	json_decref(p->key);
	free(p);
}

struct service_proc *tls_proc_service(struct tls_proc *p)
{
	return p->service;
}

json_t *tls_proc_write(struct tls_proc *p, struct handover *h)
{
	json_t *record = service_proc_write(p->service, h);
	const struct tls_facts *f = &p->facts;

	if (f->end_s != 0)
		(void)json_object_set_new(record, "facts", json_pack(
			"{s:s, s:s, s:s, s:s, s:I, s:I}", "subject", f->subject,
			"issuer", f->issuer, "names", f->names, "key", f->key,
			"begin_s", (json_int_t)f->begin_s,
			"end_s", (json_int_t)f->end_s));
	if (p->error.text[0] != '\0')
		(void)json_object_set_new(record, "error",
					  json_string(p->error.text));
	return record;
}

void tls_proc_adopt(struct tls_proc *p, const json_t *record,
		    struct handover *h)
{
	struct msg_tls_facts facts = { 0 };
	json_int_t begin, end;
	const char *error;

	service_proc_adopt(p->service, record, h, true);
	p->has_certificate = service_proc_channel(p->service) != NULL;
	if (!p->has_certificate)
		return;
	if (json_unpack(json_object_get(record, "facts"),
			"{s:s, s:s, s:s, s:s, s:I, s:I}", "subject",
			&facts.subject, "issuer", &facts.issuer, "names",
			&facts.names, "key", &facts.key, "begin_s", &begin,
			"end_s", &end) == 0) {
		facts.begin_s = (uint64_t)MAX(begin, 0);
		facts.end_s = (uint64_t)MAX(end, 0);
		take_facts(p, &facts);
	}
	error = json_string_value(json_object_get(record, "error"));
	if (error != NULL)
		errmsg_set(&p->error, "%s", error);
}

struct tls_judgements *tls_proc_judgements(struct tls_proc *p)
{
	return p->judgements;
}

bool tls_proc_is_on(const struct tls_proc *p)
{
	return p->chain != NULL;
}

const char *tls_proc_absence(const struct tls_proc *p)
{
	if (p->chain == NULL)
		return "https: settings.crt_chain and crt_key are not set";
	if (p->error.text[0] != '\0' &&
	    (p->facts.end_s == 0 || p->is_former))
		return p->error.text;
	return service_proc_alarm(p->service);
}

void tls_proc_link(struct tls_proc *p, int fd)
{
	const struct msg m = { .type = MSG_TLS_LINK };

	service_proc_send(p->service, &m, &fd);
}

const char *tls_proc_error(const struct tls_proc *p)
{
	return p->chain != NULL && p->error.text[0] != '\0' ? p->error.text
							    : NULL;
}
