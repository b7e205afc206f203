/* SPDX-License-Identifier: GPL-3.0-or-later */
/* set-auth, set-log, set-server, and the keys that observers receive. */
#include "master/api/redact.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(set_auth, sorts_the_addresses_and_drops_invalid_ones)
{
	open_world("{}");
	expect_told("{'cmd':'set-auth','auth':{'enable':false,'other':7,"
		    "'http_ip_allow':['10.0.0.0/8','x','192.168.1.1',"
		    "'2001:db8::/48',5,'10.1.0.0/16','10.2.0.0/16',"
		    "'1.2.3.4/33','::1']}}", "set-auth",
		    "{'auth':{'enable':false,'http_ip_allow':['::1',"
		    "'2001:db8::/48','192.168.1.1','10.1.0.0/16',"
		    "'10.2.0.0/16','10.0.0.0/8'],'other':7},"
		    "'scope':'set-auth'}\n");
	cr_assert_not_null(strstr(w.log, "http_ip_allow[1]: \"x\""), "%s",
			   w.log);
	cr_assert_not_null(strstr(w.log, "http_ip_allow[4]:"));
	cr_assert_not_null(strstr(w.log, "\"1.2.3.4/33\""));
	expect_section("auth",
		       "{'enable':false,'http_ip_allow':['::1',"
		       "'2001:db8::/48','192.168.1.1','10.1.0.0/16',"
		       "'10.2.0.0/16','10.0.0.0/8'],'other':7}");
	expect_ok("{'cmd':'set-config','key':'auth','data':{'enable':false,"
		  "'http_ip_deny':['10.0.0.0/8','x','10.1.0.0/16']}}",
		  "set-config");
	expect_section("auth", "{'enable':false,'http_ip_deny':"
		       "['10.1.0.0/16','10.0.0.0/8']}");
	expect_told("{'cmd':'set-auth'}", "set-auth",
		    "{'scope':'set-auth'}\n");
	expect_section("auth", "");
	expect_error("{'cmd':'set-auth','auth':'x'}", 400,
		     "auth: is not an object");
}

Test(set_auth, rejects_what_nothing_enforces)
{
	open_world("{'auth':{'http_ip_deny':[]}}");
	expect_error("{'cmd':'set-auth','auth':{'enable':true,"
		     "'securetoken':[1]}}", 400,
		     "auth.securetoken: is neither a text nor an integer");
	expect_error("{'cmd':'set-config','key':'auth','data':"
		     "{'enable':true,'backend':'ftp://a'}}", 400,
		     "auth: backend: is not a URL of http or https: the key is "
		     "ignored");
	expect_error("{'cmd':'set-auth','auth':{'enable':true,"
		     "'promo':'http://a b'}}", 400, "auth.promo: is not a URL");
	expect_error("{'cmd':'set-auth','auth':{'conlimit_mode':'x'}}", 400,
		     "auth.conlimit_mode: \"x\" is not deny or oldest");
	expect_error("{'cmd':'set-auth','auth':{'enable':1}}", 400,
		     "auth.enable: is not true or false, so all http outputs "
		     "stay closed");
	expect_error("{'cmd':'set-auth','auth':{'enable':'true'}}", 400,
		     "auth.enable: is not true or false, so all http outputs "
		     "stay closed");
	expect_section("auth", "{'http_ip_deny':[]}");
	expect_ok("{'cmd':'set-auth','auth':{'enable':true}}", "set-auth");
	expect_section("auth", "{'enable':true}");
}

Test(set_auth, rejects_rules_of_another_shape)
{
	static const char *const cases[][2] = {
		{ "'http_ip_deny':'127.0.0.0/8'",
		  "http_ip_deny: is not a list" },
		{ "'http_ip_deny':5", "http_ip_deny: is not a list" },
		{ "'http_ip_deny':{'a':1}", "http_ip_deny: is not a list" },
		{ "'http_ip_allow':false", "http_ip_allow: is not a list" },
		{ "'http_token_deny':'x'", "http_token_deny: is not a list" },
		{ "'http_token_deny':['a',5]",
		  "http_token_deny[1]: is not a string" },
		{ "'promo':5", "promo: is not a string" },
		{ "'x_real_ip':'yes'", "x_real_ip: is not true or false" },
	};
	char request[160], error[96];

	open_world("{'auth':{'http_ip_deny':[]}}");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		(void)snprintf(request, sizeof request, "{'cmd':'set-auth',"
			       "'auth':{'enable':true,%s}}", cases[i][0]);
		(void)snprintf(error, sizeof error,
			       "auth.%s: the %s is ignored", cases[i][1],
			       strchr(cases[i][1], '[') ? "token" : "key");
		expect_error(request, 400, error);
	}
	expect_section("auth", "{'http_ip_deny':[]}");
	expect_ok("{'cmd':'set-auth','auth':{'enable':true,'promo':null,"
		  "'http_ip_deny':{},'http_token_deny':[],'x_real_ip':false}}",
		  "set-auth");
	/* nothing is enforced: a warning */
	cr_assert_eq(post_through("{'cmd':'set-auth','warnings':true,"
				  "'auth':{'http_ip_deny':'x'}}"), 200);
	cr_assert_str_eq(said(), "{'set-auth':'ok','warnings':['auth."
				 "http_ip_deny: is not a list: the key is "
				 "ignored','auth.http_ip_deny: does nothing "
				 "without enable']}");
}

#define USED "'enable':true,'backend_unreachable':'deny',"

Test(set_auth, logs_unusable_values_and_keeps_them)
{
	open_world("{}");
	expect_ok("{'cmd':'set-auth','auth':{'backend':'nowhere',"
		  "'http_ip_deny':'1.2.3.4'}}", "set-auth");
	cr_assert_not_null(strstr(w.log, "auth: backend: is not a URL"), "%s",
			   w.log);
	cr_assert_not_null(strstr(w.log, "auth.http_ip_deny: is not a list"));
	w.log[0] = '\0';
	expect_ok("{'cmd':'set-auth','auth':{" USED "'backend':{'format':"
		  "'http','host':'a','port':1}}}", "set-auth");
	expect_ok("{'cmd':'set-auth','auth':{" USED "'backend':"
		  "'http://a/'}}", "set-auth");
	cr_assert_str_empty(w.log);
}

Test(set_log, replaces_the_section_at_once)
{
	open_world("{'log':{'debug':true}}");
	expect_told("{'cmd':'set-log','set':{'syslog':'x','none':null}}",
		    "set-log",
		    "{'scope':'log_event','set':{'syslog':'x'}}\n");
	expect_section("log", "{'syslog':'x'}");
	cr_assert_eq(w.set_logs, 1u);
	expect_told("{'cmd':'set-log','set':{}}", "set-log",
		    "{'scope':'log_event','set':[]}\n");
	expect_section("log", "[]");
	cr_assert_eq(w.set_logs, 2u);
	expect_error("{'cmd':'set-log','set':1}", 400,
		     "set: is not an object");
	expect_error("{'cmd':'set-log','set':{'debug':1}}", 400,
		     "set.debug: 1 is not true or false");
	cr_assert_eq(w.set_logs, 2u);
}

Test(sections, have_the_warnings_of_the_check_on_request)
{
	open_world("{}");
	cr_assert_eq(post("{'cmd':'set-log','warnings':true,"
			  "'set':{'debugg':true,'_own':1}}"), 200);
	cr_assert_str_eq(said(), "{'set-log':'ok','warnings':["
			 "'log: \\'debugg\\' is not known; is it "
			 "\\'debug\\'?']}");
	expect_ok("{'cmd':'set-log','set':{'debugg':true}}", "set-log");
	cr_assert_not_null(strstr(w.log, "log: \"debugg\" is not known"),
			   "%s", w.log);
	cr_assert_eq(post_through("{'cmd':'set-auth','warnings':true,"
				  "'auth':{'enabel':true,'http_ip_deny':"
				  "['x']}}"), 200);
	cr_assert_str_eq(said(), "{'set-auth':'ok','warnings':['auth."
				 "http_ip_deny[0]: "
				 "is not an address or network: the entry has "
				 "no effect','auth.http_ip_deny: does nothing "
				 "without enable','auth: \\'enabel\\' is not "
				 "known; is it \\'enable\\'?']}");
	cr_assert_eq(post("{'cmd':'set-config','warnings':true,'key':'foo',"
			  "'data':1}"), 200);
	cr_assert_str_eq(said(), "{'set-config':'ok','warnings':["
			 "'\\'foo\\' is not known']}");
	expect_ok("{'cmd':'set-config','warnings':true,'key':'foo'}",
		  "set-config");
}

Test(set_server, appends_replaces_and_removes)
{
	open_world("{}");
	expect_told("{'cmd':'set-server','server':{'host':'a','x':[1]}}",
		    "set-server",
		    "{'scope':'set-server','server':{'host':'a','x':[1]}}\n");
	expect_ok("{'cmd':'set-server','server':{'host':'b'}}", "set-server");
	expect_told("{'cmd':'set-server','id':0,'server':{'host':'c'}}",
		    "set-server",
		    "{'id':0,'scope':'set-server','server':{'host':'c'}}\n");
	expect_section("servers", "[{'host':'c'},{'host':'b'}]");
	expect_told("{'cmd':'set-server','id':0,'server':{'remove':true}}",
		    "set-server",
		    "{'id':0,'scope':'set-server',"
		    "'server':{'remove':true}}\n");
	expect_section("servers", "[{'host':'b'}]");
	expect_ok("{'cmd':'set-server','id':0,'server':{'remove':true}}",
		  "set-server");
	expect_section("servers", "");
}

Test(set_server, refuses_a_place_that_there_is_not)
{
	open_world("{'servers':[{'host':'a'}]}");
	expect_error("{'cmd':'set-server','id':1,'server':{'host':'b'}}", 404,
		     "id: there is no server 1");
	expect_error("{'cmd':'set-server','id':-1,'server':{'remove':true}}",
		     404, "id: there is no server -1");
	expect_error("{'cmd':'set-server','id':'0','server':{}}", 400,
		     "id: is not a whole number");
	expect_error("{'cmd':'set-server','server':'x'}", 400,
		     "server: is not an object");
}

Test(observer, sees_no_secrets_of_softcams_and_users)
{
	json_t *document = fakes_json(
		"{'gid':1,'softcam':[{'id':'a','name':'A','pass':'x'},"
		"{'id':'b','key':'y'}],'users':{'u':{'type':1,"
		"'cipher':'z'}},'other':{'cipher':1}}");
	json_t *wanted = fakes_json(
		"{'gid':1,'softcam':[{'id':'a','name':'A'},{'id':'b'}],"
		"'users':{'u':{'type':1}},'other':{'cipher':1}}");
	json_t *before = json_deep_copy(document);
	json_t *view = observer_view(document);

	cr_assert(json_equal(view, wanted));
	cr_assert(json_equal(document, before));
	json_decref(view);
	view = observer_view(wanted);
	cr_assert(json_equal(view, wanted));
	json_decref(view);
	json_decref(before);
	json_decref(wanted);
	json_decref(document);
}

Test(load, replies_with_the_present_document_after_every_change)
{
	open_world("{'a':1}");
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(get("/api/config", ""), 200);
		cr_expect_str_eq(said(), "{'a':1}");
	}
	expect_ok("{'cmd':'set-config','key':'a','data':2}", "set-config");
	cr_expect_eq(post("{'cmd':'load'}"), 200);
	cr_expect_str_eq(said(), "{'a':2}");
	cr_expect_eq(get("/api/forms", ""), 200);
	cr_expect_eq(get("/api/config", ""), 200);
	cr_expect_str_eq(said(), "{'a':2}");
}
