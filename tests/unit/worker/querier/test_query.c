/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/querier/query.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Captured queries: IP with the router alert option (RFC 2113). */
static const uint8_t v2[] = {
	0x46, 0xc0, 0, 32, 0, 0, 0x40, 0, 1, 2, 0x42, 0x15, 192, 0, 2, 1,
	224, 0, 0, 1, 0x94, 4, 0, 0,
	0x11, 0x64, 0xee, 0x9b, 0, 0, 0, 0,
};
/* QRV 2, QQIC 125 */
static const uint8_t v3[] = {
	0x46, 0xc0, 0, 36, 0, 0, 0x40, 0, 1, 2, 0x42, 0x11, 192, 0, 2, 1,
	224, 0, 0, 1, 0x94, 4, 0, 0,
	0x11, 0x64, 0xec, 0x1e, 0, 0, 0, 0, 0x02, 125, 0, 0,
};
static const uint8_t mld2[] = {
	130, 0, 0, 0, 0x27, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0x02, 125, 0, 0,
};

enum { IGMP_AT = 24 };

static uint8_t copy[sizeof v3 + 1];

static int parse(const uint8_t *data, size_t len, struct group_query *ret)
{
	/* exact memory: a sanitizer reports a read behind the end */
	uint8_t *exact = malloc(len > 0 ? len : 1);
	int r;

	memcpy(exact, data, len);
	r = igmp_query_parse(exact, len, ret);
	free(exact);
	return r;
}

/* The v3 query with one changed byte and a valid checksum. */
static int parse_with(size_t at, uint8_t value)
{
	struct group_query q;
	uint32_t sum = 0;

	memcpy(copy, v3, sizeof v3);
	copy[at] = value;
	copy[IGMP_AT + 2] = copy[IGMP_AT + 3] = 0;
	for (size_t i = IGMP_AT; i < sizeof v3; i += 2)
		sum += (uint32_t)(copy[i] << 8 | copy[i + 1]);
	sum = ~((sum >> 16) + (sum & 0xffff));
	copy[IGMP_AT + 2] = (uint8_t)(sum >> 8);
	copy[IGMP_AT + 3] = (uint8_t)sum;
	return parse(copy, sizeof v3, &q);
}

Test(query, parses_every_version_of_igmp)
{
	struct group_query q;
	uint8_t v1[sizeof v2];

	cr_assert_eq(parse(v2, sizeof v2, &q), 0);
	cr_assert_eq(q.version, 2);
	cr_assert_eq(q.interval_s, 0);
	cr_assert_eq(parse(v3, sizeof v3, &q), 0);
	cr_assert_eq(q.version, 3);
	cr_assert_eq(q.interval_s, 125);
	memcpy(v1, v2, sizeof v1);
	v1[IGMP_AT + 1] = 0;
	v1[IGMP_AT + 2] = 0xee;
	v1[IGMP_AT + 3] = 0xff;
	cr_assert_eq(parse(v1, sizeof v1, &q), 0);
	cr_assert_eq(q.version, 1);
}

Test(query, decodes_long_intervals)
{
	struct group_query q;
	uint8_t m[sizeof mld2];

	memcpy(m, mld2, sizeof m);
	m[25] = 0x80;
	cr_assert_eq(mld_query_parse(m, sizeof m, &q), 0);
	cr_assert_eq(q.interval_s, 128);
	m[25] = 0xff;
	cr_assert_eq(mld_query_parse(m, sizeof m, &q), 0);
	cr_assert_eq(q.interval_s, 31744);
}

Test(query, rejects_damaged_and_truncated_queries)
{
	struct group_query q = { 7, 7 };

	for (size_t len = 0; len < sizeof v3; len++)
		cr_assert_eq(parse(v3, len, &q), -EBADMSG, "%zu", len);
	for (size_t at = IGMP_AT; at < sizeof v3; at++) {
		memcpy(copy, v3, sizeof v3);
		copy[at] ^= 0x10;
		cr_assert_eq(parse(copy, sizeof v3, &q), -EBADMSG, "%zu", at);
	}
	cr_assert_eq(q.version, 7);
	/* bytes behind the datagram are ignored */
	memcpy(copy, v3, sizeof v3);
	copy[sizeof v3] = 0xff;
	cr_assert_eq(parse(copy, sizeof v3 + 1, &q), 0);
}

Test(query, rejects_other_messages)
{
	static const struct {
		size_t at;
		uint8_t value;
	} wrong[] = {
		{ 0, 0x66 },            /* IPv6 */
		{ 0, 0x44 },            /* header too short */
		{ 0, 0x4f },            /* header longer than the datagram */
		{ 9, 17 },              /* UDP */
		{ 16, 10 },             /* to a host */
		{ 19, 22 },             /* to 224.0.0.22 */
		{ IGMP_AT, 0x16 },      /* a report */
		{ IGMP_AT + 4, 239 },   /* of one group */
		{ IGMP_AT + 7, 1 },
	};

	cr_assert_eq(parse_with(1, 0), 0);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		cr_assert_eq(parse_with(wrong[i].at, wrong[i].value), -EBADMSG,
			     "%zu", i);
}

Test(query, rejects_lengths_between_two_versions)
{
	struct group_query q;
	uint8_t m[sizeof v2 + 2] = { 0 };

	memcpy(m, v2, sizeof v2);
	m[3] = sizeof m;
	cr_assert_eq(parse(m, sizeof m, &q), -EBADMSG);
	cr_assert_eq(mld_query_parse(mld2, 26, &q), -EBADMSG);
}

Test(query, parses_every_version_of_mld)
{
	struct group_query q;
	uint8_t m[sizeof mld2];

	cr_assert_eq(mld_query_parse(mld2, sizeof mld2, &q), 0);
	cr_assert_eq(q.version, 2);
	cr_assert_eq(q.interval_s, 125);
	cr_assert_eq(mld_query_parse(mld2, 24, &q), 0);
	cr_assert_eq(q.version, 1);
	cr_assert_eq(mld_query_parse(mld2, 23, &q), -EBADMSG);
	memcpy(m, mld2, sizeof m);
	m[0] = 131;
	cr_assert_eq(mld_query_parse(m, sizeof m, &q), -EBADMSG);
	memcpy(m, mld2, sizeof m);
	m[8] = 0xff;
	cr_assert_eq(mld_query_parse(m, sizeof m, &q), -EBADMSG);
}
