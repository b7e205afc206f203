/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/ci_spec.h"

#include <errno.h>
#include <string.h>

enum {
	BITRATE_MBPS = 70, /* default of the key bitrate */
	BITRATE_MAX_MBPS = 200,
	CI_DELAY_S = 20, /* default of the key ca_pmt_delay for type CI */
};

/* The keys as configured, before they are checked together. */
struct ci_keys {
	int ddci, ddci_device, adapter, device;
	unsigned bitrate_mbps;
	struct tuner_ca ca;
};

#define AT(member) FIELD_AT(struct ci_keys, member)
static const struct field rows[] = {
	{ "ddci", AT(ddci), .max = 255, .initial = -1, .flags = FIELD_OBSERVER,
	  .help = "Number of an adapter with a CI slot and no tuner, through "
		  "which the multiplex passes." },
	{ "ddci_device", AT(ddci_device), .max = 255, .needs = "ddci",
	  .flags = FIELD_OBSERVER,
	  .help = "Number of the CI slot on this adapter." },
	{ "bitrate", AT(bitrate_mbps), .min = 1, .max = BITRATE_MAX_MBPS,
	  .initial = BITRATE_MBPS, .unit = "Mbit/s", .flags = FIELD_OBSERVER,
	  .help = "Highest bitrate of the CI slot." },
	TUNER_CA_ROWS(struct ci_keys),
};
/* The keys of an adapter of type CI.  In other types these keys name the
 * tuner. */
static const struct field number_rows[] = {
	{ "adapter", AT(adapter), .max = 255, .help = "Number of the adapter "
						      "with the CI slot." },
	{ "device", AT(device), .max = 255, .help = "Number of the CI slot on "
						    "this adapter." },
};

const struct field_table ci_fields =
	FIELD_TABLE(struct ci_keys, rows, .flags = FIELD_LOOSE);
static const struct field_table number_fields =
	FIELD_TABLE(struct ci_keys, number_rows, .flags = FIELD_LOOSE);

bool ci_spec_is(const json_t *adapter)
{
	const char *type = json_string_value(json_object_get(adapter, "type"));

	return type != NULL && strcmp(type, "CI") == 0;
}

int ci_spec_parse(const json_t *adapter, struct ci_spec *ret,
		  struct errmsg *error)
{
	struct ci_keys keys = { 0 }, numbers = { 0 };
	bool ci = ci_spec_is(adapter);
	int r = field_read(&ci_fields, adapter, &keys, error);

	if (r == 0 && ci && keys.ddci >= 0)
		r = errmsg_fail(error, -EINVAL, "ddci: %d cannot be combined "
				"with type CI: adapter and device "
				"select its slot", keys.ddci);
	if (r == 0 && ci)
		r = field_read(&number_fields, adapter, &numbers, error);
	if (r == 0 && ci && tuner_spec_is(adapter))
		r = errmsg_fail(error, -EINVAL, "address: is missing: it is "
				"the multiplex for the slot of type CI");
	if (r == 0 && ci && json_object_get(adapter, "server") != NULL)
		r = errmsg_fail(error, -EINVAL, "server: type CI has an "
				"address; ddci is for a server");
	if (r < 0)
		return r;
	if (ci && json_object_get(adapter, "ca_pmt_delay") == NULL)
		keys.ca.delay_s = CI_DELAY_S;
	*ret = (struct ci_spec){
		.used = ci || keys.ddci >= 0,
		.adapter = ci ? numbers.adapter : keys.ddci,
		.device = ci ? numbers.device : keys.ddci_device,
		.bitrate_mbps = keys.bitrate_mbps,
		.ca = keys.ca,
	};
	return 0;
}

static void copy_rows(const struct field_table *t, const json_t *adapter,
		      json_t *to)
{
	for (size_t i = 0; i < t->n; i++) {
		json_t *value = json_object_get(adapter, t->rows[i].key);

		if (value != NULL)
			(void)json_object_set(to, t->rows[i].key, value);
	}
}

void ci_spec_copy(const json_t *adapter, json_t *to)
{
	struct ci_spec spec;

	if (ci_spec_parse(adapter, &spec, NULL) < 0 || !spec.used)
		return;
	copy_rows(&ci_fields, adapter, to);
	if (!ci_spec_is(adapter))
		return;
	copy_rows(&number_fields, adapter, to);
	(void)json_object_set(to, "type", json_object_get(adapter, "type"));
}

bool ci_spec_is_same(const json_t *a, const json_t *b)
{
	struct ci_spec x, y;

	if (ci_spec_parse(a, &x, NULL) < 0 || ci_spec_parse(b, &y, NULL) < 0)
		return false;
	return x.used == y.used &&
	       (!x.used ||
		(x.adapter == y.adapter && x.device == y.device &&
		 x.bitrate_mbps == y.bitrate_mbps &&
		 x.ca.delay_s == y.ca.delay_s && x.ca.limit == y.ca.limit &&
		 x.ca.mode == y.ca.mode));
}
