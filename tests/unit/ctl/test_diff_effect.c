/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/diff_effect.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>

static const char list[] =
	"{'id':'list','enable':true,'input':['file:///v/day#list']}";

/* A document with these streams. */
static json_t *document(const char *more)
{
	char text[1024];

	(void)snprintf(text, sizeof text, "{'make_stream':[%s%s]}", list, more);
	return quoted(text);
}

static enum diff_effect effect(const char *before, const char *after)
{
	json_t *from = document(before), *to = document(after);
	enum diff_effect is = diff_effect_of(from, to, "list");

	json_decref(from);
	json_decref(to);
	return is;
}

/* Its worker has no access to the folders of recordings. */
Test(diff_effect, a_list_restarts_with_a_new_folder_of_recordings)
{
	const char *none = ",{'id':'a','output':['udp://127.0.0.1:6000']}",
		   *one = ",{'id':'a','output':['file:///r/a.ts']}",
		   *same = ",{'id':'a','output':['file:///r/b.ts']}",
		   *other = ",{'id':'a','output':['file:///s/a.ts']}";

	cr_assert_eq(effect(none, none), DIFF_CONTINUES);
	cr_assert_eq(effect(none, one), DIFF_RESTARTS);
	cr_assert_eq(effect(one, same), DIFF_CONTINUES);
	cr_assert_eq(effect(one, other), DIFF_RESTARTS);
	cr_assert_eq(effect(other, none), DIFF_RESTARTS);
}

Test(diff_effect, a_stream_without_a_list_continues_beside_a_recording)
{
	json_t *from = quoted("{'make_stream':[{'id':'a','enable':true,"
			      "'input':['udp://127.0.0.1:5000']}]}");
	json_t *to = json_deep_copy(from);

	(void)json_array_append_new(
		json_object_get(to, "make_stream"),
		quoted("{'id':'b','output':['file:///r/a.ts']}"));
	cr_assert_eq(diff_effect_of(from, to, "a"), DIFF_CONTINUES);
	json_decref(from);
	json_decref(to);
}
