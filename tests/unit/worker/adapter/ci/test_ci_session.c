/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_session.h"

#include <criterion/criterion.h>
#include <errno.h>

static struct ci_sessions sessions;
static struct ci_session_object object;

#define TAKE(text) \
	ci_session_take(&sessions, (const uint8_t *)(text), sizeof(text) - 1, \
			&object)

Test(ci_session, opens_the_resources_of_the_host)
{
	cr_assert_eq(TAKE("\x91\x04\x00\x03\x00\x41"), CI_SESSION_OPENED);
	cr_assert_eq(object.resource, CI_CA_SUPPORT);
	cr_assert_eq(object.n_reply, 9);
	cr_assert_eq(memcmp(object.reply,
			    "\x92\x07\x00\x00\x03\x00\x41\x00\x01", 9), 0);
	cr_assert_eq(TAKE("\x90\x02\x00\x01" "object"), CI_SESSION_DATA);
	cr_assert_eq(object.data.n, 6);
	cr_assert_eq(ci_session_find(&sessions, CI_CA_SUPPORT), 1);
	cr_assert_eq(TAKE("\x95\x02\x00\x01"), CI_SESSION_CLOSED);
	cr_assert_eq(memcmp(object.reply, "\x96\x03\x00\x00\x01", 5), 0);
	cr_assert_eq(ci_session_find(&sessions, CI_CA_SUPPORT), 0);
}

Test(ci_session, refuses_other_resources_and_versions)
{
	/* host control; content control of CI+; a later version */
	cr_assert_eq(TAKE("\x91\x04\x00\x20\x00\x41"), CI_SESSION_REFUSED);
	cr_assert_eq(object.reply[2], 0xf0);
	cr_assert_eq(TAKE("\x91\x04\x00\x8c\x10\x41"), CI_SESSION_REFUSED);
	cr_assert_eq(object.id, 0x008c1041);
	cr_assert_eq(TAKE("\x91\x04\x00\x02\x00\x43"), CI_SESSION_REFUSED);
	cr_assert_eq(object.reply[2], 0xf2);
}

Test(ci_session, a_second_opening_replaces_the_first)
{
	cr_assert_eq(TAKE("\x91\x04\x00\x40\x00\x41"), CI_SESSION_OPENED);
	cr_assert_eq(TAKE("\x91\x04\x00\x40\x00\x41"), CI_SESSION_OPENED);
	cr_assert_eq(ci_session_find(&sessions, CI_MMI), 2);
	cr_assert_eq(TAKE("\x90\x02\x00\x01" "late"), CI_SESSION_NOTHING);
}

Test(ci_session, is_busy_when_all_sessions_are_open)
{
	for (int i = 0; i < CI_SESSIONS_MAX; i++)
		cr_assert_eq(TAKE("\x91\x04\x00\x01\x00\x41"),
			     CI_SESSION_OPENED);
	cr_assert_eq(TAKE("\x91\x04\x00\x01\x00\x41"), CI_SESSION_REFUSED);
	cr_assert_eq(object.reply[2], 0xf3);
	cr_assert_eq(TAKE("\x91\x04\x00\x02\x00\x41"), CI_SESSION_REFUSED);
}

Test(ci_session, ignores_sessions_that_are_not_open)
{
	cr_assert_eq(TAKE("\x90\x02\x00\x00" "x"), CI_SESSION_NOTHING);
	cr_assert_eq(TAKE("\x90\x02\x00\x11" "x"), CI_SESSION_NOTHING);
	cr_assert_eq(TAKE("\x90\x02\xff\xff" "x"), CI_SESSION_NOTHING);
	cr_assert_eq(TAKE("\x95\x02\x00\x05"), CI_SESSION_NOTHING);
	cr_assert_eq(object.reply[2], 0xf0);
	cr_assert_eq(TAKE("\x96\x03\x00\x00\x01"), CI_SESSION_NOTHING);
}

Test(ci_session, refuses_malformed_objects)
{
	cr_assert_eq(TAKE(""), -EBADMSG);
	cr_assert_eq(TAKE("\x91"), -EBADMSG);
	cr_assert_eq(TAKE("\x91\x03\x00\x01\x00"), -EBADMSG);
	cr_assert_eq(TAKE("\x91\x04\x00\x01\x00\x41\x00"), -EBADMSG);
	cr_assert_eq(TAKE("\x90\x01\x01"), -EBADMSG);
	cr_assert_eq(TAKE("\x93\x02\x00\x01"), -EBADMSG);
}
