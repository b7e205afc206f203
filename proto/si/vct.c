/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/vct.h"

#include "common/base/errmsg.h"
#include "common/base/utf8.h"
#include "proto/si/atsc_huffman.h"
#include "proto/si/desc.h"
#include "proto/si/descriptors.h"
#include "proto/si/json.h"
#include "proto/si/scsu.h"

#include <stdio.h>
#include <string.h>

enum {
	SHORT_UNITS = 7,       /* UTF-16 units of short_name */
	CHANNEL_BYTES = 32,    /* bytes of a channel without descriptors */
	EXTENDED_NAME = 0xa0,  /* descriptor_tag */
	NO_COMPRESSION = 0,
	MODE_SCSU = 0x3e,
	MODE_UTF16 = 0x3f,
	ONE_PART = 0x3f0,      /* if these bits of major_channel_number are set,
				* major and minor are one number (cable) */
	NAME_SIZE = 3 * 255 + 1,
};

/* --- UTF-16 --- */

struct name {
	size_t len;
	char text[NAME_SIZE];
	uint32_t high; /* first unit of a surrogate pair whose second one has
			* not arrived; 0: none */
};

static void put(struct name *n, uint32_t character)
{
	char bytes[UTF8_MAX];
	size_t len = utf8_put(character, bytes);

	if (n->len + len >= sizeof n->text)
		return;
	memcpy(n->text + n->len, bytes, len);
	n->len += len;
	n->text[n->len] = '\0';
}

/* Appends a unit of UTF-16, unless it is a control character. */
static void add_unit(struct name *n, uint32_t unit)
{
	uint32_t high = n->high;

	n->high = 0;
	if (high != 0 && unit >= 0xdc00 && unit < 0xe000) {
		put(n, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
		return;
	}
	if (high != 0)
		put(n, UTF8_REPLACEMENT);
	if (unit >= 0xd800 && unit < 0xdc00)
		n->high = unit;
	else if (unit >= 0x20 && (unit < 0x7f || unit >= 0xa0))
		put(n, unit);
}

static void end_units(struct name *n)
{
	if (n->high != 0)
		put(n, UTF8_REPLACEMENT);
	n->high = 0;
}

static void read_short_name(struct codec *c)
{
	struct name name = { 0 };
	bool ended = false;

	for (unsigned i = 0; i < SHORT_UNITS; i++) {
		uint32_t unit = (uint32_t)codec_bits(c, 16, 0);

		ended |= unit == 0;
		if (!ended)
			add_unit(&name, unit);
	}
	end_units(&name);
	si_put_string(c->object, "short_name", name.text);
}

static void write_short_name(struct codec *c)
{
	const char *text = codec_given_text(c, "short_name");
	size_t left = strlen(text);
	unsigned n = 0;

	while (left > 0 && n <= SHORT_UNITS) {
		uint32_t character;
		size_t len = utf8_get(text, left, &character);
		bool pair = character >= 0x10000;

		text += len;
		left -= len;
		n += 1 + pair;
		if (n > SHORT_UNITS)
			break;
		if (pair)
			(void)codec_bits(c, 16, 0xd800 +
					 ((character - 0x10000) >> 10));
		(void)codec_bits(c, 16, pair ? 0xdc00 + (character & 0x3ff)
					     : character);
	}
	if (n > SHORT_UNITS)
		codec_fault(c, "short_name", "has more than %d characters",
			    SHORT_UNITS);
	for (; n < SHORT_UNITS; n++)
		(void)codec_bits(c, 16, 0);
}

/* --- the extended name --- */

/* Is the mode the upper byte of the Unicode characters, of which the segment
 * has only the lower bytes (A/65 table 6.41)? */
static bool is_page(uint64_t mode)
{
	return mode <= 0x06 || (mode >= 0x09 && mode <= 0x0e) ||
	       mode == 0x10 || (mode >= 0x20 && mode <= 0x27) ||
	       (mode >= 0x30 && mode <= 0x33);
}

static void add_character(uint32_t character, void *arg)
{
	add_unit(arg, character);
}

/* Appends the text of a segment to the name.  False with error: the compression
 * or the mode is unknown, or the segment is cut. */
static bool add_segment(struct name *n, struct bits *b, struct errmsg *error)
{
	uint64_t compression = bits_take(b, 8), mode = bits_take(b, 8);
	struct bytes s = bits_bytes(b, (size_t)bits_take(b, 8));

	if (b->cut) {
		errmsg_set(error, "the text is cut");
		return false;
	}
	if (compression == ATSC_HUFFMAN_TITLE ||
	    compression == ATSC_HUFFMAN_DESCRIPTION) {
		atsc_huffman_each(s, (enum atsc_huffman)compression,
				  add_character, n);
		return true;
	}
	if (compression != NO_COMPRESSION) {
		errmsg_set(error, "the text is not decoded: it has "
			   "compression_type %u", (unsigned)compression);
		return false;
	}
	if (mode == MODE_UTF16)
		for (size_t i = 0; i + 1 < s.len; i += 2)
			add_unit(n, (uint32_t)(s.data[i] << 8 | s.data[i + 1]));
	else if (is_page(mode))
		for (size_t i = 0; i < s.len; i++)
			add_unit(n, (uint32_t)(mode << 8 | s.data[i]));
	else if (mode != MODE_SCSU || !scsu_each(s, add_character, n)) {
		errmsg_set(error, "the text is not decoded: it has mode 0x%02x",
			   (unsigned)mode);
		return false;
	}
	return true;
}

/* Reads the strings of a multiple string structure (A/65 6.10), and returns the
 * first one whose segments can all be decoded.  False: there is no such string;
 * error has the reason, or is "" if there is no text. */
static bool read_strings(struct bits b, struct name *ret, struct errmsg *error)
{
	uint64_t strings = bits_take(&b, 8);

	for (; strings > 0 && !b.cut; strings--) {
		struct name name = { 0 };
		uint64_t segments;
		bool sound = true;

		bits_skip(&b, 24); /* ISO_639_language_code */
		segments = bits_take(&b, 8);
		for (; segments > 0 && !b.cut; segments--)
			sound &= add_segment(&name, &b, error);
		end_units(&name);
		*ret = name;
		if (sound && !b.cut && name.len > 0)
			return true;
	}
	return false;
}

/* While reading, puts "name" or "name_error" of a channel into the object, if
 * its descriptors have an extended name.  at: the position of their length. */
static void put_long_name(struct codec *c, struct bits at)
{
	struct errmsg error = { 0 };
	struct name name;
	struct bytes loop;
	struct desc_loop descriptors;
	struct desc d;

	if (c->encode)
		return;
	bits_skip(&at, 6);
	loop = bits_bytes(&at, (size_t)bits_take(&at, 10));
	descriptors = (struct desc_loop){ loop.data, loop.len };
	if (!desc_find(descriptors, EXTENDED_NAME, &d))
		return;
	if (read_strings(bits_of(d.data, d.len), &name, &error))
		si_put_string(c->object, "name", name.text);
	else if (error.text[0] != '\0')
		si_put_string(c->object, "name_error", error.text);
}

/* --- channels --- */

static void run_descriptors(struct codec *c)
{
	struct codec_scope scope;

	codec_reserved(c, 6);
	scope = codec_begin(c, 10);
	codec_descriptors(c);
	codec_end(c, &scope, "descriptors");
}

static void run_channel(struct codec *c, const void *arg)
{
	bool cable = *(const bool *)arg;
	uint64_t major, minor;
	char text[24];

	if (c->encode)
		write_short_name(c);
	else
		read_short_name(c);
	codec_reserved(c, 4);
	major = codec_uint(c, "major", 10);
	minor = codec_uint(c, "minor", 10);
	if (cable && (major & ONE_PART) == ONE_PART)
		(void)snprintf(text, sizeof text, "%u",
			       (unsigned)((major & 0xf) << 10 | minor));
	else
		(void)snprintf(text, sizeof text, "%u.%u", (unsigned)major,
			       (unsigned)minor);
	if (!c->encode)
		si_put_string(c->object, "channel", text);
	(void)codec_uint(c, "modulation_mode", 8);
	(void)codec_uint(c, "carrier_frequency", 32);
	(void)codec_uint(c, "tsid", 16);
	(void)codec_uint(c, "pnr", 16);
	(void)codec_uint(c, "etm_location", 2);
	(void)codec_flag(c, "access_controlled");
	(void)codec_flag(c, "hidden");
	if (cable) {
		(void)codec_flag(c, "path_select");
		(void)codec_flag(c, "out_of_band");
	} else {
		codec_reserved(c, 2);
	}
	(void)codec_flag(c, "hide_guide");
	codec_reserved(c, 3);
	(void)codec_uint(c, "service_type_id", 6);
	(void)codec_uint(c, "source_id", 16);
	put_long_name(c, c->in);
	run_descriptors(c);
}

/* Reads or writes the body of a VCT: the channels, and behind them the
 * descriptors of the table. */
static void run_vct(struct codec *c, bool cable)
{
	size_t len = c->in.len;
	uint64_t n;

	(void)codec_uint(c, "protocol_version", 8);
	n = codec_bits(c, 8, c->encode
		       ? json_array_size(codec_given_list(c, "channels")) : 0);
	/* the end of the n channels; if a channel is not whole, the end of the
	 * section */
	if (!c->encode) {
		struct bits at = c->in;

		for (; n > 0 && !at.cut; n--) {
			bits_skip(&at, 8 * CHANNEL_BYTES - 10);
			(void)bits_bytes(&at, (size_t)bits_take(&at, 10));
		}
		c->in.len = at.pos / 8;
	}
	codec_list(c, "channels", run_channel, &cable);
	c->in.len = len;
	run_descriptors(c);
}

void run_tvct(struct codec *c)
{
	run_vct(c, false);
}

void run_cvct(struct codec *c)
{
	run_vct(c, true);
}
