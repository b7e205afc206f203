/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/file_budget.h"
#include "common/http/server.h"
#include "common/ws/hub.h"

#include <criterion/criterion.h>

Test(file_budget, clients_never_have_most_of_it)
{
	static const uint64_t limits[] = { 64, 256, 1024, 4096, 524288 };

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		struct file_budget b;

		file_budget_divide(limits[i], &b);
		cr_assert_gt(b.control, 0);
		cr_assert_gt(b.events, 0);
		cr_assert_leq(b.control + b.events, limits[i] / 2);
		cr_assert_leq(b.control + b.events + b.streams * 6,
			      limits[i]);
	}
}

Test(file_budget, a_usual_limit_carries_ninety_streams)
{
	struct file_budget b;

	file_budget_divide(1024, &b);
	cr_assert_geq(b.streams, 90);
	file_budget_divide(UINT64_MAX, &b);
	cr_assert_eq(b.control, HTTP_CONNECTIONS_MAX);
	cr_assert_eq(b.events, HUB_CLIENTS_MAX);
	cr_assert_geq(b.streams, 1000);
}
