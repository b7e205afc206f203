/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "master/config/check.h"
#include "master/streams/epg_file.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	/* limit of a save, in which the worker reads streams as well */
	SAVE_S = 60,
	/* of the last save, which a stop of the service awaits */
	LAST_SAVE_S = 2,
	MOVES_MAX = 4096,
};

/* A new id or a removal that the saved guide does not contain yet. */
struct move {
	STAILQ_ENTRY(move) link;
	char *from; /* NULL: the stream `to' is not configured any more */
	char *to;
};

struct epg_ask {
	LIST_ENTRY(epg_ask) link;
	struct epg_proc *owner;
	ev_timer deadline;
	uint32_t seq;
	int fd;
	epg_done_fn *done;
	void *arg;
};

struct epg_proc {
	struct epg_config cfg;
	struct ev_loop *loop;
	struct msg_epg_start limits; /* days 0: no guide */
	struct service_proc *service;
	LIST_HEAD(, epg_ask) asks;
	size_t n_asks;
	uint32_t last_seq;
	size_t next; /* the next stream that the worker gets */
	bool started;  /* the worker has its limits */
	bool moved;    /* and all moves */
	bool complete; /* and all streams */
	struct epg_file *file; /* NULL: the guide is not saved */
	bool reading, late; /* the file; late: no worker waits for it */
	bool loading; /* the worker has the file, and has not loaded it yet */
	bool distrusted; /* the file ended the worker */
	bool saving, told; /* told: the log says that it fails */
	STAILQ_HEAD(, move) moves; /* in their order */
	size_t n_moves;
	const struct move *sent; /* the last one that the worker has */
	size_t n_saved; /* moves that the save in progress contains */
	bool stopping, last; /* last: the last save has begun */
	ev_timer last_save, read_limit, write_limit;
	uint64_t saved_ms, changes; /* at the last save */
	struct msg_epg_status status; /* the last one */
	bool has_status;
};

/* --- new ids, until a saved guide contains them --- */

static void drop_move(struct epg_proc *p)
{
	struct move *m = STAILQ_FIRST(&p->moves);

	STAILQ_REMOVE_HEAD(&p->moves, link);
	p->n_moves--;
	if (p->sent == m)
		p->sent = NULL;
	free(m->from);
	free(m->to);
	free(m);
}

static void add_move(struct epg_proc *p, const char *from, const char *to)
{
	struct move *m;

	if (p->file == NULL)
		return;
	if (p->n_moves == MOVES_MAX) {
		drop_move(p);
		p->n_saved -= MIN(p->n_saved, (size_t)1);
	}
	m = xcalloc(1, sizeof *m);
	m->from = from != NULL ? xstrdup(from) : NULL;
	m->to = xstrdup(to);
	STAILQ_INSERT_TAIL(&p->moves, m, link);
	p->n_moves++;
}

/* --- the worker --- */

static void send_stream(struct epg_proc *p, const struct msg_epg_stream *s,
			int ring)
{
	const struct msg m = { .type = MSG_EPG_STREAM, .epg_stream = *s };

	service_proc_send(p->service, &m, &ring);
}

static void send_ring(struct epg_proc *p, const char *id, const char *was,
		      int ring)
{
	send_stream(p, &(struct msg_epg_stream){ id, was, ring >= 0, false },
		    ring);
}

static void send_move(struct epg_proc *p, const struct move *m, int ring)
{
	if (m->from != NULL)
		send_ring(p, m->to, m->from, ring);
	else
		send_stream(p, &(struct msg_epg_stream){ m->to, "", false,
							 true }, -1);
}

/* The next move that the worker does not have. */
static const struct move *next_move(const struct epg_proc *p)
{
	return p->sent != NULL ? STAILQ_NEXT(p->sent, link)
			       : STAILQ_FIRST(&p->moves);
}

/* Sends the moves and the streams that the worker does not have yet, and then
 * "". */
static void on_drained(void *self)
{
	struct epg_proc *p = self;
	struct channel *channel = service_proc_channel(p->service);
	const struct move *m;
	const char *id;
	int ring = -1;

	while (p->started && !p->complete && channel != NULL &&
	       channel_is_idle(channel)) {
		m = p->moved ? NULL : next_move(p);
		if (m != NULL) {
			send_move(p, m, -1);
			p->sent = m;
			continue;
		}
		p->moved = true;
		id = p->cfg.stream_at(p->next, &ring, p->cfg.arg);
		p->complete = id == NULL;
		p->next++;
		send_ring(p, id != NULL ? id : "", "", id != NULL ? ring : -1);
	}
}

/* saved (borrowed) is the saved guide; -1: none. */
static void start_worker(struct epg_proc *p, int saved)
{
	struct msg m = { .type = MSG_EPG_START, .epg_start = p->limits };

	m.epg_start.saved = p->loading = saved >= 0;
	service_proc_send(p->service, &m, &saved);
	p->started = true;
	/* without a saved guide, no stream has a former id */
	p->moved = saved < 0;
	p->sent = NULL;
	p->complete = false;
	p->next = 0;
	on_drained(p);
}

static void on_read(int fd, void *arg)
{
	struct epg_proc *p = arg;
	bool late = p->late;

	ev_timer_stop(p->loop, &p->read_limit);
	p->reading = p->late = false;
	if (late)
		return;
	if (fd < 0 && fd != -ENOENT)
		log_warning("epg", "the saved guide is not readable: %s: the "
			    "guide begins empty", strerror(-fd));
	/* or the worker has ended */
	if (service_proc_channel(p->service) != NULL)
		start_worker(p, fd < 0 ? -1 : fd);
}

static void on_read_limit(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_proc *p = container_of(t, struct epg_proc, read_limit);

	(void)loop, (void)revents;
	p->late = true;
	log_warning("epg", "the saved guide is not readable: the disk does not "
		    "answer: the guide begins empty");
	if (service_proc_channel(p->service) != NULL)
		start_worker(p, -1);
}

static size_t saved_max(const struct epg_proc *p)
{
	return MIN((size_t)p->limits.memory_mib * 2 << 20,
		   (size_t)EPG_SAVED_MAX);
}

static void on_hello(void *self)
{
	struct epg_proc *p = self;

	p->changes = 0;
	if (p->reading && !p->late)
		return;
	if (p->file == NULL || p->distrusted || p->late) {
		start_worker(p, -1);
		return;
	}
	p->reading = true;
	ev_timer_start(p->loop, &p->read_limit);
	epg_file_read(p->file, saved_max(p), on_read, p);
}

/* A worker that starts gets the state later. */
static bool has_worker(const struct epg_proc *p)
{
	return p != NULL && p->started && p->moved;
}

void epg_proc_set_ring(struct epg_proc *p, const char *stream, int ring)
{
	if (has_worker(p))
		send_ring(p, stream, "", ring);
}

void epg_proc_rename_stream(struct epg_proc *p, const char *from,
			    const char *to, int ring)
{
	if (p == NULL)
		return;
	add_move(p, from, to);
	if (has_worker(p))
		send_ring(p, to, from, ring);
}

void epg_proc_remove_stream(struct epg_proc *p, const char *stream)
{
	if (p == NULL)
		return;
	add_move(p, NULL, stream);
	if (!has_worker(p))
		return;
	send_stream(p, &(struct msg_epg_stream){ stream, "", false, true },
		    -1);
	/* the places of the others have moved */
	if (!p->complete)
		p->next = 0;
}

const struct msg_epg_status *epg_proc_status(const struct epg_proc *p)
{
	return p->has_status ? &p->status : NULL;
}

/* --- questions --- */

/* error: NULL if the memory has len bytes. */
static void end_ask(struct epg_proc *p, struct epg_ask *a, size_t len,
		    const char *error)
{
	epg_done_fn *done = a->done;
	int fd = a->fd;
	void *arg = a->arg;

	LIST_REMOVE(a, link);
	ev_timer_stop(p->loop, &a->deadline);
	p->n_asks--;
	free(a);
	done(fd, len, error, arg);
	fd_close(&fd);
}

static void fail_asks(struct epg_proc *p)
{
	while (!LIST_EMPTY(&p->asks))
		end_ask(p, LIST_FIRST(&p->asks), 0,
			"the process that keeps the guide ended");
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_ask *a = container_of(t, struct epg_ask, deadline);

	(void)loop, (void)revents;
	end_ask(a->owner, a, 0, "no answer in time");
}

static void on_result(struct epg_proc *p, const struct msg *m)
{
	const struct msg_epg_result *r = &m->epg_result;
	struct epg_ask *a;

	LIST_FOREACH(a, &p->asks, link)
		if (a->seq == m->seq)
			break;
	if (a == NULL)
		return;
	if (r->len > 0 && (ssize_t)r->len > shared_size(a->fd))
		end_ask(p, a, 0, "the answer is longer than its memory");
	else
		end_ask(p, a, r->len, r->error);
}

/* An answer needs this memory and time. */
struct terms {
	size_t size;
	unsigned limit_s;
};

static int ask(struct epg_proc *p, const struct msg_epg_ask *question,
	       struct terms terms, epg_done_fn *done, void *arg)
{
	struct msg m = { .type = MSG_EPG_ASK, .epg_ask = *question };
	struct epg_ask *a;
	int fd;

	if (!epg_proc_is_on(p))
		return -ENOENT;
	if (!p->started || p->n_asks >= EPG_ASKS_MAX)
		return -EBUSY;
	fd = shared_create("epg", terms.size);
	if (fd < 0)
		return fd;
	a = xcalloc(1, sizeof *a);
	*a = (struct epg_ask){ .owner = p, .fd = fd, .done = done,
			       .arg = arg };
	a->seq = m.seq = p->last_seq = MAX(p->last_seq + 1, 1U);
	ev_timer_init(&a->deadline, on_deadline, terms.limit_s, 0.);
	ev_timer_start(p->loop, &a->deadline);
	LIST_INSERT_HEAD(&p->asks, a, link);
	p->n_asks++;
	/* if this fails, the worker is being replaced: on_down */
	service_proc_send(p->service, &m, &fd);
	return 0;
}

int epg_proc_ask(struct epg_proc *p, const struct msg_epg_ask *question,
		 epg_done_fn *done, void *arg)
{
	return ask(p, question, (struct terms){ EPG_REPLY_MAX, EPG_ANSWER_S },
		   done, arg);
}

/* --- saving --- */

static void save(struct epg_proc *p);

static void end_service(struct epg_proc *p)
{
	ev_timer_stop(p->loop, &p->last_save);
	service_proc_stop(p->service);
}

/* The next step of a stop. */
static void save_last(struct epg_proc *p)
{
	if (p->saving)
		return;
	if (!p->last && p->file != NULL && p->complete && p->has_status &&
	    p->status.loaded)
		save(p);
	p->last = true;
	if (!p->saving)
		end_service(p);
}

static void on_last_save(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_proc *p = container_of(t, struct epg_proc, last_save);

	(void)loop, (void)revents;
	log_warning("epg", "the guide is not saved: no answer in time: "
		    "changes since the last save are lost");
	p->last = p->told = true;
	end_service(p);
}

static void on_write_limit(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_proc *p = container_of(t, struct epg_proc, write_limit);

	(void)loop, (void)revents;
	if (!p->told)
		log_warning("epg", "the guide is not saved: the disk does "
			    "not answer");
	p->told = true;
}

/* A failed save is repeated.  In a stop, the worker may end before it. */
static void end_save(struct epg_proc *p, const char *error)
{
	p->saving = false;
	p->saved_ms = mono_ms();
	if (error != NULL)
		p->changes = 0;
	if (error != NULL && !p->told && (p->started || !p->stopping))
		log_warning("epg", "the guide is not saved: %s", error);
	if (error == NULL && p->told)
		log_info("epg", "the guide is saved again");
	p->told = error != NULL;
	if (p->stopping)
		save_last(p);
}

static void on_written(int result, const struct errmsg *error, void *arg)
{
	struct epg_proc *p = arg;

	ev_timer_stop(p->loop, &p->write_limit);
	p->distrusted &= result < 0;
	for (; result == 0 && p->n_saved > 0; p->n_saved--)
		drop_move(p);
	end_save(p, result < 0 ? error->text : NULL);
}

static void on_saved(int fd, size_t len, const char *error, void *arg)
{
	struct epg_proc *p = arg;

	if (len == 0) {
		end_save(p, error[0] != '\0' ? error : NULL);
		return;
	}
	ev_timer_start(p->loop, &p->write_limit);
	epg_file_write(p->file, fd, len, on_written, p);
}

static void save(struct epg_proc *p)
{
	static const struct msg_epg_ask all = { .stream = "" };
	struct terms terms = { saved_max(p), SAVE_S };

	p->saving = ask(p, &all, terms, on_saved, p) == 0;
	if (!p->saving)
		return;
	p->changes = p->status.changes;
	p->n_saved = p->n_moves;
}

/* The master has new ids in memory only: they are saved sooner. */
static bool may_save(const struct epg_proc *p)
{
	unsigned pause_ms = p->cfg.times.save_ms;

	if (p->n_moves > 0)
		pause_ms = MIN(pause_ms, 1000U * EPG_SAVE_IDS_S);
	return p->saved_ms == 0 || mono_ms() - p->saved_ms >= pause_ms;
}

static void save_later(struct epg_proc *p, const struct msg_epg_status *s)
{
	if (p->file == NULL || p->saving || p->stopping || !s->loaded ||
	    !p->complete || s->changes == p->changes || !may_save(p))
		return;
	save(p);
}

void epg_proc_stop(struct epg_proc *p)
{
	if (p->stopping)
		return;
	p->stopping = true;
	ev_timer_start(p->loop, &p->last_save);
	save_last(p);
}

/* --- the service --- */

static void on_status(struct epg_proc *p, const struct msg_epg_status *s)
{
	p->status = *s;
	p->has_status = true;
	p->loading &= !s->loaded;
	save_later(p, s);
}

static void on_message(const struct msg *m, void *self)
{
	if (m->type == MSG_EPG_RESULT)
		on_result(self, m);
	else if (m->type == MSG_EPG_STATUS)
		on_status(self, &m->epg_status);
}

static void on_down(void *self)
{
	struct epg_proc *p = self;

	p->started = p->has_status = false;
	if (p->loading && service_proc_failure(p->service) != NULL) {
		p->distrusted = true;
		log_warning("epg", "the saved guide ended the process that "
			    "read it: the guide begins empty");
	}
	p->loading = false;
	fail_asks(p);
}

static const struct service_kind kind = {
	.role = "epg",
	.beat = MSG_EPG_STATUS,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_drained = on_drained,
	.on_down = on_down,
};

/* The setting, at least 1, or the default if it is none. */
static unsigned number_of(const json_t *settings, const char *key,
			  unsigned initial, unsigned max)
{
	json_int_t n = json_integer_value(json_object_get(settings, key));

	return n >= 1 && n <= (json_int_t)max ? (unsigned)n : initial;
}

static void init_times(struct epg_proc *p)
{
	struct epg_times *t = &p->cfg.times;

	t->save_ms = t->save_ms > 0 ? t->save_ms : 1000 * EPG_SAVE_S;
	t->read_ms = t->read_ms > 0 ? t->read_ms : 1000 * EPG_READ_S;
	t->write_ms = t->write_ms > 0 ? t->write_ms : 1000 * EPG_WRITE_S;
	ev_timer_init(&p->last_save, on_last_save, LAST_SAVE_S, 0.);
	ev_timer_init(&p->read_limit, on_read_limit, t->read_ms / 1e3, 0.);
	ev_timer_init(&p->write_limit, on_write_limit, t->write_ms / 1e3, 0.);
}

struct epg_proc *epg_proc_new(const struct service_config *cfg,
			      const struct epg_config *epg)
{
	struct epg_proc *p = xcalloc(1, sizeof *p);

	p->cfg = *epg;
	p->loop = cfg->loop;
	p->limits = (struct msg_epg_start){
		.services = number_of(epg->settings, "epg_services",
				      EPG_SERVICES, EPG_SERVICES_MAX),
		.days = number_of(epg->settings, "epg_days", 0, EPG_DAYS_MAX),
		.memory_mib = number_of(epg->settings, "epg_memory",
					EPG_MEMORY_MIB, EPG_MEMORY_MAX_MIB),
	};
	LIST_INIT(&p->asks);
	STAILQ_INIT(&p->moves);
	init_times(p);
	p->service = service_proc_new(cfg, &kind, "1", p);
	if (!epg_proc_is_on(p))
		return p;
	if (epg->path != NULL)
		p->file = epg_file_new(cfg->loop, epg->path);
	service_proc_want(p->service);
	return p;
}

void epg_proc_free(struct epg_proc **pp)
{
	struct epg_proc *p = *pp;

	*pp = NULL;
	if (p == NULL)
		return;
	/* a save that ends now is no news, and no step of a stop */
	p->told = true;
	p->stopping = false;
	fail_asks(p);
	ev_timer_stop(p->loop, &p->last_save);
	ev_timer_stop(p->loop, &p->read_limit);
	ev_timer_stop(p->loop, &p->write_limit);
	while (p->n_moves > 0)
		drop_move(p);
	service_proc_free(&p->service);
	epg_file_free(&p->file);
	free(p);
}

struct service_proc *epg_proc_service(struct epg_proc *p)
{
	return p->service;
}

bool epg_proc_is_on(const struct epg_proc *p)
{
	return p->limits.days > 0;
}
