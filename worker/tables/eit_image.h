/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The services of a stream, as the guide gives them to the process that sends
 * their tables: their status in the SDT of the stream, and their events, each
 * in the form that an EIT has (EN 300 468 5.2.4).
 *
 *	header   magic, original network, number of services
 *	service  its number, its status, its number of events
 *	event    start, duration, length; then so many bytes: event_id,
 *	         start_time, duration, flags and length, descriptors
 *
 * in the byte order of the machine.  The reader trusts no byte: an image with
 * an impossible length, order or descriptor is refused as a whole.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EIT_EVENT_HEAD = 12, /* bytes in front of the descriptors */
	EIT_EVENT_MAX = 4078, /* of a section of 4096 bytes */
	EIT_IMAGE_SERVICES_MAX = 256,
	EIT_IMAGE_EVENTS_MAX = 8192, /* of a service */
	/* the status of a service: running_status and free_CA_mode, where the
	 * SDT has them, and whether the SDT lists the service */
	EIT_STATUS_MASK = 0xf0,
	EIT_STATUS_FREE_CA = 0x10,
	EIT_STATUS_LISTED = 0x01,
};

struct eit_item {
	int64_t start_s; /* Unix time */
	uint32_t duration_s;
	uint16_t len; /* of bytes */
	const uint8_t *bytes;
};

static inline int64_t eit_item_end(const struct eit_item *e)
{
	return e->start_s + e->duration_s;
}

/* Events by their start, that do not overlap. */
struct eit_items {
	const struct eit_item *list;
	size_t n;
	uint64_t serial; /* of the content, by eit_image_number(); 0: none */
};

/* --- writing --- */

/* Append the parts of an image, in the order of the format. */
void eit_image_begin(struct buf *, uint16_t onid, uint32_t services);
void eit_image_service(struct buf *, uint16_t number, uint8_t status,
		       uint32_t events);
void eit_image_event(struct buf *, const struct eit_item *);

/* --- reading --- */

struct eit_image;

/* Copies the first len bytes of the memory fd (borrowed).  NULL with *ret_err:
 * -EBADMSG for an image that is refused, or another -errno. */
struct eit_image *eit_image_read(int fd, size_t len, int *ret_err);
/* NULL-safe; sets *i to NULL. */
void eit_image_free(struct eit_image **);

/* Copies from `before' (NULL: none) what the SDT said, if the guide has no SDT
 * yet: the original network, the status of the services, and the free_CA_mode
 * in their events.  To be called before eit_image_number(). */
void eit_image_keep(struct eit_image *, const struct eit_image *before);

/* Numbers the contents of the services: a service of `before' (NULL: none) with
 * the same number and content keeps its serial, others get new ones from *next
 * on. */
void eit_image_number(struct eit_image *, const struct eit_image *before,
		      uint64_t *next);

/* Does the image (NULL: no) have a service that the SDT lists? */
bool eit_image_has_sdt(const struct eit_image *);
/* The original network in the SDT of the stream; 0: not known. */
uint16_t eit_image_onid(const struct eit_image *);
size_t eit_image_services(const struct eit_image *);
/* The place of the service with this number; EIT_IMAGE_SERVICES_MAX: the image
 * (NULL: none) does not have it. */
size_t eit_image_place(const struct eit_image *, uint16_t number);
uint8_t eit_image_status(const struct eit_image *, size_t place);
/* The number and the events of a service; borrowed. */
struct eit_items eit_image_at(const struct eit_image *, size_t i,
			      uint16_t *ret_number);
/* The events of the service with this number; n 0: there are none.  A service
 * without a number is the only one of its stream, whose tables were not yet
 * read. */
struct eit_items eit_image_find(const struct eit_image *, uint16_t number,
				bool single);
