/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/sdp.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=x\r\nt=0 0\r\n"

static struct session_description d;

static void parse(const char *text)
{
	struct errmsg error = { 0 };

	cr_assert_eq(sdp_parse(text, strlen(text), &d, &error), 0, "%s",
		     error.text);
}

static void assert_host(const struct sockaddr_any *a, const char *host)
{
	char text[SOCKADDR_TEXT_MAX];

	sockaddr_format_host(a, text);
	cr_assert_str_eq(text, host);
}

/* The example of RFC 8866 5. */
Test(sdp, reads_the_example_of_the_rfc)
{
	parse("v=0\no=jdoe 3724394400 3724394405 IN IP4 198.51.100.1\n"
	      "s=Call to John Smith\ni=SDP Offer #1\n"
	      "u=http://www.jdoe.example.com/home.html\n"
	      "e=Jane Doe <jane@jdoe.example.com>\np=+1 617 555-6011\n"
	      "c=IN IP4 198.51.100.1\nt=0 0\nm=audio 49170 RTP/AVP 0\n"
	      "m=audio 49180 RTP/AVP 0\nm=video 51372 RTP/AVP 99\n"
	      "c=IN IP6 2001:db8::2\na=rtpmap:99 h263-1998/90000\n");
	cr_assert_str_eq(d.origin, "jdoe 3724394400 IN IP4 198.51.100.1");
	cr_assert_str_eq(d.name, "Call to John Smith");
	cr_assert_eq(d.connection.n, 1);
	assert_host(&d.connection.address, "198.51.100.1");
	cr_assert_eq(d.n_media, 3);
	cr_assert_eq(d.media[1].port, 49180);
	cr_assert_eq(d.media[1].line, 11);
	cr_assert_eq(d.media[1].connection.n, 0);
	cr_assert_str_eq(d.media[2].type, "video");
	cr_assert_str_eq(d.media[2].proto, "RTP/AVP");
	cr_assert_str_eq(d.media[2].formats[0].name, "99");
	cr_assert_str_eq(d.media[2].formats[0].encoding, "h263-1998");
	assert_host(&d.media[2].connection.address, "2001:db8::2");
}

Test(sdp, reads_reach_and_number_of_groups)
{
	parse(HEAD "c=IN IP4 233.252.0.1/127/3\nm=video 1/2 udp 33\n"
	      "m=video 1 udp 33\nc=IN IP6 ff15::101/3\nc=IN IP6 ff15::109\n"
	      "m=video 2 udp 33\nc=IN IP4 239.1.1.1/15\n");
	cr_assert_eq(d.connection.ttl, 127);
	cr_assert_eq(d.connection.addresses, 3);
	assert_host(&d.media[1].connection.address, "ff15::101");
	cr_assert_eq(d.media[1].connection.addresses, 3);
	cr_assert_eq(d.media[1].connection.n, 2);
	cr_assert_eq(d.media[2].connection.ttl, 15);
	cr_assert_eq(d.media[2].connection.addresses, 1);
}

Test(sdp, reads_filters_of_senders)
{
	/* RFC 4570 3.2 */
	parse(HEAD "c=IN IP4 232.3.4.5/127\n"
	      "a=source-filter: incl IN IP4 232.3.4.5 192.0.2.10 192.0.2.11\n"
	      "m=video 1 udp 33\n"
	      "a=source-filter:excl IN IP6 ff0e::11a 2001:db8::1\n"
	      "m=video 1 udp 33\n"
	      "a=source-filter:incl IN * * 2001:db8::1 192.0.2.10\n");
	cr_assert_eq(d.filters.n, 1);
	cr_assert(!d.filters.list[0].excludes);
	assert_host(&d.filters.list[0].destination, "232.3.4.5");
	cr_assert_eq(d.filters.list[0].n_sources, 2);
	assert_host(&d.filters.list[0].sources[1], "192.0.2.11");
	cr_assert(d.media[0].filters.list[0].excludes);
	cr_assert_eq(d.media[1].filters.list[0].destination.len, 0);
	assert_host(&d.media[1].filters.list[0].sources[0], "2001:db8::1");
}

Test(sdp, reads_groups_of_media)
{
	parse(HEAD "a=group:DUP S1a S1b\na=group:FEC-FR S1a R1\n"
	      "m=video 1 RTP/AVP 33\na=mid:S1a\na=ssrc-group:DUP 1 2\n"
	      "m=video 1 RTP/AVP 33\na=mid:S1b\na=inactive\n");
	cr_assert_eq(d.n_groups, 2);
	cr_assert_str_eq(d.groups[0].semantics, "DUP");
	cr_assert_eq(d.groups[0].n_members, 2);
	cr_assert_str_eq(d.groups[0].members[1], "S1b");
	cr_assert_str_eq(d.groups[1].semantics, "FEC-FR");
	cr_assert_str_eq(d.media[0].mid, "S1a");
	cr_assert(d.media[0].dup && !d.media[0].inactive);
	cr_assert(!d.media[1].dup && d.media[1].inactive);
}

Test(sdp, a_name_contains_no_control_characters)
{
	char name[SDP_NAME_MAX + 1], text[400];

	sdp_name("Das \xc3\xa4rste\t\x1b[31m\xff\xe2\x80\xae!", name);
	cr_assert_str_eq(name, "Das \xc3\xa4rste  [31m\xef\xbf\xbd !");
	sdp_name(" ", name);
	cr_assert_str_eq(name, "");
	sdp_name("-", name);
	cr_assert_str_eq(name, "");
	memset(text, 'x', sizeof text);
	strcpy(text + 255, "\xc3\xa4!");
	sdp_name(text, name);
	cr_assert_eq(strlen(name), 255, "no half of a letter");
}

Test(sdp, accepts_padding_at_the_end)
{
	static const char text[] = HEAD "m=video 1 udp 33\r\n\0\0\r\n\n";

	cr_assert_eq(sdp_parse(text, sizeof text, &d, NULL), 0);
	cr_assert_str_eq(d.media[0].formats[0].name, "33");
}

Test(sdp, an_error_names_line_and_field)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "", "is empty" },
		{ "\r\n\r\n", "is empty" },
		{ "o=- 1 1 IN IP4 1.2.3.4\n", "line 1: o=: does not begin "
					      "with v=" },
		{ "v=1\n", "line 1: v=: is an unknown version" },
		{ "v=0\n", "o=: is missing" },
		{ "v=0\nm=video 1 udp 33", "o=: is missing" },
		{ HEAD, "m=: is missing" },
		{ "v=0\nhello", "line 2: is not field=value" },
		{ "v=0\n\n=x", "line 2: is not field=value" },
		{ "v=0\n\nx=x", "line 2: is not field=value" },
		{ "v=0\nx=1", "line 2: x=: is an unknown field" },
		{ "v=0\nv=0", "line 2: v=: occurs twice" },
		{ "v=0\no=- 1 1 IN IP4\n", "line 2: o=: has 5 words instead "
					   "of 6" },
		{ HEAD "m=video 1 udp 33\ns=x",
		  "line 6: s=: is behind m=" },
		{ HEAD "m=video 1\n", "line 5: m=: is not a type, a "
				      "port and a protocol" },
		{ HEAD "m=video 1 udp\n", "line 5: m=: has no format" },
		{ HEAD "m=video 65536 udp 33\n",
		  "line 5: m=: port: is not a number from 0 to 65535" },
		{ HEAD "m=video -1 udp 33\n",
		  "line 5: m=: port: is not a number from 0 to 65535" },
		{ HEAD "m=video 1/x udp 33\n",
		  "line 5: m=: port: is not a number from 0 to 65535" },
		{ HEAD "c=IN IP4 x.example.com", "line 5: c=: has no numeric "
						 "address; names are not "
						 "resolved" },
		{ HEAD "c=IN IP4 ff0e::1", "line 5: c=: has an address that "
					   "is not IP4" },
		{ HEAD "c=IN IP6 ff0e::1/1/2", "line 5: c=: has too many "
					       "'/'" },
		{ HEAD "c=IN IP4 239.1.1.1/256",
		  "line 5: c=: is not a number from 0 to 255" },
		{ HEAD "c=IN IP4 239.1.1.1/\x1b[2J",
		  "line 5: c=: is not a number from 0 to 255" },
		{ HEAD "c=IN IP4", "line 5: c=: has no address" },
		{ HEAD "c=IN", "line 5: c=: has no type of address" },
		{ HEAD "c=ATM IP4 1.2.3.4", "line 5: c=: is not of the type "
					    "of network IN" },
		{ HEAD "c=IN IP5 1.2.3.4", "line 5: c=: is of neither IP4 "
					   "nor IP6" },
		{ HEAD "c=IN IP4 1.2.3.4 5", "line 5: c=: has too many words" },
		{ HEAD "m=video 1 RTP/AVP 96\na=rtpmap:96",
		  "line 6: a=: rtpmap: has no payload type and encoding" },
		{ HEAD "a=source-filter:incl IN IP4 232.1.1.1",
		  "line 5: a=: source-filter: has no source" },
		{ HEAD "a=source-filter:only IN IP4 232.1.1.1 1.1.1.1",
		  "line 5: a=: source-filter: is neither incl nor excl" },
		{ HEAD "a=group:", "line 5: a=: group: a word is missing" },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct errmsg error = { 0 };

		cr_assert_eq(sdp_parse(bad[i].text, strlen(bad[i].text), &d,
				       &error), -EINVAL, "%s", bad[i].text);
		cr_assert_str_eq(error.text, bad[i].error);
		cr_assert_eq(sdp_parse(bad[i].text, strlen(bad[i].text), &d,
				       NULL), -EINVAL);
	}
}

/* A text of HEAD and n repetitions. */
static int parse_many(const char *repeated, size_t n, struct errmsg *error)
{
	size_t len = strlen(HEAD), step = strlen(repeated);
	char *text = malloc(len + n * step);
	int r;

	cr_assert_not_null(text);
	memcpy(text, HEAD, len);
	for (size_t i = 0; i < n; i++)
		memcpy(text + len + i * step, repeated, step);
	r = sdp_parse(text, len + n * step, &d, error);
	free(text);
	return r;
}

Test(sdp, has_bounds)
{
	struct errmsg error;

	cr_assert_eq(parse_many("m=video 1 udp "
				"33\n", SDP_MEDIA_MAX, &error), 0);
	cr_assert_eq(parse_many("m=video 1 udp "
				"33\n", SDP_MEDIA_MAX + 1, &error),
		     -EINVAL);
	cr_assert_str_eq(error.text, "line 37: m=: occurs more than 32 times");
	cr_assert_eq(parse_many("a=x\n", SDP_LINES_MAX, &error), -EFBIG);
	cr_assert_str_eq(error.text, "line 1025: the text has more than 1024 "
				     "lines");
	cr_assert_eq(parse_many("a=xxxxx", 300, &error), -EFBIG);
	cr_assert_str_eq(error.text, "line 5: is longer than 2048 bytes");
	cr_assert_eq(parse_many("a=x\n", 20000, &error), -EFBIG);
	cr_assert_str_eq(error.text, "is longer than 64 KiB");
	cr_assert_eq(parse_many("a=group:DUP a b c d e f\n", SDP_GROUPS_MAX + 1,
				&error), -EINVAL);
	cr_assert_eq(parse_many("a=source-filter:incl IN IP4 * 1.1.1.1 2.2.2.2"
				" 3.3.3.3 4.4.4.4 5.5.5.5 6.6.6.6\n",
				SDP_FILTERS_MAX + 1, &error), -EINVAL);
	cr_assert_str_eq(error.text,
			 "line 13: a=: source-filter: occurs more than 8 "
			 "times");
}

Test(sdp, reads_the_origin_of_a_deleted_session)
{
	static const char line[] = "o=j\xc3\xb6 7 9 IN IP4 192.0.2.7\r\n";
	static const char whole[] = HEAD "m=video 1 udp 33\r\n";
	char origin[SDP_ORIGIN_MAX + 1];
	struct errmsg error;

	cr_assert_eq(sdp_parse_origin(line, strlen(line), origin, &error), 0);
	cr_assert_str_eq(origin, "j\xc3\xb6 7 IN IP4 192.0.2.7");
	cr_assert_eq(sdp_parse_origin(whole, strlen(whole), origin, &error), 0);
	cr_assert_str_eq(origin, "- 1 IN IP4 192.0.2.1");
	cr_assert_eq(sdp_parse_origin("v=0\n", 4, origin, &error), -EINVAL);
	cr_assert_str_eq(error.text, "o=: is missing");
	cr_assert_eq(sdp_parse_origin("v=0\no=x", 7, origin, &error), -EINVAL);
	cr_assert_str_eq(error.text,
			 "line 2: o=: has 1 words instead of 6");
}
