/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/sdt_other.h"

#include "proto/si/text.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/si_table.h"

enum {
	DESC_SERVICE = 0x48,
	FRAME = 5, /* bytes from service_id to descriptors_loop_length */
	DESC_FRAME = 5, /* bytes of a service descriptor without its texts */
	TEXT_MAX = 125, /* most bytes of each text */
	RESERVED = 0xfc,
};

struct builder {
	const struct sdt_other *sdt;
	size_t n;
	uint8_t (*sections)[SECTION_PSI_MAX];
	size_t *lens;
	struct section_writer w;
};

static void begin(struct builder *b)
{
	section_begin(&b->w, b->sections[b->n], &(struct section_head){
		.table_id = SDT_OTHER_TABLE_ID,
		.dvb = true,
		.extension = b->sdt->tsid,
		.number = (uint8_t)b->n,
		.limit = SECTION_PSI_MAX,
	});
	write_u16(&b->w, b->sdt->onid);
	write_u8(&b->w, 0xff);
}

static void end(struct builder *b)
{
	b->lens[b->n++] = section_end(&b->w);
}

/* Writes a service; false: the sections have no room for it. */
static bool put(struct builder *b, const struct sdt_other_service *s)
{
	enum text_table table = (enum text_table)s->textcode;
	uint8_t provider[TEXT_MAX], name[TEXT_MAX];
	size_t a = text_encode(s->provider, text_table_for(s->provider, table),
			       provider, sizeof provider, NULL);
	size_t n = text_encode(s->name, text_table_for(s->name, table), name,
			       sizeof name, NULL);

	if (!write_fits(&b->w, FRAME + DESC_FRAME + a + n)) {
		if (b->n + 1 == SDT_OTHER_SECTIONS_MAX)
			return false;
		end(b);
		begin(b);
	}
	write_u16(&b->w, s->pnr);
	write_u8(&b->w, (unsigned)(RESERVED | s->has_schedule << 1 |
				   s->has_present));
	write_u16(&b->w, (unsigned)(s->status << 8 | (DESC_FRAME + a + n)));
	write_u8(&b->w, DESC_SERVICE);
	write_u8(&b->w, (unsigned)(DESC_FRAME - 2 + a + n));
	write_u8(&b->w, s->type);
	write_u8(&b->w, (unsigned)a);
	write_bytes(&b->w, provider, a);
	write_u8(&b->w, (unsigned)n);
	write_bytes(&b->w, name, n);
	return true;
}

size_t sdt_other_build(const struct sdt_other *sdt,
		       uint8_t ret[SDT_OTHER_SECTIONS_MAX][SECTION_PSI_MAX],
		       size_t ret_lens[SDT_OTHER_SECTIONS_MAX])
{
	struct builder b = { .sdt = sdt, .sections = ret, .lens = ret_lens };

	begin(&b);
	for (size_t i = 0; i < sdt->n && put(&b, &sdt->services[i]); i++)
		;
	end(&b);
	for (size_t i = 0; i < b.n; i++) {
		ret[i][7] = (uint8_t)(b.n - 1);
		section_seal(ret[i], ret_lens[i]);
	}
	return b.n;
}
