/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ctl_settings.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

Test(settings, completes_a_typed_address)
{
	static const struct {
		const char *typed, *url;
	} cases[] = {
		{ "head1", "http://head1:8000" },
		{ "10.0.0.1:81", "http://10.0.0.1:81" },
		{ "[::1]:8000", "http://[::1]:8000" },
		{ "head1/tv/", "http://head1:8000/tv" },
		{ "http://head1", "http://head1" },
		{ "https://head1:8443/tv//", "https://head1:8443/tv" },
	};
	struct errmsg why;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *url = settings_url(cases[i].typed, &why);

		cr_assert_not_null(url, "%s: %s", cases[i].typed, why.text);
		cr_assert_str_eq(url, cases[i].url);
		free(url);
	}
}

Test(settings, refuses_addresses_it_cannot_or_must_not_use)
{
	static const char *const wrong[] = {
		"", "ftp://head1", "http://", "http://a:b@head1",
		"admin@head1", "head1:99999", "http://head1/?x=1",
		"http://head1/#x", "file:///etc/passwd", "he ad",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct errmsg why = { 0 };

		cr_assert_null(settings_url(wrong[i], &why), "%s", wrong[i]);
		cr_assert_neq(why.text[0], '\0', "%s", wrong[i]);
	}
}

Test(settings, accepts_a_password_file_that_only_its_owner_reads)
{
	cr_assert(settings_is_private("http://127.0.0.1:8000"));
	cr_assert(settings_is_private("http://[::1]:8000"));
	cr_assert(settings_is_private("http://localhost/tv"));
	cr_assert(settings_is_private("https://head1"));
	cr_assert_not(settings_is_private("http://head1:8000"));
	cr_assert_not(settings_is_private("http://127.0.0.1.example"));
}

static const char file[] =
	"# where\n"
	"url = head0\n"
	"timeout=5\r\n"
	"\n"
	"[head1]\n"
	"  url = https://head1:8000 \n"
	"user = olga\n"
	"insecure = true\n"
	"[head2]\n"
	"cacert = /etc/ca.pem\n";

Test(settings, reads_the_lines_of_the_name_and_those_before_any)
{
	struct settings s = { 0 };
	struct errmsg why;
	bool found;

	cr_assert_eq(settings_parse(file, "head1", &s, &found, &why), 0);
	cr_assert(found);
	cr_assert_str_eq(s.url, "https://head1:8000");
	cr_assert_str_eq(s.user, "olga");
	cr_assert(s.insecure);
	cr_assert_null(s.cacert);
	cr_assert_eq(s.timeout_s, 5);
	settings_done(&s);

	cr_assert_eq(settings_parse(file, "head9", &s, &found, &why), 0);
	cr_assert_not(found);
	cr_assert_str_eq(s.url, "http://head0:8000");
	settings_done(&s);
}

Test(settings, names_the_line_that_is_wrong)
{
	static const char *const wrong[] = {
		"a\n", "url = \n", "timeout = 0\n", "timeout = x\n",
		"insecure = yes\n", "[name\n", "colour = red\n",
		"[other]\nurl = ftp://x\n",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct settings s = { 0 };
		struct errmsg why = { 0 };

		cr_assert_eq(settings_parse(wrong[i], NULL, &s, NULL, &why),
			     -EINVAL, "%s", wrong[i]);
		cr_assert_eq(strncmp(why.text, "line ", 5), 0, "%s", why.text);
		settings_done(&s);
	}
}

Test(settings, command_line_goes_before_environment_before_default)
{
	struct options o = { .config = "/dev/null" };
	struct settings s;
	struct errmsg why;

	unsetenv("SLUICE_URL");
	cr_assert_eq(settings_load(&o, &s, &why), 0);
	cr_assert_str_eq(s.url, "http://127.0.0.1:8000");
	settings_done(&s);
	setenv("SLUICE_URL", "head1", 1);
	cr_assert_eq(settings_load(&o, &s, &why), 0);
	cr_assert_str_eq(s.url, "http://head1:8000");
	settings_done(&s);
	o.host = "head2";
	cr_assert_eq(settings_load(&o, &s, &why), 0);
	cr_assert_str_eq(s.url, "http://head2:8000");
	settings_done(&s);
}
