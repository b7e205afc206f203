/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "proto/si/cue_command.h"
#include "proto/si/record.h"
#include "tests/unit/proto/si/json_eq.h"

#include <criterion/criterion.h>

#include <errno.h>

static int read(const char *text, struct cue_command *ret,
		struct errmsg *error)
{
	json_t *cue = json_of(text);
	int err = cue_command_read(cue, ret, error);

	json_decref(cue);
	return err;
}

Test(cue_command, has_defaults)
{
	static const struct {
		const char *cue;
		bool timed;
		unsigned pre_roll_ms;
		const char *record; /* behind the common fields */
	} list[] = {
		{ "{'command': 'splice_null'}", false, 4000,
		  "'command': 'splice_null'" },
		{ "{'command': 'time_signal', 'pre_roll': 100}", true, 100,
		  "'command': 'time_signal', 'pts_time': 0" },
		{ "{'command': 'time_signal', 'pre_roll': 0}", false, 0,
		  "'command': 'time_signal'" },
		{ "{'command': 'splice_insert', 'event_id': 7,"
		  "'out_of_network': true, 'duration': 90}", true, 4000,
		  "'command': 'splice_insert', 'event_id': 7, 'cancel': false,"
		  "'out_of_network': true, 'immediate': false, 'pts_time': 0,"
		  "'duration': 90, 'auto_return': true, 'unique_program_id': 0,"
		  "'avail_num': 0, 'avails_expected': 0" },
		{ "{'command': 'splice_insert', 'event_id': 7,"
		  "'out_of_network': false, 'pre_roll': 0}", false, 0,
		  "'command': 'splice_insert', 'event_id': 7, 'cancel': false,"
		  "'out_of_network': false, 'immediate': true,"
		  "'unique_program_id': 0, 'avail_num': 0,"
		  "'avails_expected': 0" },
		{ "{'command': 'splice_insert', 'event_id': 7,"
		  "'cancel': true}", false, 4000,
		  "'command': 'splice_insert', 'event_id': 7,"
		  "'cancel': true" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		struct cue_command c;
		struct errmsg error = { "" };
		char text[1024];

		cr_assert_eq(read(list[i].cue, &c, &error), 0, "%s: %s",
			     list[i].cue, error.text);
		cr_expect_eq(c.timed, list[i].timed, "%s", list[i].cue);
		cr_expect_eq(c.pre_roll_ms, list[i].pre_roll_ms);
		(void)snprintf(text, sizeof text, "{'table_id': 252,"
			       "'protocol_version': 0, 'encrypted': false,"
			       "'encryption_algorithm': 0, 'pts_adjustment': 0,"
			       "'cw_index': 255, 'tier': 4095,"
			       "'descriptors': [], %s}", list[i].record);
		expect_json(c.record, text);
	}
}

Test(cue_command, names_the_field_that_is_wrong)
{
	static const char *const list[][2] = {
		{ "[]", "is not an object" },
		{ "{}", "command: is missing" },
		{ "{'command': 'insert'}", "command: \"insert\" is not a "
					   "command of SCTE 35" },
		{ "{'command': 'splice_insert'}", "event_id: is missing" },
		{ "{'command': 'splice_insert', 'event_id': 1}",
		  "out_of_network: is missing" },
		{ "{'command': 'splice_insert', 'event_id': 4294967296,"
		  "'cancel': true}",
		  "event_id: 4294967296 is not between 0 and 4294967295" },
		{ "{'command': 'time_signal', 'pre_roll': 600001}",
		  "pre_roll: is not a number of milliseconds between 0 and "
		  "600000" },
		{ "{'command': 'time_signal', 'pre_roll': '1'}",
		  "pre_roll: is not a number of milliseconds between 0 and "
		  "600000" },
		{ "{'command': 'time_signal', 'pts_time': 1}",
		  "pts_time: is never given: it follows from pre_roll" },
		{ "{'command': 'time_signal', 'event_id': 1}",
		  "event_id: is not a field of what these keys describe" },
		{ "{'command': 'time_signal', 'table_id': 112, 'utc': 1}",
		  "command: is not a field of what these keys describe" },
		{ "{'command': 'time_signal', 'table_id': 112, 'raw':"
		  "'707005c079124500'}",
		  "raw: the section has a time of its own, which is not that "
		  "of the output: leave raw out" },
		{ "{'command': 'time_signal', 'descriptors': [{'type_id': 0,"
		  "'identifier': 'CUEI'}]}",
		  "descriptors[0].provider_avail_id: is missing" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		struct cue_command c;
		struct errmsg error = { "" };

		cr_expect_lt(read(list[i][0], &c, &error), 0, "%s",
			     list[i][0]);
		cr_expect_str_eq(error.text, list[i][1]);
	}
}

Test(cue_command, has_a_bounded_size)
{
	static char text[CUE_TEXT_MAX + 64];
	struct cue_command c;
	struct errmsg error = { "" };

	(void)snprintf(text, sizeof text, "{'command': 'splice_null', 'error':"
		       " '%0*d'}", CUE_TEXT_MAX, 0);
	cr_expect_eq(read(text, &c, &error), -EBADMSG);
	cr_expect_str_eq(error.text, "is longer than 16384 bytes");
}
