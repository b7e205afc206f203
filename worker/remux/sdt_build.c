/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/sdt_build.h"

#include "common/base/util.h"
#include "worker/remux/section_writer.h"
#include "worker/remux/service_desc.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum {
	HEADER = 11,
	SERVICE = 5,
	EIT_HEADER = 14,
	EVENT = 12,
	EVENT_STATUS = 10, /* offset of running_status and free_CA_mode in an
			    * event */
	STATUS_RUNNING = 0x80, /* running_status 4, free_CA_mode 0 */
	FLAGS_MASK = 0x03,
	FREE_CA = 0x10,
};

bool sdt_find(const uint8_t *section, size_t len, uint16_t pnr,
	      struct sdt_service *ret)
{
	const uint8_t *p, *end;

	if (len < HEADER + SECTION_CRC || len > SECTION_PSI_MAX ||
	    section_table_id(section) != SDT_TABLE_ID ||
	    section_length(section) != len)
		return false;
	end = section + len - SECTION_CRC;
	p = section + HEADER;
	while (end - p >= SERVICE) {
		struct desc_loop loop = { p + SERVICE, section_get12(p + 3) };

		if ((size_t)(end - p) - SERVICE < loop.len ||
		    !desc_loop_ok(loop))
			return false;
		if ((p[0] << 8 | p[1]) == pnr) {
			*ret = (struct sdt_service){
				.network = (uint16_t)(section[8] << 8 |
						      section[9]),
				.flags = p[2] & FLAGS_MASK,
				.status = p[3] & 0xf0,
				.descriptors = loop,
			};
			return true;
		}
		p = loop.data + loop.len;
	}
	return false;
}

static uint8_t mark_flags(const struct sdt_marks *m, uint16_t number,
			  uint8_t flags)
{
	enum table_origin eit = m->eit;

	for (size_t i = 0; i < m->n_origins; i++)
		if (m->origins[i].number == number) {
			eit = m->origins[i].eit;
			break;
		}
	if (eit == ORIGIN_OWN)
		return flags | FLAGS_MASK;
	return eit == ORIGIN_OFF ? (uint8_t)(flags & ~FLAGS_MASK) : flags;
}

static uint8_t mark_status(const struct sdt_marks *m, uint8_t status)
{
	if (m->scrambled)
		return status | FREE_CA;
	return m->descrambled ? (uint8_t)(status & ~FREE_CA) : status;
}

bool sdt_mark(const struct sdt_marks *m, uint8_t *section, size_t len)
{
	uint8_t *p = section + HEADER, *end = section + len - SECTION_CRC;
	bool changed = false;

	if (len < HEADER + SECTION_CRC ||
	    section_table_id(section) != SDT_TABLE_ID)
		return false;
	for (; end - p >= SERVICE;
	     p += SERVICE + MIN((size_t)(end - p) - SERVICE,
				section_get12(p + 3))) {
		uint16_t number = (uint16_t)(p[0] << 8 | p[1]);
		uint8_t flags = mark_flags(m, number, p[2]);
		uint8_t status = mark_status(m, p[3]);

		changed |= flags != p[2] || status != p[3];
		p[2] = flags;
		p[3] = status;
	}
	if (changed)
		section_seal(section, len);
	return changed;
}

bool eit_mark(const struct sdt_marks *m, uint8_t *section, size_t len)
{
	uint8_t *p = section + EIT_HEADER, *end = section + len - SECTION_CRC;
	bool changed = false;

	if (len < EIT_HEADER + SECTION_CRC || !section_has_syntax(section))
		return false;
	for (; end - p >= EVENT;
	     p += EVENT + MIN((size_t)(end - p) - EVENT,
			      section_get12(p + EVENT_STATUS))) {
		uint8_t status = mark_status(m, p[EVENT_STATUS]);

		changed |= status != p[EVENT_STATUS];
		p[EVENT_STATUS] = status;
	}
	if (changed)
		section_seal(section, len);
	return changed;
}

struct sdt_writer {
	const struct sdt_content *c;
	struct section_writer out;
	struct sdt_omitted omitted;
};

/* Writes a descriptor, or counts it as omitted if it has no room. */
static void put_desc(struct sdt_writer *w, const uint8_t *desc)
{
	size_t len = 2 + (size_t)desc[1];

	if (write_fits(&w->out, len)) {
		write_bytes(&w->out, desc, len);
		return;
	}
	if (w->omitted.n_descriptors < PMT_OMITTED_TAGS)
		w->omitted.tags[w->omitted.n_descriptors] = desc[0];
	w->omitted.n_descriptors++;
}

static void write_descriptors(struct sdt_writer *w, struct desc_loop loop)
{
	struct service_given given = service_given_of(w->c->options,
						      w->c->entry);
	struct service_cut cut;
	uint8_t copy[SERVICE_DESC_MAX];
	struct desc d;
	bool has = desc_find(loop, SERVICE_DESC_TAG, &d);

	(void)service_desc_build(&given, has ? &d : NULL,
				 w->c->has_video ? SERVICE_TYPE_TV
						 : SERVICE_TYPE_RADIO,
				 copy, &cut);
	w->omitted.provider = cut.provider;
	w->omitted.name = cut.name;
	put_desc(w, copy);
	while (desc_next(&loop, &d)) {
		/* the multilingual names of the source would contradict a new
		 * name */
		if (d.tag == SERVICE_DESC_TAG ||
		    (d.tag == MULTILINGUAL_NAME_TAG && given.name[0] != '\0'))
			continue;
		copy[0] = d.tag;
		copy[1] = d.len;
		memcpy(copy + 2, d.data, d.len);
		ids_rewrite_loop(w->c->ids, copy, 2 + (size_t)d.len);
		put_desc(w, copy);
	}
}

size_t sdt_build(const struct sdt_content *c, uint8_t ret[SECTION_PSI_MAX],
		 struct sdt_omitted *ret_omitted)
{
	struct sdt_service s = { .network = c->onid,
				 .status = STATUS_RUNNING };
	struct sdt_writer w = { .c = c };
	size_t loop;

	if (c->source != NULL)
		s = *c->source;
	if (c->ids->new_onid != 0)
		s.network = c->ids->new_onid;
	if (c->options->eit == TABLE_DROP)
		s.flags = 0;
	s.flags = mark_flags(&c->marks, c->ids->pnr, s.flags);
	s.status = mark_status(&c->marks, s.status);
	section_begin(&w.out, ret, &(struct section_head){
		.table_id = SDT_TABLE_ID,
		.dvb = true,
		.extension = c->ids->new_tsid,
		.limit = SECTION_PSI_MAX,
	});
	write_u16(&w.out, s.network);
	write_u8(&w.out, 0xff);
	write_u16(&w.out, c->ids->new_pnr);
	write_u8(&w.out, 0xfcu | s.flags);
	loop = write_loop_begin(&w.out);
	write_descriptors(&w, s.descriptors);
	write_loop_end(&w.out, loop);
	w.out.data[loop] = (uint8_t)((w.out.data[loop] & 0x0f) | s.status);
	*ret_omitted = w.omitted;
	return section_end(&w.out);
}
