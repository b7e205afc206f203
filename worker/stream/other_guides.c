/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/other_guides.h"

#include "common/base/hash.h"
#include "common/base/log.h"
#include "proto/ipc/msg.h"

#include <stdio.h>
#include <string.h>

void other_guides_init(struct other_guides *o)
{
	o->n = o->n_kept = 0;
	o->next_serial = 1;
}

void other_guides_done(struct other_guides *o)
{
	other_guides_begin(o);
	other_guides_end(o);
}

void other_guides_begin(struct other_guides *o)
{
	memcpy(o->kept, o->list, sizeof o->kept);
	o->n_kept = o->n;
	o->n = 0;
}

static void set_onid(struct other_guide *other)
{
	const struct tables_spec keys = { .onid = other->key_onid };

	other->onid = tables_spec_onid(&keys, other->image != NULL
				? eit_image_onid(other->image) : 0);
}

void other_guides_add(struct other_guides *o, const char *id, uint16_t tsid,
		      uint16_t key_onid)
{
	struct other_guide *other = &o->list[o->n];

	if (o->n == NIT_OTHER_MAX)
		return;
	*other = (struct other_guide){ .tsid = tsid, .key_onid = key_onid };
	(void)snprintf(other->id, sizeof other->id, "%s", id);
	for (size_t i = 0; i < o->n_kept; i++)
		if (strcmp(o->kept[i].id, other->id) == 0) {
			other->image = o->kept[i].image;
			o->kept[i].image = NULL;
			break;
		}
	set_onid(other);
	o->n++;
}

void other_guides_end(struct other_guides *o)
{
	while (o->n_kept > 0)
		eit_image_free(&o->kept[--o->n_kept].image);
}

struct other_guide *other_guides_find(struct other_guides *o, const char *id)
{
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(o->list[i].id, id) == 0)
			return &o->list[i];
	return NULL;
}

bool other_guides_complete(const struct other_guides *o)
{
	for (size_t i = 0; i < o->n && !o->absent; i++)
		if (!eit_image_has_sdt(o->list[i].image))
			return false;
	return true;
}

bool other_guides_have_networks(const struct other_guides *o)
{
	for (size_t i = 0; i < o->n && !o->absent; i++) {
		const struct other_guide *other = &o->list[i];

		if (other->key_onid == 0 &&
		    (other->image == NULL ||
		     eit_image_onid(other->image) == 0))
			return false;
	}
	return true;
}

uint64_t other_guides_hash(const struct other_guides *o)
{
	uint64_t hash = HASH_INIT;

	for (size_t i = 0; i < o->n; i++) {
		const struct other_guide *other = &o->list[i];
		const uint64_t head[] = { other->tsid, other->onid,
					  other->n_sent };
		size_t n = other->image != NULL
				   ? eit_image_services(other->image) : 0;

		hash = hash_add(hash, head, sizeof head);
		for (size_t k = 0; k < n; k++) {
			uint8_t status = eit_image_status(other->image, k);
			uint16_t number;

			(void)eit_image_at(other->image, k, &number);
			hash = hash_add(hash, &number, sizeof number);
			hash = hash_add(hash, &status, sizeof status);
		}
	}
	return hash;
}

struct eit_image *guide_image_read(const struct msg_stream_guide *m, int fd)
{
	int err;
	struct eit_image *image = eit_image_read(fd, m->len, &err);

	if (image == NULL)
		log_error("stream", "own EIT: the events from the guide cannot "
			  "be read: %s",
			  strerror(-err));
	return image;
}

unsigned other_guides_take(struct other_guides *o,
			   const struct msg_stream_guide *m, int fd)
{
	struct other_guide *other = other_guides_find(o, m->stream);
	struct eit_image *image = other != NULL ? guide_image_read(m, fd)
						: NULL;
	uint16_t onid;

	if (image == NULL)
		return 0;
	/* a guide that has just started has events, but no SDT yet */
	eit_image_keep(image, other->image);
	eit_image_number(image, other->image, &o->next_serial);
	eit_image_free(&other->image);
	other->image = image;
	other->n_sent = 0;
	onid = other->onid;
	set_onid(other);
	return OTHER_GUIDE_TAKEN |
	       (other->onid != onid ? OTHER_GUIDE_ONID : 0);
}
