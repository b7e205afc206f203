/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the filter in the kernel, between two sockets. */
#include "worker/net/librist/rist_filter.h"

#include "common/base/mono.h"
#include "common/base/util.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 };

struct datagram {
	const char *what;
	size_t len;
	uint8_t data[512];
};

#define D(what, ...) \
	{ what, sizeof (uint8_t[]){ __VA_ARGS__ }, { __VA_ARGS__ } }

#define GRE 0, 0, 0x88, 0xb6
#define GRE_SEQUENCE 0x10, 0, 0x88, 0xb6, 0, 0, 0, 1
#define GRE_CHECKSUM 0x90, 0, 0x88, 0xb6, 1, 2, 0, 0, 0, 0, 0, 1
#define GRE_KEY 0x30, 0, 0x88, 0xb6, 1, 2, 3, 4, 0, 0, 0, 1
#define GRE_KEY_SUM 0xb0, 0, 0x88, 0xb6, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 1
#define PORTS 0x80, 0, 0x80, 1
#define SSRC 1, 2, 3, 4
#define RTP_FLAGS(flags) (flags), 33, 0, 1, 0, 0, 0, 0, SSRC
#define RTP RTP_FLAGS(0x80)
#define EXTENSION(flags, npd) 'R', 'I', 0, 1, (flags), (npd), 0, 0
#define RR 0x80, 201, 0, 1, SSRC
#define SDES 0x81, 202, 0, 3, SSRC, 1, 3, 'a', 'b', 'c', 0, 0, 0
#define BLOCK_RRT 4, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8
#define BLOCK_DLRR 5, 0, 0, 3, SSRC, 5, 6, 7, 8, 9, 10, 11, 12
#define NACK_RANGE 0x80, 204, 0, 3, SSRC, 'R', 'I', 'S', 'T', 0, 7, 0, 1
#define NACK_BITS 0x81, 205, 0, 3, SSRC, SSRC, 0, 7, 0, 1

/* After the header of either profile. */
static const struct datagram good[] = {
	D("RTP", RTP, 0x47),
	D("RTP, extended", RTP_FLAGS(0x90), EXTENSION(0, 0), 0x47),
	D("RTP, extended by others", RTP_FLAGS(0x90), 0xbe, 0xde, 0, 2, SSRC,
	  SSRC, 0x47),
	D("null packets only", RTP_FLAGS(0x90), EXTENSION(0x80, 0x7f)),
	D("sources", RTP_FLAGS(0x82), SSRC, SSRC, 0x47),
	D("padding", RTP_FLAGS(0xa0), 0x47, 0, 0, 3),
	D("all of that", RTP_FLAGS(0xb1), SSRC, EXTENSION(0, 0), 0x47, 1),
	D("reports and a name", RR, SDES),
	D("a part without anything", RR, 0x80, 203, 0, 0),
	D("a range", RR, SDES, NACK_RANGE),
	D("bits", RR, SDES, NACK_BITS),
	D("one block", RR, 0x80, 207, 0, 4, SSRC, BLOCK_RRT, SDES),
	D("two blocks", RR, 0x80, 207, 0, 8, SSRC, BLOCK_RRT, BLOCK_DLRR),
	D("no block", RR, 0x80, 207, 0, 1, SSRC),
	D("eight parts", RR, RR, RR, RR, RR, RR, RR, RR),
	D("no RTP: librist logs it", 0x47, 1, 2, 3),
};

static const struct datagram bad[] = {
	D("RTP, too short", 0x80, 33, 0, 1, 0, 0, 0, 0, 1, 2, 3),
	D("RTP with nothing in it", RTP),
	D("... as a retry, with a mark", 0x80, 161, 0, 1, 0, 0, 0, 0, 1, 2, 3,
	  5),
	D("RTP, shorter than its extension", RTP_FLAGS(0x90), 'R', 'I', 0, 1, 0,
	  0, 0),
	D("RTP, without its extension", RTP_FLAGS(0x90)),
	D("an extension and nothing in it", RTP_FLAGS(0x90), EXTENSION(0, 0)),
	D("... no null packet dropped", RTP_FLAGS(0x90), EXTENSION(0x80, 0)),
	D("... null packets, but none dropped", RTP_FLAGS(0x90),
	  EXTENSION(0, 0x7f)),
	D("... fewer null packets", RTP_FLAGS(0x90), 'R', 'I', 0, 1,
	  0x80, 0x7f, 0),
	D("an extension that is longer than all", RTP_FLAGS(0x90), 0xbe, 0xde,
	  0xff, 0xff, SSRC, SSRC),
	D("sources and nothing else", RTP_FLAGS(0x82), SSRC, SSRC),
	D("fewer sources than announced", RTP_FLAGS(0x8f), SSRC, SSRC),
	D("sources for an extension", RTP_FLAGS(0x91), EXTENSION(0x80, 0x7f)),
	D("nothing but padding", RTP_FLAGS(0xa0), 0, 0, 0, 4),
	D("more padding than there is", RTP_FLAGS(0xa0), 0x47, 0, 0, 255),
	D("padding as announced", RTP_FLAGS(0xa0), 12),
	D("all of that and nothing else", RTP_FLAGS(0xb1), SSRC,
	  EXTENSION(0, 0), 0, 2),
	D("a part with the length of none", 0x80, 201, 0xff, 0xff, SSRC, SSRC),
	D("... in 16 bits", RR, 0x80, 201, 0x3f, 0xff, SSRC),
	D("a part that is longer than all", RR, 0x80, 201, 0, 2, SSRC),
	D("bytes after the last part", RR, SDES, 0, 0, 0),
	D("a block with the length of none", RR, 0x80, 207, 0, 2, SSRC, 0, 0,
	  0xff, 0xff),
	D("... in 16 bits", RR, 0x80, 207, 0, 2, SSRC, 0, 0, 0x3f, 0xff),
	D("... behind a good one", RR, 0x80, 207, 0, 5, SSRC, BLOCK_RRT, 0, 0,
	  0xff, 0xff),
	D("a block that is longer than its report", RR, 0x80, 207, 0, 2, SSRC,
	  4, 0, 0, 1, SSRC, SSRC),
	D("too many blocks", RR, 0x80, 207, 0, 4, SSRC, 0, 0, 0, 0, 0, 0, 0,
	  0, 0, 0, 0, 0),
	D("a report without its sender", RR, 0x80, 207, 0, 0, 0, 0, 0, 0),
	D("a range of less than nothing", RR, 0x80, 204, 0, 1, SSRC),
	D("bits of less than nothing", RR, 0x80, 205, 0, 1, SSRC),
	D("too many parts", RR, RR, RR, RR, RR, RR, RR, RR, RR),
	D("a long name", RR, 0x81, 202, 0, 35, SSRC, 1, 128, [151] = 0),
};

struct pair {
	int from, to;
};

/* Binds to an even or an odd port. */
static bool bind_at(int fd, unsigned odd)
{
	for (unsigned port = 20000 + odd; port < 30000; port += 2) {
		struct sockaddr_in at = {
			.sin_family = AF_INET,
			.sin_port = htons((uint16_t)port),
			.sin_addr = { htonl(INADDR_LOOPBACK) },
		};

		if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0)
			return true;
	}
	return false;
}

static struct pair pair_open(unsigned flags, unsigned odd)
{
	struct sockaddr_in at;
	socklen_t len = sizeof at;
	struct rist_filter filter;
	struct sock_fprog program = { .filter = filter.code };
	struct pair p = {
		.from = socket(AF_INET, SOCK_DGRAM, 0),
		.to = socket(AF_INET, SOCK_DGRAM, 0),
	};

	rist_filter_make(&filter, flags);
	program.len = (unsigned short)filter.n;
	cr_assert(bind_at(p.to, odd));
	cr_assert_eq(getsockname(p.to, (struct sockaddr *)&at, &len), 0);
	cr_assert_eq(connect(p.from, (struct sockaddr *)&at, len), 0);
	cr_assert_eq(setsockopt(p.to, SOL_SOCKET, SO_ATTACH_FILTER, &program,
				sizeof program), 0);
	return p;
}

static void pair_close(struct pair *p)
{
	(void)close(p->from);
	(void)close(p->to);
}

/* Datagrams dropped by the filter so far. */
static uint32_t kept_away(int fd)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t len = sizeof info;

	cr_assert_eq(getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len), 0);
	return info[SK_MEMINFO_DROPS];
}

/* Waits for the datagram on a busy kernel: its length, or -1 if it was
 * dropped. */
static ssize_t hear(int fd, uint32_t before, void *ret, size_t size)
{
	uint64_t end_ms = mono_ms() + PATIENCE_MS;
	ssize_t n;

	while ((n = recv(fd, ret, size, MSG_DONTWAIT)) < 0 &&
	       kept_away(fd) == before) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		cr_assert_lt(mono_ms(), end_ms, "it is lost");
		(void)poll(&p, 1, 1);
	}
	return n;
}

static bool passes(const struct pair *p, const uint8_t *head, size_t head_len,
		   const struct datagram *d)
{
	uint8_t data[1024], got[1024];
	ssize_t len = (ssize_t)(head_len + d->len), n;
	uint32_t before;

	if (head_len > 0)
		memcpy(data, head, head_len);
	if (d->len > 0)
		memcpy(data + head_len, d->data, d->len);
	before = kept_away(p->to);
	cr_assert_eq(send(p->from, data, (size_t)len, 0), len);
	n = hear(p->to, before, got, sizeof got);
	cr_assert(n < 0 || (n == len && memcmp(got, data, (size_t)n) == 0));
	return n >= 0;
}

static void judge_all(const struct pair *p, const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		cr_expect(passes(p, head, len, &good[i]), "%zu bytes: %s", len,
			  good[i].what);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect_not(passes(p, head, len, &bad[i]), "%zu bytes: %s",
			      len, bad[i].what);
}

Test(rist_filter, drops_datagrams_with_false_lengths)
{
	static const uint8_t clear[] = { GRE, PORTS };
	static const uint8_t numbered[] = { GRE_SEQUENCE, PORTS };
	static const uint8_t summed[] = { GRE_CHECKSUM, PORTS };
	struct pair simple = pair_open(RIST_FILTER_SIMPLE, 0);
	struct pair full = pair_open(0, 0);

	judge_all(&simple, NULL, 0);
	judge_all(&full, clear, sizeof clear);
	judge_all(&full, numbered, sizeof numbered);
	judge_all(&full, summed, sizeof summed);
	pair_close(&simple);
	pair_close(&full);
}

Test(rist_filter, drops_clear_text_at_a_port_with_a_secret)
{
	static const struct datagram clear[] = {
		D("as librist sends it", GRE, PORTS, RTP, SDES),
		D("numbered", GRE_SEQUENCE, PORTS, RTP, SDES),
		D("with a checksum", GRE_CHECKSUM, PORTS, RTP, SDES),
		D("a key without a number", 0x20, 0, 0x88, 0xb6, SSRC, PORTS,
		  RTP, SDES),
		D("a key of zero", 0x30, 0, 0x88, 0xb6, 0, 0, 0, 0, SSRC, PORTS,
		  RTP, SDES),
		D("... behind a checksum", 0xb0, 0, 0x88, 0xb6, SSRC, 0, 0, 0,
		  0, SSRC, PORTS, RTP, SDES),
		D("hardly anything", 0, 0, 0x88),
	};
	struct pair p = pair_open(RIST_FILTER_SECRET, 0);

	for (size_t i = 0; i < ARRAY_LEN(clear); i++)
		cr_expect_not(passes(&p, NULL, 0, &clear[i]), "%s",
			      clear[i].what);
	pair_close(&p);
}

/* Only the length of an encrypted datagram can be checked. Other header bits
 * have no effect. */
Test(rist_filter, checks_the_length_of_encrypted_datagrams)
{
	static const struct datagram heads[] = {
		D("plain", GRE_KEY),
		D("with a checksum", GRE_KEY_SUM),
		D("with 256 bits", 0x30, 0x48, 0x88, 0xb6, SSRC, SSRC),
		D("all bits", 0xff, 0xff, 0x88, 0xb6, SSRC, SSRC, SSRC),
		D("all but the sum", 0x7f, 0xff, 0x88, 0xb6, SSRC, SSRC),
	};
	struct pair p = pair_open(RIST_FILTER_SECRET, 0);

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		for (size_t n = 1; n < 100; n++) {
			struct datagram d = heads[i];
			size_t enough = heads[i].len + 4 + 20;

			d.len = n;
			memset(d.data + heads[i].len, 0x55, 4 + 60);
			cr_expect_eq(passes(&p, NULL, 0, &d), n >= enough,
				     "%s: %zu bytes", d.what, n);
		}
	pair_close(&p);
}

Test(rist_filter, passes_rtp_to_the_even_port_and_rtcp_to_the_odd_one)
{
	static const struct datagram rtp = D("RTP", RTP, 0x47);
	static const struct datagram rtcp = D("RTCP", RR, SDES);
	static const struct datagram none = D("neither", 0x47, 1, 2, 3);
	unsigned flags = RIST_FILTER_SIMPLE | RIST_FILTER_PAIR;

	for (unsigned odd = 0; odd < 2; odd++) {
		struct pair p = pair_open(flags, odd);

		cr_expect_eq(passes(&p, NULL, 0, &rtp), odd == 0);
		cr_expect_eq(passes(&p, NULL, 0, &rtcp), odd == 1);
		cr_expect(passes(&p, NULL, 0, &none));
		pair_close(&p);
	}
}

/* Tunnelled IP and authentication; keep-alive messages are valid. */
Test(rist_filter, drops_tunnels_and_authentication)
{
	static const uint8_t flags[] = { 0, 0x10, 0x20, 0x30, 0x80, 0x90, 0xa0,
					 0xb0, 0xff };

	for (int secret = 0; secret < 2; secret++) {
		struct pair p = pair_open(secret ? RIST_FILTER_SECRET : 0,
					  0);

		for (size_t i = 0; i < ARRAY_LEN(flags); i++)
			for (size_t n = 4; n < 60; n++) {
				struct datagram d = { .len = n };

				d.data[0] = flags[i];
				memcpy(d.data + 2, "\x08\0", 2);
				cr_expect_not(passes(&p, NULL, 0, &d));
				memcpy(d.data + 2, "\x88\x8e", 2);
				cr_expect_not(passes(&p, NULL, 0, &d));
				memcpy(d.data + 2, "\x88\xb5", 2);
				cr_expect(passes(&p, NULL, 0, &d));
			}
		pair_close(&p);
	}
}

Test(rist_filter, passes_datagrams_that_librist_logs)
{
	static const struct datagram told[] = {
		D("encrypted, here is no secret", GRE_KEY, SSRC, SSRC, SSRC),
		D("another protocol", 0, 0, 0xcc, 0xe0, 1),
	};
	static const struct datagram strange =
		D("a key without a number", 0x20, 0, 0x88, 0xb6, SSRC, PORTS,
		  RTP);
	struct pair p = pair_open(0, 0);

	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		cr_expect(passes(&p, NULL, 0, &told[i]), "%s", told[i].what);
	cr_expect_not(passes(&p, NULL, 0, &strange));
	pair_close(&p);
}

static int bound_to(const char *host, struct sockaddr_any *ret)
{
	struct sockaddr_any at;
	int fd;

	cr_assert_eq(sockaddr_parse(host, 0, &at), 0);
	fd = socket(at.sa.sa_family, SOCK_DGRAM, 0);
	cr_assert_eq(bind(fd, &at.sa, at.len), 0, "%s", host);
	at.len = sizeof at.in6;
	cr_assert_eq(getsockname(fd, &at.sa, &at.len), 0);
	*ret = at;
	return fd;
}

static bool gets_through(const char *to_host, const char *from_host,
			 const char *refused, int more_port)
{
	static const uint8_t data[] = { RR, SDES };
	struct sockaddr_any to_at, from_at, at;
	int to = bound_to(to_host, &to_at), from = bound_to(from_host,
							    &from_at);
	struct rist_filter filter;
	struct sock_fprog program = { .filter = filter.code };
	uint32_t before;
	char got[64];
	bool through;

	/* an IPv4 caller of a dual-stack socket */
	if (from_at.sa.sa_family == AF_INET)
		cr_assert_eq(sockaddr_parse("127.0.0.1",
					    sockaddr_port(&to_at), &to_at), 0);
	cr_assert_eq(sockaddr_parse(refused, (uint16_t)(sockaddr_port(&from_at)
							+ more_port), &at), 0);
	rist_filter_make(&filter, RIST_FILTER_SIMPLE);
	for (int i = 0; i < 32; i++)
		rist_filter_refuse(&filter, &at);
	program.len = (unsigned short)filter.n;
	cr_assert_eq(setsockopt(to, SOL_SOCKET, SO_ATTACH_FILTER, &program,
				sizeof program), 0);
	before = kept_away(to);
	cr_assert_eq(sendto(from, data, sizeof data, 0, &to_at.sa, to_at.len),
		     (ssize_t)sizeof data);
	through = hear(to, before, got, sizeof got) > 0;
	(void)close(to);
	(void)close(from);
	return through;
}

Test(rist_filter, drops_datagrams_of_a_rejected_source)
{
	cr_expect_not(gets_through("127.0.0.1", "127.0.0.1", "127.0.0.1", 0));
	cr_expect(gets_through("127.0.0.1", "127.0.0.1", "127.0.0.1", 1));
	cr_expect(gets_through("127.0.0.1", "127.0.0.1", "127.0.0.2", 0));
	cr_expect_not(gets_through("::1", "::1", "::1", 0));
	cr_expect(gets_through("::1", "::1", "::1", 1));
	cr_expect(gets_through("::1", "::1", "::2", 0));
	cr_expect_not(gets_through("::", "127.0.0.1", "::ffff:127.0.0.1", 0));
	cr_expect(gets_through("::", "127.0.0.1", "::ffff:127.0.0.2", 0));
}
