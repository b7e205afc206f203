/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/desc.h"

#include "common/base/util.h"
#include "worker/si/desc_tables.h"

enum {
	PRIVATE_DATA_SPECIFIER = 0x5f,
	LOGICAL_CHANNEL = 0x83,
	/* specifiers with the logical channel in descriptor 0x83 */
	SPECIFIER_EACEM = 0x00000028,
	SPECIFIER_NORDIG = 0x00000029,
	SPECIFIER_UK = 0x0000233a,
};

static const struct field channel[] = {
	UINT("service_id", 16), FLAG("visible"), SKIP(5), UINT("lcn", 10), END
};

static const struct field logical_channel_fields[] = {
	LIST("channels", channel), END
};

static const struct desc_kind logical_channel = {
	"logical_channel", logical_channel_fields
};

static const struct desc_kind *find_kind(const struct desc *d,
					 uint64_t specifier)
{
	static const struct desc_kind unknown;

	if (d->tag < ARRAY_LEN(desc_mpeg))
		return &desc_mpeg[d->tag];
	if (d->tag == DESC_EXTENSION)
		return d->len > 0 && d->data[0] < ARRAY_LEN(desc_extensions)
			       ? &desc_extensions[d->data[0]]
			       : &unknown;
	if (d->tag < 0x80)
		return &desc_dvb[d->tag - 0x40];
	if (d->tag == LOGICAL_CHANNEL &&
	    (specifier == SPECIFIER_EACEM || specifier == SPECIFIER_NORDIG ||
	     specifier == SPECIFIER_UK))
		return &logical_channel;
	return &unknown;
}

static void describe(const struct desc *d, uint64_t specifier, json_t *object)
{
	const struct desc_kind *kind = find_kind(d, specifier);
	struct bits b = bits_of(d->data, d->len);
	json_t *fields = json_object();

	si_put_uint(object, "type_id", d->tag);
	si_put_string(object, "type_name", kind->name ? kind->name : "unknown");
	if (d->tag == DESC_EXTENSION && d->len > 0)
		si_put_uint(object, "extension", bits_take(&b, 8));
	if (kind->fields != NULL)
		fields_read(kind->fields, &b, fields);
	if (kind->fields == NULL || b.cut)
		si_put_hex(object, "data", (struct bytes){ d->data, d->len });
	else
		(void)json_object_update(object, fields);
	json_decref(fields);
}

void si_put_descriptors(json_t *object, struct desc_loop loop)
{
	json_t *list = si_put_list(object, "descriptors");
	uint64_t specifier = 0; /* valid for the private descriptors behind */
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
