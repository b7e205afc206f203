/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/record.h"

#include "common/base/crc32.h"
#include "common/base/util.h"
#include "worker/si/table.h"
#include "worker/ts/section.h"

enum {
	SHORT_HEADER = 3, /* up to section_length */
	HEADER = 8,       /* up to last_section_number */
	CRC = 4,
};

/* ISO/IEC 13818-1 table 2-31, EN 300 468 table 2 */
static const struct table {
	uint8_t first, last; /* table_id */
	const char *name;
	bool has_header; /* the long one */
	bool has_crc;
	si_table_fn *read;
} tables[] = {
	{ 0x00, 0x00, "pat", true, true, si_pat },
	{ 0x01, 0x01, "cat", true, true, si_cat },
	{ 0x02, 0x02, "pmt", true, true, si_pmt },
	{ 0x40, 0x41, "nit", true, true, si_nit },
	{ 0x42, 0x42, "sdt", true, true, si_sdt },
	{ 0x46, 0x46, "sdt", true, true, si_sdt },
	{ 0x4a, 0x4a, "bat", true, true, si_bat },
	{ 0x4e, 0x6f, "eit", true, true, si_eit },
	{ 0x70, 0x70, "tdt", false, false, si_tdt },
	{ 0x73, 0x73, "tot", false, true, si_tot },
};

static const struct table *find_table(uint8_t table_id)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (table_id >= tables[i].first && table_id <= tables[i].last)
			return &tables[i];
	return NULL;
}

static void put_header(const struct table *t, const uint8_t *section,
		       json_t *record)
{
	struct bits b = bits_of(section, HEADER);

	if (!t->has_header)
		return;
	bits_skip(&b, 42);
	si_put_uint(record, "version", bits_take(&b, 5));
	if (bits_take(&b, 1) == 0)
		si_put_bool(record, "next", true); /* not yet in force */
	si_put_uint(record, "section_number", bits_take(&b, 8));
	si_put_uint(record, "last_section_number", bits_take(&b, 8));
}

static void put_crc(const struct table *t, const uint8_t *section, size_t len,
		    json_t *record)
{
	struct bits b = bits_of(section + len - CRC, CRC);

	if (t->has_crc)
		si_put_uint(record, "crc32", bits_take(&b, 32));
}

static size_t header_len(const struct table *t)
{
	return t->has_header ? HEADER : SHORT_HEADER;
}

/* Room for header and CRC_32, and the length that the header claims. */
static bool is_sound(const struct table *t, const uint8_t *section, size_t len)
{
	if (len < header_len(t) + (t->has_crc ? CRC : 0) ||
	    section_length(section) != len)
		return false;
	if (t->has_header)
		return section_has_syntax(section);
	/* that of a TOT nobody has looked at */
	return !t->has_crc || crc32_mpeg(section, len) == 0;
}

json_t *si_record(const uint8_t *section, size_t len, uint16_t pid)
{
	const struct table *t = len >= SHORT_HEADER
					? find_table(section_table_id(section))
					: NULL;
	struct si_section s = { .data = section, .len = len };
	json_t *record;
	size_t head;

	if (t == NULL || !is_sound(t, section, len))
		return NULL;
	head = header_len(t);
	s.table_id = section_table_id(section);
	if (t->has_header)
		s.extension = (uint16_t)(section[3] << 8 | section[4]);
	s.body = bits_of(section + head, len - head - (t->has_crc ? CRC : 0));

	record = json_object();
	(void)json_object_set_new(record, "psi", json_string(t->name));
	si_put_uint(record, "table_id", s.table_id);
	si_put_uint(record, "pid", pid);
	put_header(t, section, record);
	put_crc(t, section, len, record);
	t->read(&s, record);
	if (s.body.cut)
		(void)json_object_set_new(
			record, "error",
			json_string("the section ends inside an entry"));
	return record;
}
