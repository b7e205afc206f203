/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_file.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"
#include "worker/epg/guide_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- loading --- */

struct guide_loader {
	int fd;
	struct guide *guide;
	off_t pos; /* bytes of the file that were read */
	char *text; /* bytes that were read, but are not a whole record or line
		     * yet */
	size_t n, room;
	bool skipping; /* the current line is too long, and is skipped */
	bool ending;   /* the file has ended with a damaged record, behind which
			* records are sought */
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

static void load_status(struct guide_loader *l, const uint8_t *body,
			size_t len)
{
	struct guide_status status;

	if (guide_status_record_read(body, len, &status))
		guide_load_status(l->guide, &status);
	else
		l->unreadable++;
}

static void load_event(struct guide_loader *l, const uint8_t *body, size_t len,
		       int64_t now_s)
{
	const char *stream;
	uint16_t number;
	struct guide_event *e = guide_record_read(body, len, &stream, &number);

	if (e != NULL)
		guide_load(l->guide, stream, number, e, now_s);
	else
		l->unreadable++;
}

/* The length of a record with its line feed.  0: if *ret_more is true, the
 * record is not whole yet; otherwise the bytes are not a record. */
static size_t record_len(const uint8_t *p, size_t n, bool *ret_more)
{
	bool record = p[0] >= GUIDE_RECORD && p[0] <= GUIDE_RECORD_LAST;
	size_t len;

	*ret_more = record && n < GUIDE_RECORD_HEAD;
	if (!record || *ret_more)
		return 0;
	len = ((size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 |
	       p[4]) + GUIDE_RECORD_HEAD + 1;
	if (len > GUIDE_LINE_MAX)
		return 0;
	*ret_more = len > n;
	return !*ret_more && p[len - 1] == '\n' ? len : 0;
}

/* Loads a record.  Skips a record of an unknown kind, which a later version
 * wrote. */
static void load_record(struct guide_loader *l, const uint8_t *p, size_t len,
			int64_t now_s)
{
	const uint8_t *body = p + GUIDE_RECORD_HEAD;

	len -= GUIDE_RECORD_HEAD + 1;
	if (p[0] == GUIDE_RECORD)
		load_event(l, body, len, now_s);
	else if (p[0] == GUIDE_STATUS_RECORD)
		load_status(l, body, len);
}

/* Loads the first record or line of the text, and returns its length; 0: it is
 * not whole yet. */
static size_t load_first(struct guide_loader *l, const char *text, size_t n,
			 int64_t now_s)
{
	const uint8_t *p = (const uint8_t *)text;
	bool more = false;
	size_t len = l->skipping ? 0 : record_len(p, n, &more);
	const char *end;

	if (len > 0)
		load_record(l, p, len, now_s);
	if (len > 0 || more)
		return len;
	end = memchr(text, '\n', n);
	if (end == NULL)
		return 0;
	if (!l->skipping)
		load_line(l, text, (size_t)(end - text), now_s);
	l->skipping = false;
	return (size_t)(end - text) + 1;
}

/* Loads the whole records and lines at the front of the text, and removes
 * them. */
static void load_lines(struct guide_loader *l, int64_t now_s)
{
	size_t at = 0, len;

	while (at < l->n && (len = load_first(l, l->text + at, l->n - at,
					      now_s)) > 0)
		at += len;
	l->n -= at;
	if (l->n > 0)
		memmove(l->text, l->text + at, l->n);
	if (l->n <= GUIDE_LINE_MAX)
		return;
	l->unreadable += !l->skipping;
	l->skipping = true;
	l->n = 0;
}

/* At the end of the file: loads records behind bytes that look like the begin
 * of a long record.  False: there are no more bytes with a line feed. */
static bool load_behind(struct guide_loader *l, int64_t now_s)
{
	/* parts of the damaged record look like lines; it counts as one */
	uint64_t unreadable = l->unreadable + !l->ending;

	if (l->n == 0 || memchr(l->text, '\n', l->n) == NULL)
		return false;
	l->skipping = l->ending = true;
	load_lines(l, now_s);
	l->unreadable = unreadable;
	return true;
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
	if (n == 0 && load_behind(l, now_s))
		return true;
	/* counts a line without an end, or a read that failed */
	l->unreadable += (l->n > 0 && !l->ending) || n < 0;
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
	bool events; /* all records of events are written */
	size_t pos, end; /* bytes of the memory: written so far; its size */
	struct buf bytes; /* records that are not written yet */
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
	buf_done(&s->bytes);
	free(s);
}

static void save_events(struct guide_saver *s)
{
	const struct guide_event *e;
	const char *stream;
	uint16_t number;

	while (buf_len(&s->bytes) < GUIDE_FILE_PART) {
		e = guide_save_next(s->guide, &stream, &number);
		s->events = e == NULL;
		if (s->events)
			return;
		guide_record_write(&s->bytes, stream, number, e);
	}
}

/* Writes records of services until a part is full.  True: there are more. */
static bool save_status(struct guide_saver *s)
{
	struct guide_status status;

	while (buf_len(&s->bytes) < GUIDE_FILE_PART) {
		if (!guide_save_status(s->guide, &status))
			return false;
		guide_status_record_write(&s->bytes, &status);
	}
	return true;
}

int guide_saver_run(struct guide_saver *s)
{
	bool more;
	ssize_t n = 0;

	if (!s->events)
		save_events(s);
	more = !s->events || save_status(s);
	if (buf_len(&s->bytes) > s->end - s->pos)
		return -ENOSPC;
	if (buf_len(&s->bytes) > 0)
		n = pwrite(s->fd, buf_head(&s->bytes), buf_len(&s->bytes),
			   (off_t)s->pos);
	if (n < 0)
		return -errno;
	if ((size_t)n != buf_len(&s->bytes))
		return -EIO;
	s->pos += (size_t)n;
	buf_reset(&s->bytes, 2 * GUIDE_FILE_PART);
	return more;
}

size_t guide_saver_len(const struct guide_saver *s)
{
	return s->pos;
}
