/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ca/ca_card.h"

#include "common/base/hex.h"

#include <string.h>

enum {
	EMM_FIRST = 0x82,
	EMM_LAST = 0x8f,
	EMM_ADDRESSED_LAST = 0x87,
	SECTION_HEAD = 3,
	/* The address must begin within so many bytes of the section. */
	ADDRESS_SPAN = 20,
	/* smallest number of address bytes in an EMM */
	UNIQUE_MIN = 4,
	SHARED_MIN = 3,
	FAMILY_VIACCESS = 0x05,
	FAMILY_NAGRA = 0x18,
	VIACCESS_UNIQUE = 0x88,
	VIACCESS_SHARED = 0x8e,
};

static bool read_bytes(const char *text, uint8_t *ret, size_t n)
{
	return strlen(text) == 2 * n && hex_read(text, ret, n);
}

void ca_card_read(const struct msg_stream_cam *m, struct ca_card *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->caid = (uint16_t)m->caid;
	if (!read_bytes(m->ua, ret->ua, sizeof ret->ua))
		memset(ret->ua, 0, sizeof ret->ua);
	for (size_t i = 0; i < m->n; i++) {
		uint8_t id[3], sa[CA_ADDRESS];

		if (!read_bytes(m->idents[i].id, id, sizeof id) ||
		    !read_bytes(m->idents[i].sa, sa, sizeof sa))
			continue;
		ret->providers[ret->n].id = (uint32_t)id[0] << 16 |
					    (uint32_t)id[1] << 8 | id[2];
		memcpy(ret->providers[ret->n++].sa, sa, sizeof sa);
	}
}

static bool has_provider(const struct ca_card *c, uint32_t id)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->providers[i].id == id)
			return true;
	return false;
}

const struct ca_ref *ca_card_choose(const struct ca_card *c,
				    const struct ca_refs *refs)
{
	const struct ca_ref *any = NULL;

	for (size_t i = 0; i < refs->n; i++) {
		const struct ca_ref *r = &refs->list[i];

		if (r->caid != c->caid || c->caid == 0)
			continue;
		if (r->provider != 0 && has_provider(c, r->provider))
			return r;
		if (any == NULL)
			any = r;
	}
	return any;
}

/* Do the first bytes of the section contain the end of the address, without its
 * leading zeros?  least: at least so many bytes of the address are compared. */
static bool is_addressed(const uint8_t *section, size_t len,
			 const uint8_t address[CA_ADDRESS], size_t least)
{
	size_t zeros = 0, n;

	while (zeros < CA_ADDRESS && address[zeros] == 0)
		zeros++;
	if (zeros == CA_ADDRESS)
		return false;
	n = CA_ADDRESS - zeros > least ? CA_ADDRESS - zeros : least;
	for (size_t at = SECTION_HEAD; at + n <= len && at < ADDRESS_SPAN; at++)
		if (memcmp(section + at, address + CA_ADDRESS - n, n) == 0)
			return true;
	return false;
}

enum emm_kind ca_card_judge_emm(const struct ca_card *c, uint16_t caid,
				const uint8_t *section, size_t len)
{
	unsigned family = caid >> 8;
	uint8_t id = section[0];
	bool addressed = id <= EMM_ADDRESSED_LAST;

	if (id < EMM_FIRST || id > EMM_LAST)
		return EMM_OTHER;
	if (is_addressed(section, len, c->ua, UNIQUE_MIN))
		return EMM_UNIQUE;
	for (size_t i = 0; i < c->n; i++)
		if (is_addressed(section, len, c->providers[i].sa, SHARED_MIN))
			return EMM_SHARED;
	if (family == FAMILY_NAGRA && id == EMM_FIRST)
		addressed = false;
	if (family == FAMILY_VIACCESS &&
	    (id == VIACCESS_UNIQUE || id == VIACCESS_SHARED))
		addressed = true;
	return addressed ? EMM_OTHER : EMM_GLOBAL;
}
