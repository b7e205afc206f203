/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The role `epg`: reads the programme guide of all streams from their rings,
 * imports other sources, and answers requests for its events.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/shared.h"
#include "common/base/wall.h"
#include "common/loop/timer.h"
#include "worker/core/worker.h"
#include "worker/epg/eit_answers.h"
#include "worker/epg/epg_sources.h"
#include "worker/epg/epg_status.h"
#include "worker/epg/epg_stream.h"
#include "worker/epg/guide_file.h"
#include "worker/epg/guide_posts.h"
#include "worker/epg/guide_present.h"
#include "worker/epg/guide_xmltv.h"
#include "worker/epg/json_memory.h"
#include "worker/epg/stream_news.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	READ_MS = 200, /* from a pass over the streams to the next one */
	/* most bytes of a stream in a pass, with the work on its events: 160
	 * Mbit/s */
	READ_MAX = 4 << 20,
	/* most bytes of all streams in a wake-up: the loop has other tasks */
	READ_ALL_MAX = 2 << 20,
	EXPIRE_S = 60, /* seconds between two calls of guide_expire() */
	STREAMS_MAX = 10000,
	STALE_MAX = 50, /* messages epg.stale in a second */
	PRESENT_MAX = 100, /* messages epg.present in a second */
};

struct role {
	struct worker *worker;
	struct guide *guide; /* NULL: before epg.start */
	json_t *addresses; /* addresses of the sources; NULL: none */
	struct epg_sources *sources; /* NULL: not open yet, or none */
	struct guide_posts *posts; /* NULL: there are no exports */
	struct epg_stream **streams;
	size_t n, room;
	size_t at; /* the stream that the pass reads next */
	size_t left; /* bytes of READ_MAX that are left for stream `at' */
	bool complete; /* the master has sent all streams */
	uint64_t changes, lost; /* lost: epg_stream_lost() of ended streams */
	unsigned seconds; /* calls of every_second() */
	bool watched; /* the master wants epg.present */
	struct errmsg dictionary; /* error of epg_dictionary; "": none */
	ev_timer read;
	/* runs a part of each of the following in a wake-up */
	ev_timer part;
	struct guide_loader *loader; /* NULL: nothing is being loaded */
	/* applied when the saved guide, which has former ids, is loaded */
	struct stream_news news;
	struct guide_saver *saver;   /* NULL: nothing is being saved */
	uint32_t save_seq;
	struct guide_xmltv *xmltv;   /* NULL: no document is being written */
	uint32_t xmltv_seq;
	struct eit_answers eits;
};

static int64_t now_s(void)
{
	return (int64_t)(wall_ms() / 1000);
}

static void run_after(struct role *r, ev_timer *t, unsigned after_ms)
{
	timer_start(r->worker->loop, t, after_ms / 1e3);
}

/* --- streams --- */

static void remove_at(struct role *r, size_t i)
{
	r->lost += epg_stream_lost(r->streams[i]);
	epg_stream_free(&r->streams[i]);
	r->streams[i] = r->streams[--r->n];
	if (r->at == i)
		r->left = READ_MAX;
}

static void remove_stream(struct role *r, const char *id)
{
	for (size_t i = 0; i < r->n;)
		if (strcmp(epg_stream_id(r->streams[i]), id) == 0)
			remove_at(r, i);
		else
			i++;
}

/* Reads from stream r->at.  Stays there if the budget of the wake-up ends. */
static void read_stream(struct role *r, size_t *budget)
{
	struct epg_stream *s = r->streams[r->at];
	size_t max = MIN(r->left, *budget), left = max;
	int changes = epg_stream_read(s, &left, now_s());

	*budget -= max - left;
	r->left -= max - left;
	if (changes < 0) {
		log_warning("epg", "stream %s: its ring buffer is damaged: its "
			    "EIT are not read", epg_stream_id(s));
		remove_at(r, r->at);
		return;
	}
	r->changes += (uint64_t)changes;
	if (left == 0 && r->left > 0)
		return;
	r->at++;
	r->left = READ_MAX;
}

static void on_read(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct role *r = container_of(t, struct role, read);
	size_t budget = READ_ALL_MAX;

	(void)loop, (void)revents;
	while (r->at < r->n && budget > 0)
		read_stream(r, &budget);
	if (r->at < r->n) {
		run_after(r, &r->read, 0);
		return;
	}
	r->at = 0;
	r->left = READ_MAX;
	run_after(r, &r->read, READ_MS);
}

static void add_stream(struct role *r, const char *id, int fd)
{
	struct epg_stream *s = epg_stream_new(id, fd, r->guide);

	if (s == NULL) {
		log_warning("epg", "stream %s: its ring buffer is damaged: its "
			    "EIT are not read", id);
		return;
	}
	if (r->n == r->room) {
		r->room = MAX(16, 2 * r->room);
		r->streams = xrealloc(r->streams,
				      r->room * sizeof r->streams[0]);
	}
	r->streams[r->n++] = s;
}

/* Begins the imports, after the guide has all streams. */
static void open_sources(struct role *r)
{
	size_t n = json_array_size(r->addresses), i;
	const char **list = xcalloc(n, sizeof *list);
	const json_t *one;

	json_array_foreach(r->addresses, i, one)
		list[i] = json_string_value(one);
	r->sources = epg_sources_new(r->worker->loop, r->guide, list, n);
	free(list);
}

/* Removes streams that are not configured, once the saved guide is loaded and
 * the master has sent all streams. */
static void forget_unknown(struct role *r)
{
	if (!r->complete || r->loader != NULL)
		return;
	guide_remove_unknown(r->guide);
	if (r->addresses != NULL && r->sources == NULL)
		open_sources(r);
}

static void on_stream(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const struct msg_epg_stream *s = &m->epg_stream;
	struct role *r = role;

	if (r->guide == NULL)
		return;
	if (s->stream[0] == '\0') {
		r->complete = true;
		forget_unknown(r);
		return;
	}
	if (r->loader != NULL)
		stream_news_keep(&r->news, s);
	else
		r->changes += stream_news_apply(r->guide, s);
	remove_stream(r, s->was);
	remove_stream(r, s->stream);
	if (n_fds == 0 || s->removed || r->n >= STREAMS_MAX)
		return;
	add_stream(r, s->stream, fds[0]);
	fds[0] = -1;
}

/* --- the saved guide --- */

static void send_result(struct role *r, uint32_t seq,
			const struct msg_epg_result *result)
{
	const struct msg m = { .type = MSG_EPG_RESULT, .seq = seq,
			       .epg_result = *result };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void report(struct role *r, uint32_t seq, size_t len, const char *error)
{
	send_result(r, seq, &(struct msg_epg_result){
		.len = (uint32_t)len, .error = error });
}

/* Ends the loading, and begins to read the streams: their events are newer. */
static void end_loading(struct role *r)
{
	uint64_t lines = guide_loader_unreadable(r->loader);

	if (lines > 0)
		log_warning("epg", "the saved guide: %" PRIu64 " unreadable "
			    "lines skipped", lines);
	guide_loader_free(&r->loader);
	r->changes += stream_news_give(&r->news, r->guide);
	forget_unknown(r);
	guide_present_begin(r->guide, now_s());
	run_after(r, &r->read, 0);
}

static void save_part(struct role *r)
{
	int more = guide_saver_run(r->saver);

	if (more > 0)
		return;
	if (more == 0)
		report(r, r->save_seq, guide_saver_len(r->saver), "");
	else
		report(r, r->save_seq, 0, more == -ENOSPC
				? "the guide is larger than twice epg_memory"
				: strerror(-more));
	guide_saver_free(&r->saver);
}

static void write_part(struct role *r)
{
	int more = guide_xmltv_run(r->xmltv);

	if (more > 0)
		return;
	if (more == 0)
		send_result(r, r->xmltv_seq, &(struct msg_epg_result){
			.len = (uint32_t)guide_xmltv_len(r->xmltv),
			.hash = guide_xmltv_hash(r->xmltv), .error = "" });
	else
		report(r, r->xmltv_seq, 0, more == -ENOSPC
				? "the document is larger than twice epg_memory"
				: strerror(-more));
	guide_xmltv_free(&r->xmltv);
}

static void eit_part(struct role *r)
{
	struct msg_epg_result result;
	uint32_t seq = eit_answers_run(&r->eits, &result);

	if (seq != 0)
		send_result(r, seq, &result);
}

static void on_part(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct role *r = container_of(t, struct role, part);

	(void)loop, (void)revents;
	if (r->loader != NULL && !guide_loader_run(r->loader, now_s()))
		end_loading(r);
	if (r->saver != NULL)
		save_part(r);
	if (r->xmltv != NULL)
		write_part(r);
	if (r->eits.n > 0)
		eit_part(r);
	if (r->loader != NULL || r->saver != NULL || r->xmltv != NULL ||
	    r->eits.n > 0)
		run_after(r, &r->part, 0);
}

static void on_posted(uint32_t seq, const char *error, void *arg)
{
	report(arg, seq, 0, error);
}

/* Takes the addresses and enters the sandbox that permits them, in
 * sluice-worker-net only.  False: the worker ends. */
static bool take_addresses(struct role *r, const struct msg_epg_start *start)
{
	struct grants grants = { 0 };
	bool entered;

	if (epg_sources_new == NULL)
		return true;
	for (size_t i = 0; i < start->n_sources; i++)
		grants_add_input(&grants, start->sources[i]);
	for (size_t i = 0; i < start->n_exports; i++)
		grants_add_client(&grants, start->exports[i]);
	entered = worker_enter_sandbox(r->worker, &grants);
	if (start->n_exports > 0)
		r->posts = guide_posts_new(r->worker->loop, start->exports,
					   start->n_exports, on_posted, r);
	if (start->n_sources > 0)
		r->addresses = json_array();
	for (size_t i = 0; i < start->n_sources; i++)
		(void)json_array_append_new(r->addresses,
					    json_string(start->sources[i]));
	return entered;
}

static void read_dictionary(struct role *r, int fd, size_t len)
{
	struct text_dictionary *d;
	struct buf text = { 0 };
	int err = fd_read_all(fd, len, &text);

	if (err < 0) {
		errmsg_set(&r->dictionary, "epg_dictionary: %s",
			   strerror(-err));
		return;
	}
	d = text_dictionary_parse((const char *)buf_head(&text),
				  buf_len(&text), &r->dictionary);
	buf_done(&text);
	if (d != NULL) {
		guide_set_dictionary(r->guide, d);
		return;
	}
	errmsg_prefix(&r->dictionary, "epg_dictionary: ");
	log_warning("epg", "%s: compressed texts are not read",
		    r->dictionary.text);
}

static void on_start(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const struct msg_epg_start *start = &m->epg_start;
	struct role *r = role;

	if (r->guide != NULL || !take_addresses(r, start))
		return;
	r->guide = guide_new(&(struct guide_limits){
		.services = start->services, .days = start->days,
		.bytes = (size_t)start->memory_mib << 20,
		.imports = r->addresses != NULL });
	if (start->dictionary > 0)
		read_dictionary(r, fds[n_fds - 1], start->dictionary);
	if (!start->saved) {
		run_after(r, &r->read, READ_MS);
		return;
	}
	r->loader = guide_loader_new(fds[0], r->guide);
	fds[0] = -1;
	run_after(r, &r->part, 0);
}

static void begin_save(struct role *r, uint32_t seq, int *fd)
{
	if (r->guide == NULL || r->loader != NULL || r->saver != NULL) {
		report(r, seq, 0, "the guide is being loaded or saved");
		return;
	}
	r->saver = guide_saver_new(*fd, r->guide);
	r->save_seq = seq;
	*fd = -1;
	run_after(r, &r->part, 0);
}

/* --- questions --- */

static void answer(struct role *r, const struct msg *m, int fd)
{
	const struct msg_epg_ask *ask = &m->epg_ask;
	const struct guide_span span = {
		.from_s = (int64_t)ask->from_s,
		.to_s = (int64_t)ask->to_s,
		.now_s = now_s(),
		.pnr = (uint16_t)ask->pnr,
		.max = ask->max,
		.bytes = EPG_REPLY_MAX,
	};
	json_t *events = r->guide != NULL
		? guide_read(r->guide, ask->stream, &span) : NULL;
	size_t len = events != NULL ? json_memory_write(events, fd) : 0;

	if (events == NULL)
		report(r, m->seq, 0, "the guide has no events of the stream");
	else
		report(r, m->seq, len, len > 0 ? ""
					       : "the answer is too large");
	json_decref(events);
}

static void on_ask(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	(void)n_fds;
	if (m->epg_ask.stream[0] == '\0')
		begin_save(role, m->seq, &fds[0]);
	else
		answer(role, m, fds[0]);
}

/* --- documents --- */

/* Begins a document, and ends the former one: the master sends the next request
 * after the reply, or when it no longer waits for the reply. */
static void on_xmltv(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;
	json_t *channels;

	(void)n_fds;
	if (r->guide == NULL || r->loader != NULL) {
		report(r, m->seq, 0, "the guide is being loaded");
		return;
	}
	guide_xmltv_free(&r->xmltv);
	channels = json_memory_read(fds[0], EPG_CHANNELS_MAX);
	r->xmltv = guide_xmltv_new(fds[1], r->guide, m->epg_xmltv.form,
				   channels);
	r->xmltv_seq = m->seq;
	fds[1] = -1;
	json_decref(channels);
	run_after(r, &r->part, 0);
}

static void on_post(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)n_fds;
	if (r->posts == NULL) {
		report(r, m->seq, 0, "there is no such export");
		return;
	}
	guide_posts_begin(r->posts, &m->epg_post, m->seq, fds[0]);
	fds[0] = -1;
}

/* --- present and following events --- */

static void on_watch(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	if (r->guide != NULL && m->epg_watch.wanted && !r->watched)
		guide_present_begin(r->guide, now_s());
	r->watched = m->epg_watch.wanted;
}

static bool send_present(const char *stream, uint16_t number,
			 const json_t *events, void *arg)
{
	const struct role *r = arg;
	const struct msg m = { .type = MSG_EPG_PRESENT, .epg_present = {
		.stream = stream, .pnr = number, .events = events } };

	return channel_send(r->worker->channel, &m, NULL, 0) != -EAGAIN;
}

/* --- EIT --- */

static void on_eit(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;

	(void)n_fds;
	if (r->guide == NULL || r->loader != NULL) {
		report(r, m->seq, 0, "the guide is being loaded");
		return;
	}
	if (!eit_answers_add(&r->eits, r->guide, m, fds[0], now_s())) {
		report(r, m->seq, 0, "too many requests");
		return;
	}
	fds[0] = -1;
	run_after(r, &r->part, 0);
}

static void send_stale(const char *stream, void *arg)
{
	const struct role *r = arg;
	const struct msg m = { .type = MSG_EPG_STALE,
			       .epg_stale = { stream } };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

/* --- the role --- */

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	r->left = READ_MAX;
	stream_news_init(&r->news);
	ev_init(&r->read, on_read);
	ev_init(&r->part, on_part);
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->read);
	ev_timer_stop(r->worker->loop, &r->part);
	guide_loader_free(&r->loader);
	guide_saver_free(&r->saver);
	guide_xmltv_free(&r->xmltv);
	stream_news_done(&r->news);
	eit_answers_done(&r->eits);
	if (r->sources != NULL)
		epg_sources_free(&r->sources);
	if (r->posts != NULL)
		guide_posts_free(&r->posts);
	json_decref(r->addresses);
	while (r->n > 0)
		remove_at(r, r->n - 1);
	free(r->streams);
	guide_free(&r->guide);
	free(r);
}

static void look_at_guide(struct role *r)
{
	if (++r->seconds % EXPIRE_S == 0)
		guide_expire(r->guide, now_s());
	if (r->loader != NULL)
		return;
	if (r->watched)
		guide_present_find(r->guide, now_s(), PRESENT_MAX,
				   send_present, r);
	guide_find_stale(r->guide, now_s(), STALE_MAX, send_stale, r);
}

static void every_second(void *role)
{
	struct role *r = role;
	struct msg m = { .type = MSG_EPG_STATUS };

	if (r->guide != NULL)
		look_at_guide(r);
	epg_status_fill(&m.epg_status, r->guide, r->sources);
	m.epg_status.streams = (uint32_t)r->n;
	m.epg_status.loaded = r->guide != NULL && r->loader == NULL;
	m.epg_status.changes += r->changes;
	m.epg_status.lost = r->lost;
	if (r->dictionary.text[0] != '\0')
		m.epg_status.errors[m.epg_status.n_errors++] =
			r->dictionary.text;
	for (size_t i = 0; i < r->n; i++)
		m.epg_status.lost += epg_stream_lost(r->streams[i]);
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

#define MESSAGES { \
		[MSG_EPG_START] = on_start, \
		[MSG_EPG_STREAM] = on_stream, \
		[MSG_EPG_ASK] = on_ask, \
		[MSG_EPG_XMLTV] = on_xmltv, \
		[MSG_EPG_POST] = on_post, \
		[MSG_EPG_WATCH] = on_watch, \
		[MSG_EPG_EIT] = on_eit, \
	}

const struct worker_role epg_role = {
	.name = "epg",
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = MESSAGES,
};

const struct worker_role epg_net_role = {
	.name = "epg",
	.needs = NEED_THREADS | NEED_TCP | NEED_UDP | NEED_NAMES,
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = MESSAGES,
	.enters_late = true,
};
