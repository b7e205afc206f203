/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/closed_sessions.h"

#include <criterion/criterion.h>

Test(closed_sessions, end_after_a_time_without_a_request)
{
	static struct closed_sessions s;

	cr_assert_not(closed_sessions_has(&s, 7, 1000));
	cr_assert_not(closed_sessions_has(&s, 0, 0));
	closed_sessions_add(&s, 7, false, 1000);
	cr_assert_not(closed_sessions_has(&s, 8, 1000));
	cr_assert(closed_sessions_has(&s, 7, 1000 + CLOSED_SESSION_MS - 1));
	/* the request began the time again */
	cr_assert(closed_sessions_has(&s, 7, 1000 + CLOSED_SESSION_MS));
	cr_assert_not(closed_sessions_has(&s, 7,
					  1000 + 2 * CLOSED_SESSION_MS));
}

Test(closed_sessions, the_last_one_ends_at_a_known_time)
{
	static struct closed_sessions s;

	cr_assert_eq(closed_sessions_until(&s), 0u);
	closed_sessions_add(&s, 7, false, 1000);
	closed_sessions_add(&s, 8, false, 900);
	cr_assert_eq(closed_sessions_until(&s), 1000u + CLOSED_SESSION_MS);
	cr_assert(closed_sessions_has(&s, 8, 3000));
	cr_assert_eq(closed_sessions_until(&s), 3000u + CLOSED_SESSION_MS);
}

Test(closed_sessions, the_oldest_gives_way)
{
	static struct closed_sessions s;

	for (uint64_t i = 1; i <= CLOSED_SESSIONS_MAX + 1; i++) {
		closed_sessions_add(&s, i, false, 1000);
		/* again: it needs no second place */
		closed_sessions_add(&s, i, false, 1000);
	}
	cr_assert_not(closed_sessions_has(&s, 1, 1000));
	for (uint64_t i = 2; i <= CLOSED_SESSIONS_MAX + 1; i++)
		cr_assert(closed_sessions_has(&s, i, 1000));
}

Test(closed_sessions, one_of_a_limit_ends_when_its_client_comes_back)
{
	static struct closed_sessions s;
	uint64_t now = 1000;

	closed_sessions_add(&s, 7, true, now);
	cr_assert(closed_sessions_has(&s, 7, now + CLOSED_RETURN_MS - 1));
	cr_assert_not(closed_sessions_has(&s, 7,
					  now + 2 * CLOSED_RETURN_MS));
	/* it has a place again */
	cr_assert_not(closed_sessions_has(&s, 7,
					  now + 2 * CLOSED_RETURN_MS));
	/* a player that plays on stays out: two would end each other */
	closed_sessions_add(&s, 7, true, now);
	while ((now += CLOSED_RETURN_MS / 2) < 1000 + 3 * CLOSED_SESSION_MS)
		cr_assert(closed_sessions_has(&s, 7, now));
	/* the operator closes one, before or after */
	closed_sessions_add(&s, 8, true, now);
	closed_sessions_add(&s, 8, false, now);
	closed_sessions_add(&s, 9, false, now);
	closed_sessions_add(&s, 9, true, now);
	now += CLOSED_SESSION_MS - 1;
	cr_assert(closed_sessions_has(&s, 8, now));
	cr_assert(closed_sessions_has(&s, 9, now));
}
