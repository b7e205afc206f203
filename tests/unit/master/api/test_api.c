/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests in, answers and consequences out, in their order. */
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "config.h"
#include "master/api/api.h"
#include "master/auth/auth.h"
#include "master/config/config.h"
#include "master/setup/options.h"
#include "master/status/status.h"
#include "master/status/system_status.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ONE "'type':'spts','enable':true,'input':['udp://239.1.1.1']"

Test(api, creates_a_stream_with_the_next_id)
{
	open_world("{}");
	expect_ok("{'cmd':'set-stream','stream':{'name':'A'," ONE "}}",
		  "set-stream");
	cr_assert_str_eq(fakes.told,
		"run a000\n"
		"{'gid':466561,'scope':'set-stream','stream':{'enable':true,"
		"'id':'a000','input':['udp://239.1.1.1'],'name':'A',"
		"'pmt_version':1,'sdt_version':1,'type':'spts'}}\n");
	expect_ok("{'cmd':'set-stream','stream':{" ONE "}}", "set-stream");
	cr_assert_not_null(config_stream(w.config, "a001"));
	cr_assert_eq(config_gid(w.config), 466562);
}

Test(api, keeps_the_counter_of_the_request)
{
	open_world("{'gid':466560}");
	expect_ok("{'cmd':'set-stream','gid':466600,'stream':{" ONE "}}",
		  "set-stream");
	cr_assert_not_null(config_stream(w.config, "a000"));
	cr_assert_eq(config_gid(w.config), 466600);
	cr_assert_not_null(strstr(fakes.told, "'gid':466600"));
}

Test(api, skips_ids_that_are_taken)
{
	open_world("{'gid':35,'make_stream':[{'id':'z'," ONE "},"
		   "{'id':'10'," ONE "}]}");
	expect_ok("{'cmd':'set-stream','stream':{" ONE "}}", "set-stream");
	cr_assert_not_null(config_stream(w.config, "11"));
	cr_assert_eq(config_gid(w.config), 38);
}

Test(api, shows_the_counter_only_when_there_is_one)
{
	open_world("{}");
	expect_ok("{'cmd':'set-stream','stream':{'id':'x'," ONE "}}",
		  "set-stream");
	cr_assert_null(strstr(fakes.told, "gid"));
	expect_ok("{'cmd':'set-stream','id':'x','gid':500000,"
		  "'stream':{" ONE "}}", "set-stream");
	cr_assert_str_eq(fakes.told,
		"run x\n"
		"{'scope':'set-stream','stream':{'id':'x','remove':true,"
		"'up':true}}\n"
		"{'gid':500000,'scope':'set-stream','stream':{'enable':true,"
		"'id':'x','input':['udp://239.1.1.1'],'pmt_version':1,"
		"'sdt_version':1,'type':'spts'}}\n");
	cr_assert_eq(config_gid(w.config), 500000);
	expect_ok("{'cmd':'toggle-stream','id':'x'}", "toggle-stream");
	cr_assert_null(strstr(fakes.told, "gid"));
	expect_ok("{'cmd':'set-stream','id':'x','gid':500007,"
		  "'stream':{'remove':true}}", "set-stream");
	cr_assert_str_eq(fakes.told,
		"remove x\n"
		"{'scope':'set-stream','stream':{'id':'x','remove':true,"
		"'up':false}}\n");
	cr_assert_eq(config_gid(w.config), 500007);
}

Test(api, replaces_in_place_and_counts_versions)
{
	open_world("{'make_stream':[{'id':'a'," ONE "},{'id':'b'," ONE "},"
		   "{'id':'c'," ONE "}]}");
	expect_ok("{'cmd':'set-stream','id':'b','stream':{'id':'b',"
		  "'pmt_version':31,'_own':[1]," ONE "}}", "set-stream");
	const json_t *list = json_object_get(config_document(w.config),
					     "make_stream");

	cr_assert_eq(json_array_get(list, 1), config_stream(w.config, "b"));
	cr_assert_eq(json_integer_value(json_object_get(
			     config_stream(w.config, "b"), "pmt_version")),
		     0);
	cr_assert_not_null(json_object_get(config_stream(w.config, "b"),
					   "_own"));
}

Test(api, renames)
{
	open_world("{'make_stream':[{'id':'a'," ONE "}]}");
	expect_ok("{'cmd':'set-stream','id':'a','stream':{'id':'b'," ONE "}}",
		  "set-stream");
	cr_assert_eq(strncmp(fakes.told,
			     "rename a b\nrun b\n{'scope':'set-stream',"
			     "'stream':{'id':'a','remove':true,'up':true}}\n"
			     "{'scope':'set-stream','stream':{'enable':true,"
			     "'id':'b',", 127),
		     0, "%s", fakes.told);
	cr_assert_null(config_stream(w.config, "a"));
	cr_assert_eq(get("/api/stream-status/a", ""), 404);
	cr_assert_eq(get("/api/stream-status/b", ""), 200);
}

Test(api, names_a_new_stream_at_either_place)
{
	open_world("{}");
	expect_ok("{'cmd':'set-stream','id':'a','stream':{" ONE "}}",
		  "set-stream");
	expect_ok("{'cmd':'set-stream','id':'b','stream':{'id':'b'," ONE "}}",
		  "set-stream");
	cr_assert_not_null(config_stream(w.config, "a"));
	cr_assert_not_null(config_stream(w.config, "b"));
	cr_assert_eq(config_gid(w.config), -1);
}

static const struct {
	const char *command;
	int status;
	const char *why;
} errors[] = {
	{ "", 400, "the body is not JSON: line 1, column 0: "
		   "unexpected token near end of file" },
	{ "[]", 400, "the body is not a JSON object" },
	{ "7", 400, "the body is not a JSON object" },
	{ "{}", 400, "cmd: is missing" },
	{ "{'cmd':1}", 400, "cmd: is not a string" },
	{ "{'cmd':'x'}", 400, "cmd: \"x\" is not a command" },
	{ "{'cmd':'get-stream'}", 400, "id: is missing" },
	{ "{'cmd':'get-stream','id':1}", 400, "id: is not a string" },
	{ "{'cmd':'get-stream','id':'q'}", 404,
	  "id: there is no stream \"q\"" },
	{ "{'cmd':'toggle-stream','id':'q'}", 404,
	  "id: there is no stream \"q\"" },
	{ "{'cmd':'restart-stream','id':'q'}", 404,
	  "id: there is no stream \"q\"" },
	{ "{'cmd':'check-stream','id':'q'}", 404,
	  "id: there is no stream \"q\"" },
	{ "{'cmd':'check-stream','id':'a','status':1}", 400,
	  "status: is not true or false" },
	{ "{'cmd':'set-stream'}", 400, "stream: is missing" },
	{ "{'cmd':'set-stream','stream':[]}", 400,
	  "stream: is not an object" },
	{ "{'cmd':'set-stream','id':5,'stream':{}}", 400,
	  "id: is not a string" },
	{ "{'cmd':'set-stream','gid':'5','stream':{}}", 400,
	  "gid: is not a whole number" },
	{ "{'cmd':'set-stream','gid':-5,'stream':{}}", 400,
	  "gid: is not a whole number" },
	{ "{'cmd':'set-stream','stream':{'remove':true}}", 400,
	  "id: is missing" },
	{ "{'cmd':'set-stream','id':'q','stream':{'remove':true}}", 404,
	  "id: there is no stream \"q\"" },
	{ "{'cmd':'set-stream','id':'q','stream':{'id':'r'," ONE "}}", 404,
	  "id: there is no stream \"q\"" },
	{ "{'cmd':'set-stream','stream':{'id':'a'," ONE "}}", 400,
	  "stream.id: \"a\" exists: to change it, send its id as \"id\" beside "
	  "\"stream\", too" },
	{ "{'cmd':'set-stream','id':'a','stream':{'id':'b'," ONE "}}", 400,
	  "stream.id: \"b\" is the id of another stream" },
	{ "{'cmd':'set-stream','stream':{'id':5," ONE "}}", 400,
	  "stream.id: is not a string" },
	{ "{'cmd':'set-stream','stream':{'id':'a b'," ONE "}}", 400,
	  "stream.id: \"a b\" is not 1 to 64 characters of A-Z a-z 0-9 _ . -" },
	{ "{'cmd':'set-stream','stream':{'type':'spts'}}", 400,
	  "stream.enable: is missing" },
	{ "{'cmd':'set-stream','stream':{'enable':null,'type':'spts'}}", 400,
	  "stream.enable: is missing" },
	{ "{'cmd':'set-stream','stream':{'enable':true}}", 400,
	  "stream.type: is missing" },
	{ "{'cmd':'set-stream','stream':{'enable':true,'type':'x'}}", 400,
	  "stream.type: \"x\" is not spts or mpts" },
	{ "{'cmd':'set-stream','stream':{'output':['http://:x/x']," ONE "}}",
	  400, "stream.output[0]: port: x is not a port (1 to 65535)" },
	{ "{'cmd':'set-stream','stream':{'output':['http://:8000/x'],"
	  ONE "}}", 400,
	  "stream.output[0]: port: 8000 is the port of the control server" },
	{ "{'cmd':'set-stream','stream':{'output':['http://*:81/b'],"
	  ONE "}}", 400, "stream.output[0]: is already the address of "
			 "make_stream[1].output[0] (b)" },
	{ "{'cmd':'set-stream','stream':{'enable':true,'type':'spts',"
	  "'input':['stop://1.2.3.4:5']}}", 400,
	  "stream.input[0]: type \"stop\" is not supported by this version" },
	{ "{'cmd':'set-stream','stream':{'pmt_version':'1'," ONE "}}", 400,
	  "stream.pmt_version: \"1\" is not a whole number" },
	{ "{'cmd':'toggle-stream','id':'off'}", 400,
	  "stream.input[0]: type \"stop\" is not supported by this version" },
};

Test(api, judges_before_it_changes_anything)
{
	open_world("{'make_stream':[{'id':'a'," ONE "},{'id':'b',"
		   "'output':['http://:81/b']," ONE "},{'id':'off',"
		   "'type':'spts','enable':false,'input':['stop://x:1']}]}");
	for (size_t i = 0; i < ARRAY_LEN(errors); i++)
		expect_error(errors[i].command, errors[i].status,
			     errors[i].why);
}

Test(api, answers_in_utf_8_whatever_it_was_sent)
{
	char command[512] = "{'cmd':'";

	open_world("{}");
	/* cut within the last of these characters */
	for (int i = 0; i < 70; i++)
		(void)strcat(command, "\xe2\x82\xac");
	(void)strcat(command, "'}");
	cr_assert_eq(post(command), 400);
	json_t *body = json_loads(fakes.body, 0, NULL);

	cr_assert_not_null(body, "%s", fakes.body);
	json_decref(body);
}

Test(api, keeps_addresses_of_later_versions_in_streams_that_are_off)
{
	open_world("{}");
	cr_assert_eq(post("{'cmd':'set-stream','stream':{'id':'a',"
			  "'type':'spts','enable':false,"
			  "'input':['stop://1.2.3.4:5']}}"), 200);
	cr_assert_str_eq(said(), "{'set-stream':'ok','warnings':["
			 "'stream.input[0]: type \\'stop\\' is not supported "
			 "by this version']}");
	cr_assert_eq(strncmp(fakes.told, "stop a\n", 7), 0);
	cr_assert_not_null(config_stream(w.config, "a"));
}

Test(api, names_keys_without_a_meaning_and_streams_that_cannot_run)
{
	open_world("{}");
	cr_assert_eq(post("{'cmd':'set-stream','stream':{'id':'a','own':1,"
			  "'type':'spts','enable':true}}"), 200);
	cr_assert_str_eq(said(), "{'set-stream':'ok','warnings':['stream: "
				 "\\'own\\' is not known','stream: is enabled "
				 "and does not run: input: the list is "
				 "empty']}");
	cr_assert_not_null(strstr(w.log, "stream a: is enabled and does not "
					 "run: input: the list is empty"),
			   "%s", w.log);
	cr_assert_null(strstr(w.log, "stream a: does not"), "twice: %s", w.log);
	cr_assert_eq(post("{'cmd':'toggle-stream','id':'a'}"), 200);
	cr_assert_str_eq(said(), "{'toggle-stream':'ok'}");
	cr_assert_eq(post("{'cmd':'toggle-stream','id':'a'}"), 200);
	cr_assert_not_null(strstr(said(), "is enabled and does not run"));
}

Test(api, toggles)
{
	open_world("{'make_stream':[{'id':'a','_own':1," ONE "}]}");
	expect_ok("{'cmd':'toggle-stream','id':'a'}", "toggle-stream");
	cr_assert_str_eq(fakes.told,
		"stop a\n{'scope':'set-stream','stream':{'_own':1,"
		"'enable':false,'id':'a','input':['udp://239.1.1.1'],"
		"'type':'spts'}}\n");
	expect_ok("{'cmd':'toggle-stream','id':'a'}", "toggle-stream");
	cr_assert_eq(strncmp(fakes.told, "run a\n", 6), 0);
	cr_assert(json_is_true(json_object_get(config_stream(w.config, "a"),
					       "enable")));
}

Test(api, names_a_stream_that_has_nothing_to_restart)
{
	open_world("{'make_stream':[{'id':'a','enable':false,'type':'spts'},"
		   "{'id':'b','enable':true,'type':'spts'}]}");
	api_start_streams(w.api);
	cr_assert_eq(post("{'cmd':'restart-stream','id':'a'}"), 200);
	cr_assert_str_eq(said(), "{'restart-stream':'ok','warnings':["
			 "'stream.enable: the stream is disabled: nothing was "
			 "restarted']}");
	cr_assert_eq(post("{'cmd':'restart-stream','id':'b'}"), 200);
	cr_assert_str_eq(said(), "{'restart-stream':'ok','warnings':['stream "
				 "does not run: input: the list is empty']}");
}

Test(api, names_a_stream_that_waits_for_a_viewer)
{
	open_world("{'make_stream':[{'id':'a'," ONE "}]}");
	fakes.stream = (struct stream_proc_info){ .state = "stopped",
						  .waiting = true };
	cr_assert_eq(post("{'cmd':'restart-stream','id':'a'}"), 200);
	cr_assert_str_eq(said(), "{'restart-stream':'ok','warnings':["
			 "'stream.http_keep_active: the stream waits for a "
			 "viewer: nothing was restarted']}");
}

Test(api, restarts)
{
	open_world("{'make_stream':[{'id':'a'," ONE "}]}");
	expect_ok("{'cmd':'restart-stream','id':'a'}", "restart-stream");
	cr_assert_str_eq(fakes.told, "restart a\n");
}

Test(api, shows_a_stream)
{
	open_world("{'make_stream':[{'id':'a','own':1}]}");
	cr_assert_eq(post("{'cmd':'get-stream','id':'a'}"), 200);
	cr_assert_str_eq(said(), "{'get-stream':'ok','stream':"
				 "{'id':'a','own':1}}");
	cr_assert_eq(get("/api/stream-info/a", ""), 200);
	cr_assert_str_eq(said(), "{'id':'a','own':1}");
	cr_assert_str_eq(fakes.told, "");
}

Test(api, shows_the_configuration_and_the_version)
{
	open_world("{'zz':[null],'users':{'u':{'cipher':'x'}}}");
	cr_assert_eq(post("{'cmd':'load'}"), 200);
	cr_assert_str_eq(said(), "{'zz':[null],'users':{'u':"
				 "{'cipher':'x'}}}");
	cr_assert_eq(get("/api/config", ""), 200);
	cr_assert_str_eq(said(), "{'zz':[null],'users':{'u':"
				 "{'cipher':'x'}}}");
	cr_assert_eq(post("{'cmd':'version'}"), 200);
	cr_assert_str_eq(said(), "{'version':'" PACKAGE_VERSION "'}");
}

static void hear(const char *id)
{
	struct msg_stream_status m = {
		.n_inputs = 1,
		.inputs = { { .position = 1, .active = true, .open = true,
			      .onair = true, .bitrate_kbps = 5 } },
	};

	status_push(w.parts.status, id, &m);
}

Test(api, checks_a_stream)
{
	open_world("{'make_stream':[{'id':'a'," ONE "}]}");
	cr_assert_eq(post("{'cmd':'check-stream','id':'a'}"), 200);
	cr_assert_str_eq(said(), "{'check-stream':false}");
	hear("a");
	cr_assert_eq(post("{'cmd':'check-stream','id':'a'}"), 200);
	cr_assert_str_eq(said(), "{'check-stream':'ok'}");
	cr_assert_eq(post("{'cmd':'check-stream','id':'a','status':false}"),
		     200);
	cr_assert_str_eq(said(), "{'check-stream':'ok'}");
	cr_assert_eq(post("{'cmd':'check-stream','id':'a','status':true}"),
		     200);
	cr_assert_str_eq(said(),
		"{'status':{'ok':true,'onair':true,'state':'on air',"
		"'active_input':1,'alarms':[],"
		"'input':[{'scrambled':false,'cc_error':0,'bitrate':5,"
		"'pes_error':0,'onair':true,'alarms':[],'state':'idle',"
		"'penalty':0,"
		"'damped':false}],'switches':[]},'check-stream':'ok'}");
}

static const char *alarm_of(const char *id)
{
	static char text[256];
	char path[64];

	(void)snprintf(path, sizeof path, "/api/stream-status/%s", id);
	cr_assert_eq(get(path, ""), 200);
	json_t *body = json_loads(fakes.body, 0, NULL);
	const char *alarm = json_string_value(json_object_get(
		json_object_get(body, "worker"), "alarm"));

	(void)snprintf(text, sizeof text, "%s", alarm != NULL ? alarm : "");
	json_decref(body);
	return text;
}

#define TWINS                                                        \
	"{'make_stream':[{'id':'a','output':['http://:81/x']," ONE "}," \
	"{'id':'b','output':['http://:81/x']," ONE "},"                  \
	"{'id':'bad','type':'spts','enable':true,'input':['q']},"        \
	"{'id':'none','type':'spts','enable':true},"                     \
	"{'id':'a','type':'spts','enable':true},5]}"

Test(api, runs_valid_streams_and_names_the_error_of_others)
{
	open_world(TWINS);
	cr_assert_str_eq(fakes.told, "run a\nremove b\nremove bad\n"
				     "remove none\n");
	cr_assert_str_eq(alarm_of("a"), "");
	cr_assert_str_eq(alarm_of("b"), "make_stream[1].output[0]: is already "
					"the address of "
					"make_stream[0].output[0] (a)");
	cr_assert_str_eq(alarm_of("bad"), "make_stream[2].input[0]: \"q\" is "
					  "not type://target");
	cr_assert_str_eq(alarm_of("none"), "input: the list is empty");
	/* an invalid stream may be switched off, not on again */
	expect_ok("{'cmd':'toggle-stream','id':'bad'}", "toggle-stream");
	expect_error("{'cmd':'toggle-stream','id':'bad'}", 400,
		     "stream.input[0]: \"q\" is not type://target");
}

Test(api, starts_a_stream_when_its_place_becomes_free)
{
	open_world(TWINS);
	expect_ok("{'cmd':'toggle-stream','id':'a'}", "toggle-stream");
	cr_assert_not_null(strstr(fakes.told, "\nrun b\n"), "%s", fakes.told);
	cr_assert_str_eq(alarm_of("b"), "");
	/* now it is a that has to wait */
	expect_error("{'cmd':'toggle-stream','id':'a'}", 400,
		     "stream.output[0]: is already the address of "
		     "make_stream[1].output[0] (b)");
}

static const struct {
	const char *method, *path, *query;
	int status;
	const char *allow;
} routes[] = {
	{ "GET", "/x", "", 404, "" },
	{ "GET", "/controlx", "", 404, "" },
	{ "GET", "/api", "", 404, "" },
	{ "GET", "/api/", "", 404, "" },
	{ "GET", "/api/configx", "", 404, "" },
	{ "GET", "/api/stream-info", "", 404, "" },
	{ "GET", "/api/stream-info/", "", 404, "" },
	{ "GET", "/api/stream-info/q", "", 404, "" },
	{ "GET", "/api/stream-status/q", "", 404, "" },
	{ "GET", "/api/config/", "", 200, "" },
	{ "HEAD", "/api/config", "", 200, "" },
	{ "POST", "/api/config", "", 405, "Allow: GET, HEAD\r\n" },
	{ "DELETE", "/api/stream-info/a", "", 405, "Allow: GET, HEAD\r\n" },
	{ "GET", "/control/", "", 405, "Allow: POST\r\n" },
	{ "PUT", "/control", "", 405, "Allow: POST\r\n" },
	{ "POST", "/control/event/", "", 405, "Allow: GET\r\n" },
	{ "GET", "/api/stream-status/a", "t=0", 200, "" },
	{ "GET", "/api/stream-status/a", "t=1&x=y", 200, "" },
	{ "GET", "/api/stream-status/a", "x=y", 200, "" },
	{ "GET", "/api/stream-status/a", "t=2", 400, "" },
	{ "GET", "/api/stream-status/a", "t=", 400, "" },
	{ "GET", "/api/system-status", "t=0", 200, "" },
	{ "GET", "/api/system-status", "t=1732099999", 400, "" },
	{ "GET", "/api/config", "t=1732099999", 200, "" },
	{ "GET", "/api/stream-info/a", "t=3", 200, "" },
};

Test(api, finds_its_paths)
{
	open_world("{'make_stream':[{'id':'a'," ONE "}]}");
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		request(routes[i].method, routes[i].path, routes[i].query, "");
		cr_expect_eq(fakes.status, routes[i].status, "%s %s?%s: %d",
			     routes[i].method, routes[i].path,
			     routes[i].query, fakes.status);
		cr_expect_str_eq(fakes.headers, routes[i].allow);
	}
}

Test(api, uses_its_prefix)
{
	open_world("{'settings':{'control_path':'/tv/'}}");
	cr_assert_eq(get("/api/config", ""), 404);
	cr_assert_eq(get("/tv", ""), 308);
	cr_assert_eq(get("/tv/", ""), 200);
	cr_assert_eq(get("/", ""), 404);
	cr_assert_eq(get("/tv/api/config", ""), 200);
	cr_assert_eq(get("/tvx/api/config", ""), 404);
	request("POST", "/tv/control/", "", "{\"cmd\":\"version\"}");
	cr_assert_eq(fakes.status, 200);
}

Test(api, passes_the_handshake_on)
{
	open_world("{}");
	(void)get("/control/event/", "token=x");
	cr_assert_str_eq(fakes.told, "handshake listener\n");
	(void)get("/control/event/", "token=x&scope=alarm");
	cr_assert_str_eq(fakes.told, "handshake all\n");
	(void)get("/control/event/", "token=x&scope=other,alarm");
	cr_assert_str_eq(fakes.told, "handshake all\n");
	(void)get("/control/event/", "token=x&scope=alarms");
	cr_assert_str_eq(fakes.told, "handshake listener\n");
	(void)get("/control/event/", "scope=alarm");
	cr_assert_str_eq(fakes.told, "handshake liveness\n");
	(void)get("/control/event", "");
	cr_assert_str_eq(fakes.told, "handshake liveness\n");
}

Test(api, rejects_requests_without_the_option)
{
	static const char *const paths[] = { "/", "/tv/api/config", "/tv/x" };
	const char *upgrade[][2] = { { "upgrade", "websocket" }, { NULL } };
	struct http_request handshake = { .method = "GET",
					  .path = "/tv/control/event/",
					  .query = "token=x",
					  .headers = upgrade };

	open_world("{'settings':{'control_path':'tv'}}");
	w.options.no_web_auth = false;
	cr_assert_eq(post("{'cmd':'version'}"), 403);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		cr_assert_eq(get(paths[i], "token=x"), 403, "%s", paths[i]);
	fakes.status = 0;
	api_handle(w.api, NULL, &handshake);
	cr_assert_eq(fakes.status, 403);
	cr_assert_str_eq(fakes.content_type, "text/html; charset=utf-8");
	cr_assert_not_null(strstr(fakes.headers, "Content-Security-Policy: "
				  "default-src 'none'"));
	cr_assert_str_eq(fakes.told, "");
}

Test(api, reports_the_load_of_the_machine)
{
	static const char *const keys[] = {
		"timestamp", "la1", "la5", "la15", "app_threads",
		"sys_cpu_usage", "app_cpu_usage", "sys_mem_usage",
		"app_mem_usage", "app_mem_kb", "sys_uptime", "app_uptime",
	};

	open_world("{'settings':{'instance_name':'here'}}");
	cr_assert_eq(get("/api/system-status", ""), 200);
	json_t *body = json_loads(fakes.body, 0, NULL);

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		cr_expect(json_is_integer(json_object_get(body, keys[i])),
			  "%s", keys[i]);
	cr_assert_str_eq(json_string_value(json_object_get(body, "instance")),
			 "here");
	cr_assert_gt(json_integer_value(json_object_get(body, "app_mem_kb")),
		     0);
	cr_assert_geq(json_integer_value(json_object_get(body,
							 "app_threads")), 1);
	json_decref(body);
}

Test(api, thousands_of_odd_things_are_a_few_lines)
{
	static char command[16384];
	size_t len = 0;
	unsigned lines = 0;

	open_world("{}");
	len = (size_t)sprintf(command, "{'cmd':'set-stream','stream':"
				       "{'name':'a','enable':false,"
				       "'type':'spts','input':[");
	for (int i = 0; i < 10; i++) {
		len += (size_t)sprintf(command + len,
				       "%s'udp://127.0.0.1:%d#a0", i ? "," : "",
				       5000 + i);
		for (int k = 1; k < 50; k++)
			len += (size_t)sprintf(command + len, "&a%d", k);
		len += (size_t)sprintf(command + len, "'");
	}
	(void)sprintf(command + len, "],'output':[]}}");
	for (int i = 0; i < 5; i++)
		cr_assert_eq(post(command), 200, "%s", said());
	for (const char *c = w.log; (c = strchr(c, '\n')) != NULL; c++)
		lines++;
	cr_assert_gt(lines, 0);
	cr_assert_leq(lines, 20);
}

static json_int_t memory_kb(void)
{
	json_int_t kb;
	json_t *body;

	cr_assert_eq(get("/api/system-status", ""), 200);
	body = json_loads(fakes.body, 0, NULL);
	kb = json_integer_value(json_object_get(body, "app_mem_kb"));
	json_decref(body);
	return kb;
}

/* The master reads /proc once for all requests of the same moment. */
Test(api, does_not_read_every_process_for_every_request)
{
	enum { MORE = 32 << 20 };
	char *more = malloc(MORE);
	uint64_t begin;
	json_int_t before, after;

	open_world("{}");
	do {
		run_for_ms(1050);
		begin = mono_ms();
		before = memory_kb();
		memset(more, 1, MORE);
		after = memory_kb();
		free(more);
		more = malloc(MORE);
	} while (mono_ms() - begin >= 900);
	cr_assert_eq(before, after);
	memset(more, 2, MORE);
	run_for_ms(1050);
	cr_assert_gt(memory_kb(), before + MORE / 1024 / 2);
	free(more);
}
