/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `cas`: connects a conditional access system's generators of ECMs and
 * EMMs with the streams that the system protects. */
#include "common/base/alloc.h"
#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/loop/timer.h"
#include "proto/spec/cas_spec.h"
#include "worker/cas/ecmg.h"
#include "worker/cas/emmg.h"
#include "worker/core/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sysexits.h>

enum {
	/* While so many messages wait for a stream, it gets no EMMs. */
	WAITING_MAX = 16,
	/* EMM packets that arrive within this time share a message. */
	EMM_JOIN_MS = 20,
	PACKET_DIGITS = 2 * TS_PACKET,
};

_Static_assert((int)MSG_CAS_STREAMS_MAX == (int)ECMG_STREAMS_MAX &&
		       (int)MSG_CW_COUNT == (int)ECMG_WORDS &&
		       (int)MSG_CAS_ECM_PACKETS == (int)ECMG_PACKETS_MAX &&
		       (int)MSG_CAS_AC_MAX == (int)CAS_AC_MAX,
	       "messages have room for what generators send");

/* A stream that gets ECMs.  Its channel identifies it, not its name, which
 * another process may use by now. */
struct link {
	TAILQ_ENTRY(link) next;
	struct cas *of;
	char *name;
	unsigned stream; /* number of the stream at the generators */
	struct channel *channel;
};

struct cas {
	struct worker *worker;
	struct cas_entry entry;
	struct ecmg *ecmg; /* NULL until cas.start */
	struct emmg *emmg;
	/* why the port for EMMGs is not open; "": it is open, or the entry has
	 * no such port */
	struct errmsg emmg_error;
	ev_timer second;
	ev_timer join; /* runs while EMM packets wait */
	size_t n_emms; /* EMM packets that wait */
	uint8_t emms[MSG_CAS_EMM_PACKETS * TS_PACKET];
	struct msg_cas_status counts;
	TAILQ_HEAD(, link) links;
};

/* --- streams --- */

static struct link *find_link(struct cas *c, unsigned stream)
{
	struct link *l;

	TAILQ_FOREACH(l, &c->links, next)
		if (l->stream == stream)
			return l;
	return NULL;
}

static void drop_link(struct link *l)
{
	struct cas *c = l->of;

	TAILQ_REMOVE(&c->links, l, next);
	ecmg_remove(c->ecmg, l->stream);
	channel_free(&l->channel);
	free(l->name);
	free(l);
}

static void on_link_message(struct channel *channel, const struct msg *m,
			    int *fds, size_t n_fds, void *arg)
{
	struct link *l = arg;

	(void)channel, (void)fds, (void)n_fds;
	if (m->type == MSG_CAS_WORDS) {
		struct ecmg_request r = {
			.number = (uint16_t)m->cas_words.number,
			.period_ms = m->cas_words.period_ms,
		};

		if (hex_read(m->cas_words.words, r.words[0], sizeof r.words))
			ecmg_ask(l->of->ecmg, l->stream, &r);
		explicit_bzero(&r, sizeof r);
		return;
	}
	log_error("cas", "stream %s: its worker sent the unexpected message "
		  "%s: the channel to it is closed", l->name,
		  msg_type_name(m->type));
	drop_link(l);
}

static void on_link_close(struct channel *channel, int err, const char *error,
			  void *arg)
{
	struct link *l = arg;

	(void)channel;
	if (err < 0)
		log_error("cas", "stream %s: channel to its worker: %s",
			  l->name, error);
	drop_link(l);
}

static const struct channel_events link_events = {
	.on_message = on_link_message,
	.on_close = on_link_close,
};

static void on_link(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const struct msg_cas_link *from = &m->cas_link;
	struct cas *c = role;
	struct cas_data ac = { .len = strlen(from->ac) / 2 };
	struct link *l;

	if (c->ecmg == NULL || n_fds == 0 ||
	    !hex_read(from->ac, ac.bytes, ac.len))
		return;
	l = xcalloc(1, sizeof *l);
	l->of = c;
	while (l->stream < ECMG_STREAMS_MAX && find_link(c, l->stream) != NULL)
		l->stream++;
	if (l->stream == ECMG_STREAMS_MAX) {
		log_error("cas", "stream %s: no ECMs: a CAS serves at most %d "
			  "streams", from->stream,
			  ECMG_STREAMS_MAX);
		free(l);
		return;
	}
	l->name = xstrdup(from->stream);
	l->channel = channel_new(&(struct channel_config){
		.loop = c->worker->loop,
		.fd = fds[0],
		.receives = MSG_TO_MASTER,
		.events = &link_events,
		.arg = l,
	});
	fds[0] = -1;
	TAILQ_INSERT_TAIL(&c->links, l, next);
	ecmg_add(c->ecmg, l->stream, &ac);
}

/* --- ECMs --- */

static void on_terms(unsigned stream, const struct ecmg_terms *t,
		     const char *error, void *arg)
{
	struct cas *c = arg;
	struct link *l = find_link(c, stream);
	struct msg m = { .type = MSG_CAS_TERMS };

	if (l == NULL)
		return;
	if (t != NULL)
		m.cas_terms = (struct msg_cas_terms){
			.up = true,
			.period_ms = t->period_ms,
			.delay_start_ms = t->delay_start_ms,
			.delay_stop_ms = t->delay_stop_ms,
			.ac_start_ms = t->ac_start_ms,
			.ac_stop_ms = t->ac_stop_ms,
			.transition = t->transition,
			.transition_start_ms = t->transition_start_ms,
			.transition_stop_ms = t->transition_stop_ms,
			.repetition_ms = t->repetition_ms,
			.lead = t->lead,
		};
	m.cas_terms.error = error;
	if (error == NULL && c->emmg_error.text[0] != '\0')
		m.cas_terms.error = c->emmg_error.text;
	(void)channel_send(l->channel, &m, NULL, 0);
}

static void on_ecm(unsigned stream, uint16_t number, struct ts_run run,
		   void *arg)
{
	struct cas *c = arg;
	struct link *l = find_link(c, stream);
	char digits[ECMG_PACKETS_MAX * PACKET_DIGITS + 1];
	struct msg m = { .type = MSG_CAS_ECM };

	c->counts.ecms++;
	if (l == NULL || run.n > ECMG_PACKETS_MAX)
		return;
	hex_write(digits, run.data, run.n * TS_PACKET);
	m.cas_ecm = (struct msg_cas_ecm){ number, digits };
	(void)channel_send(l->channel, &m, NULL, 0);
}

static const struct ecmg_events ecmg_events = {
	.on_terms = on_terms,
	.on_ecm = on_ecm,
};

/* --- EMMs --- */

/* Sends the EMM packets that wait: to all streams if emm_clone is set,
 * otherwise to the oldest stream only. */
static void send_emms(struct cas *c)
{
	char digits[MSG_CAS_EMM_PACKETS * PACKET_DIGITS + 1];
	struct msg m = { .type = MSG_CAS_EMM, .cas_emm = { digits } };
	struct link *l;

	hex_write(digits, c->emms, c->n_emms * TS_PACKET);
	c->n_emms = 0;
	ev_timer_stop(c->worker->loop, &c->join);
	TAILQ_FOREACH(l, &c->links, next) {
		if (channel_waiting(l->channel) < WAITING_MAX)
			(void)channel_send(l->channel, &m, NULL, 0);
		if (!c->entry.emm_clone)
			return;
	}
}

static void on_join(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	send_emms(container_of(w, struct cas, join));
}

static void on_emm(struct ts_run run, void *arg)
{
	struct cas *c = arg;

	c->counts.emms += run.n;
	if (c->entry.emm_pid == TS_PID_NULL || run.n > MSG_CAS_EMM_PACKETS)
		return;
	if (c->n_emms + run.n > MSG_CAS_EMM_PACKETS)
		send_emms(c);
	memcpy(c->emms + c->n_emms * TS_PACKET, run.data, run.n * TS_PACKET);
	c->n_emms += run.n;
	if (c->n_emms == MSG_CAS_EMM_PACKETS)
		send_emms(c);
	if (c->n_emms > 0)
		timer_ensure(c->worker->loop, &c->join, EMM_JOIN_MS / 1e3);
}

/* --- the role --- */

static void on_second(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct cas *c = container_of(w, struct cas, second);
	struct msg m = { .type = MSG_CAS_STATUS };

	(void)loop, (void)revents;
	c->counts.streams = ecmg_streams(c->ecmg);
	c->counts.emmgs = c->emmg != NULL ? emmg_clients(c->emmg) : 0;
	c->counts.error = ecmg_error(c->ecmg);
	if (c->counts.error == NULL && c->emmg_error.text[0] != '\0')
		c->counts.error = c->emmg_error.text;
	m.cas_status = c->counts;
	(void)channel_send(c->worker->channel, &m, NULL, 0);
}

static void *cas_new(struct worker *worker)
{
	struct cas *c = xcalloc(1, sizeof *c);

	c->worker = worker;
	TAILQ_INIT(&c->links);
	ev_init(&c->second, on_second);
	ev_init(&c->join, on_join);
	return c;
}

static void cas_free(void *role)
{
	struct cas *c = role;
	struct link *l;

	ev_timer_stop(c->worker->loop, &c->second);
	/* passes the sections in its packer to on_emm() */
	emmg_free(&c->emmg);
	if (c->n_emms > 0)
		send_emms(c);
	while ((l = TAILQ_FIRST(&c->links)) != NULL)
		drop_link(l);
	ecmg_free(&c->ecmg);
	free(c);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct cas *c = role;
	struct errmsg error = { 0 };

	(void)fds, (void)n_fds;
	if (c->ecmg != NULL) {
		log_error("cas", "protocol error: second task received: this "
			  "process exits");
		worker_exit(c->worker, EX_PROTOCOL);
		return;
	}
	if (cas_entry_read(m->cas_start.entry, &c->entry, &error) < 0)
		log_error("cas", "[CAS %s] configuration error: %s",
			  c->entry.id, error.text);
	c->ecmg = ecmg_new(&(struct ecmg_config){
		.loop = c->worker->loop,
		.entry = &c->entry,
		.events = &ecmg_events,
		.arg = c,
	});
	worker_send_ready(c->worker);
	timer_repeat(c->worker->loop, &c->second, 1., 1.);
}

static void on_emmg(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const char *error = m->cas_emmg.error;
	struct cas *c = role;

	if (c->ecmg == NULL)
		return;
	emmg_free(&c->emmg);
	c->emmg_error.text[0] = '\0';
	if (error != NULL)
		errmsg_set(&c->emmg_error, "%s", error);
	if (n_fds > 0) {
		c->emmg = emmg_new(&(struct emmg_config){
			.loop = c->worker->loop,
			.sockets = { fds[0], n_fds > 1 ? fds[1] : -1 },
			.kbps = c->entry.emmg_kbps,
			.on_emm = on_emm,
			.arg = c,
		});
		fds[0] = -1;
		if (n_fds > 1)
			fds[1] = -1;
	}
	ecmg_repeat(c->ecmg);
}

const struct worker_role cas_role = {
	.name = "cas",
	.needs = NEED_THREADS | NEED_TCP | NEED_UDP | NEED_NAMES | NEED_ACCEPT,
	.new = cas_new,
	.free = cas_free,
	.messages = {
		[MSG_CAS_START] = on_start,
		[MSG_CAS_EMMG] = on_emmg,
		[MSG_CAS_LINK] = on_link,
	},
};
