/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/epg_export.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

Test(epg_source, is_a_file_or_a_server)
{
	struct epg_source_spec s;
	struct errmsg error;

	cr_assert_eq(epg_source_parse("file:///srv/tv.xml", &s, &error), 0);
	cr_assert_str_eq(s.path, "/srv/tv.xml");
	cr_assert_eq(s.interval_s, EPG_INTERVAL_DEFAULT_S);
	cr_assert_eq(epg_source_parse("https://u:p@h/tv.gz?a=b#interval=60&"
				      "timeout=5&insecure&follow=any&ua=x&"
				      "ca=/etc/ca.pem", &s, &error), 0);
	cr_assert_str_empty(s.path);
	cr_assert_str_eq(s.http.url, "https://u:p@h/tv.gz?a=b");
	cr_assert_eq(s.interval_s, 60);
	cr_assert_eq(s.http.timeout_s, 5);
	cr_assert(s.http.insecure);
	cr_assert_eq(s.http.follow, FOLLOW_ANY);
	cr_assert_str_eq(s.http.ca, "/etc/ca.pem");
}

Test(epg_export, is_a_file_or_a_server)
{
	struct epg_export_spec s;
	struct errmsg error;

	cr_assert_eq(epg_export_parse("file:///srv/tv.xml", &s, &error), 0);
	cr_assert_str_eq(s.to.path, "/srv/tv.xml");
	cr_assert_eq(s.to.interval_s, EPG_EXPORT_INTERVAL_S);
	cr_assert_eq(s.format, EPG_FORMAT_XMLTV);
	cr_assert(!s.gzip);
	cr_assert_eq(epg_export_parse("http://h/x#format=json&gzip&interval=7",
				      &s, &error), 0);
	cr_assert_str_empty(s.to.path);
	cr_assert_str_eq(s.to.http.url, "http://h/x");
	cr_assert_eq(s.format, EPG_FORMAT_JSON);
	cr_assert(s.gzip);
	cr_assert_eq(s.to.interval_s, 7);
	cr_assert_eq(epg_export_parse("http://h/x#follow=any", &s, &error),
		     -EINVAL);
	cr_assert_str_eq(error.text, "option \"follow\" is not known");
}

Test(epg_source, an_address_with_an_error_is_refused)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{ "udp://239.1.1.1:1234", "type: \"udp\" is none of file, "
					  "http, https" },
		{ "file://tv.xml", "path: does not begin with '/'" },
		{ "file:///srv/", "path: is a folder" },
		{ "http://h/x#ca=x", "ca: \"x\" is not an absolute path" },
		{ "http://h/x#loop", "option \"loop\" is not known" },
		{ "http://h/x#intervall=60", "option \"intervall\" is not "
		  "known; is it \"interval\"?" },
		{ "http://h/x#interval=604801",
		  "interval: 604801 is not between 1 and 604800 s" },
	};
	struct epg_source_spec s;
	struct errmsg error;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cr_assert_eq(epg_source_parse(cases[i].text, &s, &error),
			     -EINVAL, "%s", cases[i].text);
		cr_assert_str_eq(error.text, cases[i].wanted);
	}
}

static void add_remark(const char *text, void *arg)
{
	(void)snprintf((char *)arg + strlen(arg), 256, "%s\n", text);
}

Test(epg_source, options_of_servers_do_nothing_with_a_file)
{
	char said[512] = "";

	epg_source_remark("file:///a.xml#interval=60&timeout=5&insecure",
			  add_remark, said);
	cr_assert_str_eq(said, "timeout: does nothing with a file\n"
			       "insecure: does nothing with a file\n");
	said[0] = '\0';
	epg_source_remark("http://h/a#interval=60&timeout=5&insecure",
			  add_remark, said);
	cr_assert_str_empty(said);
}
