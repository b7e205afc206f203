/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/announcement.h"

#include "worker/rtp/fec.h"
#include "worker/sdp/sap_packet.h"
#include "worker/sdp/sdp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	/* The duration of one block of error correction at a low rate. */
	REPAIR_WINDOW_US = 1000000,
};

static const char type[] = SAP_TYPE_SDP;

/* Lines of text; over: they did not fit. */
struct text {
	char *to;
	size_t size, used;
	bool over;
};

static void __attribute__((format(printf, 2, 3)))
put(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	if (t->over)
		return;
	va_start(args, format);
	n = vsnprintf(t->to + t->used, t->size - t->used, format, args);
	va_end(args);
	t->over = n < 0 || (size_t)n >= t->size - t->used;
	t->used += t->over ? 0 : (size_t)n;
}

static int family_digit(const struct sockaddr_any *a)
{
	return a->sa.sa_family == AF_INET6 ? 6 : 4;
}

/* Writes the line c= with the address of a destination; for an IPv4 group it
 * includes the TTL. */
static void put_connection(const struct announcement *a,
			   const struct sockaddr_any *to, struct text *t)
{
	char host[SOCKADDR_TEXT_MAX];

	sockaddr_format_host(to, host);
	put(t, "c=IN IP%d %s", family_digit(to), host);
	if (sockaddr_is_multicast(to) && family_digit(to) == 4)
		put(t, "/%u", MIN(a->ttl, 255u));
	put(t, "\r\n");
}

/* True if the description lists the second path.  SDP cannot describe a second
 * path that differs only by its interface. */
static bool has_second_path(const struct announcement *a)
{
	return a->full && a->streams.has_path2 &&
	       !sockaddr_equal(&a->remote, &a->streams.path2);
}

static bool has_fec(const struct announcement *a)
{
	return a->full && a->streams.fec_columns > 0;
}

bool announcement_has_full(const struct announcement *a)
{
	struct announcement full = *a;

	full.full = true;
	return a->rtp && (has_fec(&full) || has_second_path(&full));
}

/* Writes the media of error correction, columns and rows.  RFC 6015 defines
 * columns only, so rows use the name of RFC 3009. */
static void put_fec(const struct announcement *a, unsigned number,
		    const struct sockaddr_any *to, struct text *t)
{
	static const struct {
		unsigned port;
		char mid;
		const char *encoding;
	} kinds[] = {
		{ FEC_COLUMN_PORT, 'c', "1d-interleaved-parityfec" },
		{ FEC_ROW_PORT, 'r', "parityfec" },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		put(t, "m=application %u RTP/AVP %d\r\n",
		    sockaddr_port(to) + kinds[i].port, FEC_PAYLOAD_TYPE);
		if (number > 1)
			put_connection(a, to, t);
		put(t, "a=rtpmap:%d %s/90000\r\n", FEC_PAYLOAD_TYPE,
		    kinds[i].encoding);
		if (kinds[i].port == FEC_COLUMN_PORT)
			put(t, "a=fmtp:%d L=%u; D=%u; repair-window=%d\r\n",
			    FEC_PAYLOAD_TYPE, a->streams.fec_columns,
			    a->streams.fec_rows, REPAIR_WINDOW_US);
		put(t, "a=mid:%c%u\r\n", kinds[i].mid, number);
	}
}

static void put_description(const struct announcement *a, struct text *t)
{
	const struct sockaddr_any *paths[] = { &a->remote, &a->streams.path2 };
	char name[SDP_NAME_MAX + 1];

	sdp_name(a->name, name);
	put(t, "s=%s", name[0] != '\0' ? name : "-");
	if (a->full)
		put(t, " (%s%s%s)", has_fec(a) ? "FEC" : "",
		    has_fec(a) && has_second_path(a) ? ", " : "",
		    has_second_path(a) ? "2 paths" : "");
	put(t, "\r\n");
	put_connection(a, &a->remote, t);
	put(t, "t=0 0\r\na=tool:sluice\r\na=type:broadcast\r\n");
	if (!a->rtp) {
		put(t, "m=video %u udp MP2T\r\n", sockaddr_port(&a->remote));
		return;
	}
	/* groups of two paths (RFC 7104), and of media and FEC (RFC 5956) */
	if (has_second_path(a))
		put(t, "a=group:DUP m1 m2\r\n");
	for (unsigned i = 1; has_fec(a) && i <= 1u + has_second_path(a); i++)
		put(t, "a=group:FEC-FR m%u c%u r%u\r\n", i, i, i);
	/* media first: ffmpeg stalls if media follow their FEC */
	for (unsigned i = 0; i <= has_second_path(a); i++) {
		put(t, "m=video %u RTP/AVP %d\r\n", sockaddr_port(paths[i]),
		    RTP_PAYLOAD_MP2T);
		/* the first path has the address of the session */
		if (i > 0)
			put_connection(a, paths[i], t);
		put(t, "a=rtpmap:%d MP2T/90000\r\n", RTP_PAYLOAD_MP2T);
		if (a->full)
			put(t, "a=mid:m%u\r\n", i + 1);
	}
	for (unsigned i = 0; has_fec(a) && i <= has_second_path(a); i++)
		put_fec(a, i + 1, paths[i], t);
}

static size_t put_head(const struct announcement *a, bool deletion, uint8_t *to)
{
	bool v6 = family_digit(&a->origin) == 6;
	size_t len = v6 ? 16 : 4;
	/* the hash identifies the content; it is never 0 (RFC 2974 6) */
	uint64_t mix = (a->session ^ a->version * 31) *
		       UINT64_C(0x9e3779b97f4a7c15);
	uint16_t hash = MAX((uint16_t)(mix >> 48), 1);

	to[0] = (uint8_t)(SAP_VERSION_1 | (v6 ? SAP_IS_IPV6 : 0) |
			  (deletion ? SAP_IS_DELETION : 0));
	to[1] = 0; /* no authentication */
	to[2] = (uint8_t)(hash >> 8);
	to[3] = (uint8_t)hash;
	memcpy(to + SAP_HEAD, v6 ? (const void *)&a->origin.in6.sin6_addr
			  : (const void *)&a->origin.in.sin_addr, len);
	memcpy(to + SAP_HEAD + len, type, sizeof type);
	return SAP_HEAD + len + sizeof type;
}

/* RFC 2974 4: a deletion contains only the origin. */
ssize_t announcement_make(const struct announcement *a, bool deletion,
			  uint8_t *ret)
{
	size_t len = put_head(a, deletion, ret);
	char lines[ANNOUNCEMENT_MAX], host[SOCKADDR_TEXT_MAX];
	struct text t = { .to = lines, .size = ANNOUNCEMENT_MAX - len };

	if (!deletion)
		put(&t, "v=0\r\n");
	sockaddr_format_host(&a->origin, host);
	put(&t, "o=- %" PRIu64 " %" PRIu64 " IN IP%d %s\r\n", a->session,
	    a->version, family_digit(&a->origin), host);
	if (!deletion)
		put_description(a, &t);
	if (t.over)
		return -EMSGSIZE;
	memcpy(ret + len, lines, t.used);
	return (ssize_t)(len + t.used);
}
