/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands and paths of adapters. */
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <string.h>

#define ADAPTER(id) "{'id':'" id "','name':'N','type':'S2','enable':true," \
		    "'adapter':0,'device':1,'tp':'x'}"
#define STORED(id, enable) "{'adapter':0,'device':1,'enable':" enable \
			   ",'id':'" id "','name':'N','tp':'x'," \
			   "'type':'S2'}"
#define STREAM(id, inputs) \
	"{'id':'" id "','type':'spts','enable':true,'input':[" inputs "]}"
#define SEEN(id, inputs) \
	"{'scope':'set-stream','stream':{'enable':true,'id':'" id \
	"','input':[" inputs "],'type':'spts'}}\n"

static const char document[] =
	"{'dvb_tune':[" ADAPTER("a") "," ADAPTER("b") "],'make_stream':["
	STREAM("only", "'dvb://a#pnr=1'") ","
	STREAM("both", "'dvb://a#pnr=2','udp://239.1.1.1'") ","
	STREAM("two", "'dvb://a#pnr=3','dvb://a#pnr=4'") ","
	STREAM("other", "'dvb://b'") "]}";

Test(adapter, is_created_replaced_and_removed)
{
	open_world("{'gid':5}");
	expect_told("{'cmd':'set-adapter','gid':6,'adapter':" ADAPTER("a") "}",
		    "set-adapter",
		    "{'adapter':" STORED("a", "true") ",'gid':6,"
		    "'scope':'set-adapter'}\n");
	expect_ok("{'cmd':'set-adapter','adapter':" ADAPTER("b") "}",
		  "set-adapter");
	expect_told("{'cmd':'set-adapter','id':'a','adapter':{'type':'T2',"
		    "'enable':false,'none':null}}", "set-adapter",
		    "{'adapter':{'id':'a','remove':true,'up':true},"
		    "'scope':'set-adapter'}\n"
		    "{'adapter':{'enable':false,'id':'a','type':'T2'},"
		    "'gid':6,'scope':'set-adapter'}\n");
	expect_section("dvb_tune", "[{'enable':false,'id':'a','type':'T2'},"
				   STORED("b", "true") "]");
	expect_told("{'cmd':'set-adapter','id':'a','gid':7,"
		    "'adapter':{'remove':true}}", "set-adapter",
		    "{'adapter':{'id':'a','remove':true,'up':false},"
		    "'scope':'set-adapter'}\n");
	expect_section("dvb_tune", "[" STORED("b", "true") "]");
	cr_assert_eq(config_gid(w.config), 7);
}

Test(adapter, gets_an_id_that_no_stream_has)
{
	open_world("{'gid':466560,'make_stream':[" STREAM("a000", "") "]}");
	expect_told("{'cmd':'set-adapter','adapter':{'type':'C',"
		    "'enable':true}}", "set-adapter",
		    "{'adapter':{'enable':true,'id':'a001','type':'C'},"
		    "'gid':466562,'scope':'set-adapter'}\n");
	expect_ok("{'cmd':'set-stream','gid':466560,'stream':{'type':'spts',"
		  "'enable':true,'input':['udp://239.1.1.1']}}", "set-stream");
	cr_assert_not_null(config_stream(w.config, "a002"));
}

Test(adapter, removes_its_streams_with_it)
{
	open_world(document);
	expect_told("{'cmd':'set-adapter','id':'a',"
		    "'adapter':{'remove':true}}", "set-adapter",
		    "{'adapter':{'id':'a','remove':true,'up':false},"
		    "'scope':'set-adapter'}\n"
		    "remove only\n"
		    "{'scope':'set-stream','stream':{'id':'only',"
		    "'remove':true}}\n"
		    "remove two\n"
		    "{'scope':'set-stream','stream':{'id':'two',"
		    "'remove':true}}\n"
		    "run both\n" SEEN("both", "'udp://239.1.1.1'"));
	cr_assert_null(config_stream(w.config, "only"));
	cr_assert_null(config_stream(w.config, "two"));
	cr_assert_not_null(config_stream(w.config, "other"));
}

Test(adapter, is_renamed_in_addresses)
{
	open_world(document);
	expect_ok("{'cmd':'set-adapter','id':'a','adapter':" ADAPTER("z") "}",
		  "set-adapter");
	cr_assert_not_null(strstr(fakes.told,
		SEEN("only", "'dvb://z#pnr=1'")), "%s", fakes.told);
	cr_assert_not_null(strstr(fakes.told,
		SEEN("both", "'dvb://z#pnr=2','udp://239.1.1.1'")));
	cr_assert_not_null(strstr(fakes.told,
		SEEN("two", "'dvb://z#pnr=3','dvb://z#pnr=4'")));
	cr_assert_null(strstr(fakes.told, "other"));
}

Test(adapter, is_toggled_shown_and_restarted)
{
	open_world(document);
	expect_told("{'cmd':'toggle-adapter','id':'a'}", "toggle-adapter",
		    "{'adapter':" STORED("a", "false")
		    ",'scope':'set-adapter'}\n");
	expect_ok("{'cmd':'toggle-adapter','id':'a'}", "toggle-adapter");
	cr_assert_eq(post("{'cmd':'get-adapter','id':'b'}"), 200);
	cr_assert_str_eq(said(), "{'get-adapter':'ok','adapter':" ADAPTER("b")
				 "}");
	expect_told("{'cmd':'restart-adapter','id':'a'}", "restart-adapter",
		    "restart only\nrestart both\nrestart two\n");
	cr_assert_eq(get("/api/adapter-info/b", ""), 200);
	cr_assert_str_eq(said(), ADAPTER("b"));
	cr_assert_eq(get("/api/adapter-info/no", ""), 404);
	cr_assert_eq(get("/api/adapter-status/no", ""), 404);
}

Test(adapter, reports_that_it_does_not_run)
{
	json_t *status;

	open_world(document);
	cr_assert_eq(get("/api/adapter-status/a", "t=0"), 200);
	status = json_loads(fakes.body, 0, NULL);
	cr_assert_str_eq(json_string_value(json_object_get(status, "name")),
			 "N");
	cr_assert(json_is_false(json_object_get(status, "lock")));
	cr_assert_gt(json_integer_value(json_object_get(status, "timestamp")),
		     1700000000);
	cr_assert_str_eq(json_string_value(json_object_get(
				 json_object_get(status, "worker"), "alarm")),
			 "frequency: is missing");
	json_decref(status);
}

/* A tuner that lacks a key is stored: another program may complete it. */
Test(adapter, with_a_wrong_value_is_rejected)
{
	open_world("{}");
	expect_error("{'cmd':'set-adapter','adapter':{'type':'T',"
		     "'enable':true,'frequency':474,'bandwidth':9000}}", 400,
		     "adapter.bandwidth: \"9000\" is not AUTO, 1712, 5000, "
		     "6000, 7000, 8000 or 10000");
	expect_ok("{'cmd':'set-adapter','adapter':{'type':'T','enable':false,"
		  "'frequency':474,'bandwidth':9000}}", "set-adapter");
	expect_ok("{'cmd':'set-adapter','adapter':{'type':'T','enable':true,"
		  "'bandwidth':8000}}", "set-adapter");
}

Test(adapter, names_the_streams_that_lose_it)
{
	static const char toggle[] =
		"{'cmd':'toggle-adapter','id':'a','dry_run':true}";

	open_world("{'dvb_tune':[{'id':'a','type':'S','enable':true,"
		   "'address':'udp://239.1.1.1'}],'make_stream':["
		   STREAM("x", "'dvb://a'") "," STREAM("y", "'dvb://b'") "]}");
	cr_assert_eq(post(toggle), 200);
	cr_assert_not_null(strstr(said(), "'effects':{'streams':[],"), "%s",
			   said());
	cr_assert_not_null(strstr(said(), "dvb:// inputs of x read it"), "%s",
			   said());
	expect_ok("{'cmd':'toggle-adapter','id':'a'}", "toggle-adapter");
	cr_assert_eq(post(toggle), 200);
	cr_assert_not_null(strstr(said(), "'effects':{'streams':[],"), "%s",
			   said());
	cr_assert_null(strstr(said(), "warnings"), "%s", said());
}

/* A dry run of set-adapter for the adapter `a', whose rest is this: no stream
 * gets another process, but the adapter may. */
static void expect_replaced(const char *rest, bool is_replaced)
{
	char request[256];

	(void)snprintf(request, sizeof request, "{'cmd':'set-adapter',"
		       "'id':'a','dry_run':true,'adapter':{'type':'S',%s}}",
		       rest);
	cr_assert_eq(post(request), 200, "%s", said());
	cr_assert_not_null(strstr(said(), "'streams':[],"), "%s: %s", rest,
			   said());
	cr_assert_eq(strstr(said(), "adapter: the adapter restarts, but dvb:// "
			    "inputs of x read it") != NULL, is_replaced,
		     "%s: %s", rest, said());
}

Test(adapter, names_the_streams_whose_adapter_a_new_address_restarts)
{
	open_world("{'dvb_tune':[{'id':'a','type':'S','enable':true,"
		   "'address':'udp://239.1.1.1'}],'make_stream':["
		   STREAM("x", "'dvb://a'") "," STREAM("y", "'dvb://b'") "]}");
	expect_replaced("'enable':true,'address':'udp://239.1.1.2'", true);
	expect_replaced("'enable':true", false);
	cr_expect(strstr(said(), "adapter: the adapter does not run, but "
			 "dvb:// inputs of x read it"), "%s", said());
	expect_replaced("'enable':false,'address':'udp://239.1.1.1'", false);
	cr_expect(strstr(said(), "adapter.enable: the adapter is disabled, but "
			 "dvb:// inputs of x read it"), "%s", said());
	/* streams follow its new id */
	cr_expect_eq(post("{'cmd':'set-adapter','id':'a','dry_run':true,"
			  "'adapter':{'id':'c','type':'S','enable':false}}"),
		     200);
	cr_expect(strstr(said(), "adapter.enable: the adapter is disabled, but "
			 "dvb:// inputs of x read it"), "%s", said());
	/* its process continues */
	expect_replaced("'enable':true,'address':'udp://239.1.1.1',"
			"'name':'another'", false);
	expect_ok("{'cmd':'toggle-adapter','id':'a'}", "toggle-adapter");
	expect_replaced("'enable':true,'address':'udp://239.1.1.2'", false);
}

Test(adapter, has_an_address_that_an_input_can_receive)
{
	open_world("{}");
	expect_error("{'cmd':'set-adapter','adapter':{'id':'a','type':'S',"
		     "'enable':true,'address':'udp://1.2.3.4:x'}}", 400,
		     "adapter.address: port: x is not a port (1 to 65535)");
	expect_error("{'cmd':'set-adapter','adapter':{'id':'a','type':'S',"
		     "'enable':true,'address':'dvb://b'}}", 400,
		     "adapter.address: dvb:// is only possible as an input of "
		     "a stream");
	expect_error("{'cmd':'set-adapter','adapter':{'id':'a','type':'S',"
		     "'enable':true,'address':'stream://m/1'}}", 400,
		     "adapter.address: stream: \"m/1\" is not an id: it has "
		     "only A-Z a-z 0-9 _ . -");
	expect_ok("{'cmd':'set-adapter','adapter':{'id':'a','type':'S',"
		  "'enable':true,'address':'udp://239.1.1.1'}}",
		  "set-adapter");
	expect_ok("{'cmd':'set-adapter','adapter':{'id':'b','type':'S',"
		  "'enable':false,'address':'x'}}", "set-adapter");
}

/* What a stream sends, for a CI slot. */
Test(adapter, has_the_address_of_a_stream_and_follows_its_new_id)
{
	open_world("{'make_stream':[" STREAM("m", "'udp://239.1.1.1'") "],"
		   "'dvb_tune':[{'id':'c','type':'CI','enable':true,"
		   "'address':'stream://m#x=1'}]}");
	expect_ok("{'cmd':'set-stream','id':'m','stream':"
		  STREAM("n", "'udp://239.1.1.1'") "}", "set-stream");
	cr_expect(strstr(fakes.told, "{'adapter':{'address':"
			 "'stream://n#x=1','enable':true,'id':'c','type':'CI'},"
			 "'scope':'set-adapter'}"), "%s", fakes.told);
	expect_section("dvb_tune", "[{'address':'stream://n#x=1',"
				   "'enable':true,'id':'c','type':'CI'}]");
	cr_assert_eq(post("{'cmd':'set-adapter','id':'c','warnings':true,"
			  "'adapter':{'id':'c','type':'CI','enable':true,"
			  "'address':'stream://m'}}"), 200);
	cr_expect(strstr(said(), "adapter: address: there is no stream "
			 "\\'m\\'"), "%s", said());
}

Test(adapter, stores_the_result_of_a_scan)
{
	open_world("{'gid':466560}");
	expect_ok("{'cmd':'set-adapter','adapter':{'id':'a','type':'S',"
		  "'enable':true,'scan':[{'name':'One','pnr':11,'provider':'P',"
		  "'service_type':1,'scrambled':true,'caids':[2816]},"
		  "{'id':'x','type':'spts','enable':false,"
		  "'input':['dvb://a#pnr=12']}]}}", "set-adapter");
	expect_section("dvb_tune", "[{'enable':true,'id':'a','type':'S'}]");
	expect_section("make_stream",
		"[{'enable':true,'id':'a000','input':['dvb://a#pnr=11'],"
		"'name':'One','pmt_version':1,'sdt_version':1,"
		"'type':'spts'},{'enable':false,'id':'x',"
		"'input':['dvb://a#pnr=12'],'pmt_version':1,"
		"'sdt_version':1,'type':'spts'}]");
	cr_assert_eq(config_gid(w.config), 466561);
	cr_assert_lt(strstr(fakes.told, "set-adapter"),
		     strstr(fakes.told, "set-stream"));
	cr_assert_null(strstr(strstr(fakes.told, "set-stream"), "gid"));
	expect_error("{'cmd':'set-adapter','id':'a','adapter':{'type':'S',"
		     "'enable':true,'scan':[{'pnr':1},{'name':'x'}]}}", 400,
		     "adapter.scan[1]: is neither a stream nor a program");
	expect_error("{'cmd':'set-adapter','id':'a','adapter':{'type':'S',"
		     "'enable':true,'scan':[{'id':'x','pnr':1}]}}", 400,
		     "adapter.scan[0]: id: \"x\" is the id of another stream");
	expect_error("{'cmd':'set-adapter','id':'a','adapter':{'type':'S',"
		     "'enable':true,'scan':[{'id':'y','pnr':1},"
		     "{'id':'y','pnr':2}]}}", 400,
		     "adapter.scan[1]: id: \"y\" is the id of another stream");
	expect_error("{'cmd':'set-adapter','id':'a','adapter':{'type':'S',"
		     "'enable':true,'scan':[{'pnr':1,'enable':1}]}}", 400,
		     "adapter.scan[0]: stream.enable: 1 is not true or false");
}

Test(adapter, is_judged_before_anything_changes)
{
	open_world(document);
	expect_error("{'cmd':'set-adapter'}", 400, "adapter: is missing");
	expect_error("{'cmd':'set-adapter','adapter':1}", 400,
		     "adapter: is not an object");
	expect_error("{'cmd':'set-adapter','adapter':{'type':'S'}}", 400,
		     "adapter.enable: is missing");
	expect_error("{'cmd':'set-adapter','adapter':{'enable':true}}", 400,
		     "adapter.type: is missing");
	expect_error("{'cmd':'set-adapter','adapter':{'enable':true,"
		     "'type':'S','adapter':'0'}}", 400,
		     "adapter.adapter: \"0\" is not a whole number");
	expect_error("{'cmd':'set-adapter','adapter':{'enable':true,"
		     "'type':'S','scan':1}}", 400,
		     "adapter.scan: is not a list");
	expect_error("{'cmd':'set-adapter','id':'no','adapter':"
		     ADAPTER("x") "}", 404,
		     "id: there is no adapter \"no\"");
	expect_error("{'cmd':'set-adapter','id':'a','adapter':"
		     ADAPTER("b") "}", 400,
		     "adapter.id: \"b\" is the id of another adapter");
	expect_error("{'cmd':'set-adapter','adapter':" ADAPTER("a/b") "}", 400,
		     "adapter.id: \"a/b\" is not 1 to 64 characters of "
		     "A-Z a-z 0-9 _ . -");
	expect_error("{'cmd':'set-adapter','adapter':{'remove':true}}", 400,
		     "id: is missing");
	expect_error("{'cmd':'set-adapter','id':'no',"
		     "'adapter':{'remove':true}}", 404,
		     "id: there is no adapter \"no\"");
	expect_error("{'cmd':'toggle-adapter'}", 400, "id: is missing");
	expect_error("{'cmd':'toggle-adapter','id':1}", 400,
		     "id: is not a string");
	expect_error("{'cmd':'get-adapter','id':'no'}", 404,
		     "id: there is no adapter \"no\"");
	expect_error("{'cmd':'restart-adapter','id':'no'}", 404,
		     "id: there is no adapter \"no\"");
}

#define LNB(id, pol, more) "{'id':'" id "','enable':true,'type':'S2'," \
	"'symbolrate':22000,'frequency':11362,'polarization':'" pol "'" more "}"

Test(adapters, that_share_an_lnb_are_refused_another_polarization)
{
	open_world("{'dvb_tune':[" LNB("a", "H", "") "]}");
	expect_error("{'cmd':'set-adapter','adapter':"
		     LNB("b", "V", ",'device':1,'lnb_sharing':true") "}", 400,
		     "adapter.polarization: adapter \"a\", which feeds the "
		     "LNB, selects the other one");
	expect_ok("{'cmd':'set-adapter','adapter':"
		  LNB("b", "H", ",'device':1,'lnb_sharing':true") "}",
		  "set-adapter");
	expect_ok("{'cmd':'set-adapter','id':'a','adapter':"
		  LNB("a", "V", "") "}", "set-adapter");
	cr_assert_eq(get("/api/adapter-status/b", "t=0"), 200);
	cr_expect(strstr(fakes.body, "polarization: adapter"), "%s",
		  fakes.body);
	close_world();
}

#define SHARER(id, pol, more) \
	LNB(id, pol, ",'device':1,'lnb_sharing':true" more)
#define NAMES_A ",'lnb_adapter':'a'"

/* The stored copy of an adapter is no other tuner that feeds its LNB. */
Test(adapters, that_share_an_lnb_are_compared_with_other_adapters)
{
	static const char alone[] = "{'cmd':'set-adapter','id':'a','adapter':"
				    SHARER("a", "V", "") "}";
	static const char another[] = "{'cmd':'set-adapter','id':'a',"
				      "'dry_run':true,'warnings':true,"
				      "'adapter':" SHARER("c", "V", "") "}";

	open_world("{'dvb_tune':[" LNB("a", "H", "") "]}");
	cr_expect_eq(post(another), 200, "%s", said());
	cr_expect(!strstr(said(), "polarization"), "%s", said());
	expect_ok(alone, "set-adapter");
	close_world();
	/* with a tuner that feeds it */
	open_world("{'dvb_tune':[" LNB("a", "H", "") ","
		   LNB("b", "H", "") "]}");
	expect_error(alone, 400, "adapter.polarization: adapter \"b\", which "
		     "feeds the LNB, selects the other one");
	expect_error(another, 400, "adapter.polarization: adapter \"b\", which "
		     "feeds the LNB, selects the other one");
}

Test(adapters, that_share_an_lnb_follow_a_new_id_of_its_feeder)
{
	open_world("{'dvb_tune':[" LNB("a", "H", "") ","
		   SHARER("b", "H", NAMES_A) "]}");
	expect_told("{'cmd':'set-adapter','id':'a','adapter':"
		    "{'id':'n','type':'S2','enable':false}}", "set-adapter",
		    "{'adapter':{'id':'a','remove':true,'up':true},"
		    "'scope':'set-adapter'}\n"
		    "{'adapter':{'enable':false,'id':'n','type':'S2'},"
		    "'scope':'set-adapter'}\n"
		    "{'adapter':{'device':1,'enable':true,'frequency':11362,"
		    "'id':'b','lnb_adapter':'n','lnb_sharing':true,"
		    "'polarization':'H','symbolrate':22000,'type':'S2'},"
		    "'scope':'set-adapter'}\n");
	cr_assert_str_eq(json_string_value(json_object_get(json_array_get(
				 config_section(w.config, "dvb_tune"), 1),
				 "lnb_adapter")), "n");
	/* without its feeder it is run, with a warning */
	cr_assert_eq(post("{'cmd':'set-adapter','id':'n','warnings':true,"
			  "'adapter':{'remove':true}}"), 200);
	cr_expect(strstr(said(), "adapter: adapter \\'b\\' names it in "
			 "lnb_adapter"), "%s", said());
	cr_expect(strstr(w.log, "b: lnb_adapter: there is no adapter \"n\" "
			 "any more"), "%s", w.log);
	cr_assert_eq(get("/api/adapter-status/b", "t=0"), 200);
	cr_expect(!strstr(fakes.body, "alarm"), "%s", fakes.body);
	close_world();
}

/* A request after which the sharer b stops, and the stream x that reads it. */
static void expect_stopped(const char *request)
{
	static const char warning[] = "adapter: adapter \\'b\\', which shares "
		"the LNB, stops: polarization: adapter \\'a\\', which feeds "
		"the LNB, selects the other one";
	static const char line[] = "b: stopped: polarization: adapter";
	char command[512];

	(void)snprintf(command, sizeof command, "%s,'dry_run':true}", request);
	cr_assert_eq(post(command), 200, "%s", said());
	cr_expect(strstr(said(), "adapter \\'b\\' stops, but dvb:// inputs of "
			 "x read it"), "%s", said());
	cr_expect(strstr(said(), warning), "%s", said());
	cr_expect(!strstr(w.log, line), "%s", w.log);
	(void)snprintf(command, sizeof command, "%s}", request);
	cr_assert_eq(post(command), 200, "%s", said());
	cr_expect(strstr(said(), warning), "%s", said());
	cr_expect(strstr(w.log, line), "%s", w.log);
	cr_assert_eq(get("/api/system-status", "t=0"), 200);
	cr_expect(strstr(fakes.body, "adapter b: polarization: adapter"), "%s",
		  fakes.body);
	close_world();
}

Test(adapters, that_stop_with_a_change_of_their_feeder_are_named)
{
	open_world("{'dvb_tune':[" LNB("a", "H", "") ","
		   SHARER("b", "H", "") "],"
		   "'make_stream':[" STREAM("x", "'dvb://b'") "]}");
	expect_stopped("{'cmd':'set-adapter','id':'a','warnings':true,"
		       "'adapter':" LNB("a", "V", ""));
	open_world("{'dvb_tune':[" SHARER("b", "H", "") ",{'id':'a',"
		   "'enable':false,'type':'S2','symbolrate':22000,"
		   "'frequency':11362,'polarization':'V'}],"
		   "'make_stream':[" STREAM("x", "'dvb://b'") "]}");
	expect_stopped("{'cmd':'toggle-adapter','id':'a','warnings':true");
}
