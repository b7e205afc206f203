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

#define LETTERS "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh" \
	"ijkl"
#define LONG_LOGIN LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS \
	LETTERS

Test(check_entries, an_error_of_a_softcam_is_what_set_softcam_refuses)
{
	static const struct {
		const char *list, *found;
	} cases[] = {
		{ "[" CAM("'port':99999") "]", "E softcam[0].port: 99999 is "
					       "not between 1 and 65535\n" },
		{ "[" CAM("'port':'abc'") "]",
		  "E softcam[0].port: \"abc\" is not a whole number between 1 "
		  "and 65535\n" },
		{ "[" CAM("'user':5") "]",
		  "E softcam[0].user: 5 is not a string\n" },
		{ "[" CAM("'user':'" LONG_LOGIN "'") "]",
		  "E softcam[0].user: is longer than 511 bytes\n" },
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

#define ANNA "'anna':{'enable':true,'type':1,'cipher':'$y$a'}"
#define NO_LOGIN ": the user cannot log in until set-user or sluice " \
	"--reset-password sets a password\n"

Test(check_entries, a_user_who_cannot_log_in_is_a_warning)
{
	static const struct {
		const char *user, *found;
	} cases[] = {
		{ "'enable':true,'type':2", "users.o: has no password"
					    NO_LOGIN },
		{ "'enable':true,'type':1,'cipher':'secret'",
		  "users.o: cipher is not the hash of a password" NO_LOGIN },
		{ "'enable':true,'type':2,"
		  "'cipher':'0123456789abcdef0123456789ABCDEF'",
		  "users.o: the hash of the password is of another product"
		  NO_LOGIN },
		{ "'enable':true,'type':1,'cipher':'$y$o'", "" },
		{ "'enable':false,'type':1", "" },
		{ "'enable':true,'type':3", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[256], found[FINDING_LINES] = "";
		json_t *document;

		(void)snprintf(text, sizeof text,
			       "{'settings':{'observer_redact':true},"
			       "'users':{" ANNA ",'o':{%s}}}", cases[i].user);
		document = fakes_json(text);
		(void)check_document(document, NULL, finding_lines_add,
				     found);
		cr_expect_str_eq(found, cases[i].found, "%s: %s",
				 cases[i].user, found);
		json_decref(document);
	}
}
