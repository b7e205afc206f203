/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object that set-stream stores: versions of tables, ids, null. */
#include "master/api/command.h"

#include "common/base/util.h"
#include "master/api/edit.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void expect_equal(json_t *got, const char *wanted)
{
	json_t *value = fakes_json(wanted);
	char *text = json_dumps(got, 0);

	cr_expect(json_equal(got, value), "%s instead of %s", text, wanted);
	free(text);
	json_decref(value);
}

Test(stream, counts_the_versions_of_tables)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{ "{'type':'spts'}",
		  "{'type':'spts','pmt_version':1,'sdt_version':1}" },
		{ "{'type':'spts','pmt_version':1,'sdt_version':30}",
		  "{'type':'spts','pmt_version':2,'sdt_version':31}" },
		{ "{'type':'spts','pmt_version':31,'sdt_version':0}",
		  "{'type':'spts','pmt_version':0,'sdt_version':1}" },
		{ "{'type':'spts','pmt_version':9223372036854775807,"
		  "'sdt_version':32}",
		  "{'type':'spts','pmt_version':0,'sdt_version':1}" },
		{ "{'type':'spts','pat_version':4}",
		  "{'type':'spts','pat_version':4,'pmt_version':1,"
		  "'sdt_version':1}" },
		{ "{'type':'mpts'}",
		  "{'type':'mpts','pat_version':0,'cat_version':0,"
		  "'sdt_version':0,'nit_version':0}" },
		{ "{'type':'mpts','pat_version':0,'cat_version':31,"
		  "'sdt_version':5,'pmt_version':7}",
		  "{'type':'mpts','pat_version':1,'cat_version':0,"
		  "'sdt_version':6,'nit_version':0,'pmt_version':7}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *stream = fakes_json(cases[i].before);

		streams_count_versions(stream);
		expect_equal(stream, cases[i].after);
		json_decref(stream);
	}
}

Test(stream, copies_the_keys_that_are_set)
{
	json_t *wanted = fakes_json("{'id':'a','name':null,'remove':false,"
				    "'up':true,'own':{'x':null},"
				    "'_input':[null]}");
	json_t *copy = edit_entry_copy(wanted);

	expect_equal(copy, "{'id':'a','own':{'x':null},'_input':[null]}");
	/* nothing is shared: the request may be freed */
	cr_assert_neq(json_object_get(copy, "own"),
		      json_object_get(wanted, "own"));
	json_decref(copy);
	json_decref(wanted);
}

Test(stream, gets_an_id_in_base_36_from_the_counter)
{
	static const struct {
		json_int_t gid;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 35, "z" },
		{ 36, "10" },
		{ 466560, "a000" },
		{ 466561, "a001" },
		{ 466595, "a00z" },
		{ INT64_MAX, "1y2p0ij32e8e7" },
	};

	open_world("{}");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_int_t gid = cases[i].gid;
		char text[GID_TEXT_MAX];

		edit_next_id(w.api, &gid, text);
		cr_expect_str_eq(text, cases[i].text);
		cr_expect_eq(gid, cases[i].gid == INT64_MAX
					  ? 0 : cases[i].gid + 1);
	}
}

#define LIST "'input':['file:///media/list.txt#list']"

static void add_recording(void)
{
	(void)post("{'cmd':'set-stream','stream':{'id':'r','enable':true,"
		   "'type':'spts','input':['udp://239.1.1.1:1234'],"
		   "'output':['file:///recordings/r.ts']}}");
	cr_assert_not_null(config_stream(w.config, "r"), "%s", said());
}

Test(stream, without_id_is_not_applied_when_folders_of_recordings_change)
{
	open_world("{'make_stream':[{'enable':true," LIST "}]}");
	add_recording();
}

Test(stream, that_is_second_with_an_id_leaves_the_first_alone)
{
	open_world("{'make_stream':[{'id':'a','enable':true,'type':'spts',"
		   LIST "},{'id':'a','enable':false,'type':'spts',"
		   LIST "}]}");
	add_recording();
	cr_expect(strstr(fakes.told, "run a\n") != NULL, "%s", fakes.told);
	cr_expect(strstr(fakes.told, "stop a\n") == NULL, "%s", fakes.told);
}
