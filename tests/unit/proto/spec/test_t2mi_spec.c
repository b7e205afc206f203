/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/t2mi_spec.h"

#include <criterion/criterion.h>

#define TUNER "\"type\":\"S2\",\"frequency\":11362,\"t2mi\":true"

/* A change of other keys does not disturb the decapsulator. */
Test(t2mi_spec, the_tuning_and_its_own_keys_count)
{
	static const struct {
		const char *other;
		bool same;
	} cases[] = {
		{ "{" TUNER "}", true },
		{ "{" TUNER ",\"t2mi_pid\":4096}", true },
		{ "{" TUNER ",\"timeout\":60,\"budget\":false,\"ca_limit\":3}",
		  true },
		{ "{" TUNER ",\"t2mi_pid\":500}", false },
		{ "{" TUNER ",\"plp\":3}", false },
		{ "{" TUNER ",\"polarization\":\"H\"}", false },
		{ "{\"type\":\"S2\",\"frequency\":11362}", false },
		{ "{\"type\":\"S2\",\"frequency\":11494,\"t2mi\":true}",
		  false },
	};
	json_t *one = json_loads("{" TUNER "}", 0, NULL);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *other = json_loads(cases[i].other, 0, NULL);

		cr_assert_not_null(other);
		cr_expect_eq(t2mi_spec_is_same(one, other), cases[i].same,
			     "%s", cases[i].other);
		cr_expect_eq(t2mi_spec_is_same(other, one), cases[i].same,
			     "%s", cases[i].other);
		json_decref(other);
	}
	json_decref(one);
}
