/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_exports.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "master/streams/epg_docs.h"
#include "master/streams/epg_file.h"
#include "master/streams/epg_proc.h"
#include "proto/spec/epg_export.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_S = 1,
	/* first pause after a failure; each further failure doubles the pause,
	 * up to RETRY_MAX_S */
	RETRY_S = 30,
	RETRY_MAX_S = 900,
	/* after this time a write to a file is reported: the disk does not
	 * answer */
	WRITE_S = 60,
};

/* A post that was sent to the worker.  The worker may answer after the exports
 * were freed. */
struct posting {
	struct export *export; /* NULL: the exports were freed */
};

struct export {
	struct epg_exports *owner;
	struct epg_export_spec spec;
	bool usable; /* the address has no error */
	struct epg_file *file; /* NULL: the export goes to a server */
	uint64_t next_ms;
	unsigned failures; /* consecutive failures */
	bool busy; /* the document is being made, written or posted */
	uint64_t write_ms; /* start of the write to the file; 0: no write */
	size_t len; /* bytes of the document */
	struct epg_doc_wait *wait; /* wait for the document; NULL: none */
	struct posting *posting; /* post sent to the worker; NULL: none */
	bool done; /* it has succeeded at least once */
	struct errmsg error; /* "": no error */
};

struct epg_exports {
	struct epg_exports_config cfg;
	ev_timer timer;
	size_t n;
	struct export list[EPG_EXPORTS_MAX];
};

static size_t place_of(const struct export *e)
{
	return (size_t)(e - e->owner->list);
}

static unsigned form_of(const struct export *e)
{
	return (e->spec.gzip ? EPG_FORM_GZIP : 0u) |
	       (e->spec.format == EPG_FORMAT_JSON ? EPG_FORM_JSON : 0u);
}

static void end(struct export *e, unsigned pause_s)
{
	e->busy = false;
	e->next_ms = mono_ms() + UINT64_C(1000) * pause_s;
}

static void fail(struct export *e, const char *reason)
{
	unsigned pause_s = RETRY_S << MIN(e->failures, 5U);
	struct errmsg error;

	errmsg_set(&error, "epg_export[%zu]: %s", place_of(e), reason);
	if (!errmsg_is_alike(e->error.text, error.text))
		log_warning("epg", "%s: the export is tried again", error.text);
	e->error = error;
	e->failures++;
	pause_s = MIN(pause_s, (unsigned)RETRY_MAX_S);
	end(e, MIN(pause_s, e->spec.to.interval_s));
}

static void succeed(struct export *e)
{
	if (!e->done || e->error.text[0] != '\0')
		log_info("epg", "epg_export[%zu]: exported, %zu bytes",
			 place_of(e), e->len);
	e->done = true;
	e->failures = 0;
	e->error.text[0] = '\0';
	end(e, e->spec.to.interval_s);
}

/* --- an export --- */

static void on_written(int result, const struct errmsg *error, void *arg)
{
	struct export *e = arg;

	e->write_ms = 0;
	if (result < 0)
		fail(e, error->text);
	else
		succeed(e);
}

/* Reports a disk that does not answer.  Until the thread of the write returns,
 * the file is not written again. */
static void watch_write(struct export *e)
{
	struct errmsg error;

	if (e->write_ms == 0 ||
	    mono_ms() - e->write_ms < UINT64_C(1000) * WRITE_S)
		return;
	errmsg_set(&error, "epg_export[%zu]: the disk does not answer",
		   place_of(e));
	if (!errmsg_is_alike(e->error.text, error.text))
		log_warning("epg", "%s: the export waits for it", error.text);
	e->error = error;
}

static void write_file(struct export *e, const struct epg_answer *a)
{
	e->write_ms = MAX(mono_ms(), UINT64_C(1));
	epg_file_write(e->file, a->fd, a->len, on_written, e);
}

static void on_posted(const struct epg_answer *a, void *arg)
{
	struct posting *p = arg;
	struct export *e = p->export;

	free(p);
	if (e == NULL)
		return;
	e->posting = NULL;
	if (a->error[0] != '\0')
		fail(e, a->error);
	else
		succeed(e);
}

static void post(struct export *e, int fd)
{
	const struct msg_epg_post m = { .export = (uint32_t)place_of(e),
					.form = form_of(e),
					.len = (uint32_t)e->len };

	e->posting = xcalloc(1, sizeof *e->posting);
	e->posting->export = e;
	if (epg_proc_post(e->owner->cfg.proc, &m, fd, on_posted,
			  e->posting) == 0)
		return;
	free(e->posting);
	e->posting = NULL;
	fail(e, "the process of the programme guide does not answer");
}

static void on_document(const struct epg_answer *a, void *arg)
{
	struct export *e = arg;

	e->wait = NULL;
	e->len = a->len;
	if (a->len == 0)
		fail(e, a->error);
	else if (e->file != NULL)
		write_file(e, a);
	else
		post(e, a->fd);
}

static void begin(struct export *e)
{
	struct epg_exports *x = e->owner;
	json_t *list = x->cfg.channels(x->cfg.arg);
	char *text = json_dumps(list, JSON_COMPACT);
	struct buf channels = { 0 };

	buf_append(&channels, text, strlen(text));
	free(text);
	json_decref(list);
	e->busy = true;
	if (buf_len(&channels) > EPG_CHANNELS_MAX) {
		buf_done(&channels);
		fail(e, "the list of its channels is too long");
		return;
	}
	e->wait = epg_docs_get(x->cfg.docs, &channels, (struct epg_doc_kind){
		.form = form_of(e), .export = true }, on_document, e);
}

/* --- the time --- */

static bool has_events(const struct epg_proc *p)
{
	const struct msg_epg_status *s = epg_proc_status(p);

	return s != NULL && s->loaded && s->events > 0;
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_exports *x = container_of(t, struct epg_exports, timer);

	(void)loop, (void)revents;
	for (size_t i = 0; i < x->n; i++)
		watch_write(&x->list[i]);
	if (!has_events(x->cfg.proc))
		return;
	for (size_t i = 0; i < x->n; i++)
		if (x->list[i].usable && !x->list[i].busy &&
		    mono_ms() >= x->list[i].next_ms)
			begin(&x->list[i]);
}

static void init_export(struct epg_exports *x, const char *address)
{
	struct export *e = &x->list[x->n++];
	struct errmsg error;

	e->owner = x;
	e->usable = epg_export_parse(address, &e->spec, &error) == 0;
	if (!e->usable)
		errmsg_set(&e->error, "epg_export[%zu]: %s", place_of(e),
			   error.text);
	else if (e->spec.to.path[0] != '\0')
		e->file = epg_file_new_public(x->cfg.loop, e->spec.to.path);
}

struct epg_exports *epg_exports_new(const struct epg_exports_config *cfg)
{
	struct epg_exports *x = xcalloc(1, sizeof *x);
	const json_t *list = json_object_get(cfg->settings, "epg_export"), *one;
	size_t i;

	x->cfg = *cfg;
	x->cfg.settings = NULL;
	ev_init(&x->timer, on_timer);
	if (!epg_proc_is_on(cfg->proc))
		return x;
	/* the index of an export is that in epg.start */
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
		if (json_is_string(one) && x->n < EPG_EXPORTS_MAX)
			init_export(x, json_string_value(one));
	if (x->n > 0)
		timer_repeat(cfg->loop, &x->timer, LOOK_S, LOOK_S);
	return x;
}

void epg_exports_free(struct epg_exports **xp)
{
	struct epg_exports *x = *xp;

	*xp = NULL;
	if (x == NULL)
		return;
	ev_timer_stop(x->cfg.loop, &x->timer);
	for (size_t i = 0; i < x->n; i++) {
		struct export *e = &x->list[i];

		if (e->wait != NULL)
			epg_doc_wait_cancel(e->wait);
		if (e->posting != NULL)
			e->posting->export = NULL;
		epg_file_free(&e->file);
	}
	free(x);
}

const char *epg_exports_error(const struct epg_exports *x, size_t i,
			      bool *ret_known)
{
	*ret_known = x != NULL && i < x->n;
	return *ret_known && x->list[i].error.text[0] != '\0'
		       ? x->list[i].error.text : NULL;
}
