/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/t2mi_spec.h"

#define AT(member) FIELD_AT(struct t2mi_spec, member)
static const struct field rows[] = {
	{ "t2mi", AT(t2mi), .flags = FIELD_OBSERVER,
	  .help = "The multiplex carries T2-MI: streams read that of a PLP." },
	{ "t2mi_pid", AT(pid), .needs = "t2mi", .min = T2MI_PID_MIN,
	  .max = T2MI_PID_MAX, .initial = T2MI_PID, .flags = FIELD_OBSERVER,
	  .help = "PID of the T2-MI packets." },
	{ "plp", AT(plp), .needs = "t2mi", .max = T2MI_PLP_MAX,
	  .initial = T2MI_FIRST_PLP, .flags = FIELD_OBSERVER,
	  .help = "Number of the PLP; the one that arrives first if it is "
		  "not set." },
};

const struct field_table t2mi_fields =
	FIELD_TABLE(struct t2mi_spec, rows, .flags = FIELD_LOOSE);

int t2mi_spec_parse(const json_t *adapter, struct t2mi_spec *ret,
		    struct errmsg *error)
{
	struct t2mi_spec s = { 0 };
	int r = field_read(&t2mi_fields, adapter, &s, error);

	if (r == 0)
		*ret = s;
	return r;
}

/* A copy of the adapter with only the keys of its tuning: without those of
 * T2-MI and without keys that affect neither, such as timeout. */
static json_t *tuning_of(const json_t *adapter)
{
	static const char *const others[] = {
		"id", "name", "enable", "timeout", "budget", "ca_pmt_delay",
		"ca_limit", "ca_pmt_mode",
	};
	json_t *copy = json_copy((json_t *)(uintptr_t)adapter);

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		(void)json_object_del(copy, others[i]);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		(void)json_object_del(copy, rows[i].key);
	return copy;
}

bool t2mi_spec_is_same(const json_t *a, const json_t *b)
{
	struct t2mi_spec x = { 0 }, y = { 0 };
	json_t *one, *other;
	bool same;

	if (t2mi_spec_parse(a, &x, NULL) < 0 ||
	    t2mi_spec_parse(b, &y, NULL) < 0 || x.t2mi != y.t2mi ||
	    x.pid != y.pid || x.plp != y.plp)
		return false;
	one = tuning_of(a);
	other = tuning_of(b);
	same = json_equal(one, other) != 0;
	json_decref(one);
	json_decref(other);
	return same;
}

void t2mi_spec_copy(const json_t *adapter, json_t *to)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_t *value = json_object_get(adapter, rows[i].key);

		if (value != NULL)
			(void)json_object_set(to, rows[i].key, value);
	}
}
