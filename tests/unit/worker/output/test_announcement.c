/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/announcement.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct announcement make(const char *origin, const char *remote)
{
	struct announcement a = {
		.name = "News", .ttl = 32, .session = 7, .version = 9,
	};

	cr_assert_eq(sockaddr_parse(origin, 0, &a.origin), 0);
	cr_assert_eq(sockaddr_parse(remote, 1234, &a.remote), 0);
	return a;
}

static uint8_t packet[ANNOUNCEMENT_MAX];

/* The text behind a head of head_len bytes. */
static const char *text_of(const struct announcement *a, bool deletion,
			   size_t head)
{
	static char text[ANNOUNCEMENT_MAX + 1];
	ssize_t len = announcement_make(a, deletion, packet);

	cr_assert_gt(len, (ssize_t)head);
	cr_assert_str_eq((const char *)packet + head - 16, "application/sdp");
	memcpy(text, packet + head, (size_t)len - head);
	text[(size_t)len - head] = '\0';
	return text;
}

Test(announcement, of_a_group_contains_its_address)
{
	struct announcement a = make("192.0.2.7", "239.1.1.1");
	uint8_t hash[2];

	a.rtp = true;
	cr_assert_str_eq(text_of(&a, false, 24),
			 "v=0\r\no=- 7 9 IN IP4 192.0.2.7\r\ns=News\r\n"
			 "c=IN IP4 239.1.1.1/32\r\nt=0 0\r\na=tool:sluice\r\n"
			 "a=type:broadcast\r\nm=video 1234 RTP/AVP 33\r\n"
			 "a=rtpmap:33 MP2T/90000\r\n");
	cr_assert_eq(packet[0], 0x20);
	cr_assert_eq(packet[1], 0);
	cr_assert_arr_eq(packet + 4, "\xc0\x00\x02\x07", 4);
	memcpy(hash, packet + 2, 2);
	cr_assert(hash[0] != 0 || hash[1] != 0);

	cr_assert_str_eq(text_of(&a, true, 24),
			 "o=- 7 9 IN IP4 192.0.2.7\r\n");
	cr_assert_eq(packet[0], 0x24);
	cr_assert_arr_eq(packet + 2, hash, 2, "the same announcement");
	a.version++;
	(void)text_of(&a, false, 24);
	cr_assert_neq(memcmp(packet + 2, hash, 2), 0, "another one");
}

Test(announcement, of_ipv6_and_udp)
{
	struct announcement a = make("2001:db8::1", "ff0e::1");

	cr_assert_str_eq(text_of(&a, false, 36),
			 "v=0\r\no=- 7 9 IN IP6 2001:db8::1\r\ns=News\r\n"
			 "c=IN IP6 ff0e::1\r\nt=0 0\r\na=tool:sluice\r\n"
			 "a=type:broadcast\r\nm=video 1234 udp MP2T\r\n");
	cr_assert_eq(packet[0], 0x30);
}

Test(announcement, a_name_stays_within_its_line)
{
	struct announcement a = make("192.0.2.7", "192.0.2.8");
	char name[400];

	a.name = "a\r\nm=video 1 udp x\x7f";
	cr_assert_not_null(strstr(text_of(&a, false, 24),
				  "\r\ns=a  m=video 1 udp x\r\nc=IN IP4 "
				  "192.0.2.8\r\n"));
	a.name = "";
	cr_assert_not_null(strstr(text_of(&a, false, 24), "\r\ns=-\r\n"));

	/* 255 bytes and one letter of two */
	memset(name, 'x', sizeof name);
	strcpy(name + 255, "\xc3\xa4!");
	a.name = name;
	cr_assert_not_null(strstr(text_of(&a, false, 24), "xxx\r\nc="));
}

static const char fec_of_first[] =
	"m=application 1236 RTP/AVP 96\r\n"
	"a=rtpmap:96 1d-interleaved-parityfec/90000\r\n"
	"a=fmtp:96 L=5; D=10; repair-window=1000000\r\na=mid:c1\r\n"
	"m=application 1238 RTP/AVP 96\r\n"
	"a=rtpmap:96 parityfec/90000\r\na=mid:r1\r\n";

Test(announcement, full_description_has_groups_of_media)
{
	struct announcement a = make("192.0.2.7", "239.1.1.1");
	char want[ANNOUNCEMENT_MAX];

	a.rtp = true;
	cr_assert(!announcement_has_full(&a));
	a.streams.fec_columns = 5;
	a.streams.fec_rows = 10;
	cr_assert(announcement_has_full(&a));
	cr_assert_null(strstr(text_of(&a, false, 24), "m=application"),
		       "the plain one is for all");
	a.full = true;
	(void)snprintf(want, sizeof want,
		       "v=0\r\no=- 7 9 IN IP4 192.0.2.7\r\ns=News (FEC)\r\n"
		       "c=IN IP4 239.1.1.1/32\r\nt=0 0\r\na=tool:sluice\r\n"
		       "a=type:broadcast\r\na=group:FEC-FR m1 c1 r1\r\n"
		       "m=video 1234 RTP/AVP 33\r\na=rtpmap:33 MP2T/90000\r\n"
		       "a=mid:m1\r\n%s", fec_of_first);
	cr_assert_str_eq(text_of(&a, false, 24), want);

	a.streams.has_path2 = true;
	cr_assert_eq(sockaddr_parse("192.0.2.9", 5004, &a.streams.path2), 0);
	(void)snprintf(want, sizeof want,
		       "s=News (FEC, 2 paths)\r\nc=IN IP4 239.1.1.1/32\r\n"
		       "t=0 0\r\na=tool:sluice\r\na=type:broadcast\r\n"
		       "a=group:DUP m1 m2\r\na=group:FEC-FR m1 c1 r1\r\n"
		       "a=group:FEC-FR m2 c2 r2\r\nm=video 1234 RTP/AVP 33\r\n"
		       "a=rtpmap:33 MP2T/90000\r\na=mid:m1\r\n"
		       "m=video 5004 RTP/AVP 33\r\nc=IN IP4 192.0.2.9\r\n"
		       "a=rtpmap:33 MP2T/90000\r\na=mid:m2\r\n%s"
		       "m=application 5006 RTP/AVP 96\r\n"
		       "c=IN IP4 192.0.2.9\r\n", fec_of_first);
	cr_assert_not_null(strstr(text_of(&a, false, 24), want));
	a.streams.fec_columns = 0;
	cr_assert_not_null(strstr(text_of(&a, false, 24),
				  "s=News (2 paths)\r\n"));
}

/* SDP has no interfaces. */
Test(announcement, omits_a_path_that_differs_only_by_its_interface)
{
	struct announcement a = make("192.0.2.7", "239.1.1.1");

	a.rtp = true;
	a.streams.has_path2 = true;
	a.streams.path2 = a.remote;
	cr_assert(!announcement_has_full(&a));
}

Test(announcement, fits_one_datagram)
{
	struct announcement a = make("2001:db8:1:2:3:4:5:6",
				     "ff1e:db8:1:2:3:4:5:6666");
	char name[400];

	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	a.name = name;
	a.session = a.version = UINT64_MAX;
	a.rtp = a.full = true;
	a.streams = (struct rtp_out_spec){ .fec_columns = 20, .fec_rows = 20,
					   .has_path2 = true };
	cr_assert_eq(sockaddr_parse("ff1e:db8:1:2:3:4:5:7777", 65000,
				    &a.streams.path2), 0);
	cr_assert_gt(announcement_make(&a, false, packet), 0);
}
