/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/output_sdt.h"

#include "proto/si/desc.h"
#include "worker/remux/section_writer.h"
#include "worker/remux/service_desc.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum { SDT_HEAD = 11, SERVICE = 5 };

void output_sdt_init(struct output_sdt *o)
{
	o->known = false;
	o->n = 0;
	section_init(&o->assembler, o->buffer, sizeof o->buffer);
}

static unsigned take_ids(struct output_sdt *o, const uint8_t *section)
{
	uint16_t tsid = (uint16_t)(section[3] << 8 | section[4]);
	uint16_t onid = (uint16_t)(section[8] << 8 | section[9]);

	if (o->known && tsid == o->tsid && onid == o->onid)
		return 0;
	o->known = true;
	o->tsid = tsid;
	o->onid = onid;
	return OUTPUT_SDT_IDS;
}

/* The services of a section, at most max; a malformed one ends there. */
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
			.section = section[6],
		};
		if (desc_find(loop, SERVICE_DESC_TAG, &d) && d.len > 0)
			ret[n].type = d.data[0];
		n++;
		p = loop.data + loop.len;
	}
	return n;
}

/* The services of this section replace those that it had before, and a table
 * has no sections behind the last one. */
static unsigned take_types(struct output_sdt *o, const uint8_t *section,
			   size_t len)
{
	struct output_service found[PSI_PROGRAMS_MAX];
	size_t n = list_services(section, len, found, PSI_PROGRAMS_MAX);
	size_t kept = 0, same = 0;
	bool changed = false;

	for (size_t i = 0; i < o->n; i++) {
		const struct output_service *s = &o->services[i];

		if (s->section == section[6]) {
			changed |= same >= n ||
				   memcmp(s, &found[same], sizeof *s) != 0;
			same++;
		} else if (s->section > section[7]) {
			changed = true;
		} else {
			o->services[kept++] = *s;
		}
	}
	n = MIN(n, PSI_PROGRAMS_MAX - kept);
	memcpy(o->services + kept, found, n * sizeof *found);
	o->n = kept + n;
	return changed || same < n ? OUTPUT_SDT_TYPES : 0;
}

static unsigned take(struct output_sdt *o, const uint8_t *section, size_t len)
{
	unsigned changes;

	/* and it is valid now (current_next_indicator) */
	if (section_table_id(section) != SDT_TABLE_ID ||
	    !section_has_syntax(section) || len < SDT_HEAD + SECTION_CRC ||
	    (section[5] & 1) == 0)
		return 0;
	changes = take_ids(o, section);
	return changes | take_types(o, section, len);
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

uint8_t output_sdt_type(const struct output_sdt *o, uint16_t pnr)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->services[i].pnr == pnr)
			return o->services[i].type;
	return 0;
}
