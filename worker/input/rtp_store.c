/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/rtp_store.h"

#include "common/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { TRIM_AT = 64 }; /* slots */

void rtp_store_init(struct rtp_store *s, uint16_t n)
{
	size_t size = (size_t)n * sizeof *s->slots;

	*s = (struct rtp_store){ .n_slots = n };
	s->slots = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->slots == MAP_FAILED)
		abort();
	(void)madvise(s->slots, size, MADV_NOHUGEPAGE);
	s->free = xcalloc(n, sizeof *s->free);
	s->spent = xcalloc(n, sizeof *s->spent);
}

void rtp_store_done(struct rtp_store *s)
{
	if (s->slots != NULL)
		(void)munmap(s->slots, (size_t)s->n_slots * sizeof *s->slots);
	free(s->free);
	free(s->spent);
	*s = (struct rtp_store){ 0 };
}

bool rtp_store_has_room(const struct rtp_store *s)
{
	return s->n_free > 0 || s->n_fresh < s->n_slots;
}

uint16_t rtp_store_add(struct rtp_store *s, const struct rtp_datagram *d)
{
	uint16_t slot;

	if (d->size > sizeof s->slots->data || !rtp_store_has_room(s))
		return RTP_SLOT_NONE;
	slot = s->n_free > 0 ? s->free[--s->n_free] : s->n_fresh++;
	s->slots[slot].size = (uint16_t)d->size;
	s->slots[slot].head = (uint16_t)(d->payload - d->data);
	s->slots[slot].len = (uint16_t)d->len;
	memcpy(s->slots[slot].data, d->data, d->size);
	return slot;
}

void rtp_store_drop(struct rtp_store *s, uint16_t slot)
{
	s->spent[s->n_spent++] = slot;
}

void rtp_store_settle(struct rtp_store *s)
{
	while (s->n_spent > 0)
		s->free[s->n_free++] = s->spent[--s->n_spent];
}

void rtp_store_trim(struct rtp_store *s)
{
	if (s->n_free < s->n_fresh || s->n_fresh < TRIM_AT)
		return;
	(void)madvise(s->slots, (size_t)s->n_fresh * sizeof *s->slots,
		      MADV_DONTNEED);
	s->n_fresh = s->n_free = 0;
}
