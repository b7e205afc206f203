/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_xmltv.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/hash.h"
#include "common/base/shared.h"
#include "worker/epg/guide_list.h"
#include "worker/epg/guide_state.h"
#include "worker/epg/xmltv_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
	ID_SUFFIX = sizeof ".65535",
	GZIP_WINDOW = 15 + 16, /* of zlib: a window of 15 bits; + 16: with a
				* gzip header */
	GZIP_MEMORY = 8,
};

struct channel {
	char *stream, *id, *name, *number, *icon;
	size_t order;
	uint16_t services[GUIDE_PROGRAMS_MAX];
	size_t n; /* services of the stream; 0: the stream has none in the
		   * guide */
	bool hidden; /* not written, because another channel has its id */
};

enum phase { BEGIN, CHANNELS, PROGRAMMES, END };

struct guide_xmltv {
	int fd;
	struct guide *guide;
	struct channel *channels;
	size_t n;
	/* the position of the element that is written next */
	enum phase phase;
	size_t channel, service;
	int64_t start_s;
	size_t pos, end; /* bytes of the memory: written so far; its size */
	uint64_t hash;
	struct buf text;
	bool json, gzip;
	bool first; /* the next element is the first one of its list */
	z_stream zip;
};

/* --- channels --- */

static char *copy_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text != NULL ? xstrdup(text) : NULL;
}

static void free_channel(struct channel *c)
{
	free(c->stream);
	free(c->id);
	free(c->name);
	free(c->number);
	free(c->icon);
}

static int by_number(const void *a, const void *b)
{
	const uint16_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Reads a channel; false: a string is missing in the value. */
static bool read_channel(struct channel *c, const json_t *o,
			 const struct guide *g)
{
	const struct guide_stream *s;

	*c = (struct channel){
		.stream = copy_of(o, "stream"), .id = copy_of(o, "id"),
		.name = copy_of(o, "name"), .number = copy_of(o, "number"),
		.icon = copy_of(o, "icon"),
	};
	if (c->stream == NULL || c->id == NULL || c->name == NULL ||
	    c->number == NULL || c->icon == NULL) {
		free_channel(c);
		return false;
	}
	s = guide_find_stream(g, c->stream);
	for (size_t i = 0; s != NULL && i < s->n; i++)
		c->services[c->n++] = s->services[i]->number;
	qsort(c->services, c->n, sizeof c->services[0], by_number);
	return true;
}

static bool has_events(const struct guide *g, const struct channel *c)
{
	const struct guide_stream *s = guide_find_stream(g, c->stream);

	for (size_t i = 0; s != NULL && i < s->n; i++)
		if (s->services[i]->n > 0)
			return true;
	return false;
}

static int by_id(const void *a, const void *b)
{
	const struct channel *const *x = a, *const *y = b;
	int r = strcmp((*x)->id, (*y)->id);

	return r != 0 ? r : ((*x)->order > (*y)->order) -
			    ((*x)->order < (*y)->order);
}

/* Of channels with the same id, hides all but the first one with events, or the
 * first one if none has events. */
static void hide_doubles(struct guide_xmltv *x)
{
	struct channel **sorted = xcalloc(x->n + 1, sizeof *sorted);

	for (size_t i = 0; i < x->n; i++)
		sorted[i] = &x->channels[i];
	qsort(sorted, x->n, sizeof *sorted, by_id);
	for (size_t i = 0, end; i < x->n; i = end) {
		struct channel *shown = NULL;

		for (end = i; end < x->n && strcmp(sorted[end]->id,
						   sorted[i]->id) == 0; end++) {
			sorted[end]->hidden = true;
			if (shown == NULL && has_events(x->guide, sorted[end]))
				shown = sorted[end];
		}
		(shown != NULL ? shown : sorted[i])->hidden = false;
	}
	free(sorted);
}

static char *id_of(const struct channel *c, size_t service)
{
	size_t size = strlen(c->id) + ID_SUFFIX;
	char *id = xmalloc(size);

	if (c->n > 1)
		(void)snprintf(id, size, "%s.%u", c->id, c->services[service]);
	else
		(void)snprintf(id, size, "%s", c->id);
	return id;
}

/* An id of a channel in the document. */
struct final_id {
	char *text;
	struct channel *channel;
};

static int by_text(const void *a, const void *b)
{
	const struct final_id *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Hides a channel whose id is also the id of a service of another channel. */
static void hide_taken(struct guide_xmltv *x)
{
	struct final_id *ids;
	size_t n = 0, max = 1;

	for (size_t i = 0; i < x->n; i++)
		max += MAX(x->channels[i].n, (size_t)1);
	ids = xcalloc(max, sizeof *ids);
	for (size_t i = 0; i < x->n; i++) {
		struct channel *c = &x->channels[i];

		for (size_t k = 0; !c->hidden && k < MAX(c->n, (size_t)1); k++)
			ids[n++] = (struct final_id){ id_of(c, k), c };
	}
	qsort(ids, n, sizeof *ids, by_text);
	for (size_t i = 1; i < n; i++)
		if (strcmp(ids[i].text, ids[i - 1].text) == 0)
			(ids[i].channel->n > 1 ? ids[i - 1] : ids[i])
				.channel->hidden = true;
	while (n > 0)
		free(ids[--n].text);
	free(ids);
}

struct guide_xmltv *guide_xmltv_new(int fd, struct guide *guide, unsigned form,
				    const json_t *channels)
{
	bool gzip = form & EPG_FORM_GZIP;
	struct guide_xmltv *x = xcalloc(1, sizeof *x);
	ssize_t size = shared_size(fd);
	const json_t *one;
	size_t i;

	x->fd = fd;
	x->guide = guide;
	x->end = size > 0 ? (size_t)size : 0;
	x->hash = hash_add(HASH_INIT, &form, sizeof form);
	x->json = form & EPG_FORM_JSON;
	x->first = true;
	x->channels = xcalloc(json_array_size(channels) + 1,
			      sizeof *x->channels);
	json_array_foreach((json_t *)(uintptr_t)channels, i, one) {
		x->channels[x->n].order = x->n;
		x->n += read_channel(&x->channels[x->n], one, guide);
	}
	hide_doubles(x);
	hide_taken(x);
	x->gzip = gzip && deflateInit2(&x->zip, Z_DEFAULT_COMPRESSION,
				       Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
				       Z_DEFAULT_STRATEGY) == Z_OK;
	return x;
}

void guide_xmltv_free(struct guide_xmltv **xp)
{
	struct guide_xmltv *x = *xp;

	*xp = NULL;
	if (x == NULL)
		return;
	fd_close(&x->fd);
	for (size_t i = 0; i < x->n; i++)
		free_channel(&x->channels[i]);
	free(x->channels);
	buf_done(&x->text);
	if (x->gzip)
		(void)deflateEnd(&x->zip);
	free(x);
}

/* --- text --- */

static void put_element(struct guide_xmltv *x, const struct xmltv_channel *c)
{
	if (x->json)
		guide_list_channel(&x->text, c, x->first);
	else
		xmltv_channel(&x->text, c);
	x->first = false;
}

static void put_event(struct guide_xmltv *x, const char *id,
		      const struct guide_event *e)
{
	if (x->json)
		guide_list_programme(&x->text, id, e, x->first);
	else
		xmltv_programme(&x->text, id, e);
	x->first = false;
}

static void put_channel(struct guide_xmltv *x, const struct channel *c,
			size_t service)
{
	const char *own = NULL;
	struct buf name = { 0 };
	char *id = id_of(c, service);

	if (c->n > 1)
		own = guide_service_name(x->guide, c->stream,
					 c->services[service]);
	buf_printf(&name, "%s", own != NULL ? own : c->name);
	if (c->n > 1 && own == NULL)
		buf_printf(&name, " %u", c->services[service]);
	buf_append(&name, "", 1);
	put_element(x, &(struct xmltv_channel){
		.id = id, .name = (const char *)buf_head(&name),
		.number = c->number, .icon = c->icon });
	buf_done(&name);
	free(id);
}

/* Writes the elements of the channel at this position, one for each service,
 * and moves to the next channel. */
static void put_channels(struct guide_xmltv *x)
{
	const struct channel *c = &x->channels[x->channel++];

	for (size_t i = 0; !c->hidden && i < MAX(c->n, (size_t)1); i++)
		put_channel(x, c, i);
}

static const struct service *service_of(const struct guide_xmltv *x,
					const struct channel *c)
{
	const struct guide_stream *s = guide_find_stream(x->guide, c->stream);

	for (size_t i = 0; s != NULL && i < s->n; i++)
		if (s->services[i]->number == c->services[x->service])
			return s->services[i];
	return NULL;
}

/* Writes the events of the service at this position until the part is full. */
static void put_events(struct guide_xmltv *x)
{
	const struct channel *c = &x->channels[x->channel];
	const struct service *s = service_of(x, c);
	size_t i = s != NULL ? guide_place_of(s, x->start_s) : 0;
	char *id = id_of(c, x->service);

	for (; s != NULL && i < s->n; i++) {
		if (buf_len(&x->text) >= GUIDE_XMLTV_PART)
			break;
		put_event(x, id, s->events[i]);
		x->start_s = s->events[i]->start_s + 1;
	}
	free(id);
	if (s != NULL && i < s->n)
		return;
	x->service++;
	x->start_s = INT64_MIN;
}

static void put_programmes(struct guide_xmltv *x)
{
	const struct channel *c = &x->channels[x->channel];

	if (!c->hidden && x->service < c->n) {
		put_events(x);
		return;
	}
	x->channel++;
	x->service = 0;
	x->start_s = INT64_MIN;
}

static void next_phase(struct guide_xmltv *x)
{
	if (x->json && x->phase == CHANNELS)
		guide_list_programmes(&x->text);
	x->first = true;
	x->phase++;
	x->channel = x->service = 0;
	x->start_s = INT64_MIN;
}

/* Writes the next element; false: the document is complete. */
static bool put_next(struct guide_xmltv *x)
{
	switch (x->phase) {
	case BEGIN:
		(x->json ? guide_list_begin : xmltv_begin)(&x->text);
		next_phase(x);
		return true;
	case CHANNELS:
		if (x->channel < x->n)
			put_channels(x);
		else
			next_phase(x);
		return true;
	case PROGRAMMES:
		if (x->channel < x->n)
			put_programmes(x);
		else
			next_phase(x);
		return true;
	case END:
		(x->json ? guide_list_end : xmltv_end)(&x->text);
		break;
	}
	return false;
}

/* --- memory --- */

static int write_bytes(struct guide_xmltv *x, const void *bytes, size_t len)
{
	ssize_t n;

	if (len > x->end - x->pos)
		return -ENOSPC;
	n = len > 0 ? pwrite(x->fd, bytes, len, (off_t)x->pos) : 0;
	if (n != (ssize_t)len)
		return n < 0 ? -errno : -EIO;
	x->pos += len;
	return 0;
}

static int write_zipped(struct guide_xmltv *x, bool last)
{
	uint8_t out[16 * 1024];
	int r = 0;

	x->zip.next_in = buf_head(&x->text);
	x->zip.avail_in = (uInt)buf_len(&x->text);
	do {
		x->zip.next_out = out;
		x->zip.avail_out = sizeof out;
		if (deflate(&x->zip, last ? Z_FINISH : Z_NO_FLUSH) ==
		    Z_STREAM_ERROR)
			return -EIO;
		r = write_bytes(x, out, sizeof out - x->zip.avail_out);
	} while (r == 0 && x->zip.avail_out == 0);
	return r;
}

int guide_xmltv_run(struct guide_xmltv *x)
{
	bool more = true;
	int r;

	while (more && buf_len(&x->text) < GUIDE_XMLTV_PART)
		more = put_next(x);
	x->hash = hash_add(x->hash, buf_head(&x->text), buf_len(&x->text));
	r = x->gzip ? write_zipped(x, !more)
		    : write_bytes(x, buf_head(&x->text), buf_len(&x->text));
	buf_reset(&x->text, 2 * GUIDE_XMLTV_PART);
	return r < 0 ? r : more;
}

size_t guide_xmltv_len(const struct guide_xmltv *x)
{
	return x->pos;
}

uint64_t guide_xmltv_hash(const struct guide_xmltv *x)
{
	return hash_integer(x->hash);
}
