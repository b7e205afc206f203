/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The services of a stream as one block of memory, in which the guide passes
 * them to the process that sends their tables: their status in the SDT of the
 * stream, and their events, each in the form of an EIT (EN 300 468 5.2.4).
 *
 *	header   magic, original network, number of services
 *	service  its number, its status, its number of events
 *	event    start, duration, length; then so many bytes: event_id,
 *	         start_time, duration, flags and length, descriptors
 *
 * in the byte order of the machine.  The reader checks every byte: it rejects
 * the whole image if a length, the order of events or a descriptor is
 * impossible.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EIT_EVENT_HEAD = 12, /* bytes of an event in front of its descriptors */
	EIT_EVENT_MAX = 4078, /* bytes of the longest event that fits into a
			       * section of 4096 bytes */
	EIT_IMAGE_SERVICES_MAX = 256,
	EIT_IMAGE_EVENTS_MAX = 8192, /* events of a service */
	/* Bits of the status of a service: running_status and free_CA_mode, at
	 * the same bits as in the SDT (mask), and whether the SDT lists the
	 * service. */
	EIT_STATUS_MASK = 0xf0,
	EIT_STATUS_FREE_CA = 0x10,
	EIT_STATUS_LISTED = 0x01,
};

struct eit_item {
	int64_t start_s; /* Unix time */
	uint32_t duration_s;
	uint16_t len; /* number of bytes */
	const uint8_t *bytes; /* the event as in an EIT, from event_id on */
};

static inline int64_t eit_item_end(const struct eit_item *e)
{
	return e->start_s + e->duration_s;
}

/* Events in the order of their starts.  They do not overlap. */
struct eit_items {
	const struct eit_item *list;
	size_t n;
	uint64_t serial; /* from eit_image_number(): the same number means the
			  * same content; 0: none */
};

/* --- writing --- */

/* Append the parts of an image; call them in the order of the format. */
void eit_image_begin(struct buf *, uint16_t onid, uint32_t services);
void eit_image_service(struct buf *, uint16_t number, uint8_t status,
		       uint32_t events);
void eit_image_event(struct buf *, const struct eit_item *);

/* --- reading --- */

struct eit_image;

/* Copies and checks the first len bytes of the memory fd (borrowed).  NULL:
 * *ret_err is -EBADMSG for an image that is rejected, or another -errno. */
struct eit_image *eit_image_read(int fd, size_t len, int *ret_err);
/* NULL-safe; sets *i to NULL. */
void eit_image_free(struct eit_image **);

/* If the guide has not read the SDT yet, copies from `before' (NULL: none) the
 * fields that come from the SDT: original_network_id, status of the services,
 * and free_CA_mode of their events.  Call it before eit_image_number(). */
void eit_image_keep(struct eit_image *, const struct eit_image *before);

/* Sets the serials of the services: a service that has the same number and
 * content in `before' (NULL: none) keeps its serial; others get new serials
 * from *next on. */
void eit_image_number(struct eit_image *, const struct eit_image *before,
		      uint64_t *next);

/* Does the image have a service that the SDT lists?  NULL: no. */
bool eit_image_has_sdt(const struct eit_image *);
/* original_network_id in the SDT of the stream; 0: not known. */
uint16_t eit_image_onid(const struct eit_image *);
size_t eit_image_services(const struct eit_image *);
/* The index of the service with this number; EIT_IMAGE_SERVICES_MAX: the image
 * does not have it, or is NULL. */
size_t eit_image_place(const struct eit_image *, uint16_t number);
uint8_t eit_image_status(const struct eit_image *, size_t place);
/* The number and the events of service i; borrowed. */
struct eit_items eit_image_at(const struct eit_image *, size_t i,
			      uint16_t *ret_number);
/* The events of the service with this number; n 0: there are none.  single:
 * also accepts a service with number 0, which is the only service of a stream
 * whose tables were not read yet. */
struct eit_items eit_image_find(const struct eit_image *, uint16_t number,
				bool single);
