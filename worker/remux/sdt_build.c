/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/sdt_build.h"

#include "common/base/util.h"
#include "proto/si/text.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum {
	HEADER = 11,
	SERVICE = 5,
	DESC_SERVICE = 0x48,
	DESC_MULTILINGUAL_NAME = 0x5d,
	DESC_MAX = 2 + 255,
	/* provider and name with their lengths, at most; the provider alone, if
	 * the name needs its half */
	TEXTS_MAX = 254,
	PROVIDER_MAX = 127,
	/* a text of the options in any table */
	SERVICE_TEXT_SIZE = 4 * SERVICE_TEXT_MAX,
	TYPE_VIDEO = 1,
	TYPE_RADIO = 2,
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

static uint8_t mark_flags(const struct sdt_marks *m, uint8_t flags)
{
	if (m->eit == ORIGIN_OWN)
		return flags | FLAGS_MASK;
	return m->eit == ORIGIN_OFF ? (uint8_t)(flags & ~FLAGS_MASK) : flags;
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
		uint8_t flags = mark_flags(m, p[2]);
		uint8_t status = mark_status(m, p[3]);

		changed |= flags != p[2] || status != p[3];
		p[2] = flags;
		p[3] = status;
	}
	if (changed)
		section_seal(section, len);
	return changed;
}

struct dvb_text {
	const uint8_t *data;
	size_t len;
};

/* The fields of a service descriptor. */
struct service {
	uint8_t type;
	struct dvb_text provider, name;
};

static struct service read_service(const struct desc *d)
{
	struct service s = { 0 };
	size_t at = 1;

	if (d->len < 1)
		return s;
	s.type = d->data[0];
	if (at >= d->len || (size_t)d->len - at - 1 < d->data[at])
		return s;
	s.provider = (struct dvb_text){ d->data + at + 1, d->data[at] };
	at += 1 + s.provider.len;
	if (at >= d->len || (size_t)d->len - at - 1 < d->data[at])
		return s;
	s.name = (struct dvb_text){ d->data + at + 1, d->data[at] };
	return s;
}

struct sdt_writer {
	const struct sdt_content *c;
	struct section_writer out;
	struct sdt_omitted omitted;
};

/* Encodes a text of the options behind its length, at most room bytes in all;
 * true: to its end. */
static bool encode_text(uint8_t *ret, size_t room, const char *text,
			uint8_t textcode)
{
	enum text_table table =
		text_table_for(text, (enum text_table)textcode);
	uint8_t whole[SERVICE_TEXT_SIZE];

	ret[0] = (uint8_t)text_encode(text, table, ret + 1, room - 1, NULL);
	return text_encode(text, table, whole, sizeof whole, NULL) == ret[0];
}

/* Writes a text of the options, or else of the source, behind its length, at
 * most room bytes in all; false: not to its end. */
static bool put_text(uint8_t *ret, size_t room, const char *given,
		     uint8_t textcode, struct dvb_text source)
{
	bool fits = source.len <= room - 1;

	if (given[0] != '\0')
		return encode_text(ret, room, given, textcode);
	ret[0] = fits ? (uint8_t)source.len : 0;
	if (ret[0] > 0)
		memcpy(ret + 1, source.data, source.len);
	return fits;
}

/* Writes a descriptor, or notes that it has no room. */
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

static void write_service(struct sdt_writer *w, const struct service *from)
{
	const struct remux_options *o = w->c->options;
	uint8_t desc[DESC_MAX] = { DESC_SERVICE }, name[TEXTS_MAX];
	uint8_t *provider = desc + 3;
	size_t room;

	desc[2] = o->service_type != 0 ? o->service_type : from->type;
	/* the name matters most: the provider leaves room for it */
	(void)put_text(name, sizeof name - 1, o->service_name, o->textcode,
		       from->name);
	room = MAX((size_t)PROVIDER_MAX, TEXTS_MAX - 1 - (size_t)name[0]);
	w->omitted.provider = !put_text(provider, room, o->service_provider,
					o->textcode, from->provider);
	room = TEXTS_MAX - 1 - (size_t)provider[0];
	w->omitted.name = !put_text(provider + 1 + provider[0], room,
				    o->service_name, o->textcode, from->name);
	desc[1] = (uint8_t)(3 + provider[0] + provider[1 + provider[0]]);
	put_desc(w, desc);
}

static void write_descriptors(struct sdt_writer *w, struct desc_loop loop)
{
	struct service service = {
		.type = w->c->has_video ? TYPE_VIDEO : TYPE_RADIO,
	};
	struct desc d;

	if (desc_find(loop, DESC_SERVICE, &d))
		service = read_service(&d);
	write_service(w, &service);
	while (desc_next(&loop, &d)) {
		uint8_t copy[DESC_MAX] = { d.tag, d.len };

		if (d.tag == DESC_SERVICE)
			continue;
		/* the old names would contradict the new name */
		if (d.tag == DESC_MULTILINGUAL_NAME &&
		    w->c->options->service_name[0] != '\0')
			continue;
		memcpy(copy + 2, d.data, d.len);
		ids_rewrite_loop(w->c->ids, copy, 2 + (size_t)d.len);
		put_desc(w, copy);
	}
}

size_t sdt_build(const struct sdt_content *c, uint8_t ret[SECTION_PSI_MAX],
		 struct sdt_omitted *ret_omitted)
{
	struct sdt_service s = { .status = STATUS_RUNNING };
	struct sdt_writer w = { .c = c };
	size_t loop;

	if (c->source != NULL)
		s = *c->source;
	if (c->options->eit == TABLE_DROP)
		s.flags = 0;
	s.flags = mark_flags(&c->marks, s.flags);
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
