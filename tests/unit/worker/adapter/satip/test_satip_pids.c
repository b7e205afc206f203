/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/satip_pids.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(struct buf *text, const char *wanted)
{
	buf_append(text, "", 1);
	cr_expect_str_eq((const char *)buf_head(text), wanted);
	buf_done(text);
}

Test(satip_pids, a_change_names_what_differs)
{
	static const struct {
		struct satip_pids from, to;
		const char *change;
	} cases[] = {
		{ { { 0, 17 }, 2 }, { { 0, 17, 256 }, 3 }, "addpids=256" },
		{ { { 0, 17, 256 }, 3 }, { { 17 }, 1 }, "delpids=0,256" },
		{ { { 1, 3, 5 }, 3 }, { { 2, 3, 8190 }, 3 },
		  "addpids=2,8190&delpids=1,5" },
		{ { { 0 }, 0 }, { { 0, 1 }, 2 }, "addpids=0,1" },
		{ { { 0, 1 }, 2 }, { { 0 }, 0 }, "delpids=0,1" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf text = { 0 };

		cr_expect(!satip_pids_equal(&cases[i].from, &cases[i].to));
		cr_expect(satip_pids_equal(&cases[i].to, &cases[i].to));
		satip_pids_print_change(&cases[i].from, &cases[i].to, &text);
		expect(&text, cases[i].change);
	}
}

Test(satip_pids, a_full_list_is_printed_and_replaced)
{
	struct satip_pids full = { .n = SATIP_PIDS_MAX }, other = full;
	struct buf text = { 0 };
	size_t commas = 0;

	for (size_t i = 0; i < SATIP_PIDS_MAX; i++) {
		full.list[i] = (uint16_t)(2 * i);
		other.list[i] = (uint16_t)(2 * i + 1);
	}
	satip_pids_print_change(&full, &other, &text);
	for (size_t i = 0; i < buf_len(&text); i++)
		commas += buf_head(&text)[i] == ',';
	cr_expect_eq(commas, 2u * (SATIP_PIDS_MAX - 1));
	buf_done(&text);
	satip_pids_print(&(struct satip_pids){ { 0, 17, 8190 }, 3 }, &text);
	expect(&text, "pids=0,17,8190");
}
