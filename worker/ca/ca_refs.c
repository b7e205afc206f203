/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ca/ca_refs.h"

#include <string.h>

enum {
	HEAD = 4, /* bytes of CA_system_ID and CA_PID */
	FAMILY_SECA = 0x01,
	FAMILY_VIACCESS = 0x05,
	VIACCESS_PROVIDER = 0x14, /* tag of the provider in the private data */
	CAT_HEAD = 8,
	CRC = 4,
};

/* The provider in the private data of a CA descriptor; 0: there is none, or its
 * position is not known for this CA system. */
static uint32_t provider_of(unsigned family, const uint8_t *p, size_t len)
{
	if (family == FAMILY_SECA && len >= 2)
		return (uint32_t)p[0] << 8 | p[1];
	if (family != FAMILY_VIACCESS)
		return 0;
	for (size_t at = 0; at + 2 <= len; at += 2 + (size_t)p[at + 1])
		if (p[at] == VIACCESS_PROVIDER && p[at + 1] == 3 &&
		    at + 5 <= len)
			return (uint32_t)p[at + 2] << 16 |
			       (uint32_t)p[at + 3] << 8 | (p[at + 4] & 0xf0);
	return 0;
}

static bool is_same(const struct ca_ref *a, const struct ca_ref *b)
{
	return a->caid == b->caid && a->pid == b->pid &&
	       a->provider == b->provider;
}

bool ca_refs_add(struct ca_refs *refs, const struct ca_ref *ref)
{
	for (size_t i = 0; i < refs->n; i++)
		if (is_same(&refs->list[i], ref))
			return false;
	if (refs->n == CA_REFS_MAX)
		return false;
	refs->list[refs->n++] = *ref;
	return true;
}

void ca_refs_read(struct desc_loop loop, struct ca_refs *ret)
{
	struct desc d;

	ret->n = 0;
	while (desc_next(&loop, &d)) {
		struct ca_ref ref;

		if (d.tag != DESC_CA || d.len < HEAD)
			continue;
		ref = (struct ca_ref){
			.caid = (uint16_t)(d.data[0] << 8 | d.data[1]),
			.pid = (uint16_t)((d.data[2] & 0x1f) << 8 | d.data[3]),
			.provider = provider_of(d.data[0], d.data + HEAD,
						d.len - (size_t)HEAD),
		};
		(void)ca_refs_add(ret, &ref);
	}
}

void ca_refs_read_cat(const uint8_t *section, size_t len, struct ca_refs *ret)
{
	struct desc_loop loop = { section + CAT_HEAD, 0 };

	if (len > CAT_HEAD + CRC)
		loop.len = len - CAT_HEAD - CRC;
	ca_refs_read(loop, ret);
}

bool ca_refs_equal(const struct ca_refs *a, const struct ca_refs *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!is_same(&a->list[i], &b->list[i]))
			return false;
	return true;
}
