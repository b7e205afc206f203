/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_mmi.h"

#include <criterion/criterion.h>
#include <errno.h>

static struct ci_mmi mmi;

#define TAKE(tag, text) \
	ci_mmi_take(&mmi, tag, (struct ci_bytes){ (const uint8_t *)(text), \
						  sizeof(text) - 1 })
#define HEAD "\x9f\x88\x03\x01T" "\x9f\x88\x03\x00" "\x9f\x88\x03\x01" "B"

Test(ci_mmi, reads_a_menu)
{
	cr_assert_eq(TAKE(MMI_MENU_LAST, "\x02" HEAD
			  "\x9f\x88\x04\x02" "ab" "\x9f\x88\x03\x01" "c"
			  "\x9f\x88\x03\x01" "d"), 1);
	cr_assert_eq(mmi.kind, MMI_MENU);
	cr_assert(mmi.complete);
	cr_assert_str_eq(mmi.title, "T");
	cr_assert_str_eq(mmi.subtitle, "");
	cr_assert_str_eq(mmi.bottom, "B");
	cr_assert_eq(mmi.n, 2);
	cr_assert_str_eq(mmi.items[0], "abc");
	cr_assert_str_eq(mmi.items[1], "d");
}

Test(ci_mmi, joins_the_parts_of_a_menu)
{
	cr_assert_eq(TAKE(MMI_MENU_MORE, "\xff" HEAD "\x9f\x88\x03\x01" "a"),
		     0);
	cr_assert(!mmi.complete);
	cr_assert_eq(TAKE(MMI_MENU_LAST, "\xff" HEAD "\x9f\x88\x03\x01" "b"),
		     1);
	cr_assert_eq(mmi.n, 2);
	/* the next menu is another */
	cr_assert_eq(TAKE(MMI_MENU_LAST, "\x01" HEAD "\x9f\x88\x03\x01" "c"),
		     1);
	cr_assert_eq(mmi.n, 1);
	cr_assert_eq(TAKE(MMI_LIST_LAST, "\x00" HEAD), 1);
	cr_assert_eq(mmi.kind, MMI_LIST);
	cr_assert_eq(mmi.n, 0);
}

Test(ci_mmi, reads_a_question)
{
	cr_assert_eq(TAKE(MMI_ENQUIRY, "\x01\x04" "PIN?"), 1);
	cr_assert_eq(mmi.kind, MMI_QUESTION);
	cr_assert(mmi.blind);
	cr_assert_eq(mmi.length, 4);
	cr_assert_str_eq(mmi.title, "PIN?");
	cr_assert_eq(TAKE(MMI_ENQUIRY, "\x00\xff"), 1);
	cr_assert(!mmi.blind);
	cr_assert_eq(mmi.length, 0);
}

Test(ci_mmi, bounds_items_and_texts)
{
	static uint8_t menu[1 + 12 + 300 * 4 + 2 * 1000];
	size_t n = 0;

	menu[n++] = 0xff;
	for (int i = 0; i < 3 + MMI_ITEMS_MAX + 7; i++) {
		memcpy(menu + n, "\x9f\x88\x03\x00", 4);
		n += 4;
	}
	cr_assert_eq(ci_mmi_take(&mmi, MMI_MENU_LAST,
				 (struct ci_bytes){ menu, n }), 1);
	cr_assert_eq(mmi.n, MMI_ITEMS_MAX);
	cr_assert_eq(mmi.more, 7);

	n = 1;
	for (int i = 0; i < 3; i++) {
		memcpy(menu + n, "\x9f\x88\x03\x82\x02\x00", 6);
		memset(menu + n + 6, 'x', 512);
		n += 6 + 512;
	}
	cr_assert_eq(ci_mmi_take(&mmi, MMI_MENU_LAST,
				 (struct ci_bytes){ menu, n }), 1);
	cr_assert_eq(strlen(mmi.title), MMI_TEXT_MAX - 1);
}

Test(ci_mmi, refuses_malformed_objects)
{
	cr_assert_eq(TAKE(MMI_MENU_LAST, ""), -EBADMSG);
	cr_assert_eq(TAKE(MMI_MENU_LAST, "\x01"), -EBADMSG);
	cr_assert_eq(TAKE(MMI_MENU_LAST, "\x01" HEAD "\x9f\x88\x04\x01x"),
		     -EBADMSG);
	cr_assert_eq(TAKE(MMI_MENU_LAST, "\x01" HEAD "\x9f\x88\x03\x05x"),
		     -EBADMSG);
	cr_assert_eq(TAKE(MMI_MENU_LAST, "\x01" HEAD "\x9f\x80\x03\x01x"),
		     -EBADMSG);
	cr_assert_eq(mmi.kind, MMI_NONE);
	cr_assert_eq(TAKE(MMI_ENQUIRY, "\x01"), -EBADMSG);
	cr_assert_eq(TAKE(MMI_KEYPAD_CONTROL, "\x01"), -ENOTSUP);
}
