/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_store.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A pool is trimmed if at least this many slots were used. */
enum { TRIM_AT = 64 };

void rtp_store_init(struct rtp_store *s, uint16_t n)
{
	*s = (struct rtp_store){ .pool = {
		[RTP_POOL_USUAL] = { .n_slots = n, .slot_size = RTP_SLOT_SIZE },
		[RTP_POOL_JUMBO] = {
			.n_slots = (uint16_t)MIN(n, (uint16_t)RTP_LONG_MAX),
			.slot_size = RTP_LONG_SIZE,
		},
	} };
}

void rtp_store_done(struct rtp_store *s)
{
	for (size_t i = 0; i < RTP_POOLS; i++) {
		struct rtp_pool *p = &s->pool[i];

		if (p->memory != NULL)
			(void)munmap(p->memory, p->n_slots * p->slot_size);
		free(p->free);
		free(p->spent);
	}
	*s = (struct rtp_store){ 0 };
}

static unsigned pool_for(size_t size)
{
	return size <= RTP_SLOT_SIZE - RTP_SLOT_HEAD ? RTP_POOL_USUAL
						     : RTP_POOL_JUMBO;
}

bool rtp_store_has_room(const struct rtp_store *s, size_t size)
{
	const struct rtp_pool *p = &s->pool[pool_for(size)];

	return p->n_free > 0 || p->n_fresh < p->n_slots;
}

/* Returns the pool of a slot, and sets *slot to its index in that pool.  The
 * numbers of jumbo slots follow those of usual slots. */
static struct rtp_pool *pool_of(struct rtp_store *s, uint16_t *slot)
{
	struct rtp_pool *p = &s->pool[RTP_POOL_USUAL];

	if (*slot >= p->n_slots) {
		*slot = (uint16_t)(*slot - p->n_slots);
		p = &s->pool[RTP_POOL_JUMBO];
	}
	return p;
}

uint8_t *rtp_store_payload(struct rtp_store *s, uint16_t slot)
{
	struct rtp_pool *p = pool_of(s, &slot);
	struct rtp_slot *one = (struct rtp_slot *)(void *)(
		p->memory + slot * p->slot_size);

	return one->data + one->head;
}

uint16_t rtp_store_add(struct rtp_store *s, const struct rtp_datagram *d)
{
	unsigned which = pool_for(d->size);
	struct rtp_pool *p = &s->pool[which];
	struct rtp_slot *slot;
	uint16_t n;

	if (d->size > RTP_LONGEST || !rtp_store_has_room(s, d->size))
		return RTP_SLOT_NONE;
	if (p->memory == NULL) {
		/* allocated with the first datagram of this size, because most
		 * streams have no jumbo frames */
		size_t size = p->n_slots * p->slot_size;

		p->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				 -1, 0);
		if (p->memory == MAP_FAILED)
			abort();
		(void)madvise(p->memory, size, MADV_NOHUGEPAGE);
		p->free = xcalloc(p->n_slots, sizeof *p->free);
		p->spent = xcalloc(p->n_slots, sizeof *p->spent);
	}
	n = p->n_free > 0 ? p->free[--p->n_free] : p->n_fresh++;
	slot = (struct rtp_slot *)(void *)(p->memory + n * p->slot_size);
	slot->size = (uint16_t)d->size;
	slot->head = (uint16_t)(d->payload - d->data);
	slot->len = (uint16_t)d->len;
	memcpy(slot->data, d->data, d->size);
	return which == RTP_POOL_USUAL
		       ? n : (uint16_t)(s->pool[RTP_POOL_USUAL].n_slots + n);
}

void rtp_store_drop(struct rtp_store *s, uint16_t slot)
{
	struct rtp_pool *p = pool_of(s, &slot);

	p->spent[p->n_spent++] = slot;
}

void rtp_store_settle(struct rtp_store *s)
{
	for (size_t i = 0; i < RTP_POOLS; i++) {
		struct rtp_pool *p = &s->pool[i];

		while (p->n_spent > 0)
			p->free[p->n_free++] = p->spent[--p->n_spent];
	}
}

void rtp_store_trim(struct rtp_store *s)
{
	for (size_t i = 0; i < RTP_POOLS; i++) {
		struct rtp_pool *p = &s->pool[i];

		if (p->n_free < p->n_fresh || p->n_fresh < TRIM_AT)
			continue;
		(void)madvise(p->memory, p->n_fresh * p->slot_size,
			      MADV_DONTNEED);
		p->n_fresh = p->n_free = 0;
	}
}
