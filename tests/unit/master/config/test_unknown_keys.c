/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/unknown_keys.h"
#include "master/config/config_fields.h"
#include "proto/spec/ci_spec.h"
#include "proto/spec/stream_spec.h"
#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"
#include "tests/unit/quoted.h"
#include "tests/unit/master/config/finding_lines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void finds(const char *text, const char *want)
{
	json_t *document = quoted(text);
	char all[FINDING_LINES] = "";

	unknown_keys_find(document, finding_lines_add, all);
	idle_streams_find(document, finding_lines_add, all);
	cr_assert_str_eq(all, want);
	json_decref(document);
}

Test(unknown_keys, known_and_marked_keys_are_not_reported)
{
	finds("{'gid':1,'settings':{'control_port':'1','_old':2},"
	      "'make_stream':[{'id':'a','type':'spts','enable':true,"
	      "'input':['udp://239.1.1.1:1'],'output':[],'map':[],"
	      "'_input':[]}],'_note':'x','output':[]}", "");
}

/* Only the tables of a section say what it may have. */
Test(unknown_keys, every_row_of_every_table_is_known)
{
	static const struct field_table *const some[] = {
		&tuner_fields, &t2mi_fields, &ci_fields, &stream_option_fields,
	};
	unsigned n = 0;

	for (size_t i = 0; i < n_config_sections; i++) {
		const struct config_section *s = &config_sections[i];
		json_t *object = json_object(), *document;
		char all[FINDING_LINES] = "";

		for (size_t k = 0; s->tables[k] != NULL; k++) {
			for (size_t r = 0; r < s->tables[k]->n; r++)
				(void)json_object_set_new(
					object, s->tables[k]->rows[r].key,
					json_null());
			for (size_t m = 0; m < ARRAY_LEN(some); m++)
				n += s->tables[k] == some[m];
		}
		document = s->list ? json_pack("{s:[O]}", s->key, object)
				   : json_pack("{s:O}", s->key, object);
		unknown_keys_find(document, finding_lines_add, all);
		cr_expect_str_empty(all, "%s", all);
		json_decref(document);
		json_decref(object);
	}
	cr_expect_eq(n, ARRAY_LEN(some));
	finds("{'dvb_tune':[{'t2mi':true,'t2mi_pid':4096,'plp':1,'ddci':2,"
	      "'ddci_device':0,'bitrate':70,'ca_pmt_delay':3}]}", "");
}

Test(unknown_keys, a_key_with_a_missing_letter_is_reported_with_the_likely_key)
{
	finds("{'make_steam':[]}", ": \"make_steam\" is not known; is it "
	      "\"make_stream\"?\n");
	finds("{'settings':{'contol_port':'1'}}", "settings: \"contol_port\" "
	      "is not known; is it \"control_port\"?\n");
	finds("{'log':{'degub':true}}", "log: \"degub\" is not known; is it "
	      "\"debug\"?\n");
	finds("{'auth':{'promote':1}}", "auth: \"promote\" is not known; is "
	      "it \"promo\"?\n");
}

Test(unknown_keys, servers_categories_and_their_groups_are_looked_at)
{
	struct check_entry entry = { .section = "categories",
				     .path = "category" };
	char all[FINDING_LINES] = "";

	finds("{'servers':[{'host':'h','hosts':'h'}],'categories':[{'name':"
	      "'c','group':[],'groups':[{'name':'g','names':'g'}]}]}",
	      "servers[0]: \"hosts\" is not known; is it \"host\"?\n"
	      "categories[0]: \"group\" is not known; is it \"groups\"?\n"
	      "categories[0].groups[0]: \"names\" is not known; is it "
	      "\"name\"?\n");
	entry.entry = quoted("{'name':'c','groups':[{},{'names':'g'}]}");
	unknown_keys_find_entry(&entry, finding_lines_add, all);
	cr_assert_str_eq(all, "category.groups[1]: \"names\" is not known; "
			 "is it \"name\"?\n");
	json_decref((json_t *)entry.entry);
}

Test(unknown_keys, a_key_unlike_any_other_is_named_alone)
{
	finds("{'something':1}", ": \"something\" is not known\n");
	/* nearer to another key than to itself is no typing error */
	finds("{'x':1}", ": \"x\" is not known\n");
}

Test(unknown_keys, an_enabled_stream_that_cannot_run_is_named)
{
	finds("{'make_stream':[{'id':'a','type':'spts','enable':true,"
	      "'inputs':['udp://239.1.1.1:1']}]}",
	      "make_stream[0]: \"inputs\" is not known; is it \"input\"?\n"
	      "make_stream[0]: is enabled and does not run: input: the list is "
	      "empty\n");
	finds("{'make_stream':[{'id':'a','type':'spts','enable':false}]}",
	      "");
}

Test(unknown_keys, one_stream_has_the_warnings_of_the_document)
{
	json_t *stream = quoted("{'id':'a','type':'spts','enable':true,"
				"'inputs':['udp://239.1.1.1:1'],'own':1}");
	char all[FINDING_LINES] = "";

	unknown_keys_find_stream(stream, "stream", finding_lines_add, all);
	cr_assert_str_eq(all, "stream: \"inputs\" is not known; is it "
			      "\"input\"?\n"
			      "stream: \"own\" is not known\n"
			      "stream: is enabled and does not run: input: the "
			      "list is empty\n");
	json_decref(stream);
}

Test(unknown_keys, accepts_any_json_value)
{
	finds("{'settings':[],'make_stream':5,'auth':null}", "");
	finds("{'make_stream':[5,null,{}]}", "");
}
