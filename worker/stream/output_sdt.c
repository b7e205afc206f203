/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/output_sdt.h"

#include "proto/si/desc.h"
#include "worker/remux/section_writer.h"
#include "worker/remux/service_desc.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum { SDT_HEAD = 11, SERVICE = 5, STATUS_MASK = 0xf0 };

void output_sdt_init(struct output_sdt *o)
{
	o->known = false;
	o->n = 0;
	section_init(&o->assembler, o->buffer, sizeof o->buffer);
}

/* The services of a section, at most max.  A malformed entry ends the list. */
static size_t list_services(const uint8_t *section, size_t len,
			    struct output_service *ret, size_t max)
{
	const uint8_t *p = section + SDT_HEAD;
	const uint8_t *end = section + len - SECTION_CRC;
	size_t n = 0;

	while (end - p >= SERVICE && n < max) {
		struct desc_loop loop = { p + SERVICE, section_get12(p + 3) };
		struct desc d;

		if ((size_t)(end - p) - SERVICE < loop.len ||
		    !desc_loop_ok(loop))
			break;
		ret[n] = (struct output_service){
			.pnr = (uint16_t)(p[0] << 8 | p[1]),
			.status = p[3] & STATUS_MASK,
			.section = section[6],
		};
		if (desc_find(loop, SERVICE_DESC_TAG, &d) && d.len > 0)
			ret[n].type = d.data[0];
		n++;
		p = loop.data + loop.len;
	}
	return n;
}

static unsigned compare(const struct output_service *a,
			const struct output_service *b)
{
	return (a->pnr != b->pnr || a->type != b->type ? OUTPUT_SDT_TYPES
						       : 0U) |
	       (a->pnr != b->pnr || a->status != b->status ? OUTPUT_SDT_STATUS
							   : 0U);
}

/* Replaces the services of this section number by those of the section, and
 * removes the services of sections behind the last section of the table.
 * Returns the changes as bits OUTPUT_SDT_*. */
static unsigned take_services(struct output_sdt *o, const uint8_t *section,
			      size_t len)
{
	struct output_service found[PSI_PROGRAMS_MAX];
	size_t n = list_services(section, len, found, PSI_PROGRAMS_MAX);
	const unsigned all = OUTPUT_SDT_TYPES | OUTPUT_SDT_STATUS;
	size_t kept = 0, same = 0;
	unsigned changes = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct output_service *s = &o->services[i];

		if (s->section == section[6]) {
			changes |= same < n ? compare(s, &found[same]) : all;
			same++;
		} else if (s->section > section[7]) {
			changes = all;
		} else {
			o->services[kept++] = *s;
		}
	}
	n = MIN(n, PSI_PROGRAMS_MAX - kept);
	memcpy(o->services + kept, found, n * sizeof *found);
	o->n = kept + n;
	return same < n ? all : changes;
}

static unsigned take(struct output_sdt *o, const uint8_t *section, size_t len)
{
	uint16_t tsid, onid;
	unsigned changes = 0;

	/* takes an SDT actual that is valid now (current_next_indicator) */
	if (section_table_id(section) != SDT_TABLE_ID ||
	    !section_has_syntax(section) || len < SDT_HEAD + SECTION_CRC ||
	    (section[5] & 1) == 0)
		return 0;
	tsid = (uint16_t)(section[3] << 8 | section[4]);
	onid = (uint16_t)(section[8] << 8 | section[9]);
	if (!o->known || tsid != o->tsid || onid != o->onid)
		changes = OUTPUT_SDT_IDS;
	o->known = true;
	o->tsid = tsid;
	o->onid = onid;
	return changes | take_services(o, section, len);
}

unsigned output_sdt_feed(struct output_sdt *o, const struct ts_run *runs,
			 size_t n_runs)
{
	const uint8_t *section;
	unsigned changes = 0;
	size_t len;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) != SI_PID_SDT)
				continue;
			section_push(&o->assembler, p);
			while ((section = section_pull(&o->assembler,
						       &len)) != NULL)
				changes |= take(o, section, len);
		}
	return changes;
}

const struct output_service *output_sdt_find(const struct output_sdt *o,
					     uint16_t pnr)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->services[i].pnr == pnr)
			return &o->services[i];
	return NULL;
}

uint8_t output_sdt_type(const struct output_sdt *o, uint16_t pnr)
{
	const struct output_service *s = output_sdt_find(o, pnr);

	return s != NULL ? s->type : 0;
}
