/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/record.h"

#include "common/base/crc32.h"
#include "common/base/util.h"
#include "proto/si/descriptors.h"
#include "proto/si/json.h"
#include "proto/si/record_same.h"
#include "proto/si/tables.h"

#include <errno.h>
#include <string.h>

enum {
	SHORT_HEADER = 3, /* bytes up to section_length */
	HEADER = 8,       /* bytes up to last_section_number */
	CRC = 4,
};

/* --- one section, in both directions --- */

/* Reads or writes a number of n bits; if the record lacks the key, writes 0. */
static uint64_t run_default(struct codec *c, const char *key, unsigned n)
{
	if (c->encode && !codec_has(c, key))
		return codec_bits(c, n, 0);
	return codec_uint(c, key, n);
}

static void run_header(struct codec *c, const struct si_table *t)
{
	const json_t *next = c->encode ? json_object_get(c->object, "next")
				       : NULL;

	if (t->extension != NULL)
		(void)codec_uint(c, t->extension, 16);
	else
		codec_reserved(c, 16);
	codec_reserved(c, 2);
	(void)run_default(c, "version", 5);
	if (codec_bits(c, 1, !json_is_true(next)) == 0 && !c->encode)
		/* current_next_indicator is 0: the table is not valid yet */
		si_put_bool(c->object, "next", true);
	(void)run_default(c, "section_number", 8);
	(void)run_default(c, "last_section_number", 8);
}

/* Reads or writes a section, without the value of its CRC_32. */
static void run_section(struct codec *c, const struct si_table *t,
			uint8_t table_id)
{
	struct codec_scope scope;

	(void)codec_bits(c, 8, table_id);
	(void)codec_bits(c, 1, t->has_header);
	(void)codec_bits(c, 1, t->is_dvb);
	codec_reserved(c, 2);
	scope = codec_begin(c, 12);
	if (t->has_header)
		run_header(c, t);
	if (t->has_crc && !c->encode)
		c->in.len -= CRC;
	t->run(c);
	if (t->has_crc && c->encode)
		(void)codec_bits(c, 32, 0);
	codec_end(c, &scope, "section");
}

/* --- writing --- */

static const struct si_table *find_table(unsigned table_id)
{
	for (size_t i = 0; i < si_tables_n; i++)
		if (table_id >= si_tables[i].first &&
		    table_id <= si_tables[i].last)
			return &si_tables[i];
	return NULL;
}

/* Writes a section from the fields of the record, without "raw". */
static int encode_fields(const json_t *record, uint8_t ret[SI_RECORD_BYTES],
			 size_t *ret_len, struct errmsg *error)
{
	struct codec c = {
		.encode = true,
		.object = (json_t *)(uintptr_t)record,
		.out = { ret, SI_RECORD_BYTES, 0 },
		.error = error,
	};
	uint64_t table_id = codec_given(&c, "table_id", 255);
	const struct si_table *t = find_table((unsigned)table_id);
	uint32_t crc;
	size_t len;

	if (t == NULL)
		codec_fault(&c, "table_id", "%u is not a table that fields "
			    "describe: write the section as hex",
			    (unsigned)table_id);
	memset(ret, 0, SI_RECORD_BYTES);
	if (!c.failed)
		run_section(&c, t, (uint8_t)table_id);
	len = c.out.at / 8;
	if (len > SI_RECORD_BYTES)
		codec_fault(&c, "section", "has %zu bytes, and at most %d fit",
			    len, SI_RECORD_BYTES);
	if (c.failed)
		return -EINVAL;
	if (t->has_crc) {
		crc = crc32_mpeg(ret, len - CRC);
		for (size_t i = 0; i < CRC; i++)
			ret[len - CRC + i] = (uint8_t)(crc >> (24 - 8 * i));
	}
	*ret_len = len;
	return 0;
}

static int encode_raw(const json_t *record, uint8_t ret[SI_RECORD_BYTES],
		      size_t *ret_len, struct errmsg *error)
{
	struct codec c = {
		.encode = true,
		.object = (json_t *)(uintptr_t)record,
		.out = { ret, SI_RECORD_BYTES, 0 },
		.error = error,
	};

	memset(ret, 0, SI_RECORD_BYTES);
	codec_hex(&c, "raw");
	if (c.out.at / 8 > SI_RECORD_BYTES)
		codec_fault(&c, "raw", "is longer than %d bytes",
			    SI_RECORD_BYTES);
	*ret_len = c.out.at / 8;
	return c.failed ? -EINVAL : 0;
}

int si_record_encode(const json_t *record, uint8_t ret[SI_RECORD_BYTES],
		     size_t *ret_len, struct errmsg *error)
{
	bool raw = json_object_get(record, "raw") != NULL;
	json_t *made;
	size_t len;
	int err;

	if (!json_is_object(record))
		return errmsg_fail(error, -EINVAL, "is not an object");
	err = raw ? encode_raw(record, ret, &len, error)
		  : encode_fields(record, ret, &len, error);
	if (err < 0)
		return err;
	/* reads the section again and compares: a key of the record that is
	 * unknown or wrong differs */
	made = si_record(ret, len, 0);
	if (made == NULL)
		err = errmsg_fail(error, -EINVAL, "raw: is not a section with "
				  "a valid length and CRC_32");
	else if (json_object_get(made, "error") != NULL && !raw)
		err = errmsg_fail(error, -EINVAL, "section: %s",
				  json_string_value(json_object_get(
					  made, "error")));
	else
		err = record_same(record, made, error);
	json_decref(made);
	if (err == 0)
		*ret_len = len;
	return err;
}

int si_descriptor_encode(const json_t *object,
			 uint8_t ret[SI_DESCRIPTOR_BYTES], size_t *ret_len,
			 struct errmsg *error)
{
	static const char prefix[] = "descriptors[0].";
	const size_t len = sizeof prefix - 1;
	json_t *list = json_pack("{s:[O]}", "descriptors", object), *made;
	struct codec c = {
		.encode = true,
		.object = list,
		.out = { ret, SI_DESCRIPTOR_BYTES, 0 },
		.error = error,
	};
	int err;

	memset(ret, 0, SI_DESCRIPTOR_BYTES);
	codec_descriptors(&c);
	made = json_object();
	if (!c.failed)
		codec_descriptors(&(struct codec){
			.object = made, .in = bits_of(ret, c.out.at / 8),
		});
	err = c.failed ? -EINVAL : record_same(list, made, error);
	json_decref(list);
	json_decref(made);
	if (err < 0) {
		/* the caller puts the path of the object in front of the
		 * sentence */
		if (error != NULL && strncmp(error->text, prefix, len) == 0)
			memmove(error->text, error->text + len,
				strlen(error->text) - len + 1);
		return err;
	}
	*ret_len = c.out.at / 8;
	return 0;
}

/* --- reading --- */

static bool is_sound(const struct si_table *t, const uint8_t *section,
		     size_t len)
{
	size_t head = t->has_header ? HEADER : SHORT_HEADER;

	if (len < head + (t->has_crc ? CRC : 0) ||
	    SHORT_HEADER + ((section[1] & 0x0fu) << 8 | section[2]) != len)
		return false;
	/* the caller has not checked the CRC_32 of a section with a header of 3
	 * bytes, such as a TOT */
	return t->has_header ? (section[1] & 0x80) != 0
			     : !t->has_crc || crc32_mpeg(section, len) == 0;
}

json_t *si_record(const uint8_t *section, size_t len, uint16_t pid)
{
	struct codec c = { .in = bits_of(section, len) };
	uint8_t made[SI_RECORD_BYTES];
	size_t made_len;
	struct bits crc;
	const struct si_table *t;

	if (len < SHORT_HEADER)
		return NULL;
	t = find_table(section[0]);
	if (t == NULL || !is_sound(t, section, len))
		return NULL;
	c.object = json_object();
	si_put_string(c.object, "psi", t->name);
	si_put_uint(c.object, "table_id", section[0]);
	si_put_uint(c.object, "pid", pid);
	run_section(&c, t, section[0]);
	if (t->has_crc) {
		crc = bits_of(section + len - CRC, CRC);
		si_put_uint(c.object, "crc32", bits_take(&crc, 32));
	}
	if (c.in.cut)
		si_put_string(c.object, "error",
			      "the section ends inside an entry");
	/* unless encode_fields() makes the same bytes from the record */
	if (encode_fields(c.object, made, &made_len, NULL) != 0 ||
	    made_len != len || memcmp(made, section, len) != 0)
		si_put_hex(c.object, "raw", (struct bytes){ section, len });
	return c.object;
}
