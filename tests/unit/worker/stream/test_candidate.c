/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/candidate.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

Test(candidate, has_a_next_state_for_every_event)
{
	static const struct {
		enum candidate_state from;
		enum candidate_event event;
		enum candidate_state to;
	} cases[] = {
		{ CANDIDATE_STANDBY, CANDIDATE_CHOOSE, CANDIDATE_PENDING },
		{ CANDIDATE_PENDING, CANDIDATE_REJECT, CANDIDATE_STANDBY },
		{ CANDIDATE_PENDING, CANDIDATE_ENTER, CANDIDATE_ON_AIR },
		{ CANDIDATE_STANDBY, CANDIDATE_ENTER, CANDIDATE_ON_AIR },
		/* an input on air stays so, whatever the policy chooses */
		{ CANDIDATE_ON_AIR, CANDIDATE_CHOOSE, CANDIDATE_ON_AIR },
		{ CANDIDATE_ON_AIR, CANDIDATE_REJECT, CANDIDATE_ON_AIR },
		{ CANDIDATE_ON_AIR, CANDIDATE_LEAVE, CANDIDATE_ENDING },
		{ CANDIDATE_ON_AIR, CANDIDATE_CUT, CANDIDATE_STANDBY },
		/* its last units come first */
		{ CANDIDATE_ENDING, CANDIDATE_CHOOSE, CANDIDATE_ENDING },
		{ CANDIDATE_ENDING, CANDIDATE_ENTER, CANDIDATE_ON_AIR },
		{ CANDIDATE_ENDING, CANDIDATE_CUT, CANDIDATE_STANDBY },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct candidate c = { .state = cases[i].from };

		candidate_handle(&c, cases[i].event);
		cr_expect_eq(c.state, cases[i].to, "case %zu: %d", i, c.state);
	}
}

Test(candidate, only_a_candidate_on_air_can_leave)
{
	for (int i = 0; i < CANDIDATE_STATES; i++) {
		struct candidate c = { .state = (enum candidate_state)i };

		candidate_handle(&c, CANDIDATE_LEAVE);
		if (i != CANDIDATE_ON_AIR)
			cr_expect_eq((int)c.state, i);
	}
}
