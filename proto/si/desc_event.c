/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of descriptors of events, times and links (EN 300 468 6.2). */
#include "proto/si/desc_tables.h"
#include "proto/si/json.h"

#include <stdlib.h>

const struct si_field desc_short_event[] = {
	ASCII("lang", 3), TEXT8("event_name"), TEXT8("text"), END
};

static const struct si_field extended_item[] = {
	TEXT8("description"), TEXT8("item"), END
};

const struct si_field desc_extended_event[] = {
	UINT("number", 4), UINT("last_number", 4), ASCII("lang", 3),
	LIST8("items", extended_item), TEXT8("text"), END
};

const struct si_field desc_component[] = {
	UINT("stream_content_ext", 4), UINT("stream_content", 4),
	UINT("component_type", 8), UINT("component_tag", 8), ASCII("lang", 3),
	TEXT("text"), END
};

static const struct si_field nibbles[] = {
	UINT("level_1", 4), UINT("level_2", 4), UINT("user", 8), END
};

const struct si_field desc_content[] = { LIST("contents", nibbles), END };

/* Reads or writes a rating.  Values 1 to 15 mean an age of rating + 3 years,
 * which is also put into the object while reading. */
static void run_rating(struct codec *c)
{
	uint64_t rating = codec_uint(c, "rating", 8);

	if (rating >= 0x01 && rating <= 0x0f)
		codec_shown(c, "age", (int64_t)rating + 3);
}

static const struct si_field country_rating[] = {
	ASCII("country", 3), CALL(run_rating), END
};

const struct si_field desc_parental_rating[] = {
	LIST("ratings", country_rating), END
};

/* Reads or writes a time offset, in the descriptor four BCD digits HHMM and in
 * JSON minutes.  negative: a bit in front of the offset says that it is below
 * 0. */
static void run_minutes(struct codec *c, const char *key, uint64_t minutes,
			bool negative)
{
	uint64_t bcd = si_to_bcd(minutes / 60 * 100 + minutes % 60);
	uint64_t hhmm = si_bcd(codec_bits(c, 16, bcd), 16);
	int64_t n = (int64_t)(hhmm / 100 * 60 + hhmm % 100);

	codec_shown(c, key, negative ? -n : n);
}

static void run_offset(struct codec *c)
{
	const char *keys[] = { "offset_minutes", "next_offset_minutes" };
	int64_t now = codec_given_signed(c, keys[0], 5999);
	int64_t next = codec_given_signed(c, keys[1], 5999);
	bool negative;

	codec_ascii(c, "country", 3);
	(void)codec_uint(c, "region", 6);
	codec_reserved(c, 1);
	negative = codec_bits(c, 1, now < 0 || next < 0) != 0;
	run_minutes(c, keys[0], (uint64_t)llabs(now), negative);
	codec_time(c, "time_of_change");
	run_minutes(c, keys[1], (uint64_t)llabs(next), negative);
}

static const struct si_field offset[] = { CALL(run_offset), END };

const struct si_field desc_local_time_offset[] = {
	LIST("offsets", offset), END
};

const struct si_field desc_linkage[] = {
	UINT("tsid", 16), UINT("onid", 16), UINT("service_id", 16),
	UINT("linkage_type", 8), HEX("data"), END
};

static void run_crid(struct codec *c)
{
	struct codec_scope scope;
	uint64_t location;

	(void)codec_uint(c, "crid_type", 6);
	location = codec_bits(c, 2, codec_has(c, "crid_ref"));
	if (location == 0) {
		scope = codec_begin(c, 8);
		codec_ascii_rest(c, "crid");
		codec_end(c, &scope, "crid");
	} else if (location == 1) {
		(void)codec_uint(c, "crid_ref", 16);
	} else {
		c->in.cut = true; /* the length of a reserved crid_location is
				   * unknown */
	}
}

static const struct si_field crid[] = { CALL(run_crid), END };

const struct si_field desc_content_identifier[] = { LIST("crids", crid), END };
