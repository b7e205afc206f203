/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/ip_set.h"

#include "common/account/secret.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct ip_set *s, const struct ip_prefix *p)
{
	uint64_t hash = ip_hash(&p->address, s->seed + p->bits);
	size_t i = (size_t)hash & (s->n_slots - 1);

	while (s->slots[i] != 0 &&
	       (s->list[s->slots[i] - 1].bits != p->bits ||
		memcmp(s->list[s->slots[i] - 1].address.bytes,
		       p->address.bytes, IP_BYTES) != 0))
		i = (i + 1) & (s->n_slots - 1);
	return i;
}

void ip_set_init(struct ip_set *s, const json_t *list)
{
	size_t most = json_array_size(list), i;
	const json_t *item;

	*s = (struct ip_set){ .n_slots = 16 };
	secret_random(&s->seed, sizeof s->seed);
	while (s->n_slots < 2 * most)
		s->n_slots *= 2;
	s->slots = xcalloc(s->n_slots, sizeof *s->slots);
	s->list = xcalloc(most + 1, sizeof *s->list);
	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		const char *text = json_string_value(item);
		struct ip_prefix *p = &s->list[s->n];
		size_t slot;

		if (text == NULL || ip_prefix_parse(text, p) < 0)
			continue;
		slot = slot_of(s, p);
		if (s->slots[slot] != 0)
			continue;
		s->slots[slot] = (uint32_t)++s->n;
		s->lengths[p->bits]++;
	}
}

void ip_set_done(struct ip_set *s)
{
	free(s->list);
	free(s->slots);
	*s = (struct ip_set){ 0 };
}

bool ip_set_has(const struct ip_set *s, const struct ip_address *a)
{
	for (unsigned bits = 0; s->n > 0 && bits <= IP_BITS; bits++) {
		struct ip_prefix p = { .address = *a, .bits = bits };

		if (s->lengths[bits] == 0)
			continue;
		ip_mask(&p.address, bits);
		if (s->slots[slot_of(s, &p)] != 0)
			return true;
	}
	return false;
}
