/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/setup/options.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <string.h>

enum { ARGS_MAX = 8 };

static bool parse(const char *const *words, struct options *o, int *code)
{
	char *argv[ARGS_MAX + 2] = { (char *)"sluice" };
	int argc = 1;

	for (; words[argc - 1] != NULL; argc++)
		argv[argc] = (char *)words[argc - 1];
	return options_parse(argc, argv, o, code);
}

Test(options, reads_them_all)
{
	static const char *const forms[][ARGS_MAX] = {
		{ "-c", "x.json", "-p", "9000", "--no-web-auth", NULL },
		{ "--config=x.json", "--port", "9000", "--no-web-auth", NULL },
		{ "--no-web-auth", "-p9000", "-cx.json", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		struct options o;
		int code = -1;

		cr_assert(parse(forms[i], &o, &code));
		cr_assert_str_eq(o.config_path, "x.json");
		cr_assert_str_eq(o.port, "9000");
		cr_assert(o.no_web_auth);
	}
}

Test(options, has_defaults)
{
	struct options o;
	int code;

	cr_assert(parse((const char *[]){ NULL }, &o, &code));
	cr_assert_null(o.config_path);
	cr_assert_null(o.port);
	cr_assert_not(o.no_web_auth);
}

Test(options, ends_with_64_for_a_wrong_line, .init = cr_redirect_stderr)
{
	static const char *const wrong[][ARGS_MAX] = {
		{ "-x", NULL },
		{ "--nothing", NULL },
		{ "-c", NULL },
		{ "-c", "", NULL },
		{ "-p", "70000", NULL },
		{ "-p", "0", NULL },
		{ "-p", "http", NULL },
		{ "-t", NULL },
		{ "x.json", NULL },
		{ "-t", "-c", "x.json", "y.json", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct options o;
		int code = -1;

		cr_expect_not(parse(wrong[i], &o, &code), "%s", wrong[i][0]);
		cr_expect_eq(code, 64, "%s", wrong[i][0]);
	}
}

Test(options, checks_a_file, .init = cr_redirect_stderr)
{
	struct options o;
	int code = -1;

	cr_assert_not(parse((const char *[]){ "-t", "-c", "/no/such", NULL },
			    &o, &code));
	cr_assert_eq(code, 78);
	cr_assert_stderr_eq_str("/no/such: cannot be read: "
				"No such file or directory\n");
}

Test(options, prints_its_version, .init = cr_redirect_stdout)
{
	struct options o;
	int code = -1;

	cr_assert_not(parse((const char *[]){ "-V", NULL }, &o, &code));
	cr_assert_eq(code, 0);
}

Test(options, finds_where_to_listen)
{
	static const struct {
		const char *port, *setting; /* JSON text */
		const char *address;        /* NULL: rejected */
		const char *why;
	} cases[] = {
		{ NULL, NULL, "0.0.0.0:8000", NULL },
		{ NULL, "\"9000\"", "0.0.0.0:9000", NULL },
		{ NULL, "\"127.0.0.1:9000\"", "127.0.0.1:9000", NULL },
		{ NULL, "\"[::1]:9000\"", "[::1]:9000", NULL },
		{ "7000", "\"127.0.0.1:9000\"", "0.0.0.0:7000", NULL },
		{ "127.0.0.1:7000", NULL, "127.0.0.1:7000", NULL },
		{ NULL, "9000", NULL,
		  "settings.control_port: 9000 is not a string: write "
		  "\"9000\" or \"<address>:9000\"" },
		{ "7000", "9000", NULL,
		  "settings.control_port: 9000 is not a string: write "
		  "\"9000\" or \"<address>:9000\"" },
		{ "7000", "\"x\"", NULL,
		  "settings.control_port: \"x\" is not a port (1 to 65535)" },
		{ NULL, "\"1.2.3.4\"", NULL,
		  "settings.control_port: \"1.2.3.4\" is not \"8000\" or "
		  "\"<address>:<port>\"" },
		{ NULL, "\"70000\"", NULL,
		  "settings.control_port: port: 70000 is not a port (1 to "
		  "65535)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o = { .port = cases[i].port };
		json_t *setting = cases[i].setting == NULL
					  ? NULL
					  : json_loads(cases[i].setting,
						       JSON_DECODE_ANY, NULL);
		struct sockaddr_any any;
		struct errmsg why = { 0 };
		char text[SOCKADDR_TEXT_MAX] = "";
		int r = options_control_address(&o, setting, &any, &why);

		if (cases[i].address == NULL) {
			cr_expect_eq(r, -EINVAL);
			cr_expect_str_eq(why.text, cases[i].why);
		} else {
			cr_assert_eq(r, 0, "%s", why.text);
			sockaddr_format(&any, text);
			cr_expect_str_eq(text, cases[i].address);
		}
		json_decref(setting);
	}
}
