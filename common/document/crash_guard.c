/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/crash_guard.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/loop/thread.h"
#include "common/document/document.h"
#include "common/document/save.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_MS = 60000 };

struct crash_guard {
	struct crash_guard_config cfg;
	struct save *save;
	/* digest of the last configuration that ran for a minute; "": none */
	char good[DOCUMENT_DIGEST_TEXT];
	/* digest of the configuration of the last start, or of the one that
	 * later ran for a minute; "": none */
	char current[DOCUMENT_DIGEST_TEXT];
	/* starts in a row with current that crashed or have not yet run for a
	 * minute; 0 after a minute or a clean shutdown */
	json_int_t unclean;
	bool rolled_back;          /* current replaced a crashing one */
	bool running; /* the service runs; false after a clean shutdown */
};

/* A write of the file for which the process waits. */
struct note {
	char *path;
	char *text;
	size_t len;
	int result;
};

static char *format(const struct crash_guard *s, size_t *ret_len)
{
	json_t *document =
		json_pack("{s:s, s:s, s:I, s:b, s:b}", "good", s->good,
			  "current", s->current, "unclean", s->unclean,
			  "rolled_back", s->rolled_back, "running",
			  s->running);
	char *text = document_format(document, ret_len);

	json_decref(document);
	return text;
}

/* The content of the file after a minute without a change: the present
 * configuration is good. */
static char *format_good(size_t *ret_len, void *arg)
{
	struct crash_guard *s = arg;

	s->cfg.digest(s->good, s->cfg.arg);
	(void)memcpy(s->current, s->good, sizeof s->current);
	s->unclean = 0;
	s->rolled_back = false;
	return format(s, ret_len);
}

static void take_digest(const json_t *value, char ret[DOCUMENT_DIGEST_TEXT])
{
	const char *text = json_string_value(value);

	if (text != NULL && strlen(text) == DOCUMENT_DIGEST_TEXT - 1 &&
	    strspn(text, "0123456789abcdef") == DOCUMENT_DIGEST_TEXT - 1)
		memcpy(ret, text, DOCUMENT_DIGEST_TEXT);
}

static void load(struct crash_guard *s)
{
	struct errmsg error = { 0 };
	json_t *document = NULL;
	int r = document_load(s->cfg.path, &document, &error);

	if (r < 0 && r != -ENOENT)
		log_warning("config", "%s: %s: crash counter unreadable; "
			    "counting from zero", s->cfg.path, error.text);
	take_digest(json_object_get(document, "good"), s->good);
	take_digest(json_object_get(document, "current"), s->current);
	s->unclean = json_integer_value(json_object_get(document, "unclean"));
	s->rolled_back = json_is_true(json_object_get(document,
						      "rolled_back"));
	if (json_is_true(json_object_get(document, "running")))
		log_warning("config", "the previous run did not shut down "
			    "cleanly: it was killed, died, or the machine "
			    "went down");
	json_decref(document);
}

struct crash_guard *crash_guard_open(const struct crash_guard_config *cfg)
{
	struct crash_guard *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	s->cfg.path = xstrdup(cfg->path);
	load(s);
	s->save = save_new(&(struct save_config){
		.loop = cfg->loop,
		.path = cfg->path,
		.delay_ms = CRASH_GUARD_GOOD_MS,
		.retry_min_ms = RETRY_MS,
		.retry_max_ms = RETRY_MS,
		.settle = true,
		.text = format_good,
		.arg = s,
	});
	return s;
}

bool crash_guard_is_deadly(const struct crash_guard *s, const char *digest)
{
	return s->unclean >= CRASH_GUARD_MAX && !s->rolled_back &&
	       strcmp(digest, s->current) == 0 &&
	       strcmp(digest, s->good) != 0;
}

const char *crash_guard_good(const struct crash_guard *s)
{
	return s->good;
}

/* Writes the file without fsync: it must survive a crash of the process, not of
 * the machine. */
static void *write_note(void *arg)
{
	struct note *n = arg;
	char *temporary = xasprintf("%s.tmp", n->path);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW |
				O_CLOEXEC, 0600);

	n->result = fd < 0 ? -errno : fd_write_all(fd, n->text, n->len);
	fd_close(&fd);
	if (n->result == 0 && rename(temporary, n->path) < 0)
		n->result = -errno;
	if (n->result < 0)
		(void)unlink(temporary);
	free(temporary);
	return NULL;
}

static void write_now(const struct crash_guard *s)
{
	struct note *n = xcalloc(1, sizeof *n);
	pthread_t thread;

	n->path = xstrdup(s->cfg.path);
	n->text = format(s, &n->len);
	if (thread_start(&thread, write_note, n) < 0)
		(void)write_note(n);
	else if (!thread_join(thread))
		return; /* the thread still uses n */
	if (n->result < 0)
		log_warning("config", "%s cannot be written: %s", n->path,
			    strerror(-n->result));
	free(n->path);
	free(n->text);
	free(n);
}

void crash_guard_begin(struct crash_guard *s, const char *digest,
		       bool rolled_back)
{
	if (strcmp(digest, s->current) != 0) {
		s->unclean = 0;
		s->rolled_back = false;
	}
	(void)snprintf(s->current, sizeof s->current, "%s", digest);
	s->rolled_back |= rolled_back;
	s->unclean++;
	s->running = true;
	write_now(s);
	save_touch(s->save);
}

void crash_guard_touch(struct crash_guard *s)
{
	save_touch(s->save);
}

void crash_guard_end(struct crash_guard *s)
{
	s->unclean = 0;
	s->running = false;
	write_now(s);
}

void crash_guard_close(struct crash_guard **p)
{
	struct crash_guard *s = *p;

	*p = NULL;
	if (s == NULL)
		return;
	save_free(&s->save);
	crash_guard_end(s);
	free((char *)s->cfg.path);
	free(s);
}
