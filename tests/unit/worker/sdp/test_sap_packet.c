/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/announcement.h"
#include "worker/sdp/offer.h"
#include "worker/sdp/sap_packet.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define V4 "\x12\x34\xc0\x00\x02\x07"
#define SDP "v=0\r\n"

#define ASSERT_DECODES(bytes, p) \
	cr_assert_eq(sap_packet_decode((const uint8_t *)(bytes), \
				       sizeof(bytes) - 1, (p), NULL), 0)

static void assert_is_sdp(const struct sap_packet *p)
{
	cr_assert_eq(p->len, strlen(SDP));
	cr_assert_eq(memcmp(p->text, SDP, strlen(SDP)), 0);
}

Test(sap_packet, is_read_with_and_without_type)
{
	char host[SOCKADDR_TEXT_MAX];
	struct sap_packet p;

	ASSERT_DECODES("\x20\0" V4 "application/sdp\0" SDP, &p);
	cr_assert(!p.deletion);
	cr_assert_eq(p.hash, 0x1234);
	sockaddr_format_host(&p.origin, host);
	cr_assert_str_eq(host, "192.0.2.7");
	assert_is_sdp(&p);
	ASSERT_DECODES("\x20\0" V4 SDP, &p);
	assert_is_sdp(&p);
	ASSERT_DECODES("\x28\2" V4 "Signed!!" SDP, &p);
	assert_is_sdp(&p);
	ASSERT_DECODES("\x24\0" V4 "o=- 1 1 IN IP4 192.0.2.7\r\n", &p);
	cr_assert(p.deletion);
	ASSERT_DECODES("\x30\0\0\0\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"
		       "APPLICATION/SDP\0" SDP, &p);
	sockaddr_format_host(&p.origin, host);
	cr_assert_str_eq(host, "2001:db8::1");
	assert_is_sdp(&p);
}

Test(sap_packet, is_rejected_with_an_error)
{
	static const struct {
		const char *bytes;
		size_t len;
		int err;
		const char *error;
	} bad[] = {
#define BAD(bytes, err, error) { bytes, sizeof(bytes) - 1, err, error }
		BAD("", -EINVAL, "ends inside its header"),
		BAD("\x20\0\0", -EINVAL, "ends inside its header"),
		BAD("\x20\0\0\0\1\2\3", -EINVAL, "ends inside its header"),
		BAD("\x30\0" V4 SDP, -EINVAL, "ends inside its header"),
		BAD("\x20\xff" V4 SDP, -EINVAL, "ends inside its header"),
		BAD("\x00\0" V4 SDP, -EINVAL, "version: 0 is not known"),
		BAD("\x40\0" V4 SDP, -EINVAL, "version: 2 is not known"),
		BAD("\x22\0" V4 SDP, -ENOTSUP, "is encrypted"),
		BAD("\x21\0" V4 SDP, -ENOTSUP, "is compressed"),
		BAD("\x20\0" V4, -EINVAL, "payload type: has no end"),
		BAD("\x20\0" V4 "application/sdp", -EINVAL,
		    "payload type: has no end"),
		BAD("\x20\0" V4 "text/plain\0" SDP, -ENOTSUP,
		    "payload type: is not application/sdp"),
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct sap_packet p;
		struct errmsg error;

		cr_assert_eq(sap_packet_decode((const uint8_t *)bad[i].bytes,
					       bad[i].len, &p, &error),
			     bad[i].err, "%zu", i);
		cr_assert_str_eq(error.text, bad[i].error);
	}
}

static unsigned long random_below(unsigned long n)
{
	return (unsigned long)random() % n;
}

/* Letters of one to four bytes, controls, and bytes that are none. */
static void make_name(char *to, size_t size)
{
	static const char *const letters[] = {
		"a", "Z", "&", "%", " ", "-", "=", "\n", "\r", "\x7f", "\x1b",
		"\xc3\xa4", "\xd0\x96", "\xe2\x82\xac", "\xf0\x9f\x93\xba",
		"\xff", "\xe2\x80\xae",
	};
	size_t n = random_below(size / 4);

	*to = '\0';
	for (size_t i = 0; i < n; i++)
		strcat(to, letters[random_below(ARRAY_LEN(letters))]);
}

static void make_address(struct sockaddr_any *a, bool v6, bool group,
			 uint16_t port)
{
	char host[SOCKADDR_TEXT_MAX];

	if (v6)
		(void)snprintf(host, sizeof host, "%s::%lx:%lx",
			       group ? "ff0e" : "2001:db8",
			       random_below(65536), 1 + random_below(65535));
	else
		(void)snprintf(host, sizeof host, "%lu.%lu.%lu.%lu",
			       group ? 224 + random_below(16)
				     : 1 + random_below(200),
			       random_below(256), random_below(256),
			       1 + random_below(255));
	cr_assert_eq(sockaddr_parse(host, port, a), 0, "%s", host);
}

/* Error correction and the second path are those that are sent. */
static void assert_is_whole(const struct announcement *a,
			    const struct input_spec *spec)
{
	static struct input_spec second;
	bool fec = a->full && a->streams.fec_columns > 0;

	cr_assert_eq(spec->rtp.fec, fec);
	cr_assert_eq(spec->merge[0] != '\0', a->full &&
					      a->streams.has_path2);
	if (spec->merge[0] == '\0')
		return;
	cr_assert_eq(input_spec_parse(spec->merge, &second, NULL, NULL, NULL),
		     0);
	cr_assert(sockaddr_equal(&second.local, &a->streams.path2));
}

/* The own announcement, read back: the name as it may be shown, the origin,
 * and an input of just that address. */
static void assert_is_read_back(const struct announcement *a)
{
	static struct session_description d;
	uint8_t packet[ANNOUNCEMENT_MAX];
	ssize_t len = announcement_make(a, false, packet);
	char name[SDP_NAME_MAX + 1], address[ADDRESS_TEXT_MAX + 1];
	char origin[SDP_ORIGIN_MAX + 1];
	struct sap_packet p;
	struct sdp_offer offer;
	struct input_spec spec;
	struct errmsg error = { 0 };

	cr_assert_gt(len, 0);
	cr_assert_eq(sap_packet_decode(packet, (size_t)len, &p, &error), 0);
	cr_assert(!p.deletion);
	cr_assert_eq(memcmp(&p.origin.in6.sin6_addr, &a->origin.in6.sin6_addr,
			    p.origin.sa.sa_family == AF_INET6 ? 16 : 0), 0);
	cr_assert_eq(sdp_parse(p.text, p.len, &d, &error), 0, "%s", error.text);
	sdp_name(a->name, name);
	cr_assert(a->full ? strncmp(d.name, name, strlen(name)) == 0 ||
				     name[0] == '\0'
			   : strcmp(d.name, name) == 0);
	cr_assert_eq(d.connection.ttl,
		     sockaddr_is_multicast(&a->remote) &&
		     a->remote.sa.sa_family == AF_INET ? a->ttl : 0);
	cr_assert_eq(sdp_offer_read(&d, 0, &offer, &error), 0, "%s",
		     error.text);
	cr_assert_str_eq(offer.note.text, "");
	sdp_offer_address(&offer, "", address);
	cr_assert_eq(input_spec_parse(address, &spec, NULL, NULL, &error), 0);
	cr_assert_eq(spec.kind, a->rtp ? INPUT_RTP : INPUT_UDP);
	cr_assert(sockaddr_equal(&spec.local, &a->remote), "%s", address);
	assert_is_whole(a, &spec);

	len = announcement_make(a, true, packet);
	cr_assert_gt(len, 0);
	cr_assert_eq(sap_packet_decode(packet, (size_t)len, &p, &error), 0);
	cr_assert(p.deletion);
	cr_assert_eq(sdp_parse_origin(p.text, p.len, origin, &error), 0);
	cr_assert_str_eq(origin, d.origin);
}

static void make_streams(struct rtp_out_spec *s, bool v6)
{
	s->has_path2 = random_below(2);
	if (s->has_path2)
		make_address(&s->path2, v6, random_below(3) > 0,
			     (uint16_t)(1 + random_below(65531)));
	if (random_below(2)) {
		s->fec_columns = 1 + (unsigned)random_below(20);
		s->fec_rows = 4 + (unsigned)random_below(17);
	}
}

Test(sap_packet, reads_our_own_announcement)
{
	srandom(2974);
	for (unsigned i = 0; i < 5000; i++) {
		bool v6 = i % 2;
		char name[400];
		struct announcement a = {
			.name = name,
			.ttl = 1 + (unsigned)random_below(255),
			.rtp = i % 3 == 0,
			.session = (uint64_t)random() << 31 |
				   (uint64_t)random(),
			.version = (uint64_t)random(),
		};

		make_name(name, sizeof name);
		make_address(&a.origin, v6, false, 0);
		make_address(&a.remote, v6, i % 5 != 0,
			     (uint16_t)(1 + random_below(65531)));
		make_streams(&a.streams, i % 7 == 0);
		a.full = announcement_has_full(&a) && i % 4 < 3;
		assert_is_read_back(&a);
	}
}
