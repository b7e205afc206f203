/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/eit_image.h"

#include "common/base/alloc.h"
#include "proto/si/desc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAGIC = 0x45495432, /* "EIT2" */
	LOOP_AT = EIT_EVENT_HEAD - 2,
};

struct head {
	uint32_t magic, onid, services;
};

struct service_head {
	uint32_t number, status, events;
};

struct event_head {
	int64_t start_s;
	uint32_t duration_s;
	uint16_t len;
	uint16_t reserved;
};

/* --- writing --- */

void eit_image_begin(struct buf *b, uint16_t onid, uint32_t services)
{
	const struct head h = { MAGIC, onid, services };

	buf_append(b, &h, sizeof h);
}

void eit_image_service(struct buf *b, uint16_t number, uint8_t status,
		       uint32_t events)
{
	const struct service_head h = { number, status, events };

	buf_append(b, &h, sizeof h);
}

void eit_image_event(struct buf *b, const struct eit_item *e)
{
	const struct event_head h = { e->start_s, e->duration_s, e->len, 0 };

	buf_append(b, &h, sizeof h);
	buf_append(b, e->bytes, e->len);
}

/* --- reading --- */

struct service {
	uint16_t number;
	uint8_t status;
	struct eit_item *items;
	size_t n;
	uint64_t serial;
	const uint8_t *bytes; /* bytes of its events, with their struct
			       * event_head */
	size_t len;
};

struct eit_image {
	uint8_t *bytes;
	uint16_t onid;
	size_t n;
	struct service services[EIT_IMAGE_SERVICES_MAX];
};

struct reader {
	const uint8_t *at;
	size_t left;
};

static bool take(struct reader *r, void *ret, size_t len)
{
	if (r->left < len)
		return false;
	memcpy(ret, r->at, len);
	r->at += len;
	r->left -= len;
	return true;
}

static bool read_event(struct reader *r, struct eit_item *ret)
{
	struct desc_loop loop;
	struct event_head h;

	if (!take(r, &h, sizeof h) || h.len < EIT_EVENT_HEAD ||
	    h.len > EIT_EVENT_MAX || h.len > r->left || h.start_s < 0 ||
	    h.start_s > UINT32_MAX || h.duration_s == 0)
		return false;
	*ret = (struct eit_item){ h.start_s, h.duration_s, h.len, r->at };
	loop.data = r->at + EIT_EVENT_HEAD;
	loop.len = h.len - (size_t)EIT_EVENT_HEAD;
	r->at += h.len;
	r->left -= h.len;
	return ((ret->bytes[LOOP_AT] & 0x0f) << 8 |
		ret->bytes[LOOP_AT + 1]) == (int)loop.len &&
	       desc_loop_ok(loop);
}

static bool read_service(struct reader *r, struct service *s)
{
	struct service_head h;

	if (!take(r, &h, sizeof h) || h.number > UINT16_MAX ||
	    h.status > UINT8_MAX ||
	    h.events > EIT_IMAGE_EVENTS_MAX ||
	    h.events > r->left / sizeof(struct event_head))
		return false;
	s->number = (uint16_t)h.number;
	s->status = (uint8_t)h.status;
	s->items = xcalloc(h.events + 1, sizeof *s->items);
	s->bytes = r->at;
	for (; s->n < h.events; s->n++)
		if (!read_event(r, &s->items[s->n]) ||
		    (s->n > 0 && s->items[s->n].start_s <
				 eit_item_end(&s->items[s->n - 1])))
			return false;
	s->len = (size_t)(r->at - s->bytes);
	return true;
}

static bool read_all(struct eit_image *i, size_t len)
{
	struct reader r = { i->bytes, len };
	struct head h;

	if (!take(&r, &h, sizeof h) || h.magic != MAGIC ||
	    h.onid > UINT16_MAX || h.services > EIT_IMAGE_SERVICES_MAX)
		return false;
	i->onid = (uint16_t)h.onid;
	while (i->n < h.services)
		if (!read_service(&r, &i->services[i->n++]))
			return false;
	return r.left == 0;
}

struct eit_image *eit_image_read(int fd, size_t len, int *ret_err)
{
	struct eit_image *i = xcalloc(1, sizeof *i);
	ssize_t n;

	i->bytes = xmalloc(len + 1);
	n = pread(fd, i->bytes, len, 0);
	*ret_err = n < 0 ? -errno
			 : (size_t)n == len && read_all(i, len) ? 0 : -EBADMSG;
	if (*ret_err < 0)
		eit_image_free(&i);
	return i;
}

void eit_image_free(struct eit_image **i)
{
	for (size_t k = 0; *i != NULL && k < (*i)->n; k++)
		free((*i)->services[k].items);
	if (*i != NULL)
		free((*i)->bytes);
	free(*i);
	*i = NULL;
}

static const struct service *find_same(const struct eit_image *i,
				       const struct service *s)
{
	for (size_t k = 0; i != NULL && k < i->n; k++)
		if (i->services[k].number == s->number &&
		    i->services[k].status == s->status &&
		    i->services[k].len == s->len &&
		    memcmp(i->services[k].bytes, s->bytes, s->len) == 0)
			return &i->services[k];
	return NULL;
}

void eit_image_number(struct eit_image *i, const struct eit_image *before,
		      uint64_t *next)
{
	for (size_t k = 0; k < i->n; k++) {
		struct service *s = &i->services[k];
		const struct service *same = find_same(before, s);

		s->serial = same != NULL ? same->serial : (*next)++;
	}
}

/* Copies the free_CA_mode of events from the previous image.  For events
 * without one the guide takes it from the SDT, which it has not read now. */
static void keep_free_ca(struct eit_image *i, const struct service *s,
			 const struct service *before)
{
	size_t k = 0;

	for (size_t e = 0; e < s->n; e++) {
		const struct eit_item *item = &s->items[e], *same;

		while (k < before->n &&
		       before->items[k].start_s < item->start_s)
			k++;
		if (k == before->n)
			return;
		same = &before->items[k];
		if (same->start_s == item->start_s)
			i->bytes[item->bytes - i->bytes + LOOP_AT] |=
				same->bytes[LOOP_AT] & EIT_STATUS_FREE_CA;
	}
}

static void keep_status(struct eit_image *i, const struct service *before)
{
	size_t place = eit_image_place(i, before->number);
	struct service *s;

	/* until the guide has read the PAT, the image lacks services without
	 * events */
	if (place == EIT_IMAGE_SERVICES_MAX) {
		if (i->n == EIT_IMAGE_SERVICES_MAX)
			return;
		place = i->n++;
		i->services[place] = (struct service){
			.number = before->number, .bytes = i->bytes };
	}
	s = &i->services[place];
	s->status = before->status;
	if (s->status & EIT_STATUS_FREE_CA)
		keep_free_ca(i, s, before);
}

void eit_image_keep(struct eit_image *i, const struct eit_image *before)
{
	if (before == NULL)
		return;
	if (i->onid == 0)
		i->onid = before->onid;
	if (eit_image_has_sdt(i))
		return;
	for (size_t k = 0; k < before->n; k++)
		if (before->services[k].status & EIT_STATUS_LISTED)
			keep_status(i, &before->services[k]);
}

bool eit_image_has_sdt(const struct eit_image *i)
{
	bool any = false;

	for (size_t k = 0; i != NULL && k < i->n; k++)
		any |= (i->services[k].status & EIT_STATUS_LISTED) != 0;
	return any;
}

uint16_t eit_image_onid(const struct eit_image *i)
{
	return i->onid;
}

size_t eit_image_services(const struct eit_image *i)
{
	return i->n;
}

size_t eit_image_place(const struct eit_image *i, uint16_t number)
{
	for (size_t k = 0; i != NULL && k < i->n; k++)
		if (i->services[k].number == number)
			return k;
	return EIT_IMAGE_SERVICES_MAX;
}

uint8_t eit_image_status(const struct eit_image *i, size_t place)
{
	return i->services[place].status;
}

struct eit_items eit_image_at(const struct eit_image *i, size_t at,
			      uint16_t *ret_number)
{
	const struct service *s = &i->services[at];

	*ret_number = s->number;
	return (struct eit_items){ s->items, s->n, s->serial };
}

struct eit_items eit_image_find(const struct eit_image *i, uint16_t number,
				bool single)
{
	for (size_t k = 0; i != NULL && k < i->n; k++) {
		const struct service *s = &i->services[k];

		if (s->number == number || (s->number == 0 && single))
			return (struct eit_items){ s->items, s->n, s->serial };
	}
	return (struct eit_items){ 0 };
}
