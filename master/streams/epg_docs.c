/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_docs.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/supervise/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

struct epg_doc_wait {
	TAILQ_ENTRY(epg_doc_wait) link;
	struct want *want;
	epg_done_fn *done;
	void *arg;
};

/* A document, or the request for one that is still to be written. */
struct want {
	TAILQ_ENTRY(want) link;
	struct buf channels;
	struct epg_doc_kind kind;
	TAILQ_HEAD(wait_list, epg_doc_wait) waits;
	struct epg_answer answer; /* the document; owns its descriptor */
	/* made_ms: monotonic time when the document was complete.  changes:
	 * change counter of the guide when the writing began. */
	uint64_t made_ms, changes;
};

struct epg_docs {
	struct epg_proc *proc;
	TAILQ_HEAD(want_list, want) docs, wants; /* oldest first */
	/* n_docs: length of the list docs.  bytes: size of all docs together */
	size_t n_docs, bytes;
	size_t n_wants; /* length of the list wants, without exports */
	/* the item of wants that the worker writes; NULL: none */
	struct want *writing;
};

struct epg_docs *epg_docs_new(struct epg_proc *proc)
{
	struct epg_docs *d = xcalloc(1, sizeof *d);

	d->proc = proc;
	TAILQ_INIT(&d->docs);
	TAILQ_INIT(&d->wants);
	return d;
}

static void want_free(struct want *w)
{
	buf_done(&w->channels);
	fd_close(&w->answer.fd);
	free(w);
}

static void drop_doc(struct epg_docs *d, struct want *w)
{
	TAILQ_REMOVE(&d->docs, w, link);
	d->n_docs--;
	d->bytes -= w->answer.len;
	want_free(w);
}

static void remove_want(struct epg_docs *d, struct want *w)
{
	TAILQ_REMOVE(&d->wants, w, link);
	d->n_wants -= !w->kind.export;
}

static void drop_want(struct epg_docs *d, struct want *w)
{
	remove_want(d, w);
	want_free(w);
}

void epg_docs_free(struct epg_docs **dp)
{
	struct epg_docs *d = *dp;

	*dp = NULL;
	if (d == NULL)
		return;
	while (!TAILQ_EMPTY(&d->docs))
		drop_doc(d, TAILQ_FIRST(&d->docs));
	while (!TAILQ_EMPTY(&d->wants))
		drop_want(d, TAILQ_FIRST(&d->wants));
	free(d);
}

static struct want *find(const struct want_list *list, const struct buf *text,
			 unsigned form)
{
	struct want *w;

	TAILQ_FOREACH(w, list, link)
		if (w->kind.form == form &&
		    buf_len(&w->channels) == buf_len(text) &&
		    memcmp(buf_head(&w->channels), buf_head(text),
			   buf_len(text)) == 0)
			break;
	return w;
}

static uint64_t changes_of(const struct epg_docs *d)
{
	const struct msg_epg_status *s = epg_proc_status(d->proc);

	return s != NULL ? s->changes : 0;
}

static bool is_usable(const struct epg_docs *d, const struct want *w)
{
	uint64_t age_s = (mono_ms() - w->made_ms) / 1000;

	return age_s < EPG_DOC_FRESH_S ||
	       (age_s < EPG_DOC_AGE_S && w->changes == changes_of(d));
}

/* --- writing --- */

static void write_next(struct epg_docs *d);

/* Gives the document or error to all receivers that wait for it; a receiver may
 * request another document in the call. */
static void call_waits(struct want *w, const struct epg_answer *answer)
{
	struct epg_doc_wait *wait;

	while ((wait = TAILQ_FIRST(&w->waits)) != NULL) {
		struct epg_doc_wait copy = *wait;

		TAILQ_REMOVE(&w->waits, wait, link);
		free(wait);
		copy.done(answer, copy.arg);
	}
}

static void keep(struct epg_docs *d, struct want *w, struct epg_answer answer)
{
	answer.fd = fcntl(answer.fd, F_DUPFD_CLOEXEC, 0);
	if (answer.fd < 0 || answer.len > EPG_DOCS_BYTES_MAX) {
		w->answer.fd = answer.fd;
		want_free(w);
		return;
	}
	w->answer = answer;
	w->answer.error = "";
	w->made_ms = mono_ms();
	while (d->n_docs == EPG_DOCS_MAX ||
	       d->bytes + answer.len > EPG_DOCS_BYTES_MAX)
		drop_doc(d, TAILQ_FIRST(&d->docs));
	TAILQ_INSERT_TAIL(&d->docs, w, link);
	d->n_docs++;
	d->bytes += answer.len;
}

static void on_written(const struct epg_answer *answer, void *arg)
{
	struct epg_docs *d = arg;
	struct want *w = d->writing;

	d->writing = NULL;
	remove_want(d, w);
	call_waits(w, answer);
	if (answer->len > 0)
		keep(d, w, *answer);
	else
		want_free(w);
	write_next(d);
}

/* Has the worker write a document; 0 or -errno. */
static int start(struct epg_docs *d, struct want *w)
{
	int fd = memfd_open("channels"), err = fd;

	if (fd < 0)
		return fd;
	err = memfd_write(fd, (const char *)buf_head(&w->channels),
			  buf_len(&w->channels));
	if (err == 0)
		err = epg_proc_write_xmltv(d->proc, fd, w->kind.form,
					   on_written, d);
	fd_close(&fd);
	if (err < 0)
		return err;
	d->writing = w;
	w->changes = changes_of(d);
	return 0;
}

static const struct epg_answer silent = {
	.fd = -1, .error = "the process of the programme guide does not "
			   "answer" };

/* Has the worker write the next document.  Drops documents that no receiver
 * waits for any more, and documents that cannot be started, whose receivers get
 * an error. */
static void write_next(struct epg_docs *d)
{
	struct want *w;

	while (d->writing == NULL && (w = TAILQ_FIRST(&d->wants)) != NULL) {
		if (!TAILQ_EMPTY(&w->waits) && start(d, w) == 0)
			return;
		remove_want(d, w);
		call_waits(w, &silent);
		want_free(w);
	}
}

/* --- questions --- */

static struct want *add_want(struct epg_docs *d, struct buf *text,
			     struct epg_doc_kind kind)
{
	struct want *w = xcalloc(1, sizeof *w);

	w->channels = *text;
	*text = (struct buf){ 0 };
	w->kind = kind;
	w->answer.fd = -1;
	TAILQ_INIT(&w->waits);
	TAILQ_INSERT_TAIL(&d->wants, w, link);
	d->n_wants += !kind.export;
	return w;
}

struct epg_doc_wait *epg_docs_get(struct epg_docs *d, struct buf *text,
				  struct epg_doc_kind kind, epg_done_fn *done,
				  void *arg)
{
	static const struct epg_answer busy = {
		.fd = -1, .error = "too many documents are being written" };
	struct want *w = find(&d->docs, text, kind.form);
	struct epg_doc_wait *wait;
	bool added = false;

	if (w != NULL && is_usable(d, w)) {
		buf_done(text);
		done(&w->answer, arg);
		return NULL;
	}
	if (w != NULL)
		drop_doc(d, w);
	w = find(&d->wants, text, kind.form);
	if (w == NULL && (kind.export || d->n_wants < EPG_DOC_WANTS_MAX)) {
		w = add_want(d, text, kind);
		added = true;
	}
	buf_done(text);
	if (w == NULL) {
		done(&busy, arg);
		return NULL;
	}
	/* while another document is being written, on_written() starts it */
	if (added && d->writing == NULL && start(d, w) < 0) {
		drop_want(d, w);
		done(&silent, arg);
		return NULL;
	}
	wait = xcalloc(1, sizeof *wait);
	*wait = (struct epg_doc_wait){ .want = w, .done = done, .arg = arg };
	TAILQ_INSERT_TAIL(&w->waits, wait, link);
	return wait;
}

void epg_doc_wait_cancel(struct epg_doc_wait *wait)
{
	TAILQ_REMOVE(&wait->want->waits, wait, link);
	free(wait);
}
