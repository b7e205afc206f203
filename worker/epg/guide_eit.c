/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_eit.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/hash.h"
#include "common/base/shared.h"
#include "worker/epg/guide_state.h"
#include "worker/tables/eit_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SPAN_MAX_S = 64 * 24 * 3600, SPAN_MIN_S = 3600,
	/* running_status (EN 300 468 table 6) */
	STARTS_SOON = 2, PAUSING = 3, OFF_AIR = 5,
};

struct guide_eit {
	int fd;
	struct guide *guide;
	char *stream;
	struct event_format format;
	bool events;
	int64_t now_s, span_s; /* events that begin before now_s + span_s are
				* written */
	/* numbers: services when the writing began; next: index of the next
	 * one; written: services in the memory */
	uint16_t numbers[GUIDE_PROGRAMS_MAX];
	size_t n, next, written;
	uint16_t onid; /* original_network_id when the writing began */
	size_t pos, end; /* bytes of the memory: written so far; its size */
	uint64_t hash;
};

static size_t head_len(void)
{
	struct buf head = { 0 };
	size_t len;

	eit_image_begin(&head, 0, 0);
	len = buf_len(&head);
	buf_done(&head);
	return len;
}

static int by_number(const void *a, const void *b)
{
	const uint16_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void begin(struct guide_eit *e)
{
	e->hash = hash_add(HASH_INIT, &e->onid, sizeof e->onid);
	e->pos = head_len();
	e->next = e->written = 0;
}

struct guide_eit *guide_eit_new(int fd, struct guide *guide,
				const struct guide_eit_config *config,
				int64_t now_s)
{
	const struct guide_stream *s =
		guide_find_stream(guide, config->stream);
	struct guide_eit *e = xcalloc(1, sizeof *e);
	ssize_t size = shared_size(fd);

	e->fd = fd;
	e->guide = guide;
	e->stream = xstrdup(config->stream);
	e->format = config->format;
	e->events = config->events;
	e->now_s = now_s;
	e->span_s = SPAN_MAX_S;
	e->onid = s != NULL ? s->onid : 0;
	begin(e);
	e->end = size > 0 ? (size_t)size : 0;
	for (size_t i = 0; s != NULL && i < s->n; i++)
		e->numbers[e->n++] = s->services[i]->number;
	qsort(e->numbers, e->n, sizeof e->numbers[0], by_number);
	return e;
}

void guide_eit_free(struct guide_eit **e)
{
	if (*e == NULL)
		return;
	fd_close(&(*e)->fd);
	free((*e)->stream);
	free(*e);
	*e = NULL;
}

static const struct service *find(const struct guide_eit *e, uint16_t number)
{
	const struct guide_stream *s = guide_find_stream(e->guide, e->stream);

	for (size_t i = 0; s != NULL && i < s->n; i++)
		if (s->services[i]->number == number)
			return s->services[i];
	return NULL;
}

static int write_at(struct guide_eit *e, const struct buf *text, size_t pos)
{
	ssize_t n;

	if (pos + buf_len(text) > e->end)
		return -ENOSPC;
	n = pwrite(e->fd, buf_head(text), buf_len(text), (off_t)pos);
	return n < 0 ? -errno : (size_t)n == buf_len(text) ? 0 : -EIO;
}

/* Is the event written?  An event without a duration is not. */
static bool is_written(const struct guide_eit *e, const struct guide_event *v)
{
	return e->events && v->duration_s > 0 &&
	       v->start_s < e->now_s + e->span_s;
}

static uint32_t count(const struct guide_eit *e, const struct service *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += is_written(e, s->events[i]);
	return MIN(n, (uint32_t)EIT_IMAGE_EVENTS_MAX);
}

/* The running_status to write; 0: the process that sends the EIT derives it
 * from the time. */
static unsigned running_of(const struct guide_event *e)
{
	switch (e->running) {
	case STARTS_SOON:
	case PAUSING:
	case OFF_AIR:
		return e->running;
	default:
		return 0;
	}
}

static void put_events(struct guide_eit *e, const struct service *s,
		       struct buf *text)
{
	uint32_t left = count(e, s);
	uint8_t bytes[EVENT_MAX];
	size_t cut = 0;

	eit_image_service(text, s->number, s->status, left);
	for (size_t i = 0; i < s->n && left > 0; i++) {
		const struct guide_event *event = s->events[i];
		struct eit_item item = { event->start_s, event->duration_s, 0,
					 bytes };

		if (!is_written(e, event))
			continue;
		item.len = (uint16_t)event_write(event, &e->format,
						 running_of(event), bytes,
						 &cut);
		/* XMLTV has no free_CA_mode, so that of the service in the SDT
		 * is written */
		if (event->source == GUIDE_IMPORTED)
			bytes[EIT_EVENT_HEAD - 2] |=
				s->status & EIT_STATUS_FREE_CA;
		eit_image_event(text, &item);
		left--;
	}
}

static int write_head(struct guide_eit *e)
{
	struct buf head = { 0 };
	int r;

	eit_image_begin(&head, e->onid, (uint32_t)e->written);
	r = write_at(e, &head, 0);
	buf_done(&head);
	return r;
}

int guide_eit_run(struct guide_eit *e)
{
	const struct service *s;
	struct buf text = { 0 };
	int r = 0;

	if (e->next == e->n)
		return write_head(e);
	s = find(e, e->numbers[e->next++]);
	if (s == NULL)
		return 1;
	put_events(e, s, &text);
	r = write_at(e, &text, e->pos);
	if (r == 0) {
		e->pos += buf_len(&text);
		e->hash = hash_add(e->hash, buf_head(&text), buf_len(&text));
		e->written++;
	}
	buf_done(&text);
	if (r == -ENOSPC && e->span_s > SPAN_MIN_S) {
		e->span_s /= 2;
		begin(e);
		return 1;
	}
	return r < 0 ? r : 1;
}

size_t guide_eit_len(const struct guide_eit *e)
{
	return e->pos;
}

uint64_t guide_eit_hash(const struct guide_eit *e)
{
	return hash_integer(e->hash);
}
