/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/config/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	cr_expect_eq(severity, CHECK_FAULT, "%s: %s", path, text);
	(void)snprintf(all + len, 512 - len, "%s: %s\n", path, text);
}

#define LETTERS " is not 1 to 64 letters, digits, spaces (not at an end) " \
	"and - _ . & + /\n"

Test(check_categories, an_error_is_what_set_category_refuses)
{
	static const struct {
		const char *list, *found;
	} cases[] = {
		{ "[{\"name\":\"News & more\",\"groups\":[{\"name\":\"A\"},"
		  "{\"name\":\"B\"}]},{\"name\":\"B\",\"groups\":{}},"
		  "{\"name\":\"C\"}]", "" },
		{ "[{}]", "categories[0].name: is missing\n" },
		{ "[{\"name\":\"\"}]", "categories[0].name: \"\"" LETTERS },
		{ "[{\"name\":\" x\"}]", "categories[0].name: \" x\"" LETTERS },
		{ "[{\"name\":\"a/b*\"}]",
		  "categories[0].name: \"a/b*\"" LETTERS },
		{ "[{\"name\":\"x\"},{\"name\":\"x\"}]",
		  "categories[1].name: \"x\" is already the name of entry "
		  "[0]\n" },
		{ "[{\"name\":\"x\",\"groups\":[{\"name\":\"A\"},"
		  "{\"name\":\"A\"},{\"name\":\"-?\"}]}]",
		  "categories[0].groups[1].name: \"A\" is already the name of "
		  "entry [0]\n"
		  "categories[0].groups[2].name: \"-?\"" LETTERS },
		{ "[{\"name\":\"x\",\"groups\":\"x\"}]",
		  "categories[0].groups: is not a list\n" },
		{ "[{\"name\":\"x\",\"groups\":{\"a\":1}}]",
		  "categories[0].groups: is not a list\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *document = json_pack("{s:o}", "categories", json_loads(
			cases[i].list, 0, NULL));
		char found[512] = "";

		cr_assert_not_null(document);
		(void)check_document(document, NULL, note, found);
		cr_expect_str_eq(found, cases[i].found, "%s: %s",
				 cases[i].list, found);
		json_decref(document);
	}
}
