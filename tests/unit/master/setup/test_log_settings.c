/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/log_settings.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct log_settings start = {
	.to_stdout = true,
	.filename = "/start",
	.max_file_size = 7,
	.syslog = "start",
};

static struct log_settings read(const char *text)
{
	json_t *section = json_loads(text, 0, NULL);
	struct log_settings s;

	cr_assert_not_null(section, "%s", text);
	log_settings_read(section, &start, &s);
	json_decref(section);
	return s;
}

Test(log_settings, without_a_section_all_is_as_at_the_start)
{
	static const char *const texts[] = {
		"{}", "[]",
		"{\"debug\":1,\"stdout\":\"no\",\"filename\":7,\"syslog\":[],"
		"\"max_file_size\":\"2\",\"api_access\":null}",
	};
	struct log_settings none;

	log_settings_read(NULL, &start, &none);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct log_settings s = read(texts[i]);

		cr_expect(!s.debug && !none.debug);
		cr_expect(s.to_stdout && none.to_stdout);
		cr_expect(!s.api_access && !none.api_access);
		cr_expect_str_eq(s.filename, "/start");
		cr_expect_str_eq(none.filename, "/start");
		cr_expect_str_eq(s.syslog, "start");
		cr_expect_eq(s.max_file_size, 7u);
		cr_expect_eq(none.max_file_size, 7u);
	}
}

Test(log_settings, values_of_the_section_apply)
{
	struct log_settings s = read(
		"{\"debug\":true,\"stdout\":false,\"filename\":\"\","
		"\"syslog\":\"\",\"max_file_size\":2,\"api_access\":true}");

	cr_expect(s.debug && !s.to_stdout && s.api_access);
	cr_expect_str_eq(s.filename, "");
	cr_expect_str_eq(s.syslog, "");
	cr_expect_eq(s.max_file_size, 2u << 20);
}

Test(log_settings, sizes)
{
	cr_expect_eq(read("{\"max_file_size\":0}").max_file_size, 0u);
	cr_expect_eq(read("{\"max_file_size\":-1}").max_file_size, 0u);
	cr_expect_eq(read("{\"max_file_size\":0.5}").max_file_size, 1u << 19);
	cr_expect_eq(read("{\"max_file_size\":1e300}").max_file_size,
		     1ull << 40);
}

Test(log_settings, a_value_that_is_too_long_does_not_apply)
{
	char text[LOG_IDENT_MAX + 32];

	(void)memset(text, 'x', sizeof text);
	(void)memcpy(text, "{\"syslog\":\"", 11);
	(void)memcpy(text + sizeof text - 3, "\"}", 3);
	cr_expect_str_eq(read(text).syslog, "start");
}
