/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_streamid.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

Test(srt_streamid, names_a_resource_and_a_credential)
{
	static const struct {
		const char *streamid, *path, *query, *host;
	} cases[] = {
		{ "", "", "", "" },
		{ "news", "news", "", "" },
		{ "live/news", "live/news", "", "" },
		{ "token=abc", "", "token=abc", "" },
		{ "token=abc&x=1", "", "token=abc&x=1", "" },
		{ "auth=anna:p%20w", "", "auth=anna:p%20w", "" },
		{ "news?token=abc", "news", "token=abc", "" },
		{ "anna:p w&x", "", "auth=anna%3Ap%20w%26x", "" },
		{ "anna:a:b", "", "auth=anna%3Aa%3Ab", "" },
		{ "#!::r=news,u=anna,s=p w", "news", "auth=anna%3Ap%20w", "" },
		{ "#!::s=abc", "", "token=abc", "" },
		{ "#!::token=a=b,r=x", "x", "token=a%3Db", "" },
		{ "#!::m=request,t=stream,h=tv.example,r=x", "x", "",
		  "tv.example" },
		{ "#!::u=anna", "", "", "" },
		{ "#!::", "", "", "" },
		{ "#!::r=news,", "news", "", "" },
		{ "#!::bmd_uuid=12,r=x", "x", "", "" },
		{ "\xc3\xa4", "\xc3\xa4", "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct srt_request r;

		cr_expect_eq(srt_streamid_read(cases[i].streamid, &r),
			     SRT_REQUEST_OK, "%s", cases[i].streamid);
		cr_expect_str_eq(r.path, cases[i].path, "%s",
				 cases[i].streamid);
		cr_expect_str_eq(r.query, cases[i].query, "%s",
				 cases[i].streamid);
		cr_expect_str_eq(r.host, cases[i].host, "%s",
				 cases[i].streamid);
	}
}

Test(srt_streamid, rejects_what_two_readers_understand_differently)
{
	static const char *const bad[] = {
		"#!", "#!{r=news}", "#!::r", "#!::=x", "#!::,r=x",
		"#!::r=a,r=b", "#!::s=a,token=b", "token=a b",
		"token=\xc3\xa4", "a\nb", "\xff", "news\x7f",
	};
	char longest[SRT_STREAMID_MAX + 2];
	struct srt_request r;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect_eq(srt_streamid_read(bad[i], &r),
			     SRT_REQUEST_MALFORMED, "%s", bad[i]);
	memset(longest, ':', sizeof longest);
	longest[SRT_STREAMID_MAX + 1] = '\0';
	cr_expect_eq(srt_streamid_read(longest, &r), SRT_REQUEST_MALFORMED);
	/* all bytes of the longest one are escaped */
	longest[SRT_STREAMID_MAX] = '\0';
	cr_expect_eq(srt_streamid_read(longest, &r), SRT_REQUEST_OK);
	cr_expect_eq(strlen(r.query), 5 + 3 * (size_t)SRT_STREAMID_MAX);
}

Test(srt_streamid, a_caller_that_sends_is_no_receiver)
{
	struct srt_request r;

	cr_expect_eq(srt_streamid_read("#!::r=a,m=publish", &r),
		     SRT_REQUEST_MODE);
	cr_expect_eq(srt_streamid_read("#!::m=bidirectional", &r),
		     SRT_REQUEST_MODE);
	cr_expect_eq(srt_streamid_read("#!::t=file", &r), SRT_REQUEST_MODE);
}

Test(srt_streamid, a_resource_has_its_name_in_each_form)
{
	cr_expect(srt_streamid_names("news", "news"));
	cr_expect(srt_streamid_names("#!::r=news,u=anna,s=x", "news"));
	cr_expect(srt_streamid_names("news?token=x", "news"));
	/* the whole text of older configurations */
	cr_expect(srt_streamid_names("#!::m=publish,r=a", "#!::m=publish,r=a"));
	cr_expect_not(srt_streamid_names("#!::m=publish,r=news", "news"));
	cr_expect_not(srt_streamid_names("token=news", "news"));
	cr_expect_not(srt_streamid_names("", "news"));
}
