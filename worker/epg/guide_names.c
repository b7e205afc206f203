/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the names and the status of the services from the SDT of their stream
 * (EN 300 468 5.2.3). */
#include "common/base/alloc.h"
#include "proto/si/desc.h"
#include "worker/epg/guide_state.h"
#include "worker/remux/section_writer.h"
#include "worker/tables/eit_image.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 11, /* bytes in front of the services */
	FRAME = 5,   /* bytes from service_id to descriptors_loop_length */
	DESC_SERVICE = 0x48,
};

/* The service_name of a loop of descriptors, which the caller frees; NULL: the
 * loop has none. */
static char *read_name(struct desc_loop loop, enum text_table unnamed)
{
	struct desc d;
	size_t provider, len;
	char *name;

	while (desc_next(&loop, &d)) {
		if (d.tag != DESC_SERVICE || d.len < 3)
			continue;
		provider = d.data[1];
		if (provider + 3 > d.len)
			continue;
		len = MIN((size_t)d.data[2 + provider], d.len - 3 - provider);
		name = xmalloc(TEXT_UTF8_SIZE(len));
		if (text_decode_as(d.data + 3 + provider, len, unnamed, name,
				   TEXT_UTF8_SIZE(len)) > 0)
			return name;
		free(name);
	}
	return NULL;
}

static bool set_name(struct guide_stream *s, uint16_t number, char *take_name)
{
	for (size_t i = 0; take_name != NULL && i < s->n; i++) {
		struct service *service = s->services[i];

		if (service->number != number ||
		    (service->name != NULL &&
		     strcmp(service->name, take_name) == 0))
			continue;
		free(service->name);
		service->name = take_name;
		return true;
	}
	free(take_name);
	return false;
}

/* Sets the status of the service in an entry of the SDT.  True: it has changed,
 * so that the process that sends the tables must read it. */
static bool set_status(struct guide *g, struct guide_stream *s,
		       const uint8_t *entry)
{
	uint16_t number = (uint16_t)(entry[0] << 8 | entry[1]);
	uint8_t status = (entry[3] & EIT_STATUS_MASK) | EIT_STATUS_LISTED;
	bool changed = false;

	for (size_t i = 0; i < s->n; i++) {
		struct service *service = s->services[i];

		if (service->number != number || service->status == status)
			continue;
		service->status = status;
		service->edited = ++g->edits;
		changed = true;
	}
	return changed;
}

bool guide_take_sdt(struct guide *g, const char *stream,
		    const uint8_t *section, size_t len)
{
	struct guide_stream *s = guide_find_stream(g, stream);
	const uint8_t *p, *end;
	uint32_t *seen;
	bool changed;

	if (s == NULL || section_table_id(section) != SDT_TABLE_ID ||
	    !section_has_syntax(section) || len < HEADER + SECTION_CRC ||
	    !(section[5] & 1))
		return false;
	seen = &s->sdt_seen[section[6] % SDT_SECTIONS];
	if (*seen == guide_section_crc(section, len))
		return false;
	*seen = guide_section_crc(section, len);
	changed = guide_set_network(
		g, s, (uint16_t)(section[3] << 8 | section[4]),
		(uint16_t)(section[8] << 8 | section[9]));
	p = section + HEADER;
	end = section + len - SECTION_CRC;
	while (end - p >= FRAME) {
		struct desc_loop loop = { p + FRAME, section_get12(p + 3) };

		if ((size_t)(end - p) - FRAME < loop.len)
			break;
		changed |= set_name(s, (uint16_t)(p[0] << 8 | p[1]),
				    read_name(loop, s->codepage));
		changed |= set_status(g, s, p);
		p += FRAME + loop.len;
	}
	return changed;
}

const char *guide_service_name(const struct guide *g, const char *stream,
			       uint16_t number)
{
	const struct guide_stream *s = guide_find_stream(g, stream);

	for (size_t i = 0; s != NULL && i < s->n; i++)
		if (s->services[i]->number == number)
			return s->services[i]->name;
	return NULL;
}
