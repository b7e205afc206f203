/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/user.h"

#include <criterion/criterion.h>

static json_t *document(const char *entry)
{
	json_t *d = json_object(), *users = json_object();

	(void)json_object_set_new(users, "u",
				  json_loads(entry, JSON_DECODE_ANY, NULL));
	(void)json_object_set_new(d, "users", users);
	return d;
}

Test(user, enters_when_enabled_and_of_type_1_or_2)
{
	static const struct {
		const char *entry;
		bool enters;
	} cases[] = {
		{ "{\"enable\":true,\"type\":1}", true },
		{ "{\"enable\":true,\"type\":2}", true },
		{ "{\"enable\":true,\"type\":1.0}", true },
		{ "{\"enable\":true,\"type\":3}", false },
		{ "{\"enable\":true,\"type\":0}", false },
		{ "{\"enable\":true,\"type\":1.5}", false },
		{ "{\"enable\":true,\"type\":\"1\"}", false },
		{ "{\"enable\":true,\"type\":true}", false },
		{ "{\"enable\":true}", false },
		{ "{\"enable\":false,\"type\":1}", false },
		{ "{\"enable\":1,\"type\":1}", false },
		{ "{\"type\":1}", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *d = document(cases[i].entry);
		struct user u;

		cr_assert(user_find(d, "u", &u), "%s", cases[i].entry);
		cr_expect_eq(user_may_enter(&u), cases[i].enters, "%s",
			     cases[i].entry);
		json_decref(d);
	}
}

Test(user, is_not_found_in_an_empty_configuration)
{
	static const char *const documents[] = {
		"{}", "{\"users\":[]}", "{\"users\":{}}", "{\"users\":7}",
		"{\"users\":{\"u\":true}}", "{\"users\":{\"v\":{}}}",
	};

	for (size_t i = 0; i < ARRAY_LEN(documents); i++) {
		json_t *d = json_loads(documents[i], 0, NULL);
		struct user u;

		cr_expect_not(user_find(d, "u", &u), "%s", documents[i]);
		cr_expect_eq(user_none(d), i < 4, "%s", documents[i]);
		json_decref(d);
	}
}

Test(user, detects_its_cipher)
{
	static const struct {
		const char *entry;
		enum user_cipher kind;
	} cases[] = {
		{ "{}", CIPHER_NONE },
		{ "{\"cipher\":7}", CIPHER_NONE },
		{ "{\"cipher\":\"\"}", CIPHER_NONE },
		{ "{\"cipher\":\"*\"}", CIPHER_NONE },
		{ "{\"cipher\":\"$y$j9T$x$y\"}", CIPHER_CRYPT },
		{ "{\"cipher\":\"0123456789abcdefABCDEF0123456789\"}",
		  CIPHER_OLD },
		{ "{\"cipher\":\"0123456789abcdef0123456789abcdeg\"}",
		  CIPHER_NONE },
		{ "{\"cipher\":\"0123456789abcdef0123456789abcde\"}",
		  CIPHER_NONE },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *d = document(cases[i].entry);
		struct user u;

		cr_assert(user_find(d, "u", &u));
		cr_expect_eq(user_cipher(&u), cases[i].kind, "%s",
			     cases[i].entry);
		json_decref(d);
	}
}
