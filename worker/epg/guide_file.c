/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_file.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- loading --- */

struct guide_loader {
	int fd;
	struct guide *guide;
	off_t pos;
	char *text; /* that is read, and not a whole line yet */
	size_t n, room;
	bool skipping; /* a line that is too long */
	uint64_t unreadable;
};

struct guide_loader *guide_loader_new(int fd, struct guide *guide)
{
	struct guide_loader *l = xcalloc(1, sizeof *l);

	l->fd = fd;
	l->guide = guide;
	return l;
}

void guide_loader_free(struct guide_loader **lp)
{
	struct guide_loader *l = *lp;

	*lp = NULL;
	if (l == NULL)
		return;
	fd_close(&l->fd);
	free(l->text);
	free(l);
}

static void load_line(struct guide_loader *l, const char *text, size_t len,
		      int64_t now_s)
{
	json_t *line = json_loadb(text, len, 0, NULL);

	l->unreadable += !guide_load_event(l->guide, line, now_s);
	json_decref(line);
}

/* Takes the whole lines off the text. */
static void load_lines(struct guide_loader *l, int64_t now_s)
{
	size_t at = 0;
	const char *end;

	while (at < l->n &&
	       (end = memchr(l->text + at, '\n', l->n - at)) != NULL) {
		size_t len = (size_t)(end - (l->text + at));

		if (!l->skipping)
			load_line(l, l->text + at, len, now_s);
		l->skipping = false;
		at += len + 1;
	}
	l->n -= at;
	if (l->n > 0)
		memmove(l->text, l->text + at, l->n);
	if (l->n <= GUIDE_LINE_MAX)
		return;
	l->unreadable += !l->skipping;
	l->skipping = true;
	l->n = 0;
}

bool guide_loader_run(struct guide_loader *l, int64_t now_s)
{
	ssize_t n;

	if (l->room - l->n < GUIDE_FILE_PART) {
		l->room = l->n + GUIDE_FILE_PART;
		l->text = xrealloc(l->text, l->room);
	}
	n = pread(l->fd, l->text + l->n, GUIDE_FILE_PART, l->pos);
	if (n > 0) {
		l->pos += n;
		l->n += (size_t)n;
		load_lines(l, now_s);
		return true;
	}
	/* a line without an end, or a read that failed */
	l->unreadable += l->n > 0 || n < 0;
	return false;
}

uint64_t guide_loader_unreadable(const struct guide_loader *l)
{
	return l->unreadable;
}

/* --- saving --- */

struct guide_saver {
	int fd;
	struct guide *guide;
	size_t pos, end; /* in the memory */
	char *text; /* that is not written yet */
	size_t n, room;
};

struct guide_saver *guide_saver_new(int fd, struct guide *guide)
{
	struct guide_saver *s = xcalloc(1, sizeof *s);
	ssize_t size = shared_size(fd);

	s->fd = fd;
	s->guide = guide;
	s->end = size > 0 ? (size_t)size : 0;
	guide_save_begin(guide);
	return s;
}

void guide_saver_free(struct guide_saver **sp)
{
	struct guide_saver *s = *sp;

	*sp = NULL;
	if (s == NULL)
		return;
	fd_close(&s->fd);
	free(s->text);
	free(s);
}

static void put_line(struct guide_saver *s, json_t *line)
{
	char *text = json_dumps(line, JSON_COMPACT);
	size_t len = strlen(text);

	if (s->room - s->n < len + 1) {
		s->room = s->n + len + 1 + GUIDE_FILE_PART;
		s->text = xrealloc(s->text, s->room);
	}
	memcpy(s->text + s->n, text, len);
	s->text[s->n + len] = '\n';
	s->n += len + 1;
	free(text);
	json_decref(line);
}

int guide_saver_run(struct guide_saver *s)
{
	json_t *line = NULL;
	ssize_t n;

	while (s->n < GUIDE_FILE_PART &&
	       (line = guide_save_next(s->guide)) != NULL)
		put_line(s, line);
	if (s->n > s->end - s->pos)
		return -ENOSPC;
	n = s->n > 0 ? pwrite(s->fd, s->text, s->n, (off_t)s->pos) : 0;
	if (n < 0)
		return -errno;
	if ((size_t)n != s->n)
		return -EIO;
	s->pos += s->n;
	s->n = 0;
	return line != NULL;
}

size_t guide_saver_len(const struct guide_saver *s)
{
	return s->pos;
}
