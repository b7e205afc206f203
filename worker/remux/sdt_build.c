/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/sdt_build.h"

#include "worker/remux/section_writer.h"
#include "worker/si/text.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum {
	HEADER = 11,
	SERVICE = 5,
	DESC_SERVICE = 0x48,
	DESC_MULTILINGUAL_NAME = 0x5d,
	DESC_MAX = 2 + 255,
	TYPE_VIDEO = 1,
	TYPE_RADIO = 2,
	STATUS_RUNNING = 0x80, /* running_status 4, free_CA_mode 0 */
	FLAGS_MASK = 0x03,
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

/* The fields of a service descriptor. */
struct service {
	uint8_t type;
	const uint8_t *provider, *name;
	size_t provider_len, name_len;
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
	s.provider_len = d->data[at];
	s.provider = d->data + at + 1;
	at += 1 + s.provider_len;
	if (at >= d->len || (size_t)d->len - at - 1 < d->data[at])
		return s;
	s.name_len = d->data[at];
	s.name = d->data + at + 1;
	return s;
}

/* Writes a text behind its length, at most room bytes in all. */
static size_t put_text(uint8_t *ret, size_t room, const char *given,
		       uint8_t textcode, const uint8_t *source, size_t len)
{
	if (given[0] != '\0')
		len = text_encode(given,
				  text_table_for(given,
						 (enum text_table)textcode),
				  ret + 1, room - 1, NULL);
	else if (len > 0 && len <= room - 1)
		memcpy(ret + 1, source, len);
	else
		len = 0;
	ret[0] = (uint8_t)len;
	return 1 + len;
}

static void write_service(struct section_writer *w,
			  const struct remux_options *o,
			  const struct service *from)
{
	uint8_t desc[DESC_MAX] = { DESC_SERVICE };
	size_t len = 3;

	desc[2] = o->service_type != 0 ? o->service_type : from->type;
	/* the name matters most: the provider leaves room for it */
	len += put_text(desc + len, 127, o->service_provider, o->textcode,
			from->provider, from->provider_len);
	len += put_text(desc + len, sizeof desc - len, o->service_name,
			o->textcode, from->name, from->name_len);
	desc[1] = (uint8_t)(len - 2);
	if (write_fits(w, len))
		write_bytes(w, desc, len);
}

static void write_descriptors(struct section_writer *w,
			      const struct remux_options *o,
			      const struct ids *ids, struct desc_loop loop,
			      bool has_video)
{
	struct service service = {
		.type = has_video ? TYPE_VIDEO : TYPE_RADIO,
	};
	struct desc d;

	if (desc_find(loop, DESC_SERVICE, &d))
		service = read_service(&d);
	write_service(w, o, &service);
	while (desc_next(&loop, &d)) {
		uint8_t copy[DESC_MAX] = { d.tag, d.len };
		size_t len = 2 + (size_t)d.len;

		if (d.tag == DESC_SERVICE)
			continue;
		/* the old names would contradict the new name */
		if (d.tag == DESC_MULTILINGUAL_NAME &&
		    o->service_name[0] != '\0')
			continue;
		if (!write_fits(w, len))
			continue;
		memcpy(copy + 2, d.data, d.len);
		ids_rewrite_loop(ids, copy, len);
		write_bytes(w, copy, len);
	}
}

size_t sdt_build(const struct remux_options *o, const struct ids *ids,
		 const struct sdt_service *source, bool has_video,
		 uint8_t ret[SECTION_PSI_MAX])
{
	struct sdt_service s = { .status = STATUS_RUNNING };
	struct section_writer w;
	size_t loop;

	if (source != NULL)
		s = *source;
	if (o->eit == TABLE_DROP)
		s.flags = 0;
	section_begin(&w, ret, &(struct section_head){
		.table_id = SDT_TABLE_ID,
		.dvb = true,
		.extension = ids->new_tsid,
		.limit = SECTION_PSI_MAX,
	});
	write_u16(&w, s.network);
	write_u8(&w, 0xff);
	write_u16(&w, ids->new_pnr);
	write_u8(&w, 0xfcu | s.flags);
	loop = write_loop_begin(&w);
	write_descriptors(&w, o, ids, s.descriptors, has_video);
	write_loop_end(&w, loop);
	w.data[loop] = (uint8_t)((w.data[loop] & 0x0f) | s.status);
	return section_end(&w);
}
