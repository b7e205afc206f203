/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/config_edit.h"
#include "tests/unit/quoted.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static json_t *sample(void)
{
	return quoted("{'settings':{'a':1,'b':2},'auth':{'enable':true},"
		    "'make_stream':[{'id':'x','name':'X','input':['u']},"
		    "{'id':'y'}],"
		    "'users':{'olga':{'type':2,'cipher':'$y$'}},"
		    "'servers':[{'host':'h'},{'host':'i'}],'own':[1]}");
}

/* value NULL removes; the request wanted, without a reply of its own. */
static void becomes(const char *place, const char *value, const char *want,
		    enum config_effect effect)
{
	json_t *config = sample(), *expected = quoted(want), *request = NULL;
	json_t *v = value ? quoted(value) : NULL;
	enum config_effect got;
	struct json_path path;
	struct errmsg why;

	cr_assert_eq(json_path_parse(place, &path, &why), 0);
	cr_assert_eq(config_edit(&path, config, v, false, &request, &got,
				 &why), 0, "%s", why.text);
	cr_assert(json_equal(request, expected), "%s: %s", place,
		  json_dumps(request, JSON_COMPACT));
	cr_assert_eq(got, effect);
	json_path_done(&path);
	json_decref(request);
	json_decref(expected);
	json_decref(v);
	json_decref(config);
}

Test(config_edit, sends_the_whole_section_with_the_one_value_changed)
{
	becomes("settings.a", "5", "{'cmd':'set-settings',"
		"'settings':{'a':5,'b':2}}", EFFECT_RESTARTS);
	becomes("settings", NULL, "{'cmd':'set-settings','settings':{}}",
		EFFECT_RESTARTS);
	becomes("auth", NULL, "{'cmd':'set-auth'}", EFFECT_AT_ONCE);
	becomes("log.debug", "true", "{'cmd':'set-log','set':{'debug':true}}",
		EFFECT_AT_ONCE);
}

Test(config_edit, changes_one_stream_by_its_id)
{
	becomes("make_stream[x].input[0]", "'v'", "{'cmd':'set-stream',"
		"'id':'x','stream':{'id':'x','name':'X','input':['v']}}",
		EFFECT_AT_ONCE);
	becomes("make_stream[1].name", "'Y'", "{'cmd':'set-stream',"
		"'id':'y','stream':{'id':'y','name':'Y'}}", EFFECT_AT_ONCE);
	becomes("make_stream[x]", NULL, "{'cmd':'set-stream','id':'x',"
		"'stream':{'remove':true}}", EFFECT_AT_ONCE);
}

Test(config_edit, renames_without_removing_when_the_id_changes)
{
	becomes("make_stream[x].id", "'z'", "{'cmd':'set-stream','id':'x',"
		"'stream':{'id':'z','name':'X','input':['u']}}",
		EFFECT_AT_ONCE);
	becomes("make_stream[x]", "{'id':'z'}", "{'cmd':'set-stream',"
		"'id':'x','stream':{'id':'z'}}", EFFECT_AT_ONCE);
}

Test(config_edit, adds_a_missing_entry)
{
	becomes("make_stream[n]", "{'id':'n'}", "{'cmd':'set-stream',"
		"'stream':{'id':'n'}}", EFFECT_AT_ONCE);
	becomes("softcam[c]", "{'id':'c'}", "{'cmd':'set-softcam',"
		"'softcam':{'id':'c'}}", EFFECT_AT_ONCE);
	becomes("servers[2]", "{'host':'j'}", "{'cmd':'set-server',"
		"'server':{'host':'j'}}", EFFECT_AT_ONCE);
}

Test(config_edit, leaves_the_hash_of_a_user_where_it_is)
{
	becomes("users.olga.type", "1", "{'cmd':'set-user','id':'olga',"
		"'user':{'type':1}}", EFFECT_AT_ONCE);
	becomes("users[olga]", NULL, "{'cmd':'set-user','id':'olga',"
		"'user':{'remove':true}}", EFFECT_AT_ONCE);
}

Test(config_edit, removes_the_first_of_several_by_position)
{
	becomes("servers[0]", NULL, "{'cmd':'set-server','id':0,"
		"'server':{'remove':true}}", EFFECT_AT_ONCE);
}

Test(config_edit, stores_anything_else_by_its_key)
{
	becomes("own[0]", "2", "{'cmd':'set-config','key':'own',"
		"'data':[2],'restart':false}", EFFECT_AT_RESTART);
	becomes("own", NULL, "{'cmd':'set-config','key':'own',"
		"'restart':false}", EFFECT_AT_RESTART);
	becomes("make_stream", "[]", "{'cmd':'set-config',"
		"'key':'make_stream','data':[],'restart':false}",
		EFFECT_AT_RESTART);
	becomes("users", "{}", "{'cmd':'set-config','key':'users',"
		"'data':{},'restart':false}", EFFECT_AT_ONCE);
}

Test(config_edit, uploads_the_whole)
{
	becomes(".", "{'gid':1}", "{'cmd':'upload','config':{'gid':1}}",
		EFFECT_AT_RESTART);
}

Test(config_edit, refuses_a_place_that_is_not_there)
{
	json_t *config = sample(), *value = quoted("1"), *request;
	enum config_effect effect;
	struct json_path path;
	struct errmsg why = { 0 };

	cr_assert_eq(json_path_parse("make_stream[no].name", &path, &why), 0);
	cr_assert_eq(config_edit(&path, config, value, false, &request,
				 &effect, &why), -ENOENT);
	cr_assert_neq(why.text[0], '\0');
	json_path_done(&path);
	json_decref(value);
	json_decref(config);
}
