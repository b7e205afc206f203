/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "common/document/save.h"
#include "master/config/check.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

enum {
	SAVE_RETRY_MIN_MS = 1000,
	SAVE_RETRY_MAX_MS = 60000,
};

struct epg_ask {
	LIST_ENTRY(epg_ask) link;
	uint32_t seq;
	int fd;
	epg_done_fn *done;
	void *arg;
};

struct epg_proc {
	struct epg_config cfg;
	struct msg_epg_start limits; /* days 0: no guide */
	struct service_proc *service;
	LIST_HEAD(, epg_ask) asks;
	size_t n_asks;
	uint32_t last_seq;
	size_t next; /* the next stream that the worker gets */
	bool complete; /* it has got all */
	char *path;
	struct save *save; /* NULL: it is not saved */
	bool saving;
	uint64_t saved_ms, changes; /* at the last save */
	char *text; /* the guide to be written */
	size_t len;
};

/* --- the worker --- */

static void send_ring(struct epg_proc *p, const char *id, int ring)
{
	const struct msg m = { .type = MSG_EPG_STREAM,
			       .epg_stream = { id, ring >= 0 } };

	service_proc_send(p->service, &m, &ring);
}

/* Sends the streams that the worker does not have yet. */
static void on_drained(void *self)
{
	struct epg_proc *p = self;
	struct channel *channel = service_proc_channel(p->service);
	const char *id;
	int ring = -1;

	while (!p->complete && channel != NULL && channel_is_idle(channel)) {
		id = p->cfg.stream_at(p->next, &ring, p->cfg.arg);
		p->complete = id == NULL;
		if (id == NULL)
			return;
		p->next++;
		if (ring >= 0)
			send_ring(p, id, ring);
	}
}

static void on_hello(void *self)
{
	struct epg_proc *p = self;
	struct msg m = { .type = MSG_EPG_START, .epg_start = p->limits };
	int saved = p->path != NULL
		? open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	m.epg_start.saved = saved >= 0;
	service_proc_send(p->service, &m, &saved);
	fd_close(&saved);
	p->changes = 0;
	p->next = 0;
	p->complete = false;
	on_drained(p);
}

void epg_proc_set_ring(struct epg_proc *p, const char *stream, int ring)
{
	if (p == NULL || !epg_proc_is_on(p))
		return;
	send_ring(p, stream, ring);
	/* a stream that goes moves the places of the others */
	if (!p->complete && ring < 0)
		p->next = 0;
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

static int ask(struct epg_proc *p, const struct msg_epg_ask *question,
	       size_t size, epg_done_fn *done, void *arg)
{
	struct msg m = { .type = MSG_EPG_ASK, .epg_ask = *question };
	struct epg_ask *a;
	int fd;

	if (!epg_proc_is_on(p))
		return -ENOENT;
	if (service_proc_channel(p->service) == NULL ||
	    p->n_asks >= EPG_ASKS_MAX)
		return -EBUSY;
	fd = shared_create("epg", size);
	if (fd < 0)
		return fd;
	a = xcalloc(1, sizeof *a);
	*a = (struct epg_ask){ .fd = fd, .done = done, .arg = arg };
	a->seq = m.seq = p->last_seq = MAX(p->last_seq + 1, 1U);
	LIST_INSERT_HEAD(&p->asks, a, link);
	p->n_asks++;
	/* if this fails, the worker is being replaced: on_down */
	service_proc_send(p->service, &m, &fd);
	return 0;
}

int epg_proc_ask(struct epg_proc *p, const struct msg_epg_ask *question,
		 epg_done_fn *done, void *arg)
{
	return ask(p, question, EPG_REPLY_MAX, done, arg);
}

/* --- saving --- */

static char *text_of(size_t *ret_len, void *arg)
{
	struct epg_proc *p = arg;
	char *text = xmalloc(p->len + 1);

	memcpy(text, p->text != NULL ? p->text : "", p->len);
	*ret_len = p->len;
	return text;
}

static void on_saved(int fd, size_t len, const char *error, void *arg)
{
	struct epg_proc *p = arg;
	char *text;

	p->saving = false;
	if (len == 0) {
		log_warning("epg", "the guide is not saved: %s", error);
		return;
	}
	text = xmalloc(len);
	if (pread(fd, text, len, 0) != (ssize_t)len) {
		free(text);
		return;
	}
	free(p->text);
	p->text = text;
	p->len = len;
	save_touch(p->save);
}

static void save_later(struct epg_proc *p, const struct msg_epg_status *s)
{
	static const struct msg_epg_ask all = { .stream = "" };

	if (p->save == NULL || p->saving || s->changes == p->changes ||
	    mono_ms() - p->saved_ms < 1000 * EPG_SAVE_S)
		return;
	p->saving = ask(p, &all, EPG_SAVED_MAX, on_saved, p) == 0;
	if (!p->saving)
		return;
	p->changes = s->changes;
	p->saved_ms = mono_ms();
}

/* --- the service --- */

static void on_message(const struct msg *m, void *self)
{
	struct epg_proc *p = self;

	if (m->type == MSG_EPG_RESULT)
		on_result(p, m);
	else if (m->type == MSG_EPG_STATUS)
		save_later(p, &m->epg_status);
}

static void on_down(void *self)
{
	fail_asks(self);
}

static const struct service_kind kind = {
	.role = "epg",
	.beat = MSG_EPG_STATUS,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_drained = on_drained,
	.on_down = on_down,
};

/* The setting, or the default if it is none. */
static unsigned number_of(const json_t *settings, const char *key,
			  unsigned initial, unsigned max)
{
	const json_t *value = json_object_get(settings, key);
	json_int_t n = json_integer_value(value);

	return json_is_integer(value) && n >= 0 && n <= (json_int_t)max
		       ? (unsigned)n : initial;
}

struct epg_proc *epg_proc_new(const struct service_config *cfg,
			      const struct epg_config *epg)
{
	struct epg_proc *p = xcalloc(1, sizeof *p);

	p->cfg = *epg;
	p->limits = (struct msg_epg_start){
		.services = number_of(epg->settings, "epg_services",
				      EPG_SERVICES, EPG_SERVICES_MAX),
		.days = number_of(epg->settings, "epg_days", 0, EPG_DAYS_MAX),
		.memory_mib = number_of(epg->settings, "epg_memory",
					EPG_MEMORY_MIB, EPG_MEMORY_MAX_MIB),
	};
	LIST_INIT(&p->asks);
	p->service = service_proc_new(cfg, &kind, "1", p);
	if (!epg_proc_is_on(p))
		return p;
	p->path = xstrdup(epg->path);
	if (p->path != NULL)
		p->save = save_new(&(struct save_config){
			.loop = cfg->loop, .path = p->path, .delay_ms = 0,
			.retry_min_ms = SAVE_RETRY_MIN_MS,
			.retry_max_ms = SAVE_RETRY_MAX_MS,
			.text = text_of, .arg = p });
	service_proc_want(p->service);
	return p;
}

void epg_proc_free(struct epg_proc **pp)
{
	struct epg_proc *p = *pp;

	*pp = NULL;
	if (p == NULL)
		return;
	fail_asks(p);
	service_proc_free(&p->service);
	save_free(&p->save);
	free(p->text);
	free(p->path);
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
