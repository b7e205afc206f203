/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/service_desc.h"

#include "common/base/util.h"
#include "proto/si/text.h"
#include "proto/spec/remux_options.h"
#include "worker/remux/section_writer.h"

#include <errno.h>
#include <string.h>

enum {
	HEADER = 8,
	SDT_HEADER = 11,
	SERVICE = 5,
	/* Most bytes of provider and name with their length bytes (TEXTS_MAX),
	 * and of the provider if the name needs the other half
	 * (PROVIDER_MAX). */
	TEXTS_MAX = 254,
	PROVIDER_MAX = 127,
	/* bytes of a text of the configuration in any character table */
	TEXT_SIZE = 4 * SERVICE_TEXT_MAX,
};

struct service_given service_given_of(const struct remux_options *o,
				      const struct service_spec *s)
{
	struct service_given g = { o->service_type, o->service_provider,
				   o->service_name, o->textcode };

	if (s == NULL)
		return g;
	if (s->type != 0)
		g.type = s->type;
	if (s->provider[0] != '\0')
		g.provider = s->provider;
	if (s->name[0] != '\0')
		g.name = s->name;
	return g;
}

/* --- one descriptor --- */

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

/* Writes the length byte and a text: the given one, or if it is "" that of the
 * source; at most room bytes in all.  False: the text was cut or omitted. */
static bool put_text(uint8_t *ret, size_t room, const char *given,
		     uint8_t textcode, struct dvb_text source)
{
	bool fits = source.len <= room - 1;
	uint8_t whole[TEXT_SIZE];
	enum text_table table;

	if (given[0] == '\0') {
		ret[0] = fits ? (uint8_t)source.len : 0;
		if (ret[0] > 0)
			memcpy(ret + 1, source.data, source.len);
		return fits;
	}
	table = text_table_for(given, (enum text_table)textcode);
	ret[0] = (uint8_t)text_encode(given, table, ret + 1, room - 1, NULL);
	return text_encode(given, table, whole, sizeof whole, NULL) == ret[0];
}

size_t service_desc_build(const struct service_given *g,
			  const struct desc *source, uint8_t default_type,
			  uint8_t ret[SERVICE_DESC_MAX],
			  struct service_cut *ret_cut)
{
	struct service from = { .type = default_type };
	uint8_t name[TEXTS_MAX], *provider = ret + 3;
	size_t room;

	if (source != NULL)
		from = read_service(source);
	ret[0] = SERVICE_DESC_TAG;
	ret[2] = g->type != 0 ? g->type : from.type;
	/* the name matters most: the provider leaves room for it */
	(void)put_text(name, sizeof name - 1, g->name, g->textcode, from.name);
	room = MAX((size_t)PROVIDER_MAX, TEXTS_MAX - 1 - (size_t)name[0]);
	ret_cut->provider = !put_text(provider, room, g->provider, g->textcode,
				      from.provider);
	room = TEXTS_MAX - 1 - (size_t)provider[0];
	ret_cut->name = !put_text(provider + 1 + provider[0], room, g->name,
				  g->textcode, from.name);
	ret[1] = (uint8_t)(3 + provider[0] + provider[1 + provider[0]]);
	return 2 + (size_t)ret[1];
}

/* --- a section --- */

static const struct service_spec *find(const struct service_names *names,
				       uint16_t pnr)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->list[i].pnr == pnr)
			return names->list[i].spec;
	return NULL;
}

static void write_named(struct section_writer *w, struct desc_loop loop,
			const struct service_given *g)
{
	uint8_t built[SERVICE_DESC_MAX];
	struct service_cut cut; /* not read: the texts of `sdt' are short
				 * enough */
	struct desc d;
	bool has = desc_find(loop, SERVICE_DESC_TAG, &d);
	size_t n = service_desc_build(g, has ? &d : NULL, SERVICE_TYPE_TV,
				      built, &cut);

	write_bytes(w, built, n);
	while (desc_next(&loop, &d))
		/* the multilingual names of the source would contradict a new
		 * name */
		if (d.tag != SERVICE_DESC_TAG &&
		    (d.tag != MULTILINGUAL_NAME_TAG || g->name[0] == '\0'))
			write_bytes(w, d.data - 2, 2 + (size_t)d.len);
}

static void write_entry(const struct service_names *names,
			struct section_writer *w, const uint8_t *p,
			struct desc_loop loop)
{
	static const struct remux_options none;
	const struct service_spec *s =
		find(names, (uint16_t)(p[0] << 8 | p[1]));
	struct service_given g = service_given_of(&none, s);
	size_t begin;

	g.textcode = names->textcode;
	write_bytes(w, p, 3);
	if (!service_is_given(&g)) {
		write_bytes(w, p + 3, 2 + loop.len);
		return;
	}
	begin = write_loop_begin(w);
	write_named(w, loop, &g);
	write_loop_end(w, begin);
	if (!w->full) /* running_status and free_CA_mode, in the byte of the
		       * length */
		w->data[begin] = (uint8_t)((w->data[begin] & 0x0f) |
					   (p[3] & 0xf0));
}

int service_names_apply(const struct service_names *names,
			const uint8_t *section, size_t len,
			uint8_t ret[SECTION_PSI_MAX])
{
	const uint8_t *p = section + SDT_HEADER;
	const uint8_t *end = section + len - SECTION_CRC;
	struct section_writer w;
	size_t written;

	if (len < SDT_HEADER + SECTION_CRC)
		return -EBADMSG;
	section_begin(&w, ret, &(struct section_head){
		.table_id = section[0],
		.dvb = true,
		.extension = (uint16_t)(section[3] << 8 | section[4]),
		.version = section_version(section),
		.number = section[6],
		.last = section[7],
		.limit = SECTION_PSI_MAX,
	});
	ret[5] = section[5]; /* version with current_next_indicator */
	write_bytes(&w, section + HEADER, SDT_HEADER - HEADER);
	while (p < end) {
		struct desc_loop loop;

		if (end - p < SERVICE)
			return -EBADMSG;
		loop = (struct desc_loop){ p + SERVICE, section_get12(p + 3) };
		if ((size_t)(end - p) - SERVICE < loop.len ||
		    !desc_loop_ok(loop))
			return -EBADMSG;
		write_entry(names, &w, p, loop);
		p += SERVICE + loop.len;
	}
	written = section_end(&w);
	return written > 0 ? (int)written : -ENOSPC;
}
