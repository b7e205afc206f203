/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/offer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEAD "v=0\no=- 1 1 IN IP4 192.0.2.1\ns=x\nt=0 0\n"
#define GROUP "c=IN IP4 239.1.1.1/32\n"

static struct session_description d;
static struct sdp_offer offer;

static void read_offer(const char *text, unsigned number)
{
	struct errmsg error = { 0 };

	cr_assert_eq(sdp_parse(text, strlen(text), &d, &error), 0, "%s",
		     error.text);
	cr_assert_eq(sdp_offer_read(&d, number, &offer, &error), 0, "%s",
		     error.text);
}

/* The offer is the address of an input, on that interface. */
static void assert_offer(const char *text, const char *iface,
			 const char *address)
{
	char got[ADDRESS_TEXT_MAX + 1];
	struct input_spec spec;
	struct errmsg error = { 0 };

	read_offer(text, 0);
	sdp_offer_address(&offer, iface, got);
	cr_assert_str_eq(got, address);
	cr_assert_eq(input_spec_parse(got, &spec, NULL, NULL, &error), 0, "%s",
		     error.text);
	cr_assert_eq(spec.kind, offer.rtp ? INPUT_RTP : INPUT_UDP);
	cr_assert_eq(spec.rtp.fec, offer.fec);
	cr_assert_eq(spec.merge[0] != '\0', offer.n_paths == 2);
	cr_assert_str_eq(spec.iface, iface);
}

static void assert_none(const char *text, unsigned number, int err,
			const char *sentence)
{
	struct errmsg error = { 0 };

	cr_assert_eq(sdp_parse(text, strlen(text), &d, &error), 0, "%s",
		     error.text);
	cr_assert_eq(sdp_offer_read(&d, number, &offer, &error), err);
	cr_assert_str_eq(error.text, sentence);
}

Test(offer, is_a_stream_by_rtp)
{
	assert_offer(HEAD GROUP "m=video 5004 RTP/AVP 33\n", "",
		     "rtp://239.1.1.1:5004");
	assert_offer(HEAD GROUP "m=video 5004 RTP/AVP 96 97\n"
		     "a=rtpmap:96 H264/90000\na=rtpmap:97 mp2t/90000\n",
		     "eth0", "rtp://eth0@239.1.1.1:5004");
	assert_offer(HEAD "m=application 5004 RTP/AVPF 33\n"
		     "c=IN IP6 ff0e::1\na=rtpmap:33 MP2T/90000\n", "",
		     "rtp://[ff0e::1]:5004");
}

Test(offer, is_a_stream_without_rtp)
{
	static const char *const forms[] = {
		"udp MP2T", "UDP 33", "udp mpeg", "MP2T/H2221/UDP 33",
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		(void)snprintf(text, sizeof text, HEAD GROUP
			       "m=video 1234 %s\n", forms[i]);
		assert_offer(text, "eth0", "udp://eth0@239.1.1.1:1234");
	}
	assert_offer(HEAD "c=IN IP4 192.0.2.9\nm=video 1234 udp MP2T\n", "",
		     "udp://192.0.2.9:1234");
}

Test(offer, names_the_sender)
{
	assert_offer(HEAD GROUP "m=video 1 RTP/AVP 33\n"
		     "a=source-filter:incl IN IP4 239.1.1.1 192.0.2.7\n", "",
		     "rtp://239.1.1.1:1#src=192.0.2.7");
	assert_offer(HEAD GROUP
		     "a=source-filter:incl IN IP4 239.1.1.2 192.0.2.1\n"
		     "a=source-filter:incl IN IP4 * 192.0.2.2\n"
		     "m=video 1 udp 33\n", "e",
		     "udp://e@239.1.1.1:1#src=192.0.2.2");
	assert_offer(HEAD GROUP
		     "a=source-filter:incl IN IP4 * 192.0.2.2\n"
		     "m=video 1 udp 33\n"
		     "a=source-filter:incl IN IP4 * 192.0.2.3\n", "",
		     "udp://239.1.1.1:1#src=192.0.2.3");
	/* a single address has no sender filter, a sender no group */
	assert_offer(HEAD "c=IN IP4 192.0.2.9\nm=video 1 udp 33\n"
		     "a=source-filter:incl IN IP4 192.0.2.9 192.0.2.7\n", "",
		     "udp://192.0.2.9:1");
	assert_offer(HEAD GROUP "m=video 1 udp 33\n"
		     "a=source-filter:incl IN IP4 * 239.9.9.9\n", "",
		     "udp://239.1.1.1:1");
	assert_offer(HEAD GROUP "m=video 1 udp mpeg\n"
		     "a=source-filter: incl IN IP4 * 0.0.0.0\n", "",
		     "udp://239.1.1.1:1");
	assert_offer(HEAD GROUP "m=video 1 udp 33\n"
		     "a=source-filter:excl IN IP4 * 192.0.2.7\n", "",
		     "udp://239.1.1.1:1");
	assert_offer(HEAD GROUP "m=video 1 udp 33\n"
		     "a=source-filter:incl IN * * 2001:db8::1\n", "",
		     "udp://239.1.1.1:1");
}

/* RFC 7104 4.1 */
Test(offer, has_two_paths_in_two_media)
{
	assert_offer(HEAD "a=group:DUP S1a S1b\n"
		     "m=video 30000 RTP/AVP 100\nc=IN IP4 233.252.0.1/127\n"
		     "a=source-filter:incl IN IP4 233.252.0.1 198.51.100.1\n"
		     "a=rtpmap:100 MP2T/90000\na=mid:S1a\n"
		     "m=video 30000 RTP/AVP 101\nc=IN IP4 233.252.0.2/127\n"
		     "a=source-filter:incl IN IP4 233.252.0.2 198.51.100.1\n"
		     "a=rtpmap:101 MP2T/90000\na=mid:S1b\n", "",
		     "rtp://233.252.0.1:30000#src=198.51.100.1"
		     "&merge=rtp://233.252.0.2:30000%23src=198.51.100.1");
	cr_assert_str_eq(offer.note.text, "");
}

/* RFC 7104 4.2 */
Test(offer, has_two_paths_from_two_senders)
{
	assert_offer(HEAD "m=video 30000 RTP/AVP 100\n"
		     "c=IN IP4 233.252.0.1/127\na=source-filter:incl IN IP4 "
		     "233.252.0.1 198.51.100.1 198.51.100.2\n"
		     "a=rtpmap:100 MP2T/90000\na=ssrc:1000 cname:ch1\n"
		     "a=ssrc:1010 cname:ch1\na=ssrc-group:DUP 1000 1010\n"
		     "a=mid:Ch1\n", "eth1",
		     "rtp://eth1@233.252.0.1:30000#src=198.51.100.1"
		     "&merge=rtp://eth1@233.252.0.1:30000"
		     "%23src=198.51.100.2");
	cr_assert_str_eq(offer.note.text, "");
}

Test(offer, has_one_path_when_the_second_is_unusable)
{
	static const char note[] =
		"line 7: m=: no second path of the duplicate (DUP) is usable: "
		"only one is received";

	assert_offer(HEAD "a=group:DUP a b\n" GROUP
		     "m=video 1 RTP/AVP 33\na=mid:a\n"
		     "m=video 1 RTP/AVP 33\na=mid:b\n", "",
		     "rtp://239.1.1.1:1");
	cr_assert_str_eq(offer.note.text, note);
	assert_offer(HEAD "a=group:DUP a b\n" GROUP
		     "m=video 1 udp 33\na=mid:a\n"
		     "m=video 2 udp 33\na=mid:b\n", "", "udp://239.1.1.1:1");
	cr_assert_str_eq(offer.note.text, note);
	assert_offer(HEAD "a=x\n" GROUP "m=video 1 RTP/AVP 33\n"
		     "a=ssrc-group:DUP 1 2\n", "", "rtp://239.1.1.1:1");
	cr_assert_str_eq(offer.note.text, note);
}

Test(offer, finds_fec_on_the_next_ports)
{
	/* as RFC 6015 8 writes it, and RFC 5956 groups it */
	assert_offer(HEAD "a=group:FEC-FR S1 R1 R2\n" GROUP
		     "m=video 5004 RTP/AVP 33\na=mid:S1\n"
		     "m=application 5006 RTP/AVP 110\na=mid:R1\n"
		     "a=rtpmap:110 1d-interleaved-parityfec/90000\n"
		     "a=fmtp:110 L=5; D=10; repair-window=200000\n"
		     "m=application 5008 RTP/AVP 110\na=mid:R2\n"
		     "a=rtpmap:110 parityfec/90000\n", "",
		     "rtp://239.1.1.1:5004#fec");
	cr_assert_str_eq(offer.note.text, "");
	assert_offer(HEAD GROUP "m=video 5004 RTP/AVP 33\n"
		     "a=source-filter:incl IN IP4 * 192.0.2.7\n"
		     "m=application 5006 RTP/AVP 110\n"
		     "a=source-filter:incl IN IP4 * 192.0.2.7\n"
		     "a=rtpmap:110 vnd.dvb.iptv.alfec-base/90000\n", "",
		     "rtp://239.1.1.1:5004#src=192.0.2.7&fec");
}

Test(offer, ignores_fec_on_other_ports)
{
	static const char note[] = "line 7: m=: error correction is ignored: "
				   "its port is not that of the media plus 2 "
				   "or 4";

	assert_offer(HEAD GROUP "m=video 5004 RTP/AVP 33\n"
		     "m=application 5010 RTP/AVP 110\n"
		     "a=rtpmap:110 parityfec/90000\n", "",
		     "rtp://239.1.1.1:5004");
	cr_assert_str_eq(offer.note.text, note);
	assert_offer(HEAD GROUP "m=video 5004 RTP/AVP 33\n"
		     "m=application 5006 RTP/AVP 110\nc=IN IP4 239.9.9.9/1\n"
		     "a=rtpmap:110 parityfec/90000\n", "",
		     "rtp://239.1.1.1:5004");
	cr_assert_str_eq(offer.note.text, note);
	/* that of another media is not spoken of */
	assert_offer(HEAD "a=group:FEC-FR b r\n" GROUP
		     "m=video 5004 RTP/AVP 33\na=mid:a\n"
		     "m=video 6000 RTP/AVP 33\na=mid:b\n"
		     "m=application 5006 RTP/AVP 110\na=mid:r\n"
		     "a=rtpmap:110 parityfec/90000\n", "",
		     "rtp://239.1.1.1:5004");
	cr_assert_str_eq(offer.note.text, "");
	assert_offer(HEAD GROUP "m=video 65533 RTP/AVP 33\n"
		     "m=application 65535 RTP/AVP 110\n"
		     "a=rtpmap:110 parityfec/90000\n", "",
		     "rtp://239.1.1.1:65533");
	assert_offer(HEAD "a=group:DUP a b\n" GROUP
		     "m=video 5004 RTP/AVP 33\na=mid:a\n"
		     "m=video 65533 RTP/AVP 33\na=mid:b\n"
		     "m=application 5006 RTP/AVP 110\n"
		     "a=rtpmap:110 parityfec/90000\n", "",
		     "rtp://239.1.1.1:5004#merge=rtp://239.1.1.1:65533");
}

Test(offer, notes_unused_senders_and_addresses)
{
	assert_offer(HEAD "c=IN IP4 239.1.1.1/32/3\nm=video 1 udp 33\n", "",
		     "udp://239.1.1.1:1");
	cr_assert_str_eq(offer.note.text, "line 6: m=: only the first of "
					  "several addresses is used");
	assert_offer(HEAD GROUP "m=video 1 udp 33\na=source-filter:incl IN "
		     "IP4 * 192.0.2.1 192.0.2.2\n", "",
		     "udp://239.1.1.1:1#src=192.0.2.1");
	cr_assert_str_eq(offer.note.text, "line 6: m=: only the first of "
					  "several senders is used");
}

Test(offer, is_chosen_among_media)
{
	static const char text[] = HEAD GROUP "m=audio 1 RTP/AVP 96\n"
		"a=rtpmap:96 L24/48000/2\nm=video 0 udp 33\n"
		"m=video 2 udp 33\na=inactive\nm=video 3 udp 33\n"
		"m=video 4 udp 33\n";

	read_offer(text, 0);
	cr_assert_eq(sockaddr_port(&offer.paths[0].local), 3);
	read_offer(text, 5);
	cr_assert_eq(sockaddr_port(&offer.paths[0].local), 4);
	assert_none(text, 1, -ENOTSUP, "line 6: m=: L24 over RTP/AVP is not an "
				       "MPEG transport stream");
	assert_none(text, 2, -ENOTSUP, "line 8: m=: is not sent (port 0)");
	assert_none(text, 3, -ENOTSUP, "line 9: m=: is not sent (a=inactive)");
	assert_none(text, 6, -EINVAL,
		    "m=: number 6 does not exist; the text has 5");
}

/* The writer of the file need not be the operator. */
Test(offer, leads_to_no_port_of_the_system)
{
	struct errmsg error;

	read_offer(HEAD "c=IN IP4 127.0.0.1\nm=video 5004 udp 33\n", 0);
	cr_expect_eq(sdp_offer_judge(&offer, false, &error), 0);
	cr_expect_eq(sdp_offer_judge(&offer, true, &error), -EACCES);
	read_offer(HEAD "c=IN IP4 127.0.0.1\nm=video 514 udp 33\n", 0);
	cr_expect_eq(sdp_offer_judge(&offer, false, &error), -EACCES);
	read_offer(HEAD "c=IN IP4 224.0.0.251\nm=video 5353 udp 33\n", 0);
	cr_expect_eq(sdp_offer_judge(&offer, false, &error), -EACCES);
}

Test(offer, needs_an_address_and_a_stream)
{
	assert_none(HEAD "m=video 1 udp 33\n", 0, -EINVAL,
		    "line 5: m=: has no c=");
	assert_none(HEAD GROUP "m=audio 1 RTP/SAVP 33\n", 0, -ENOTSUP,
		    "line 6: m=: audio over RTP/SAVP is not an MPEG transport "
		    "stream");
	assert_none(HEAD GROUP "m=video 1 RTP/AVP 33\n"
		    "a=rtpmap:33 H264/90000\n", 0, -ENOTSUP,
		    "line 6: m=: H264 over RTP/AVP is not an MPEG transport "
		    "stream");
}
