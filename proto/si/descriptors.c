/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/descriptors.h"

#include "proto/si/desc.h"
#include "proto/si/desc_tables.h"
#include "proto/si/json.h"

#include <string.h>

enum {
	PRIVATE_DATA_SPECIFIER = 0x5f,
	LOGICAL_CHANNEL = 0x83,
	/* values of private_data_specifier for which descriptor 0x83 has
	 * logical channels */
	SPECIFIER_EACEM = 0x00000028,
	SPECIFIER_NORDIG = 0x00000029,
	SPECIFIER_UK = 0x0000233a,
	DESC_SIZE = 2 + 255,
};

static const struct si_field channel[] = {
	UINT("service_id", 16), FLAG("visible"), ONES(5), UINT("lcn", 10), END
};

static const struct si_field logical_channel_fields[] = {
	LIST("channels", channel), END
};

/* The logical channel descriptor of NorDig Unified, version 1 */
static const struct si_field channel_nordig[] = {
	UINT("service_id", 16), FLAG("visible"), ONES(1), UINT("lcn", 14), END
};

static const struct si_field logical_channel_nordig_fields[] = {
	LIST("channels", channel_nordig), END
};

static const struct desc_kind logical_channel = {
	"logical_channel", logical_channel_fields
};

static const struct desc_kind logical_channel_nordig = {
	"logical_channel", logical_channel_nordig_fields
};

/* Finds the kind of a descriptor.  extension: its descriptor_tag_extension, -1
 * if the descriptor is empty.  specifier: the private_data_specifier in front
 * of it. */
static const struct desc_kind *find_kind(unsigned tag, int extension,
					 uint64_t specifier)
{
	static const struct desc_kind unknown;

	if (tag < ARRAY_LEN(desc_mpeg))
		return &desc_mpeg[tag];
	if (tag == DESC_EXTENSION)
		return extension >= 0 &&
				       extension <
					       (int)ARRAY_LEN(desc_extensions)
			       ? &desc_extensions[extension]
			       : &unknown;
	if (tag < 0x80)
		return &desc_dvb[tag - 0x40];
	if (tag == LOGICAL_CHANNEL &&
	    (specifier == SPECIFIER_EACEM || specifier == SPECIFIER_UK))
		return &logical_channel;
	if (tag == LOGICAL_CHANNEL && specifier == SPECIFIER_NORDIG)
		return &logical_channel_nordig;
	return &unknown;
}

/* --- writing --- */

/* Has the object no fields but "data", so that this has all bytes of the
 * descriptor? */
static bool is_whole(const json_t *object)
{
	static const char *const others[] = {
		"type_id", "type_name", "extension",
	};
	size_t n = json_object_size(object);

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		n -= json_object_get(object, others[i]) != NULL;
	return n == 1 && json_object_get(object, "data") != NULL;
}

static void write_payload(struct codec *c, unsigned tag, uint64_t specifier)
{
	int extension = -1;
	const struct desc_kind *kind;

	if (codec_has(c, "raw")) {
		codec_hex(c, "raw");
		return;
	}
	if (codec_has(c, "extension"))
		extension = (int)codec_given(c, "extension", 255);
	kind = find_kind(tag, extension, specifier);
	if (kind->fields == NULL || is_whole(c->object)) {
		codec_hex(c, "data");
		return;
	}
	if (extension >= 0)
		(void)codec_bits(c, 8, (uint64_t)extension);
	fields_run(c, kind->fields);
}

static void write_descriptor(struct codec *c, uint64_t specifier)
{
	unsigned tag = (unsigned)codec_given(c, "type_id", 255);
	struct codec_scope scope;

	(void)codec_bits(c, 8, tag);
	scope = codec_begin(c, 8);
	write_payload(c, tag, specifier);
	codec_end(c, &scope, "descriptor");
}

/* Writes a descriptor.  *arg: the private_data_specifier of the last descriptor
 * that had one; this function updates it. */
static void write_item(struct codec *c, const void *arg)
{
	uint64_t *specifier = (uint64_t *)(uintptr_t)arg;
	const char *name = json_string_value(json_object_get(c->object,
							     "type_name"));

	if (name != NULL && strcmp(name, "broken") == 0) {
		codec_hex(c, "data");
		return;
	}
	if (codec_has(c, "private_data_specifier"))
		*specifier = codec_given(c, "private_data_specifier",
					 UINT32_MAX);
	write_descriptor(c, *specifier);
}

/* --- reading --- */

/* Does write_descriptor() make the same bytes from the object? */
static bool is_exact(json_t *object, const struct desc *d, uint64_t specifier)
{
	uint8_t bytes[DESC_SIZE] = { 0 };
	struct codec c = {
		.encode = true,
		.object = object,
		.out = { bytes, sizeof bytes, 0 },
	};

	write_descriptor(&c, specifier);
	return !c.failed && c.out.at == 8u * (2 + d->len) &&
	       memcmp(bytes + 2, d->data, d->len) == 0;
}

static void describe(const struct desc *d, uint64_t specifier, json_t *object)
{
	int extension = d->len > 0 ? d->data[0] : -1;
	const struct desc_kind *kind = find_kind(d->tag, extension, specifier);
	struct bytes whole = { d->data, d->len };
	json_t *fields = json_object();
	struct codec c = {
		.object = fields, .in = bits_of(d->data, d->len),
	};

	si_put_uint(object, "type_id", d->tag);
	si_put_string(object, "type_name", kind->name ? kind->name : "unknown");
	if (d->tag == DESC_EXTENSION && d->len > 0)
		si_put_uint(object, "extension", bits_take(&c.in, 8));
	if (kind->fields != NULL)
		fields_run(&c, kind->fields);
	if (kind->fields == NULL || c.in.cut) {
		si_put_hex(object, "data", whole);
	} else {
		(void)json_object_update(object, fields);
		if (!is_exact(object, d, specifier))
			si_put_hex(object, "raw", whole);
	}
	json_decref(fields);
}

static void read_all(struct codec *c)
{
	json_t *list = si_put_list(c->object, "descriptors");
	struct bytes rest = bits_rest(&c->in);
	struct desc_loop loop = { rest.data, rest.len };
	uint64_t specifier = 0;
	struct desc d;

	while (desc_next(&loop, &d)) {
		struct bits b = bits_of(d.data, d.len);

		if (d.tag == PRIVATE_DATA_SPECIFIER)
			specifier = bits_take(&b, 32);
		describe(&d, specifier, si_add_object(list));
	}
	if (loop.len > 0) {
		json_t *broken = si_add_object(list);

		si_put_uint(broken, "type_id", loop.data[0]);
		si_put_string(broken, "type_name", "broken");
		si_put_hex(broken, "data",
			   (struct bytes){ loop.data, loop.len });
	}
}

void codec_descriptors(struct codec *c)
{
	uint64_t specifier = 0;

	if (c->encode)
		codec_list(c, "descriptors", write_item, &specifier);
	else
		read_all(c);
}

void codec_descriptor_loop(struct codec *c)
{
	struct codec_scope scope;

	codec_reserved(c, 4);
	scope = codec_begin(c, 12);
	codec_descriptors(c);
	codec_end(c, &scope, "descriptors");
}
