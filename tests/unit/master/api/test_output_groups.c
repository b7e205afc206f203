/* SPDX-License-Identifier: GPL-3.0-or-later */
/* POST api/output-group, set-stream-input, set-stream-image. */
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* POSTs a body with ' for "; the status. */
static int put(const char *path, const char *text)
{
	char body[512];

	(void)strcpy(body, text);
	for (char *c = body; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	fakes_clear();
	request("POST", path, "", body);
	return fakes.status;
}

static void expect_put(const char *path, const char *body, const char *told)
{
	cr_expect_eq(put(path, body), 200, "%s", fakes.body);
	cr_expect_str_eq(said(), "{'post-output-group':'ok'}");
	cr_expect_str_eq(fakes.told, told, "%s", fakes.told);
}

static void expect_refused(const char *path, const char *body, int status)
{
	json_t *before = json_deep_copy(config_document(w.config));

	cr_expect_eq(put(path, body), status, "%s %s: %s", path, body,
		     fakes.body);
	cr_expect_str_eq(fakes.told, "");
	cr_expect_not_null(strstr(fakes.body, "error"));
	cr_expect(json_equal(before, config_document(w.config)));
	json_decref(before);
}

Test(output_group, is_added_changed_renamed_and_removed)
{
	open_world("{}");
	expect_put("/api/output-group", "{'name':'A','output':['x']}",
		   "{'group':{'name':'A','output':['x']},"
		   "'scope':'post-output-group'}\n");
	expect_put("/api/output-group/", "{'name':'B','none':null}",
		   "{'group':{'name':'B'},'scope':'post-output-group'}\n");
	expect_put("/api/output-group/A", "{'mine':1}",
		   "{'group':{'mine':1,'name':'A'},'index':0,"
		   "'scope':'post-output-group'}\n");
	expect_put("/api/output-group/B", "{'name':'C'}",
		   "{'group':{'name':'C'},'index':1,"
		   "'scope':'post-output-group'}\n");
	expect_section("output", "[{'mine':1,'name':'A'},{'name':'C'}]");
	expect_put("/api/output-group/A", "{'remove':true}",
		   "{'index':0,'remove':true,"
		   "'scope':'post-output-group'}\n");
	expect_section("output", "[{'name':'C'}]");
	/* names of members, not a command */
	expect_put("/api/output-group", "{'name':'D','cmd':'x','was':1}",
		   "{'group':{'cmd':'x','name':'D','was':1},"
		   "'scope':'post-output-group'}\n");
	expect_put("/api/output-group/D", "{'cmd':'x','dry_run':true}",
		   "{'group':{'cmd':'x','dry_run':true,'name':'D'},'index':1,"
		   "'scope':'post-output-group'}\n");
}

Test(output_group, is_judged_before_anything_changes)
{
	open_world("{'output':[{'name':'A'},{'name':'B'}]}");
	expect_refused("/api/output-group", "{", 400);
	expect_refused("/api/output-group", "[]", 400);
	expect_refused("/api/output-group", "{}", 400);
	expect_refused("/api/output-group", "{'name':''}", 400);
	expect_refused("/api/output-group", "{'name':1}", 400);
	expect_refused("/api/output-group", "{'name':'A'}", 400);
	expect_refused("/api/output-group", "{'remove':true}", 400);
	expect_refused("/api/output-group/A", "{'name':'B'}", 400);
	expect_refused("/api/output-group/no", "{'name':'B'}", 404);
	expect_refused("/api/output-group/no", "{'remove':true}", 404);
	expect_refused("/api/output-groups", "{'name':'x'}", 404);
	cr_assert_eq(get("/api/output-group", ""), 405);
	cr_assert_str_eq(fakes.headers, "Allow: POST\r\n");
}

#define STREAM(id, more) "{'id':'" id "','type':'spts','enable':true," \
	"'input':['udp://239.1.1.1','udp://239.1.1.2']" more "}"

static void expect_chosen(const char *command, const char *told)
{
	cr_assert_eq(post(command), 200);
	cr_assert_str_eq(said(), "{'set-stream-input':'ok'}");
	cr_assert_str_eq(fakes.told, told);
}

Test(stream_input, is_asked_of_the_reconciler)
{
	open_world("{'make_stream':[" STREAM("a", ",'backup_type':'passive'")
		   "," STREAM("b", ",'backup_type':'disable'") "]}");
	/* no worker runs: the next one will begin with it */
	fakes.choice = 1;
	expect_chosen("{'cmd':'set-stream-input','id':'a','input':1}",
		      "choose a 1\n");
	expect_chosen("{'cmd':'set-stream-input','id':'b','input':'2'}",
		      "choose b 2\n");
	expect_chosen("{'cmd':'set-stream-input','id':'b'}",
		      "choose b 0\n");
	cr_assert_eq(post("{'cmd':'set-stream-input','id':'a','input':1,"
			  "'status':true}"), 200);
	cr_assert_str_eq(said(), "{'set-stream-input':'ok','input':1}");
	fakes.choice = -ENOENT;
	cr_assert_eq(post("{'cmd':'set-stream-input','id':'a','input':1}"),
		     503);
}

Test(stream_input, is_answered_after_the_reply_of_the_worker)
{
	static const char ask[] =
		"{'cmd':'set-stream-input','id':'a','input':2}";
	static const char ask_status[] = "{'cmd':'set-stream-input','id':'a',"
					 "'input':2,'status':true}";

	open_world("{'make_stream':[" STREAM("a", ",'backup_type':'passive'")
		   "]}");
	fakes.choice = 0;
	cr_assert_eq(post(ask), 0);
	fakes.on_choice(2, "", fakes.on_choice_arg);
	cr_assert_eq(fakes.status, 200);
	cr_assert_str_eq(said(), "{'set-stream-input':'ok'}");
	cr_assert_eq(post(ask_status), 0);
	fakes.on_choice(2, "input 2 is not on air", fakes.on_choice_arg);
	cr_assert_str_eq(said(), "{'set-stream-input':'ok','input':2,"
			 "'warnings':['input 2 is not on air']}");
	cr_assert_eq(post(ask), 0);
	fakes.on_choice(0, "the worker of the stream has ended",
			fakes.on_choice_arg);
	cr_assert_eq(fakes.status, 503);
	/* a client that does not wait */
	cr_assert_eq(post(ask), 0);
	api_gone(w.api, NULL);
	fakes.on_choice(2, "", fakes.on_choice_arg);
	cr_assert_eq(fakes.status, 0);
}

Test(stream_input, is_judged_before_anything_is_asked)
{
	open_world("{'make_stream':[" STREAM("a", ",'backup_type':'passive'")
		   "," STREAM("c", "") "," STREAM("d", ",'backup_type':'stop'")
		   ",{'id':'e','type':'spts','enable':false,"
		   "'input':['rtsp://h/x','udp://:1'],"
		   "'backup_type':'disable'}]}");
	for (const char *wrong = "3\0" "0\0" "-1\0" "'x'\0" "''\0" "1.5\0"
				 "'99999999999999999999999'\0";
	     *wrong != '\0'; wrong += strlen(wrong) + 1) {
		char command[128];

		(void)snprintf(command, sizeof command,
			       "{'cmd':'set-stream-input','id':'a',"
			       "'input':%s}", wrong);
		expect_error(command, 400, "input: is not one of 1 to 2");
	}
	expect_error("{'cmd':'set-stream-input','id':'c','input':1}", 400,
		     "an input cannot be chosen: backup_type is absent: "
		     "set it to \"passive\" or \"disable\"");
	expect_error("{'cmd':'set-stream-input','id':'d','input':1}", 400,
		     "an input cannot be chosen: backup_type is \"stop\": "
		     "set it to \"passive\" or \"disable\"");
	expect_error("{'cmd':'set-stream-input','id':'no'}", 404,
		     "id: there is no stream \"no\"");
	cr_assert_eq(post("{'cmd':'set-stream-input','id':'e',"
			     "'input':1}"), 400);
	cr_assert_str_eq(fakes.told, "");
}

Test(stream_image, is_passed_on_and_not_kept)
{
	json_t *before;

	open_world("{'make_stream':[" STREAM("a", "") "]}");
	before = json_deep_copy(config_document(w.config));
	expect_told("{'cmd':'set-stream-image','id':'a',"
		    "'url':'data:image/png;base64,AA=='}", "set-stream-image",
		    "{'channel_id':'a','scope':'stream_image',"
		    "'src':'data:image/png;base64,AA=='}\n");
	cr_assert(json_equal(before, config_document(w.config)));
	json_decref(before);
	expect_error("{'cmd':'set-stream-image','id':'a'}", 400,
		     "url: is missing");
	expect_error("{'cmd':'set-stream-image','id':'a','url':1}", 400,
		     "url: is not a string");
	expect_error("{'cmd':'set-stream-image','id':'b','url':'x'}", 404,
		     "id: there is no stream \"b\"");
}
