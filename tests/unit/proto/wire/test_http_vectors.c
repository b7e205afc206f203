/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The request vectors of the llhttp project: a request that its present version
 * rejects we reject, and we read no single message as two.
 */
#include "proto/wire/http_request.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 18 };

struct totals {
	unsigned vectors;
	unsigned refused;  /* by llhttp */
	unsigned accepted; /* messages that we read */
};

static char *read_file(const char *path)
{
	char *text = calloc(1, FILE_MAX + 1);
	FILE *f = fopen(path, "re");

	cr_assert(f, "%s", path);
	cr_assert_lt(fread(text, 1, FILE_MAX, f), FILE_MAX);
	fclose(f);
	return text;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *p = strstr(text, what); p; p = strstr(p + 1, what))
		n++;
	return n;
}

/* One escape of the vectors' notation; moves on. */
static char escaped(const char **p)
{
	char c = *(*p)++;
	char hex[3] = { 0 };

	switch (c) {
	case 'r':
		return '\r';
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'f':
		return '\f';
	case 'x':
		memcpy(hex, *p, 2);
		*p += 2;
		return (char)strtol(hex, NULL, 16);
	default:
		return c;
	}
}

/* A fenced block in the notation of the vectors: its bytes. */
static void read_block(const char *p, const char *end, struct buf *ret)
{
	while (p < end) {
		char c = *p++;

		if (c == '\n') {
			buf_append(ret, "\r\n", 2);
			continue;
		}
		if (c == '\\' && *p == '\n') {
			p++;
			continue;
		}
		if (c == '\\')
			c = escaped(&p);
		buf_append(ret, &c, 1);
	}
}

/* Most vectors have no Host; with one they get further. */
static void add_host(struct buf *bytes)
{
	const char *text = (const char *)buf_head(bytes);
	const char *eol = memmem(text, buf_len(bytes), "\r\n", 2);
	struct buf with = { 0 };

	if (!eol || memmem(text, buf_len(bytes), "\nHost:", 6) ||
	    memmem(text, buf_len(bytes), "\nhost:", 6))
		return;
	buf_append(&with, text, (size_t)(eol - text));
	buf_printf(&with, "\r\nHost: a");
	buf_append(&with, eol, buf_len(bytes) - (size_t)(eol - text));
	buf_done(bytes);
	*bytes = with;
}

static unsigned messages(struct buf *in)
{
	struct http_request *r = http_request_new(FILE_MAX);
	enum http_state state;
	unsigned n = 0;

	for (;;) {
		state = http_request_feed(r, in);
		if (state == HTTP_MORE || state == HTTP_FAILED)
			break;
		if (state == HTTP_HAVE_HEAD)
			continue;
		n++;
		if (!http_request_keep_alive(r))
			break;
		http_request_reset(r);
	}
	http_request_free(&r);
	return n;
}

static void check_vector(const char *file, const char *block, const char *log,
			 struct totals *t)
{
	const char *block_end = strstr(block, "\n```");
	const char *log_end = strstr(log, "```");
	char *expected = strndup(log, (size_t)(log_end - log));
	unsigned allowed = count(expected, "message complete");

	t->vectors++;
	t->refused += strstr(expected, "error code=") != NULL;
	for (unsigned host = 0; host < 2; host++) {
		struct buf bytes = { 0 };
		unsigned n;

		read_block(block, block_end, &bytes);
		if (host)
			add_host(&bytes);
		n = messages(&bytes);
		cr_assert_leq(n, allowed, "%s: %u messages of %u in: %.*s",
			      file, n, allowed, (int)(block_end - block),
			      block);
		t->accepted += n;
		buf_done(&bytes);
	}
	free(expected);
}

/* Vectors of the strict parser only: meta type "request". */
static void check_file(const char *folder, const char *name, struct totals *t)
{
	static const char meta[] = "<!-- meta={", type[] = "\"request\"";
	static const char http[] = "```http\n", log[] = "```log\n";
	char path[4300];
	char *text;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	text = read_file(path);
	for (char *p = strstr(text, meta); p; p = strstr(p + 1, meta)) {
		char *eol = strchr(p, '\n');
		char *block = strstr(eol, http);
		char *after = strstr(eol, log);

		if (!memmem(p, (size_t)(eol - p), type, strlen(type)) ||
		    memmem(p, (size_t)(eol - p), "pause", 5))
			continue;
		cr_assert(block && after && block < after, "%s", path);
		check_vector(name, block + strlen(http), after + strlen(log),
			     t);
	}
	free(text);
}

Test(http_vectors, reads_no_more_than_llhttp_does)
{
	const char *srcdir = getenv("srcdir");
	struct totals t = { 0 };
	struct dirent *e;
	char folder[4000];
	DIR *dir;

	snprintf(folder, sizeof folder, "%s/../shared/data/http/request",
		 srcdir ? srcdir : ".");
	dir = opendir(folder);
	if (!dir)
		cr_skip_test("no vectors in %s", folder);
	while ((e = readdir(dir)) != NULL)
		if (strstr(e->d_name, ".md"))
			check_file(folder, e->d_name, &t);
	closedir(dir);
	/* the notation was understood */
	cr_assert_geq(t.vectors, 80);
	cr_assert_geq(t.refused, 30);
	cr_assert_geq(t.accepted, 40, "%u", t.accepted);
}
