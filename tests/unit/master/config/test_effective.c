/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Absent keys get their defaults; secrets are hidden. */
#include "master/config/effective.h"

#include "master/config/config_fields.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>

/* The value at section.key, or of the first entry of a list. */
static const json_t *at(const json_t *document, const char *section,
			const char *key)
{
	const json_t *object = json_object_get(document, section);

	if (json_is_array(object))
		object = json_array_get(object, 0);
	return json_object_get(object, key);
}

static void has(const json_t *document, const char *section, const char *key,
		const char *want)
{
	json_t *value = quoted(want);

	cr_expect(json_equal(at(document, section, key), value), "%s.%s",
		  section, key);
	json_decref(value);
}

Test(effective, absent_keys_have_their_defaults)
{
	json_t *document = quoted(
		"{'settings':[],'log':{'debug':null,'filename':''},"
		"'make_stream':[{'id':'a','epg_codepage':'',"
		"'descriptors':[{'table':'pmt'}],'mine':1}]}");
	json_t *first = quoted("{'log':{'debug':true,'filename':'x'}}");
	json_t *all = effective_document(document, first);

	has(all, "settings", "control_port", "'8000'");
	has(all, "settings", "http_workers", "1");
	has(all, "log", "debug", "true");
	has(all, "log", "filename", "''");
	has(all, "log", "max_file_size", "10");
	has(all, "make_stream", "epg_codepage", "0");
	has(all, "make_stream", "mine", "1");
	has(json_array_get(json_object_get(all, "make_stream"), 0),
	    "descriptors", "action", "'add'");
	/* without effect, and required */
	cr_expect_null(at(all, "settings", "tsdb_interval"));
	cr_expect_null(at(all, "make_stream", "type"));
	json_decref(all);
	json_decref(first);
	json_decref(document);
}

/* Each key that a stream and the settings share is a default of the streams. */
Test(effective, a_stream_gets_the_defaults_of_the_settings)
{
	static const char *const keys[] = {
		"backup_start_delay", "backup_return_delay", "cc_limit",
		"http_keep_active", "hls_on_demand",
	};
	size_t n = 0;

	for (size_t i = 0; i < settings_fields.n; i++) {
		const char *key = settings_fields.rows[i].key;
		const struct config_section *s =
			config_fields_of("make_stream");

		n += field_find(s->tables[0], key) != NULL ||
		     field_find(s->tables[1], key) != NULL;
	}
	cr_assert_eq(n, ARRAY_LEN(keys));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *document = quoted("{'settings':{},'make_stream':[{},"
					  "{}]}");
		json_t *streams = json_object_get(document, "make_stream");
		json_t *all;

		(void)json_object_set_new(json_object_get(document, "settings"),
					  keys[i], json_integer(60));
		(void)json_object_set_new(json_array_get(streams, 1), keys[i],
					  json_integer(5));
		all = effective_document(document, NULL);
		has(all, "make_stream", keys[i], "60");
		streams = json_object_get(all, "make_stream");
		cr_expect_eq(json_integer_value(json_object_get(
				     json_array_get(streams, 1), keys[i])), 5);
		json_decref(all);
		json_decref(document);
	}
}

Test(effective, hidden_values_keep_their_keys)
{
	json_t *document = quoted(
		"{'gid':1,'mine':{'pass':'x'},'users':{'a':{'cipher':'x',"
		"'type':1}},'make_stream':[{'id':'a','own':'x',"
		"'input':['srt://127.0.0.1:1#passphrase=xxxxxxxxxx'],"
		"'cas_list':[{'ac':'x','cas_id':'c'}]},7]}");
	json_t *want = quoted(
		"{'gid':1,'mine':'***','users':{'a':{'cipher':'***',"
		"'type':1}},'make_stream':[{'id':'a','own':'***',"
		"'input':['srt://127.0.0.1:1#passphrase=***'],"
		"'cas_list':[{'ac':'***','cas_id':'c'}]},'***']}");
	json_t *shown = effective_hide(document);

	cr_expect(json_equal(shown, want), "%s", json_dumps(shown, 0));
	json_decref(shown);
	json_decref(want);
	json_decref(document);
}
