/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/api/stream_edit.h"

#include "master/api/edit.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 'x' for "x", so that the tables read like JSON */
static json_t *parse(const char *text)
{
	char *copy = strdup(text);
	json_t *value;

	for (char *c = copy; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	value = json_loads(copy, 0, NULL);
	cr_assert_not_null(value, "%s", copy);
	free(copy);
	return value;
}

static void expect_equal(json_t *got, const char *wanted)
{
	json_t *value = parse(wanted);
	char *text = json_dumps(got, 0);

	cr_expect(json_equal(got, value), "%s instead of %s", text, wanted);
	free(text);
	json_decref(value);
}

Test(stream_edit, counts_the_versions_of_tables)
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
		json_t *stream = parse(cases[i].before);

		stream_edit_versions(stream);
		expect_equal(stream, cases[i].after);
		json_decref(stream);
	}
}

Test(stream_edit, copies_what_is_set)
{
	json_t *wanted = parse("{'id':'a','name':null,'remove':false,"
			       "'up':true,'own':{'x':null},'_input':[null]}");
	json_t *copy = edit_entry_copy(wanted);

	expect_equal(copy, "{'id':'a','own':{'x':null},'_input':[null]}");
	/* nothing is shared: the request may be freed */
	cr_assert_neq(json_object_get(copy, "own"),
		      json_object_get(wanted, "own"));
	json_decref(copy);
	json_decref(wanted);
}

Test(stream_edit, writes_ids_in_base_36)
{
	static const struct {
		json_int_t gid;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 35, "z" },
		{ 36, "10" },
		{ GID_FIRST, "a000" },
		{ GID_FIRST + 1, "a001" },
		{ GID_FIRST + 35, "a00z" },
		{ INT64_MAX, "1y2p0ij32e8e7" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[GID_TEXT_MAX];

		gid_format(cases[i].gid, text);
		cr_expect_str_eq(text, cases[i].text);
	}
}
