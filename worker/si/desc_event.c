/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors of programmes, times and links (EN 300 468 6.2). */
#include "worker/si/desc_tables.h"

const struct field desc_short_event[] = {
	ASCII("lang", 3), TEXT8("event_name"), TEXT8("text"), END
};

static const struct field extended_item[] = {
	TEXT8("description"), TEXT8("item"), END
};

const struct field desc_extended_event[] = {
	UINT("number", 4), UINT("last_number", 4), ASCII("lang", 3),
	LIST8("items", extended_item), TEXT8("text"), END
};

const struct field desc_component[] = {
	UINT("stream_content_ext", 4), UINT("stream_content", 4),
	UINT("component_type", 8), UINT("component_tag", 8), ASCII("lang", 3),
	TEXT("text"), END
};

static const struct field nibbles[] = {
	UINT("level_1", 4), UINT("level_2", 4), UINT("user", 8), END
};

const struct field desc_content[] = { LIST("contents", nibbles), END };

/* Values 1 to 15 are an age less three years. */
static void read_rating(struct bits *b, json_t *object)
{
	unsigned rating = (unsigned)bits_take(b, 8);

	si_put_uint(object, "rating", rating);
	if (rating >= 0x01 && rating <= 0x0f)
		si_put_uint(object, "age", rating + 3);
}

static const struct field country_rating[] = {
	ASCII("country", 3), CALL(read_rating), END
};

const struct field desc_parental_rating[] = {
	LIST("ratings", country_rating), END
};

/* Minutes, from four decimal digits HHMM. */
static json_t *minutes(uint64_t bcd, bool negative)
{
	uint64_t hhmm = si_bcd(bcd, 16);
	json_int_t n = (json_int_t)(hhmm / 100 * 60 + hhmm % 100);

	return json_integer(negative ? -n : n);
}

static void read_offset(struct bits *b, json_t *object)
{
	bool negative;

	si_put_ascii(object, "country", bits_bytes(b, 3));
	si_put_uint(object, "region", bits_take(b, 6));
	bits_skip(b, 1);
	negative = bits_take(b, 1) != 0;
	(void)json_object_set_new(object, "offset_minutes",
				  minutes(bits_take(b, 16), negative));
	si_put_time(object, "time_of_change", bits_take(b, 40));
	(void)json_object_set_new(object, "next_offset_minutes",
				  minutes(bits_take(b, 16), negative));
}

static const struct field offset[] = { CALL(read_offset), END };

const struct field desc_local_time_offset[] = { LIST("offsets", offset), END };

const struct field desc_linkage[] = {
	UINT("tsid", 16), UINT("onid", 16), UINT("service_id", 16),
	UINT("linkage_type", 8), HEX("data"), END
};

static void read_crid(struct bits *b, json_t *object)
{
	unsigned location;

	si_put_uint(object, "crid_type", bits_take(b, 6));
	location = (unsigned)bits_take(b, 2);
	if (location == 0)
		si_put_ascii(object, "crid",
			     bits_bytes(b, (size_t)bits_take(b, 8)));
	else if (location == 1)
		si_put_uint(object, "crid_ref", bits_take(b, 16));
	else
		b->cut = true; /* a reserved location of unknown length */
}

static const struct field crid[] = { CALL(read_crid), END };

const struct field desc_content_identifier[] = { LIST("crids", crid), END };
