/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list descriptors of a stream. */
#include "common/base/util.h"
#include "proto/spec/stream_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *item, struct stream_spec *ret,
		 struct errmsg *error)
{
	char text[1024];
	json_t *object;
	int r;

	(void)snprintf(text, sizeof text, "{\"descriptors\": [{%s}]}", item);
	for (char *p = text; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	object = json_loads(text, 0, NULL);
	cr_assert_not_null(object, "%s", text);
	r = stream_spec_parse(object, ret, error);
	json_decref(object);
	return r;
}

Test(desc_edit, reads_each_table_and_action)
{
	static const struct {
		const char *item;
		enum edit_table table;
		enum edit_action action;
		enum edit_loop loop;
		uint8_t tag;
	} cases[] = {
		{ "'table':'pmt','hex':'0a04656e6700'", EDIT_PMT, EDIT_ADD,
		  LOOP_TRANSPORT, 10 },
		{ "'table':'sdt','action':'replace','pnr':3,'tag':10,"
		  "'descriptor':{'type_id':10,'lang':'eng','audio_type':0}",
		  EDIT_SDT, EDIT_REPLACE, LOOP_TRANSPORT, 10 },
		{ "'table':'nit','action':'remove','tag':131,"
		  "'loop':'transport'", EDIT_NIT, EDIT_REMOVE, LOOP_TRANSPORT,
		  131 },
		{ "'table':'bat','action':'remove','hex':'4700',"
		  "'loop':'network'", EDIT_BAT, EDIT_REMOVE, LOOP_NETWORK,
		  0x47 },
	};
	struct stream_spec *s = calloc(1, sizeof *s);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct errmsg error = { 0 };
		const struct desc_edit *e = &s->remux.edits[0];

		cr_assert_eq(parse(cases[i].item, s, &error), 0, "%s: %s",
			     cases[i].item, error.text);
		cr_expect_eq(s->remux.n_edits, 1);
		cr_expect_eq(e->table, cases[i].table);
		cr_expect_eq(e->action, cases[i].action);
		cr_expect_eq(e->loop, cases[i].loop);
		cr_expect_eq(desc_edit_tag(e), cases[i].tag);
	}
	free(s);
}

Test(desc_edit, names_the_field_that_is_wrong)
{
	static const struct {
		const char *item, *expected;
	} cases[] = {
		{ "'hex':'0500'", "table: is missing" },
		{ "'table':'eit','hex':'0500'",
		  "table: \"eit\" is not pmt, sdt, nit or bat" },
		{ "'table':'pmt','action':'drop','hex':'0500'",
		  "action: \"drop\" is not add, replace or remove" },
		{ "'table':'pmt'", "descriptor: is missing" },
		{ "'table':'pmt','action':'replace','tag':5",
		  "descriptor: is missing" },
		{ "'table':'pmt','action':'remove'", "tag: is missing" },
		{ "'table':'pmt','hex':'05'", "hex: is not a descriptor of 4 "
		  "to 514 hexadecimal digits" },
		{ "'table':'pmt','hex':'05zz'", "hex: is not a descriptor of "
		  "4 to 514 hexadecimal digits" },
		{ "'table':'pmt','hex':'050212'", "hex: has 1 bytes after its "
		  "length byte, which is 2" },
		{ "'table':'pmt','hex':'0500','descriptor':{'type_id':10,"
		  "'lang':'eng','audio_type':0}",
		  "descriptor: cannot be combined with hex" },
		{ "'table':'pmt','descriptor':{'type_id':10,'lang':'english'}",
		  "descriptor: lang: has 7 bytes instead of 3" },
		{ "'table':'pmt','tag':6,'hex':'0500'",
		  "tag: 6 is not 5, the tag of the descriptor" },
		{ "'table':'sdt','pid':100,'hex':'0500'",
		  "pid: only a PMT has components" },
		{ "'table':'pmt','pid':8191,'hex':'0500'",
		  "pid: 8191 is not between 0 and 8190" },
		{ "'table':'nit','pnr':1,'hex':'0500'",
		  "pnr: only PMT and SDT have programs" },
		{ "'table':'bat','pnr':1,'hex':'0500'",
		  "pnr: only PMT and SDT have programs" },
		{ "'table':'sdt','loop':'network','hex':'0500'",
		  "loop: only NIT and BAT have the loop \"network\"" },
		{ "'table':'nit','loop':'x','hex':'0500'",
		  "loop: \"x\" is not transport or network" },
	};
	struct stream_spec *s = calloc(1, sizeof *s);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct errmsg error = { 0 };
		char expected[200];

		cr_assert_eq(parse(cases[i].item, s, &error), -EINVAL, "%s",
			     cases[i].item);
		(void)snprintf(expected, sizeof expected, "descriptors[0].%s",
			       cases[i].expected);
		cr_expect_str_eq(error.text, expected);
	}
	free(s);
}
