/* SPDX-License-Identifier: GPL-3.0-or-later */
/* set-softcam, test-softcam and set-cas. */
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAM(id) "{'id':'" id "','name':'N','type':'newcamd','host':'h'," \
		"'port':1,'user':'u','pass':'p'}"
#define STORED(id) "{'host':'h','id':'" id "','name':'N','pass':'p'," \
		   "'port':1,'type':'newcamd','user':'u'}"
#define STREAM(id, enable, address) \
	"{'id':'" id "','type':'spts','enable':" enable ",'input':['" \
	address "']}"
#define SEEN(id, enable, address) \
	"{'scope':'set-stream','stream':{'enable':" enable ",'id':'" id \
	"','input':['" address "'],'type':'spts'}}\n"

static const char document[] =
	"{'softcam':[" CAM("c") "," CAM("d") "],'make_stream':["
	STREAM("on", "true", "udp://239.1.1.1#cam=c&pnr=1") ","
	STREAM("off", "false", "udp://239.1.1.2#cam=c") ","
	STREAM("other", "true", "udp://239.1.1.3#cam=d") "]}";

Test(softcam, is_appended)
{
	open_world("{}");
	expect_told("{'cmd':'set-softcam','softcam':" CAM("c") "}",
		    "set-softcam",
		    "{'scope':'set-softcam','softcam':" STORED("c") "}\n");
	expect_told("{'cmd':'set-softcam','gid':470000,'id':'no','softcam':"
		    CAM("d") "}", "set-softcam",
		    "{'gid':470000,'scope':'set-softcam','softcam':"
		    STORED("d") "}\n");
	expect_section("softcam", "[" STORED("c") "," STORED("d") "]");
}

Test(softcam, that_is_replaced_restarts_its_streams_in_order)
{
	open_world(document);
	expect_told("{'cmd':'set-softcam','id':'c','softcam':" CAM("c") "}",
		    "set-softcam",
		    "{'scope':'set-softcam','softcam':{'id':'c',"
		    "'remove':true,'up':true}}\n"
		    "{'scope':'set-softcam','softcam':" STORED("c") "}\n"
		    "restart on\nrestart off\n");
	expect_section("softcam", "[" STORED("d") "," STORED("c") "]");
}

Test(softcam, that_is_renamed_is_renamed_in_addresses)
{
	open_world(document);
	expect_told("{'cmd':'set-softcam','id':'c','gid':9,'softcam':"
		    CAM("e") "}", "set-softcam",
		    "{'scope':'set-softcam','softcam':{'id':'c',"
		    "'remove':true,'up':true}}\n"
		    "{'gid':9,'scope':'set-softcam','softcam':" STORED("e")
		    "}\n"
		    "run on\n"
		    SEEN("on", "true", "udp://239.1.1.1#cam=e&pnr=1")
		    "stop off\n"
		    SEEN("off", "false", "udp://239.1.1.2#cam=e"));
}

Test(softcam, that_is_removed_is_stripped_from_addresses)
{
	open_world(document);
	expect_told("{'cmd':'set-softcam','id':'c','softcam':{'remove':true}}",
		    "set-softcam",
		    "{'scope':'set-softcam','softcam':{'id':'c',"
		    "'remove':true,'up':false}}\n"
		    "run on\n" SEEN("on", "true", "udp://239.1.1.1#pnr=1")
		    "stop off\n" SEEN("off", "false", "udp://239.1.1.2"));
	expect_section("softcam", "[" STORED("d") "]");
	expect_told("{'cmd':'set-softcam','id':'c','softcam':{'remove':true}}",
		    "set-softcam", "");
	expect_told("{'cmd':'set-softcam','softcam':{'remove':true}}",
		    "set-softcam", "");
}

Test(softcam, does_not_start_a_stream_that_is_at_fault)
{
	open_world("{'softcam':[" CAM("c") "],'make_stream':["
		   "{'id':'a','type':'spts','enable':true,"
		   "'input':['udp://239.1.1.1#cam=c'],'output':['x']}]}");
	expect_ok("{'cmd':'set-softcam','id':'c','softcam':{'remove':true}}",
		  "set-softcam");
	cr_assert_null(strstr(fakes.told, "run a"), "%s", fakes.told);
}

Test(softcam, without_a_required_member_gets_no_answer)
{
	static const char *const members[] = { "id", "name", "type", "host",
					       "port", "user", "pass" };
	char command[512];

	open_world(document);
	expect_drop("{'cmd':'set-softcam'}");
	expect_drop("{'cmd':'set-softcam','id':'c'}");
	expect_drop("{'cmd':'set-softcam','softcam':null}");
	expect_drop("{'cmd':'set-softcam','softcam':{}}");
	for (size_t i = 0; i < 7; i++) {
		json_t *softcam = fakes_json(CAM("x"));
		char *text;

		(void)json_object_del(softcam, members[i]);
		text = json_dumps(softcam, 0);
		(void)snprintf(command, sizeof command,
			       "{'cmd':'set-softcam','id':'c','softcam':%s}",
			       text);
		expect_drop(command);
		free(text);
		json_decref(softcam);
	}
}

Test(softcam, is_judged_before_anything_changes)
{
	open_world(document);
	expect_error("{'cmd':'set-softcam','softcam':" CAM("c") "}", 400,
		     "softcam.id: \"c\" exists: to change it, send its id as "
		     "\"id\" beside \"softcam\", too");
	expect_error("{'cmd':'set-softcam','id':'c','softcam':" CAM("d") "}",
		     400, "softcam.id: \"d\" is the id of another softcam");
	expect_error("{'cmd':'set-softcam','softcam':" CAM("a&b") "}", 400,
		     "softcam.id: \"a&b\" is not 1 to 64 characters of "
		     "A-Z a-z 0-9 _ . -");
	expect_error("{'cmd':'set-softcam','softcam':[1]}", 400,
		     "softcam: is not an object");
	expect_error("{'cmd':'set-softcam','id':5,'softcam':{'remove':true}}",
		     400, "id: is not a string");
	expect_error("{'cmd':'set-softcam','gid':-1,'softcam':" CAM("x") "}",
		     400, "gid: is not a whole number");
	expect_error("{'cmd':'set-softcam','softcam':{'id':'x','name':'N',"
		     "'type':'newcamd','host':'h','port':70000,'user':'u',"
		     "'pass':'p'}}", 400,
		     "softcam.port: 70000 is not between 1 and 65535");
	expect_error("{'cmd':'set-softcam','softcam':{'id':'x','name':1,"
		     "'type':'newcamd','host':'h','port':1,'user':'u',"
		     "'pass':'p'}}", 400, "softcam.name: 1 is not a string");
}

Test(softcam, logs_odd_values)
{
	open_world("{}");
	expect_ok("{'cmd':'set-softcam','softcam':{'id':'x','name':'N',"
		  "'type':'newcamd','host':'h','port':1,'user':'u','pass':'p',"
		  "'key':'01','mine':[1]}}", "set-softcam");
	cr_assert_not_null(strstr(w.log, "key: is not 28 hex"), "%s", w.log);
	cr_assert_not_null(strstr(w.log, "\"mine\" is not known"));
}

/* The reply to set-softcam is always ok. */
Test(softcam, of_another_type_is_stored_with_a_warning)
{
	open_world("{'softcam':[" CAM("c") "]}");
	expect_ok("{'cmd':'set-softcam','id':'c','softcam':{'id':'c',"
		  "'name':'N','type':'foo','host':'h','port':1,'user':'u',"
		  "'pass':'p'}}", "set-softcam");
	cr_assert_not_null(strstr(w.log, "type: \"foo\" is not newcamd: the "
					 "softcam is not used"), "%s", w.log);
	expect_section("softcam", "[{'host':'h','id':'c','name':'N','pass':'p',"
		       "'port':1,'type':'foo','user':'u'}]");
}

#define CAS(id) "{'id':'" id "','ecmg_channel_id':1,'ecmg_host':'h'," \
		"'ecmg_port':2}"
#define CAS_STORED(id) "{'ecmg_channel_id':1,'ecmg_host':'h'," \
		       "'ecmg_port':2,'id':'" id "'}"

Test(cas, is_appended_replaced_and_removed)
{
	open_world("{'gid':5}");
	expect_told("{'cmd':'set-cas','cas':" CAS("a") "}", "set-cas",
		    "{'cas':" CAS_STORED("a") ",'gid':5,'scope':'set-cas'}\n");
	expect_ok("{'cmd':'set-cas','cas':" CAS("b") "}", "set-cas");
	expect_told("{'cmd':'set-cas','id':'a','gid':6,'cas':" CAS("c") "}",
		    "set-cas",
		    "{'cas':{'id':'a','remove':true,'up':true},"
		    "'scope':'set-cas'}\n"
		    "{'cas':" CAS_STORED("c") ",'gid':6,'scope':'set-cas'}\n");
	expect_section("cas", "[" CAS_STORED("b") "," CAS_STORED("c") "]");
	expect_told("{'cmd':'set-cas','id':'b','cas':{'remove':true}}",
		    "set-cas",
		    "{'cas':{'id':'b','remove':true,'up':false},"
		    "'scope':'set-cas'}\n");
	expect_told("{'cmd':'set-cas','id':'b','cas':{'remove':true}}",
		    "set-cas", "");
	expect_section("cas", "[" CAS_STORED("c") "]");
	expect_drop("{'cmd':'set-cas'}");
	expect_drop("{'cmd':'set-cas','cas':{'name':'x'}}");
	expect_error("{'cmd':'set-cas','cas':" CAS("c") "}", 400,
		     "cas.id: \"c\" exists: to change it, send its id as "
		     "\"id\" beside \"cas\", too");
	cr_assert_str_empty(w.log);
}

Test(cas, is_kept_with_a_line_in_the_log_when_it_cannot_work)
{
	open_world("{}");
	expect_ok("{'cmd':'set-cas','cas':{'id':'a','ecmg_port':1,"
		  "'ecmg_host':'h'}}", "set-cas");
	cr_assert_not_null(strstr(w.log, "[CAS a] configuration error"),
			   "%s", w.log);
}

#define TEST(more) "{'cmd':'test-softcam','config':{'type':'newcamd'," \
		   "'user':'u','pass':'p'," more "}}"
#define SOUND TEST("'host':'h','port':15050")

Test(test_softcam, answers_with_the_result_of_the_worker)
{
	struct msg m = { .type = MSG_SOFTCAM_RESULT,
			 .softcam_result = { "connection failed" } };

	open_world("{}");
	cr_expect_eq(post(SOUND), 0, "answered at once: %s", fakes.body);
	cr_expect_str_eq(fakes.told, "job softcam\ndeadline 10000\n");
	fakes_clear();
	fakes.jobs[0].kind->on_message(&m, fakes.jobs[0].self);
	cr_expect_eq(fakes.status, 200);
	cr_expect_str_eq(said(), "{'error':'connection failed','status':0}");
	cr_expect_str_eq(fakes.told, "job over\n");
	close_world();
}

Test(test_softcam, has_an_end)
{
	open_world("{}");
	cr_expect_eq(post(SOUND), 0);
	fakes.jobs[0].kind->on_deadline(fakes.jobs[0].self);
	cr_expect_str_eq(said(), "{'error':'timeout'}");
	cr_expect_eq(post(SOUND), 0);
	fakes.jobs[1].kind->on_end("killed", fakes.jobs[1].self);
	cr_expect_str_eq(said(), "{'error':'failed to initialize softcam'}");
	cr_expect_eq(post(SOUND), 0);
	api_gone(w.api, NULL);
	cr_expect_null(fakes.jobs[2].kind, "no client waits for it");
	close_world();
}

Test(test_softcam, is_of_newcamd_alone)
{
	static const char *const odd[] = {
		"{'cmd':'test-softcam','config':{}}",
		"{'cmd':'test-softcam','config':{'type':'oscam'}}",
		"{'cmd':'test-softcam','config':{'type':7,'host':'h'}}",
	};

	open_world("{}");
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		cr_expect_eq(post(odd[i]), 200);
		cr_expect_str_eq(said(), "{'error':"
				 "'failed to initialize softcam'}");
	}
	cr_expect_str_eq(fakes.told, "");
	close_world();
}

Test(test_softcam, judges_its_fields)
{
	open_world("{}");
	expect_error(TEST("'host':7,'port':1"), 400,
		     "config.host: is not a host name or address");
	expect_error(TEST("'host':'','port':1"), 400,
		     "config.host: is not a host name or address");
	expect_error(TEST("'host':'h','port':0"), 400,
		     "config.port: is not a port (1 to 65535)");
	expect_error(TEST("'host':'h','port':'1'"), 400,
		     "config.port: is not a port (1 to 65535)");
	fakes.n_jobs = ARRAY_LEN(fakes.jobs);
	expect_error(SOUND, 503, "4 tests run already");
	close_world();
}
