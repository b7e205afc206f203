/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_store.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { TRIM_AT = 64 }; /* slots */

/* --- one size --- */

static void pool_init(struct rtp_pool *p, uint16_t n, size_t slot_size)
{
	*p = (struct rtp_pool){ .n_slots = n, .slot_size = slot_size };
}

/* At the first datagram: most streams never have jumbo frames. */
static void pool_map(struct rtp_pool *p)
{
	size_t size = p->n_slots * p->slot_size;

	p->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->memory == MAP_FAILED)
		abort();
	(void)madvise(p->memory, size, MADV_NOHUGEPAGE);
	p->free = xcalloc(p->n_slots, sizeof *p->free);
	p->spent = xcalloc(p->n_slots, sizeof *p->spent);
}

static void pool_done(struct rtp_pool *p)
{
	if (p->memory != NULL)
		(void)munmap(p->memory, p->n_slots * p->slot_size);
	free(p->free);
	free(p->spent);
	*p = (struct rtp_pool){ 0 };
}

static bool pool_has_room(const struct rtp_pool *p)
{
	return p->n_free > 0 || p->n_fresh < p->n_slots;
}

static uint16_t pool_add(struct rtp_pool *p, const struct rtp_datagram *d)
{
	uint16_t n = p->n_free > 0 ? p->free[--p->n_free] : p->n_fresh++;

	if (p->memory == NULL)
		pool_map(p);

	struct rtp_slot *slot =
		(struct rtp_slot *)(void *)(p->memory + n * p->slot_size);

	slot->size = (uint16_t)d->size;
	slot->head = (uint16_t)(d->payload - d->data);
	slot->len = (uint16_t)d->len;
	memcpy(slot->data, d->data, d->size);
	return n;
}

static void pool_settle(struct rtp_pool *p)
{
	while (p->n_spent > 0)
		p->free[p->n_free++] = p->spent[--p->n_spent];
}

static void pool_trim(struct rtp_pool *p)
{
	if (p->n_free < p->n_fresh || p->n_fresh < TRIM_AT)
		return;
	(void)madvise(p->memory, p->n_fresh * p->slot_size, MADV_DONTNEED);
	p->n_fresh = p->n_free = 0;
}

/* --- both --- */

void rtp_store_init(struct rtp_store *s, uint16_t n)
{
	uint16_t jumbo = (uint16_t)MIN(n, (uint16_t)RTP_LONG_MAX);

	pool_init(&s->usual, n, RTP_SLOT_SIZE);
	pool_init(&s->jumbo, jumbo, RTP_LONG_SIZE);
}

void rtp_store_done(struct rtp_store *s)
{
	pool_done(&s->usual);
	pool_done(&s->jumbo);
}

static bool is_usual(size_t size)
{
	return size <= RTP_SLOT_SIZE - RTP_SLOT_HEAD;
}

bool rtp_store_has_room(const struct rtp_store *s, size_t size)
{
	return pool_has_room(is_usual(size) ? &s->usual : &s->jumbo);
}

uint16_t rtp_store_add(struct rtp_store *s, const struct rtp_datagram *d)
{
	if (d->size > RTP_LONGEST || !rtp_store_has_room(s, d->size))
		return RTP_SLOT_NONE;
	if (is_usual(d->size))
		return pool_add(&s->usual, d);
	return (uint16_t)(s->usual.n_slots + pool_add(&s->jumbo, d));
}

void rtp_store_drop(struct rtp_store *s, uint16_t slot)
{
	uint16_t n = s->usual.n_slots;

	if (slot < n)
		s->usual.spent[s->usual.n_spent++] = slot;
	else
		s->jumbo.spent[s->jumbo.n_spent++] = (uint16_t)(slot - n);
}

void rtp_store_settle(struct rtp_store *s)
{
	pool_settle(&s->usual);
	pool_settle(&s->jumbo);
}

void rtp_store_trim(struct rtp_store *s)
{
	pool_trim(&s->usual);
	pool_trim(&s->jumbo);
}
