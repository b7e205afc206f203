/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The role `epg`: reads the programme guide of all streams from their rings,
 * and answers questions about it.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/wall.h"
#include "worker/core/worker.h"
#include "worker/epg/epg_stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	READ_MS = 200,
	/* of a stream in READ_MS: 160 Mbit/s */
	READ_MAX = 4 << 20,
	EXPIRE_S = 60,
	STREAMS_MAX = 10000,
};

struct role {
	struct worker *worker;
	struct guide *guide; /* NULL: before epg.start */
	struct epg_stream **streams;
	size_t n, room;
	uint64_t changes, lost; /* lost: of streams that ended */
	unsigned seconds;
	ev_timer read;
};

static int64_t now_s(void)
{
	return (int64_t)(wall_ms() / 1000);
}

/* --- streams --- */

static void remove_at(struct role *r, size_t i)
{
	r->lost += epg_stream_lost(r->streams[i]);
	epg_stream_free(&r->streams[i]);
	r->streams[i] = r->streams[--r->n];
}

static void on_read(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct role *r = container_of(t, struct role, read);
	int64_t now = now_s();

	(void)loop, (void)revents;
	for (size_t i = 0; i < r->n;) {
		int changes = epg_stream_read(r->streams[i], READ_MAX, now);

		if (changes >= 0) {
			r->changes += (uint64_t)changes;
			i++;
			continue;
		}
		log_warning("epg", "stream %s: its ring is damaged: its "
			    "events are not read",
			    epg_stream_id(r->streams[i]));
		remove_at(r, i);
	}
}

static void add_stream(struct role *r, const char *id, int fd)
{
	struct epg_stream *s = epg_stream_new(id, fd, r->guide);

	if (s == NULL) {
		log_warning("epg", "stream %s: its ring is damaged: its "
			    "events are not read", id);
		return;
	}
	if (r->n == r->room) {
		r->room = MAX(16, 2 * r->room);
		r->streams = xrealloc(r->streams,
				      r->room * sizeof r->streams[0]);
	}
	r->streams[r->n++] = s;
}

static void on_stream(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;
	const char *id = m->epg_stream.stream;

	for (size_t i = 0; i < r->n;)
		if (strcmp(epg_stream_id(r->streams[i]), id) == 0)
			remove_at(r, i);
		else
			i++;
	if (n_fds == 0 || r->guide == NULL || r->n >= STREAMS_MAX)
		return;
	add_stream(r, id, fds[0]);
	fds[0] = -1;
}

/* --- the saved guide --- */

/* The text of the file, from malloc(); NULL: it cannot be read. */
static char *read_file(int fd, size_t *ret_len)
{
	struct stat st;
	size_t len = 0;
	char *text;
	ssize_t n = 1;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    st.st_size > EPG_SAVED_MAX)
		return NULL;
	text = xmalloc((size_t)st.st_size);
	while (len < (size_t)st.st_size && n > 0) {
		n = pread(fd, text + len, (size_t)st.st_size - len,
			  (off_t)len);
		len += n > 0 ? (size_t)n : 0;
	}
	*ret_len = len;
	return text;
}

static void load(struct role *r, int fd)
{
	size_t len = 0;
	char *text = read_file(fd, &len);
	json_t *saved = text != NULL ? json_loadb(text, len, 0, NULL) : NULL;

	if (saved == NULL)
		log_warning("epg", "the saved guide is unreadable: the guide "
			    "begins empty");
	else
		guide_load(r->guide, saved, now_s());
	json_decref(saved);
	free(text);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const struct msg_epg_start *start = &m->epg_start;
	struct role *r = role;

	if (r->guide != NULL)
		return;
	r->guide = guide_new(&(struct guide_limits){
		.services = start->services, .days = start->days,
		.bytes = (size_t)start->memory_mib << 20 });
	if (n_fds > 0)
		load(r, fds[0]);
	ev_timer_start(r->worker->loop, &r->read);
}

/* --- questions --- */

struct output {
	int fd;
	size_t len;
};

static int write_part(const char *text, size_t len, void *arg)
{
	struct output *out = arg;

	if (len > INT32_MAX - out->len ||
	    pwrite(out->fd, text, len, (off_t)out->len) != (ssize_t)len)
		return -1;
	out->len += len;
	return 0;
}

static json_t *find_answer(const struct role *r, const struct msg_epg_ask *ask)
{
	const struct guide_span span = {
		.from_s = (int64_t)MIN(ask->from_s, (uint64_t)INT64_MAX),
		.to_s = (int64_t)MIN(ask->to_s, (uint64_t)INT64_MAX),
		.now_s = now_s(),
		.max = ask->max,
	};

	if (r->guide == NULL)
		return NULL;
	return ask->stream[0] != '\0'
		       ? guide_read(r->guide, ask->stream, &span)
		       : guide_save(r->guide);
}

static void on_ask(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;
	struct output out = { .fd = fds[0] };
	json_t *answer = find_answer(r, &m->epg_ask);
	struct msg result = { .type = MSG_EPG_RESULT, .seq = m->seq };

	(void)n_fds;
	result.epg_result.error = "";
	if (answer == NULL)
		result.epg_result.error = "the stream has no guide";
	else if (json_dump_callback(answer, write_part, &out,
				    JSON_COMPACT) < 0)
		result.epg_result.error = "the answer has no room";
	else
		result.epg_result.len = (uint32_t)out.len;
	json_decref(answer);
	(void)channel_send(r->worker->channel, &result, NULL, 0);
}

/* --- the role --- */

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	ev_timer_init(&r->read, on_read, READ_MS / 1e3, READ_MS / 1e3);
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->read);
	while (r->n > 0)
		remove_at(r, r->n - 1);
	free(r->streams);
	guide_free(&r->guide);
	free(r);
}

static void every_second(void *role)
{
	struct role *r = role;
	struct guide_counts c = { 0 };
	struct msg m = { .type = MSG_EPG_STATUS };

	if (r->guide != NULL && ++r->seconds % EXPIRE_S == 0)
		guide_expire(r->guide, now_s());
	if (r->guide != NULL)
		c = guide_count(r->guide);
	m.epg_status = (struct msg_epg_status){
		.streams = (uint32_t)r->n,
		.services = (uint32_t)c.services,
		.events = (uint32_t)c.events,
		.bytes = c.bytes,
		.changes = r->changes,
		.replaced = c.replaced,
		.undefined = c.undefined,
		.dropped = c.dropped,
		.broken = c.broken,
		.lost = r->lost,
	};
	for (size_t i = 0; i < r->n; i++)
		m.epg_status.lost += epg_stream_lost(r->streams[i]);
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

const struct worker_role epg_role = {
	.name = "epg",
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = {
		[MSG_EPG_START] = on_start,
		[MSG_EPG_STREAM] = on_stream,
		[MSG_EPG_ASK] = on_ask,
	},
};
