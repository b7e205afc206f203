/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the process of the guide learns of the keys of a stream. */
#include "master/streams/epg_keys.h"

#include "proto/ipc/msg.h"

#include <criterion/criterion.h>

static struct msg_epg_stream read_keys(const char *text)
{
	json_t *stream = json_loads(text, 0, NULL), *keys;
	struct msg_epg_stream s = { 0 };

	cr_assert_not_null(stream);
	keys = epg_keys_new(stream);
	json_decref(stream);
	epg_keys_fill(keys, &s);
	json_decref(keys);
	return s;
}

Test(epg_keys, name_the_eit_that_are_made_from_the_guide)
{
	struct msg_epg_stream s = read_keys("{}");

	cr_expect(!s.own.all && s.own.n_except == 0);
	cr_expect_eq(s.own_other, EIT_OTHER_PASS);
	s = read_keys("{\"eit\": \"own\", \"eit_other\": \"present\", "
		      "\"sdt\": [{\"pnr\": 7, \"eit\": \"pass\"}]}");
	cr_expect(s.own.all && s.own.n_except == 1 && s.own.except[0] == 7);
	cr_expect_eq(s.own_other, EIT_OTHER_PRESENT);
	s = read_keys("{\"eit_other\": \"all\"}");
	cr_expect_eq(s.own_other, EIT_OTHER_ALL);
}
