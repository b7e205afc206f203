/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "common/loop/timer.h"
#include "master/config/check.h"
#include "master/streams/epg_file.h"
#include "master/streams/epg_keys.h"
#include "master/streams/epg_proc_state.h"
#include "proto/ipc/channel.h"
#include "proto/si/text_dictionary.h"

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/* --- new ids, until a saved guide contains them --- */

static void add_move(struct epg_proc *p, const char *from, const char *to)
{
	if (p->file != NULL && epg_moves_add(&p->moves, from, to))
		p->n_saved -= MIN(p->n_saved, (size_t)1);
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
	struct msg_epg_stream s = { .stream = id, .was = was,
				    .ring = ring >= 0 };

	epg_keys_fill(json_object_get(p->keys, id), &s);
	send_stream(p, &s, ring);
}

static void send_removal(struct epg_proc *p, const char *id)
{
	send_stream(p, &(struct msg_epg_stream){
		.stream = id, .was = "", .channel = "", .removed = true }, -1);
}

static void send_move(struct epg_proc *p, const struct epg_move *m, int ring)
{
	if (m->from != NULL)
		send_ring(p, m->to, m->from, ring);
	else
		send_removal(p, m->to);
}

/* Sends the moves (new ids and removals of streams) and then the streams that
 * the worker does not have yet; at the end an empty id: there are no more. */
static void on_drained(void *self)
{
	struct epg_proc *p = self;
	struct channel *channel = service_proc_channel(p->service);
	const struct epg_move *m;
	const char *id;
	int ring = -1;

	while (p->started && !p->complete && channel != NULL &&
	       channel_is_idle(channel)) {
		m = p->moved ? NULL : epg_moves_next(&p->moves);
		if (m != NULL) {
			send_move(p, m, -1);
			p->moves.sent = m;
			continue;
		}
		p->moved = true;
		id = p->cfg.stream_at(p->next, &ring, p->cfg.arg);
		p->complete = id == NULL;
		p->next++;
		send_ring(p, id != NULL ? id : "", "", id != NULL ? ring : -1);
	}
}

/* Sends epg.start.  saved: the saved guide (borrowed); -1: the guide begins
 * empty. */
static void start_worker(struct epg_proc *p, int saved)
{
	struct msg m = { .type = MSG_EPG_START, .epg_start = p->limits };
	int fds[2] = { saved, p->dictionary_fd };

	m.epg_start.saved = p->loading = saved >= 0;
	if (p->dictionary_fd >= 0)
		m.epg_start.dictionary =
			(uint32_t)shared_size(p->dictionary_fd);
	service_proc_send(p->service, &m, saved >= 0 ? fds : fds + 1);
	fd_close(&p->dictionary_fd);
	p->started = true;
	/* without a saved guide, no event belongs to a former id */
	p->moved = saved < 0;
	p->moves.sent = NULL;
	p->complete = false;
	p->next = 0;
	epg_proc_renew_watch(p);
	on_drained(p);
}

/* Ends the read of a file.  False: its time limit had passed, and the worker
 * does not wait for it. */
static bool end_read(struct epg_proc *p, struct epg_read *r)
{
	bool late = r->late;

	ev_timer_stop(p->loop, &r->limit);
	r->runs = r->late = false;
	return !late;
}

/* True: the worker waits for the saved guide.  False: it does not run, or the
 * dictionary is still being read, and the saved guide is read after that. */
static bool waits_for_saved(const struct epg_proc *p)
{
	const struct epg_read *r = &p->dictionary_read;

	return service_proc_channel(p->service) != NULL &&
	       (!r->runs || r->late);
}

static void on_read(int fd, void *arg)
{
	struct epg_proc *p = arg;

	if (!end_read(p, &p->saved_read))
		return;
	if (fd < 0 && fd != -ENOENT)
		log_warning("epg", "the saved programme guide cannot be read: "
				   "%s: the guide starts empty", strerror(-fd));
	if (waits_for_saved(p))
		start_worker(p, fd < 0 ? -1 : fd);
}

static void on_read_limit(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_proc *p = container_of(t, struct epg_proc,
					  saved_read.limit);

	(void)loop, (void)revents;
	p->saved_read.late = true;
	log_warning("epg", "the saved programme guide cannot be read: the disk "
			   "does not answer: the guide starts empty");
	if (waits_for_saved(p))
		start_worker(p, -1);
}

static void read_file(struct epg_proc *p, struct epg_read *r,
		      struct epg_file *f, size_t max, epg_file_read_fn *done)
{
	r->runs = true;
	/* timer_start(): a stopped libev timer continues with its rest time */
	timer_start(p->loop, &r->limit, p->cfg.times.read_ms / 1e3);
	epg_file_read(f, max, done, p);
}

static void read_saved(struct epg_proc *p)
{
	struct epg_read *r = &p->saved_read;

	if (p->file == NULL || p->crashes >= EPG_CRASHES_MAX || r->late)
		start_worker(p, -1);
	else if (!r->runs)
		read_file(p, r, p->file, epg_saved_max(p), on_read);
}

static void refuse_dictionary(struct epg_proc *p, const char *reason)
{
	errmsg_set(&p->dictionary_error, "epg_dictionary: %.128s: %s",
		   p->dictionary_path, reason);
	log_warning("epg", "%s: compressed texts are not read",
		    p->dictionary_error.text);
}

static void on_dictionary(int fd, void *arg)
{
	struct epg_proc *p = arg;
	bool in_time = end_read(p, &p->dictionary_read);

	/* too late: the worker runs without the dictionary; the error stays */
	if (!in_time && p->started)
		return;
	p->dictionary_error.text[0] = '\0';
	fd_close(&p->dictionary_fd);
	if (fd >= 0)
		p->dictionary_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	else
		refuse_dictionary(p, fd == -ENODATA ? "is not a file, or is "
						      "empty"
						    : strerror(-fd));
	/* if not in time, the limit has already called read_saved() */
	if (in_time && service_proc_channel(p->service) != NULL)
		read_saved(p);
}

static void on_dictionary_limit(struct ev_loop *loop, ev_timer *t,
				int revents)
{
	struct epg_proc *p = container_of(t, struct epg_proc,
					  dictionary_read.limit);

	(void)loop, (void)revents;
	p->dictionary_read.late = true;
	refuse_dictionary(p, "the disk does not answer");
	if (service_proc_channel(p->service) != NULL)
		read_saved(p);
}

static void on_hello(void *self)
{
	struct epg_proc *p = self;
	struct epg_read *r = &p->dictionary_read;

	p->changes = 0;
	if (p->dictionary == NULL || r->late)
		read_saved(p);
	else if (!r->runs)
		read_file(p, r, p->dictionary, TEXT_DICTIONARY_MAX,
			  on_dictionary);
}

/* True: the worker has the saved guide and its moves, so it gets changes at
 * once.  A worker that starts gets them from on_drained(). */
static bool has_worker(const struct epg_proc *p)
{
	return p != NULL && p->started && p->moved;
}

void epg_proc_set_ring(struct epg_proc *p, const char *stream, int ring)
{
	if (has_worker(p))
		send_ring(p, stream, "", ring);
}

void epg_proc_set_keys(struct epg_proc *p, const char *stream,
		       const json_t *object, int ring)
{
	json_t *keys = epg_keys_new(object);
	bool same = json_equal(keys, json_object_get(p->keys, stream)) ||
		    (json_object_size(keys) == 0 &&
		     json_object_get(p->keys, stream) == NULL);

	(void)json_object_set_new(p->keys, stream, keys);
	if (!same && has_worker(p))
		send_ring(p, stream, "", ring);
}

void epg_proc_rename_stream(struct epg_proc *p, const char *from,
			    const char *to, int ring)
{
	json_t *keys;

	if (p == NULL)
		return;
	add_move(p, from, to);
	keys = json_incref(json_object_get(p->keys, from));
	(void)json_object_del(p->keys, from);
	if (keys != NULL)
		(void)json_object_set_new(p->keys, to, keys);
	if (has_worker(p))
		send_ring(p, to, from, ring);
}

void epg_proc_remove_stream(struct epg_proc *p, const char *stream)
{
	if (p == NULL)
		return;
	add_move(p, NULL, stream);
	(void)json_object_del(p->keys, stream);
	if (!has_worker(p))
		return;
	send_removal(p, stream);
	/* the index of later streams in stream_at() has changed: sends all */
	if (!p->complete)
		p->next = 0;
}

const struct msg_epg_status *epg_proc_status(const struct epg_proc *p)
{
	return p->has_status ? &p->status : NULL;
}

/* --- questions --- */

int epg_proc_question(struct epg_proc *p, struct msg *m, int channels,
		      const struct epg_question *q)
{
	int fds[2] = { channels }, fd;

	if (!epg_proc_is_on(p))
		return -ENOENT;
	if (!p->started)
		return -EBUSY;
	fd = epg_asks_add(&p->asks, q, &m->seq);
	if (fd < 0)
		return fd;
	fds[channels >= 0] = fd;
	/* if this fails, the worker is ending: on_down() fails the question */
	service_proc_send(p->service, m, fds);
	return 0;
}

int epg_proc_ask(struct epg_proc *p, const struct msg_epg_ask *question,
		 epg_done_fn *done, void *arg)
{
	struct msg m = { .type = MSG_EPG_ASK, .epg_ask = *question };

	return epg_proc_question(p, &m, -1, &(struct epg_question){
		EPG_REPLY_MAX, EPG_ANSWER_S, done, arg });
}

int epg_proc_write_xmltv(struct epg_proc *p, int channels, unsigned form,
			 epg_done_fn *done, void *arg)
{
	struct msg m = { .type = MSG_EPG_XMLTV, .epg_xmltv = { form } };

	return epg_proc_question(p, &m, channels, &(struct epg_question){
		epg_saved_max(p), EPG_XMLTV_S, done, arg });
}

int epg_proc_write_eit(struct epg_proc *p, const struct msg_epg_eit *question,
		       epg_done_fn *done, void *arg)
{
	struct msg m = { .type = MSG_EPG_EIT, .epg_eit = *question };

	if (epg_proc_is_on(p) && !p->usable)
		return -EBUSY;
	return epg_proc_question(p, &m, -1, &(struct epg_question){
		EPG_EIT_MAX, EPG_XMLTV_S, done, arg });
}

int epg_proc_post(struct epg_proc *p, const struct msg_epg_post *post, int fd,
		  epg_done_fn *done, void *arg)
{
	struct msg m = { .type = MSG_EPG_POST, .epg_post = *post };

	return epg_proc_question(p, &m, fd, &(struct epg_question){
		1, EPG_POST_S, done, arg });
}

/* --- present and following events --- */

void epg_proc_renew_watch(struct epg_proc *p)
{
	bool wanted;
	struct msg m;

	if (p == NULL || p->watcher.wants == NULL || !p->started)
		return;
	wanted = p->watcher.wants(p->watcher.arg);
	if (wanted == p->watched)
		return;
	p->watched = wanted;
	m = (struct msg){ .type = MSG_EPG_WATCH, .epg_watch = { wanted } };
	service_proc_send(p->service, &m, NULL);
}

void epg_proc_watch(struct epg_proc *p, const struct epg_watcher *watcher)
{
	if (p != NULL)
		p->watcher = *watcher;
}

static void on_present(struct epg_proc *p, const struct msg_epg_present *m)
{
	if (!p->stopping && p->watcher.on_present != NULL)
		p->watcher.on_present(m, p->watcher.arg);
}

/* --- the service --- */

static void on_status(struct epg_proc *p, const struct msg_epg_status *s)
{
	bool loaded = s->loaded && p->complete && !p->usable;

	p->status = *s;
	for (size_t i = 0; i < s->n_errors; i++) {
		errmsg_set(&p->errors[i], "%s", s->errors[i]);
		p->status.errors[i] = p->errors[i].text;
	}
	if (p->dictionary_error.text[0] != '\0' &&
	    s->n_errors < EPG_ERRORS_MAX)
		p->status.errors[p->status.n_errors++] =
			p->dictionary_error.text;
	p->has_status = true;
	if (p->loading && s->loaded) {
		p->loading = false;
		p->crashes = 0;
	}
	p->usable |= loaded;
	epg_save_later(p);
	epg_proc_renew_watch(p);
	if (loaded && p->cfg.on_stale != NULL)
		p->cfg.on_stale(NULL, p->cfg.arg);
}

static void on_message(const struct msg *m, void *self)
{
	struct epg_proc *p = self;

	if (m->type == MSG_EPG_RESULT)
		epg_asks_answer(&p->asks, m->seq, &m->epg_result);
	else if (m->type == MSG_EPG_STATUS)
		on_status(p, &m->epg_status);
	else if (m->type == MSG_EPG_PRESENT)
		on_present(p, &m->epg_present);
	else if (m->type == MSG_EPG_STALE && p->cfg.on_stale != NULL)
		p->cfg.on_stale(m->epg_stale.stream, p->cfg.arg);
}

static void on_down(void *self)
{
	struct epg_proc *p = self;

	p->started = p->has_status = p->watched = p->usable = false;
	if (p->loading && service_proc_has_crashed(p->service) &&
	    ++p->crashes == EPG_CRASHES_MAX)
		log_warning("epg", "the saved programme guide is not loaded: "
				   "%u processes crashed while they loaded it: "
				   "the guide starts empty", p->crashes);
	p->loading = false;
	epg_asks_fail(&p->asks,
		      "the process that keeps the guide ended");
}

static const struct service_kind kind = {
	.role = "epg",
	.beat = MSG_EPG_STATUS,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_drained = on_drained,
	.on_down = on_down,
};

/* Returns a number of the settings, from 1 to max; initial if there is none. */
static unsigned number_of(const json_t *settings, const char *key,
			  unsigned initial, unsigned max)
{
	json_int_t n = json_integer_value(json_object_get(settings, key));

	return n >= 1 && n <= (json_int_t)max ? (unsigned)n : initial;
}

/* Reads the addresses of EPG sources and exports; check.c has judged them. */
static void init_sources(struct epg_proc *p, const json_t *settings)
{
	const json_t *item;
	size_t i;

	p->keys = json_object();
	p->sources = json_deep_copy(json_object_get(settings, "epg_sources"));
	json_array_foreach(p->sources, i, item)
		if (json_is_string(item) &&
		    p->limits.n_sources < EPG_SOURCES_MAX)
			p->limits.sources[p->limits.n_sources++] =
				json_string_value(item);
	p->exports = json_deep_copy(json_object_get(settings, "epg_export"));
	json_array_foreach(p->exports, i, item)
		if (json_is_string(item) &&
		    p->limits.n_exports < EPG_EXPORTS_MAX)
			p->limits.exports[p->limits.n_exports++] =
				json_string_value(item);
}

static bool needs_net(const struct epg_proc *p)
{
	struct epg_export_spec spec;
	struct errmsg ignored;

	for (size_t i = 0; i < p->limits.n_exports; i++)
		if (epg_export_parse(p->limits.exports[i], &spec,
				     &ignored) == 0 && spec.to.path[0] == '\0')
			return true;
	return p->limits.n_sources > 0;
}

static void init_times(struct epg_proc *p)
{
	struct epg_times *t = &p->cfg.times;

	t->save_ms = t->save_ms > 0 ? t->save_ms : 1000 * EPG_SAVE_S;
	t->read_ms = t->read_ms > 0 ? t->read_ms : 1000 * EPG_READ_S;
	t->write_ms = t->write_ms > 0 ? t->write_ms : 1000 * EPG_WRITE_S;
	ev_init(&p->saved_read.limit, on_read_limit);
	ev_init(&p->dictionary_read.limit, on_dictionary_limit);
	epg_save_init(p);
}

static void init_dictionary(struct epg_proc *p, const json_t *settings)
{
	const char *path = json_string_value(
		json_object_get(settings, "epg_dictionary"));

	if (path == NULL || path[0] == '\0')
		return;
	p->dictionary_path = xstrdup(path);
	p->dictionary = epg_file_new(p->loop, path);
}

struct epg_proc *epg_proc_new(const struct service_config *cfg,
			      const struct epg_config *epg)
{
	struct epg_proc *p = xcalloc(1, sizeof *p);

	p->cfg = *epg;
	p->loop = cfg->loop;
	p->dictionary_fd = -1;
	p->limits = (struct msg_epg_start){
		.services = number_of(epg->settings, "epg_services",
				      EPG_SERVICES, EPG_SERVICES_MAX),
		.days = number_of(epg->settings, "epg_days", 0, EPG_DAYS_MAX),
		.memory_mib = number_of(epg->settings, "epg_memory",
					EPG_MEMORY_MIB, EPG_MEMORY_MAX_MIB),
	};
	init_sources(p, epg->settings);
	epg_asks_init(&p->asks, p->loop);
	epg_moves_init(&p->moves);
	init_times(p);
	p->service = service_proc_new(cfg, &kind, "1", p);
	if (!epg_proc_is_on(p))
		return p;
	if (needs_net(p))
		service_proc_use(p->service, SPAWN_WORKER_NET);
	if (epg->path != NULL)
		p->file = epg_file_new(cfg->loop, epg->path);
	init_dictionary(p, epg->settings);
	service_proc_want(p->service);
	return p;
}

void epg_proc_free(struct epg_proc **pp)
{
	struct epg_proc *p = *pp;

	*pp = NULL;
	if (p == NULL)
		return;
	epg_save_done(p);
	epg_asks_fail(&p->asks,
		      "the process that keeps the guide ended");
	ev_timer_stop(p->loop, &p->saved_read.limit);
	ev_timer_stop(p->loop, &p->dictionary_read.limit);
	epg_moves_done(&p->moves);
	service_proc_free(&p->service);
	epg_file_free(&p->file);
	epg_file_free(&p->dictionary);
	free(p->dictionary_path);
	fd_close(&p->dictionary_fd);
	json_decref(p->sources);
	json_decref(p->exports);
	json_decref(p->keys);
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
