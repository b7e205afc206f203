/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/json_diff.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>
#include <string.h>

static void differs(const char *from, const char *to, const char *want)
{
	json_t *a = quoted(from), *b = quoted(to), *expected = quoted(want);
	json_t *found = json_diff(a, b);

	cr_assert(json_equal(found, expected), "%s",
		  json_dumps(found, JSON_COMPACT));
	json_decref(found);
	json_decref(expected);
	json_decref(a);
	json_decref(b);
}

Test(json_diff, prints_nothing_for_equal_documents)
{
	differs("{'a':[1,{'id':'x'}],'b':null}",
		"{'b':null,'a':[1,{'id':'x'}]}", "[]");
}

Test(json_diff, names_the_place_of_each_change_in_order)
{
	differs("{'s':{'port':'1','old':true},'z':1}",
		"{'s':{'port':'2','new':[]},'z':1}",
		"[{'path':'s.new','change':'added','to':[]},"
		"{'path':'s.old','change':'removed','from':true},"
		"{'path':'s.port','change':'changed','from':'1','to':'2'}]");
}

Test(json_diff, compares_elements_with_the_same_id)
{
	differs("{'l':[{'id':'a','n':1},{'id':'b'}]}",
		"{'l':[{'id':'c'},{'id':'a','n':2}]}",
		"[{'path':'l[a].n','change':'changed','from':1,'to':2},"
		"{'path':'l[b]','change':'removed','from':{'id':'b'}},"
		"{'path':'l[c]','change':'added','to':{'id':'c'}}]");
}

Test(json_diff, prints_another_order_of_the_same_elements)
{
	differs("[{'id':'a'},{'id':'b'}]", "[{'id':'b'},{'id':'a'}]",
		"[{'path':'.','change':'moved','from':['a','b'],"
		"'to':['b','a']}]");
}

Test(json_diff, compares_by_position_without_ids)
{
	differs("['a','b']", "['a','c','d']",
		"[{'path':'[1]','change':'changed','from':'b','to':'c'},"
		"{'path':'[2]','change':'added','to':'d'}]");
	differs("[{'id':'a'},{'id':'a'}]", "[{'id':'a'}]",
		"[{'path':'[1]','change':'removed','from':{'id':'a'}}]");
}

Test(json_diff, prints_another_type)
{
	differs("{'a':[]}", "{'a':{}}",
		"[{'path':'a','change':'changed','from':[],'to':{}}]");
	differs("{'a':1}", "{'a':null}",
		"[{'path':'a','change':'changed','from':1,'to':null}]");
}

Test(json_diff, brackets_keys_that_a_path_cannot_contain)
{
	differs("{'a.b':{'':1}}", "{'a.b':{'':2}}",
		"[{'path':'[a.b][]','change':'changed','from':1,'to':2}]");
}
