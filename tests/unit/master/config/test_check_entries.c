/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/config/check.h"
#include "tests/unit/master/config/finding_lines.h"
#include "tests/unit/master/fakes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define CAM(key) "{'id':'s','name':'S','type':'newcamd','host':'h'," \
	"'port':1,'user':'u','pass':'p'," key "}"

Test(check_entries, an_error_of_a_softcam_is_what_set_softcam_refuses)
{
	static const struct {
		const char *list, *found;
	} cases[] = {
		{ "[" CAM("'port':99999") "]", "E softcam[0].port: 99999 is "
					       "not between 1 and 65535\n" },
		{ "[" CAM("'port':'abc'") "]",
		  "E softcam[0].port: is not a whole number between 1 "
		  "and 65535\n" },
		{ "[" CAM("'user':5") "]",
		  "E softcam[0].user: is not a string\n" },
		{ "[" CAM("'key':'1'") "]", "softcam[0].key: is not 28 "
		  "hexadecimal digits: the default is used\n" },
		{ "[{'name':'S'}]", "E softcam[0].id: is not 1 to 64 "
		  "characters of A-Z a-z 0-9 _ . -: the softcam is not "
		  "used\n" },
		{ "[" CAM("'x':1") "," CAM("'x':1") "]",
		  "E softcam[1].id: \"s\" is already the id of softcam[0]: the "
		  "softcam is not used\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = json_pack("{s:o}", "softcam",
					     fakes_json(cases[i].list));
		char found[FINDING_LINES] = "";

		(void)check_document(document, NULL, finding_lines_add,
				     found);
		cr_expect_str_eq(found, cases[i].found, "%s: %s",
				 cases[i].list, found);
		json_decref(document);
	}
}
