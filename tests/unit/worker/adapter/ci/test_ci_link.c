/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_link.h"

#include <criterion/criterion.h>
#include <errno.h>

#define TAKE(l, text) \
	ci_link_take(l, (const uint8_t *)(text), sizeof(text) - 1)

static struct ci_link link;

static void open_link(void)
{
	uint8_t to[CI_SEND_MAX];

	cr_assert_eq(ci_link_create(&link, to), 3);
	cr_assert_eq(memcmp(to, "\x82\x01\x01", 3), 0);
	cr_assert(link.waits);
	cr_assert_eq(TAKE(&link, "\x83\x01\x01\x80\x02\x01\x00"),
		     CI_LINK_OPENED | CI_LINK_ANSWER);
	cr_assert(link.open && !link.waits && !link.has_data);
}

Test(ci_link, joins_the_parts_of_an_object)
{
	uint8_t to[CI_SEND_MAX];

	open_link();
	cr_assert_eq(ci_link_poll(&link, to), 3);
	cr_assert_eq(TAKE(&link, "\x80\x02\x01\x80"), CI_LINK_ANSWER);
	cr_assert(link.has_data);
	cr_assert_eq(ci_link_receive(&link, to), 3);
	cr_assert_eq(to[0], 0x81);
	cr_assert_eq(TAKE(&link, "\xa1\x03\x01" "ab" "\x80\x02\x01\x80"),
		     CI_LINK_ANSWER);
	cr_assert_eq(TAKE(&link, "\xa0\x81\x02\x01" "c" "\x80\x02\x01\x00"),
		     CI_LINK_ANSWER | CI_LINK_OBJECT);
	cr_assert_eq(link.n, 3);
	cr_assert_eq(memcmp(link.object, "abc", 3), 0);
	/* the next one begins anew */
	cr_assert_eq(TAKE(&link, "\xa0\x02\x01" "d"), CI_LINK_OBJECT);
	cr_assert_eq(link.n, 1);
}

Test(ci_link, writes_long_objects_with_a_long_length)
{
	uint8_t object[300] = { 0x90 }, to[CI_SEND_MAX];

	open_link();
	cr_assert_eq(ci_link_send(&link, object, sizeof object, to), 305);
	cr_assert_eq(memcmp(to, "\xa0\x82\x01\x2d\x01\x90", 6), 0);
}

Test(ci_link, refuses_what_is_no_message)
{
	static const struct {
		const char *data;
		size_t n;
	} cases[] = {
		{ "", 0 },
		{ "\x80", 1 },
		{ "\x80\x02\x01", 3 },         /* cut */
		{ "\x80\x02\x02\x00", 4 },     /* another connection */
		{ "\x80\x03\x01\x00\x00", 5 }, /* a long status */
		{ "\x5a\x01\x01", 3 },         /* unknown */
		{ "\xa0\x00", 2 },             /* no connection */
		{ "\xa0\x80\x01", 3 },         /* no length */
		{ "\xa0\x83\x00\x00\x01\x01", 6 },
		{ "\xa0\x82\xff\xff\x01", 5 },
		{ "\xa0\x02\x01" "a" "\xa0\x02\x01" "b", 8 }, /* two objects */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		open_link();
		cr_assert_eq(ci_link_take(&link,
					  (const uint8_t *)cases[i].data,
					  cases[i].n), -EBADMSG, "case %zu", i);
	}
}

Test(ci_link, bounds_an_object_without_an_end)
{
	static uint8_t part[1024] = { 0xa1, 0x82, 0x03, 0xfc, 0x01 };
	int r = 0;

	open_link();
	for (int i = 0; i < 17 && r == 0; i++)
		r = ci_link_take(&link, part, sizeof part);
	cr_assert_eq(r, -EMSGSIZE);
	cr_assert_leq(link.n, CI_SPDU_MAX);
}

Test(ci_link, refuses_another_connection)
{
	uint8_t to[CI_SEND_MAX];

	open_link();
	cr_assert_eq(TAKE(&link, "\x86\x01\x01\x80\x02\x01\x00"),
		     CI_LINK_ASKED | CI_LINK_ANSWER);
	cr_assert_eq(ci_link_refuse(&link, to), 4);
	cr_assert_eq(memcmp(to, "\x88\x02\x01\x01", 4), 0);
	cr_assert_eq(TAKE(&link, "\x84\x01\x01"), CI_LINK_CLOSED);
	cr_assert(!link.open);
}
