/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command set-category. */
#include "tests/unit/master/api/world.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define STREAM(id, groups) \
	"{'id':'" id "','name':'N " id "','type':'spts','enable':false," \
	"'groups':" groups "}"
#define SEEN(id, groups) \
	"remove " id "\n{'scope':'set-stream','stream':{'enable':false," \
	"'groups':" groups ",'id':'" id "','name':'N " id "'," \
	"'type':'spts'}}\n"
#define GROUPS(a, b, c) \
	"'groups':[{'name':'" a "'},{'name':'" b "'},{'name':'" c "'}]"

static const char document[] =
	"{'categories':[{'name':'Type'," GROUPS("A", "B", "C") "},"
	"{'name':'Lang','groups':[{'name':'en'}]}],"
	"'settings':{'playlist_arrange':'Type','x':1},"
	"'users':{'one':{'packages':['Type','ALL']},"
	"'two':{'packages':['Type']},'three':{'packages':[]},"
	"'four':{'interface':{'arrange':['Lang','Type'],'y':2}}},"
	"'make_stream':[" STREAM("a", "{'Type':'A','Lang':'en'}") ","
	STREAM("b", "{'Type':'B'}") "," STREAM("c", "{'Lang':'en'}") ","
	STREAM("d", "{'Type':'gone'}") "]}";

/* 200 with exactly this, and these consequences. */
static void expect(const char *command, const char *answer, const char *told)
{
	cr_expect_eq(post(command), 200, "%s", command);
	cr_expect_str_eq(said(), answer, "%s: %s", command, said());
	cr_expect_str_eq(fakes.told, told, "%s: %s", command, fakes.told);
}

static void expect_er(const char *command, const char *error)
{
	json_t *before = json_deep_copy(config_document(w.config));
	char answer[256];

	(void)snprintf(answer, sizeof answer,
		       "{'set-category':'er','error':'%s'}", error);
	expect(command, answer, "");
	cr_expect(json_equal(before, config_document(w.config)),
		  "%s changed something", command);
	json_decref(before);
}

Test(category, is_added_at_the_end)
{
	open_world("{}");
	expect("{'cmd':'set-category','category':{'name':'Type'}}",
	       "{'set-category':'ok'}",
	       "{'category':{'groups':[],'name':'Type'},"
	       "'scope':'set-category'}\n");
	expect("{'cmd':'set-category','category':{'name':'Жанр',"
	       "'groups':[{'name':'Кино'},{'name':'Спорт'}]},"
	       "'reorder':['Спорт','Кино']}",
	       "{'set-category':'ok'}",
	       "{'category':{'groups':[{'name':'Спорт'},{'name':'Кино'}],"
	       "'name':'Жанр'},'scope':'set-category'}\n");
	expect_section("categories",
		       "[{'groups':[],'name':'Type'},"
		       "{'groups':[{'name':'Спорт'},{'name':'Кино'}],"
		       "'name':'Жанр'}]");
}

Test(category, is_renamed_wherever_it_is_named)
{
	open_world(document);
	expect("{'cmd':'set-category','id':0,'category':{'name':'Kind',"
	       GROUPS("A", "B", "C") "}}",
	       "{'set-category':'ok','streams':[{'id':'a','name':'N a'},"
	       "{'id':'b','name':'N b'},{'id':'d','name':'N d'}],"
	       "'users':['one','two','four']}",
	       SEEN("a", "{'Kind':'A','Lang':'en'}")
	       SEEN("b", "{'Kind':'B'}")
	       SEEN("d", "{'Kind':'gone'}")
	       "{'category':{" GROUPS("A", "B", "C") ",'name':'Kind'},'id':0,"
	       "'scope':'set-category'}\n");
	expect_section("settings", "{'playlist_arrange':'Kind','x':1}");
	expect_section("users",
		       "{'four':{'interface':{'arrange':['Lang','Kind'],"
		       "'y':2}},'one':{'packages':['Kind','ALL']},"
		       "'three':{'packages':[]},"
		       "'two':{'packages':['Kind']}}");
}

Test(category, carries_its_groups_along_by_their_places)
{
	open_world(document);
	expect("{'cmd':'set-category','id':0,'category':{'name':'Type',"
	       GROUPS("B", "A", "C") "}}",
	       "{'set-category':'ok','streams':[{'id':'a','name':'N a'},"
	       "{'id':'b','name':'N b'}]}",
	       SEEN("a", "{'Lang':'en','Type':'B'}") SEEN("b", "{'Type':'A'}")
	       "{'category':{" GROUPS("B", "A", "C") ",'name':'Type'},'id':0,"
	       "'scope':'set-category'}\n");
	/* the first one is removed; the second takes its name */
	expect("{'cmd':'set-category','id':0,'category':{'name':'Type',"
	       "'groups':[{'remove':true},{'name':'B'},{'name':'C'}]},"
	       "'reorder':['C','B']}",
	       "{'set-category':'ok','streams':[{'id':'a','name':'N a'},"
	       "{'id':'b','name':'N b'}]}",
	       SEEN("a", "{'Lang':'en'}") SEEN("b", "{'Type':'B'}")
	       "{'category':{'groups':[{'name':'C'},{'name':'B'}],"
	       "'name':'Type'},'id':0,'scope':'set-category'}\n");
	expect("{'cmd':'set-category','id':0,'category':{'name':'Type'}}",
	       "{'set-category':'ok','streams':[{'id':'b','name':'N b'}]}",
	       SEEN("b", "{}")
	       "{'category':{'groups':[],'name':'Type'},'id':0,"
	       "'scope':'set-category'}\n");
}

Test(category, is_removed_from_all_references)
{
	open_world(document);
	expect("{'cmd':'set-category','id':0,'category':{'remove':true}}",
	       "{'set-category':'er',"
	       "'error':'package list would be left empty',"
	       "'users':['two']}", "");
	expect_section("settings", "{'playlist_arrange':'Type','x':1}");
	expect("{'cmd':'set-category','id':0,'category':{'remove':true},"
	       "'force':true}",
	       "{'set-category':'ok','streams':[{'id':'a','name':'N a'},"
	       "{'id':'b','name':'N b'},{'id':'d','name':'N d'}],"
	       "'users':['one','two','four']}",
	       SEEN("a", "{'Lang':'en'}") SEEN("b", "{}") SEEN("d", "{}")
	       "{'category':{'remove':true},'id':0,"
	       "'scope':'set-category'}\n");
	expect_section("categories",
		       "[{'groups':[{'name':'en'}],'name':'Lang'}]");
	expect_section("settings", "{'x':1}");
	expect_section("users",
		       "{'four':{'interface':{'arrange':['Lang'],'y':2}},"
		       "'one':{'packages':['ALL']},'three':{'packages':[]},"
		       "'two':{'packages':[]}}");
}

Test(category, without_a_reference_changes_no_stream)
{
	open_world("{'categories':[{'name':'A','groups':[]}],"
		   "'users':{'u':{'packages':['B']}}}");
	expect("{'cmd':'set-category','id':0,'category':{'remove':true}}",
	       "{'set-category':'ok'}",
	       "{'category':{'remove':true},'id':0,"
	       "'scope':'set-category'}\n");
}

static const struct {
	const char *fields;
	const char *error;
} errors[] = {
	{ "'x':1", "category is required" },
	{ "'category':'x'", "category is required" },
	{ "'id':'0','category':{'name':'x'}", "id must be a number" },
	{ "'category':{'remove':true}",
	  "id is required to remove a category" },
	{ "'id':2,'category':{'name':'x'}", "category not found" },
	{ "'id':-1,'category':{'remove':true}", "category not found" },
	{ "'id':0.5,'category':{'remove':true}", "category not found" },
	{ "'category':{'groups':[]}", "category name is required" },
	{ "'category':{'name':1}", "category name is required" },
	{ "'category':{'name':''}", "category name is not valid" },
	{ "'category':{'name':'a:b'}", "category name is not valid" },
	{ "'category':{'name':'Lang'}", "category name already exists" },
	{ "'id':0,'category':{'name':'Lang'}",
	  "category name already exists" },
	{ "'category':{'name':'x','groups':[{'name':'a'},{}]}",
	  "group name is not valid (groups[1])" },
	{ "'category':{'name':'x','groups':[{'name':' a'}]}",
	  "group name is not valid (groups[0])" },
	{ "'category':{'name':'x','groups':'a'}",
	  "group name is not valid (groups[0])" },
	{ "'category':{'name':'x','groups':{'a':1}}",
	  "group name is not valid (groups[0])" },
	{ "'category':{'name':'x','groups':[{'name':'a'},{'remove':true},"
	  "{'name':'a'}]}", "duplicate group name (groups[2])" },
	{ "'category':{'name':'x'},'reorder':'a'",
	  "reorder must be an array of group names" },
	{ "'category':{'name':'x','groups':[{'name':'a'}]},'reorder':[1]",
	  "reorder must be an array of group names" },
	{ "'category':{'name':'x','groups':[{'name':'a'}]},'reorder':[]",
	  "reorder must name every group of the category once" },
	{ "'category':{'name':'x','groups':[{'name':'a'}]},'reorder':['b']",
	  "reorder must name every group of the category once" },
	{ "'category':{'name':'x','groups':[{'name':'a'}]},"
	  "'reorder':['a','a']",
	  "reorder must name every group of the category once" },
	{ "'category':{'name':'x'},'reorder':['a']",
	  "reorder must name every group of the category once" },
};

Test(category, is_judged_before_anything_changes)
{
	char command[256];

	open_world(document);
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		(void)snprintf(command, sizeof command,
			       "{'cmd':'set-category',%s}", errors[i].fields);
		expect_er(command, errors[i].error);
	}
}

Test(category, may_keep_its_name)
{
	open_world(document);
	expect("{'cmd':'set-category','id':1,'category':{'name':'Lang',"
	       "'groups':[{'name':'en'},{'name':'de','colour':1}]}}",
	       "{'set-category':'ok'}",
	       "{'category':{'groups':[{'name':'en'},"
	       "{'colour':1,'name':'de'}],'name':'Lang'},'id':1,"
	       "'scope':'set-category'}\n");
}
