/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/pictures.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/hash.h"
#include "common/base/mono.h"
#include "proto/wire/http_request.h"
#include "worker/deliver/viewer_conn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

static const char suffix[] = ".jpg";

struct picture {
	TAILQ_ENTRY(picture) link; /* the newest first */
	char *stream;
	uint8_t *data; /* NULL: none, see error */
	size_t len;
	uint64_t hash;
	int status;    /* HTTP status: 200, or that of the error */
	char *error;   /* one sentence; NULL: none */
	uint64_t until_ms; /* the picture or error is sent until this time */
	uint32_t seq;  /* number of the open question to the master; 0: none */
	uint64_t ask_ms; /* time of this question */
	TAILQ_HEAD(, viewer_conn) waiting;
};

struct pictures {
	int (*send)(const struct msg *, void *arg);
	void *arg;
	TAILQ_HEAD(picture_list, picture) list;
	unsigned n;
	uint32_t seq;
};

struct pictures *pictures_new(int (*send)(const struct msg *, void *arg),
			      void *arg)
{
	struct pictures *p = xcalloc(1, sizeof *p);

	p->send = send;
	p->arg = arg;
	TAILQ_INIT(&p->list);
	return p;
}

static void drop(struct pictures *p, struct picture *one)
{
	TAILQ_REMOVE(&p->list, one, link);
	p->n--;
	free(one->stream);
	free(one->data);
	free(one->error);
	free(one);
}

void pictures_free(struct pictures **pp)
{
	struct pictures *p = *pp;
	struct picture *one;

	*pp = NULL;
	if (p == NULL)
		return;
	while ((one = TAILQ_FIRST(&p->list)) != NULL)
		drop(p, one);
	free(p);
}

bool picture_path(const char *path, char *ret, size_t size)
{
	size_t len = strlen(path), end = sizeof suffix - 1;

	if (len <= end || len - end >= size ||
	    strcmp(path + len - end, suffix) != 0)
		return false;
	memcpy(ret, path, len - end);
	ret[len - end] = '\0';
	return true;
}

/* --- answers --- */

static bool has_copy(const struct http_request *r, const char *tag)
{
	const char *none = http_request_header(r, "if-none-match");

	return none != NULL &&
	       (strcmp(none, "*") == 0 || strstr(none, tag) != NULL);
}

static void answer_error(struct viewer_conn *c, int status, const char *error)
{
	char body[sizeof(struct errmsg) + 2], headers[160];
	int len = snprintf(body, sizeof body, "%s\n", error);

	(void)snprintf(headers, sizeof headers,
		       "Content-Type: text/plain\r\n"
		       "X-Content-Type-Options: nosniff\r\n"
		       "Cache-Control: no-store\r\n%s",
		       status == 503 ? "Retry-After: 5\r\n" : "");
	viewer_conn_answer(c, &(struct viewer_answer){
		.status = status,
		.headers = headers,
		.body = body,
		.len = MIN((size_t)MAX(len, 0), sizeof body - 1),
	});
}

/* Answers with the picture or its error.  The client may keep the picture until
 * the next one can be made. */
static void answer(struct viewer_conn *c, const struct picture *one,
		   uint64_t now_ms)
{
	unsigned age_s = one->until_ms > now_ms
		? (unsigned)((one->until_ms - now_ms + 999) / 1000) : 0;
	struct viewer_answer a = { .status = 200, .body = one->data,
				   .len = one->len };
	char headers[200], tag[24];

	if (one->status != 200) {
		answer_error(c, one->status, one->error);
		return;
	}
	(void)snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"", one->hash);
	(void)snprintf(headers, sizeof headers,
		       "Content-Type: image/jpeg\r\n"
		       "X-Content-Type-Options: nosniff\r\n"
		       "Cache-Control: private, max-age=%u\r\n"
		       "ETag: %s\r\n", age_s, tag);
	a.headers = headers;
	if (has_copy(c->request, tag))
		a.status = 304;
	viewer_conn_answer(c, &a);
}

/* Answers all requests that wait for the picture.  No connection is freed
 * inside, because answers are sent later. */
static void answer_all(struct picture *one, uint64_t now_ms)
{
	struct viewer_conn *c;

	while ((c = TAILQ_FIRST(&one->waiting)) != NULL) {
		pictures_forget(c);
		answer(c, one, now_ms);
	}
}

/* --- questions --- */

static struct picture *find(const struct pictures *p, const char *stream)
{
	struct picture *one;

	TAILQ_FOREACH(one, &p->list, link)
		if (strcmp(one->stream, stream) == 0)
			break;
	return one;
}

/* A new entry for the picture of a stream, which may replace the oldest
 * picture; NULL: all entries wait for the master. */
static struct picture *add(struct pictures *p, const char *stream)
{
	struct picture *one = NULL;

	if (p->n >= PICTURES_MAX)
		TAILQ_FOREACH_REVERSE(one, &p->list, picture_list, link)
			if (one->seq == 0)
				break;
	if (p->n >= PICTURES_MAX && one == NULL)
		return NULL;
	if (one != NULL)
		drop(p, one);
	one = xcalloc(1, sizeof *one);
	one->stream = xstrdup(stream);
	TAILQ_INIT(&one->waiting);
	TAILQ_INSERT_HEAD(&p->list, one, link);
	p->n++;
	return one;
}

static void set_error(struct picture *one, int status, const char *error,
		      uint64_t now_ms)
{
	free(one->data);
	free(one->error);
	one->data = NULL;
	one->len = 0;
	one->error = xstrdup(error);
	one->status = status;
	one->until_ms = now_ms + PICTURE_FRESH_MS;
	one->seq = 0;
}

static void ask(struct pictures *p, struct picture *one, uint64_t now_ms)
{
	struct msg m = { .type = MSG_DELIVER_LOOK,
			 .deliver_look = { one->stream } };

	if (++p->seq == 0)
		p->seq = 1;
	m.seq = one->seq = p->seq;
	one->ask_ms = now_ms;
	if (p->send == NULL || p->send(&m, p->arg) < 0) {
		set_error(one, 503, "the master does not answer", now_ms);
		/* the next request asks the master again */
		one->until_ms = now_ms;
		answer_all(one, now_ms);
	}
}

void pictures_answer(struct pictures *p, struct viewer_conn *c,
		     const char *stream)
{
	uint64_t now_ms = mono_ms();
	struct picture *one = find(p, stream);

	if (one != NULL && one->seq == 0 && now_ms < one->until_ms) {
		answer(c, one, now_ms);
		return;
	}
	if (one == NULL)
		one = add(p, stream);
	if (one == NULL) {
		answer_error(c, 503, "too many pictures are wanted at once");
		return;
	}
	c->picture = one;
	TAILQ_INSERT_TAIL(&one->waiting, c, in_picture);
	if (one->seq == 0)
		ask(p, one, now_ms);
}

void pictures_forget(struct viewer_conn *c)
{
	if (c->picture != NULL)
		TAILQ_REMOVE(&c->picture->waiting, c, in_picture);
	c->picture = NULL;
}

static bool read_picture(struct picture *one, int fd, size_t len)
{
	if (fd < 0 || len == 0 || len > PICTURE_SIZE_MAX)
		return false;
	free(one->data);
	one->data = xmalloc(len);
	one->len = len;
	return pread(fd, one->data, len, 0) == (ssize_t)len;
}

void pictures_take(struct pictures *p, const struct msg_picture_result *m,
		   uint32_t seq, int fd)
{
	uint64_t now_ms = mono_ms();
	struct picture *one;

	TAILQ_FOREACH(one, &p->list, link)
		if (one->seq == seq)
			break;
	if (one != NULL && seq != 0) {
		if (m->len == 0) {
			set_error(one, m->absent ? 404 : 503, m->error, now_ms);
		} else if (!read_picture(one, fd, m->len)) {
			set_error(one, 503, "the picture from the worker is "
				  "unreadable",
				  now_ms);
		} else {
			one->status = 200;
			one->seq = 0;
			one->hash = hash_add(HASH_INIT, one->data, one->len);
			one->until_ms = now_ms + PICTURE_FRESH_MS;
		}
		TAILQ_REMOVE(&p->list, one, link);
		TAILQ_INSERT_HEAD(&p->list, one, link);
		answer_all(one, now_ms);
	}
	fd_close(&fd);
}

void pictures_renew(struct pictures *p)
{
	struct picture *one;

	TAILQ_FOREACH(one, &p->list, link)
		if (one->seq != 0)
			ask(p, one, mono_ms());
}

void pictures_every_second(struct pictures *p)
{
	uint64_t now_ms = mono_ms();
	struct picture *one;

	TAILQ_FOREACH(one, &p->list, link) {
		if (one->seq == 0 || now_ms - one->ask_ms < PICTURE_WAIT_MS)
			continue;
		set_error(one, 503, "the master does not answer", now_ms);
		answer_all(one, now_ms);
	}
}
