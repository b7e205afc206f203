/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dry_run and was: commands that are judged and change nothing. */
#include "master/api/changes.h"
#include "master/api/command.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <string.h>

#define STREAM \
	"{'id':'a001','enable':true,'type':'spts'," \
	"'input':['udp://127.0.0.1:5000#cam=s1']," \
	"'output':['udp://127.0.0.1:6000']}"
#define SOFTCAM \
	"{'id':'s1','name':'x','type':'newcamd','host':'h','port':1," \
	"'user':'u','pass':'p'}"
#define DOCUMENT \
	"{'make_stream':[" STREAM "],'softcam':[" SOFTCAM "]," \
	"'dvb_tune':[{'id':'d1','enable':true,'type':'S2'}]," \
	"'users':{'olga':{'enable':true,'type':2,'cipher':'x'}}," \
	"'settings':{'instance_name':'x'},'log':{'debug':true}," \
	"'categories':[{'name':'Kind','groups':[]}]}"

static void expect_dry(const char *command, const char *name,
		       const char *effects)
{
	json_t *before = json_deep_copy(config_document(w.config));
	char wanted[512];

	(void)snprintf(wanted, sizeof wanted,
		       "{'%s':'ok','dry_run':true,'effects':%s", name,
		       effects);
	(void)post(command);
	cr_expect_eq(wait_answer(), 200, "%s: %s", command, said());
	cr_expect_eq(strncmp(said(), wanted, strlen(wanted)), 0, "%s: %s",
		     command, said());
	cr_expect_str_empty(fakes.told, "%s: %s", command, fakes.told);
	cr_expect_str_empty(w.log, "%s: %s", command, w.log);
	cr_expect(json_equal(before, config_document(w.config)), "%s",
		  command);
	json_decref(before);
}

#define NONE "{'streams':[],'viewers':0,'restart':false}"
#define SERVICE "{'streams':[],'viewers':0,'restart':true}"
#define OF_A(change) \
	"{'streams':[{'id':'a001','change':'" change "','viewers':41}]," \
	"'viewers':41,'restart':false}"

Test(dry_run, changes_nothing_and_names_what_would_be_interrupted)
{
	static const struct {
		const char *name, *fields, *effects;
	} commands[] = {
		{ "set-stream", "'id':'a001','stream':" STREAM,
		  OF_A("restart") },
		{ "set-stream", "'id':'a001','stream':{'remove':true}",
		  OF_A("stop") },
		{ "set-stream", "'stream':{'enable':false,'type':'spts'}",
		  NONE },
		{ "set-stream", "'stream':{'enable':true,'type':'spts',"
		  "'input':['udp://127.0.0.1:5001'],"
		  "'output':['udp://127.0.0.1:6001']}",
		  "{'streams':[{'id':'a000','change':'start','viewers':0}],"
		  "'viewers':0,'restart':false}" },
		{ "toggle-stream", "'id':'a001'", OF_A("stop") },
		{ "restart-stream", "'id':'a001'", OF_A("restart") },
		{ "set-stream-image", "'id':'a001','url':'http://h/x'", NONE },
		{ "set-adapter", "'adapter':{'enable':true,'type':'S'}",
		  NONE },
		{ "set-adapter", "'id':'d1','adapter':{'remove':true}", NONE },
		{ "toggle-adapter", "'id':'d1'", NONE },
		{ "restart-adapter", "'id':'d1'", NONE },
		{ "set-softcam", "'id':'s1','softcam':" SOFTCAM,
		  OF_A("restart") },
		{ "set-softcam", "'id':'s1','softcam':{'remove':true}",
		  OF_A("restart") },
		{ "set-cas", "'cas':{'id':'c1'}", NONE },
		{ "set-server", "'server':{'host':'h'}", NONE },
		{ "set-category", "'id':0,'category':{'name':'Sort'}", NONE },
		{ "set-user", "'id':'olga','user':{'enable':true,'type':1,"
		  "'password':'y'}", NONE },
		{ "set-user", "'id':'olga','user':{'remove':true}", NONE },
		{ "toggle-user", "'id':'olga'", NONE },
		{ "set-auth", "'auth':{'enable':true}", NONE },
		{ "set-log", "'set':{'debugg':true}", NONE },
		{ "set-config", "'key':'own','data':1,'restart':true",
		  SERVICE },
		{ "set-config", "'key':'users'", NONE },
		{ "set-license", "'license':'x'", NONE },
		{ "restart", "'interrupt':false",
		  "{'streams':[{'id':'a001','change':'restart','viewers':41}],"
		  "'viewers':41,'restart':true}" },
	};
	char command[1024];

	open_world(DOCUMENT);
	fakes.stream = (struct stream_proc_info){ .state = "running",
						  .pid = 1, .viewers = 41 };
	fakes.running = "a001";
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		(void)snprintf(command, sizeof command,
			       "{'cmd':'%s','dry_run':true,%s}",
			       commands[i].name, commands[i].fields);
		expect_dry(command, commands[i].name, commands[i].effects);
	}
	run_for_ms(10);
	cr_assert_eq(w.restarts, 0u);
	cr_assert_eq(w.set_logs, 0u);
}

Test(dry_run, of_settings_and_uploads_foresees_the_restart)
{
	open_world(DOCUMENT);
	fakes.running = "a001";
	expect_dry("{'cmd':'set-settings','dry_run':true,"
		   "'settings':{'backup_start_delay':3}}", "set-settings",
		   "{'streams':[{'id':'a001','change':'restart','viewers':0}],"
		   "'viewers':0,'restart':true}");
	expect_dry("{'cmd':'set-config','dry_run':true,'restart':true,"
		   "'key':'make_stream','data':[]}", "set-config",
		   "{'streams':[{'id':'a001','change':'stop','viewers':0}],"
		   "'viewers':0,'restart':true}");
	expect_dry("{'cmd':'set-config','dry_run':true,'restart':true,"
		   "'key':'settings','data':{'backup_start_delay':3}}",
		   "set-config",
		   "{'streams':[{'id':'a001','change':'restart','viewers':0}],"
		   "'viewers':0,'restart':true}");
	expect_dry("{'cmd':'set-config','dry_run':true,'key':'make_stream',"
		   "'data':[]}", "set-config", NONE);
	expect_dry("{'cmd':'upload','dry_run':true,'config':"
		   "{'make_stream':[],'own':1}}", "upload",
		   "{'streams':[{'id':'a001','change':'stop','viewers':0}],"
		   "'viewers':0,'restart':true},'changes':{'added':[],"
		   "'changed':[],'removed':['a001'],'sections':['own',"
		   "'softcam','dvb_tune','users','settings','log',"
		   "'categories']}");
	expect_dry("{'cmd':'upload','dry_run':true,'config':"
		   "{'log':{'debug':1}}}", "upload", "{'streams':");
	cr_assert_not_null(strstr(said(), "'warnings':['log.debug: "
				  "1 is not true or false"), "%s", said());
	run_for_ms(10);
	cr_assert_eq(w.restarts, 0u);
}

Test(dry_run, has_the_errors_and_warnings_of_the_command)
{
	open_world(DOCUMENT);
	expect_error("{'cmd':'set-stream','dry_run':true,'id':'a001','stream':"
		     "{'enable':true,'type':'spts','output':['udp://x:1']}}",
		     400, "stream.output[0]: host: \"x\" is not an IP address");
	expect_error("{'cmd':'toggle-stream','dry_run':true,'id':'no'}", 404,
		     "id: there is no stream \"no\"");
	expect_error("{'cmd':'set-log','dry_run':true,'set':{'debug':1}}",
		     400, "set.debug: 1 is not true or false");
	cr_assert_eq(post("{'cmd':'set-stream','dry_run':true,'id':'a001',"
			  "'stream':{'enable':false,'type':'spts',"
			  "'colur':1,'outputs':[]}}"), 200);
	cr_assert_not_null(strstr(said(), "'stream: \\'outputs\\' is not "
				  "known; is it \\'output\\'?'"), "%s",
			   said());
	cr_assert_eq(post("{'cmd':'set-log','dry_run':true,'warnings':true,"
			  "'set':{'debugg':true}}"), 200);
	cr_assert_not_null(strstr(said(), "is not known"), "%s", said());
	cr_assert_eq(post("{'cmd':'set-user','dry_run':true,'warnings':true,"
			  "'id':'new','user':{'enable':true,'type':2}}"), 200);
	cr_assert_str_empty(w.log);
}

Test(dry_run, is_rejected_where_a_command_has_none)
{
	open_world(DOCUMENT);
	expect_error("{'cmd':'reload','dry_run':true}", 400,
		     "dry_run: is not possible with reload");
	expect_error("{'cmd':'close-session','dry_run':true,'id':1}", 400,
		     "dry_run: is not possible with close-session");
	expect_error("{'cmd':'toggle-stream','dry_run':1,'id':'a001'}", 400,
		     "dry_run: is not true or false");
	cr_assert_eq(post_through("{'cmd':'toggle-user','dry_run':false,"
				  "'id':'olga'}"), 200);
	cr_assert_str_eq(said(), "{'toggle-user':'ok'}");
}

Test(was, guards_users_and_sections)
{
	open_world(DOCUMENT);
	expect_error("{'cmd':'set-user','id':'olga','was':null,'user':"
		     "{'enable':true,'type':1}}", 409,
		     "was: the user has changed meanwhile: \"now\" is its "
		     "present value");
	expect_error("{'cmd':'set-auth','was':{'enable':true},'auth':{}}",
		     409, "was: the section auth has changed meanwhile: "
			  "\"now\" is its present value");
	expect_error("{'cmd':'set-log','was':{'debug':false},'set':{}}", 409,
		     "was: the section log has changed meanwhile: \"now\" is "
		     "its present value");
	expect_error("{'cmd':'set-settings','was':{},'settings':{}}", 409,
		     "was: the section settings has changed meanwhile: \"now\" "
		     "is its present value");
	expect_error("{'cmd':'set-config','key':'softcam','was':[]}", 409,
		     "was: the section softcam has changed meanwhile: \"now\" "
		     "is its present value");
	expect_error("{'cmd':'upload','was':{'log':{}},'config':{}}", 409,
		     "was: the configuration has changed meanwhile: \"now\" is "
		     "its present value");
	expect_error("{'cmd':'upload','was':null,'dry_run':true,"
		     "'config':{}}", 409,
		     "was: the configuration has changed meanwhile: \"now\" is "
		     "its present value");
	expect_ok("{'cmd':'set-user','id':'olga','was':{'enable':true,"
		  "'type':2,'cipher':'x'},'user':{'enable':true,'type':1}}",
		  "set-user");
	expect_ok("{'cmd':'set-auth','was':null,'auth':{'enable':true}}",
		  "set-auth");
	expect_ok("{'cmd':'set-log','was':{'debug':true},'set':{}}",
		  "set-log");
	expect_ok("{'cmd':'set-config','key':'softcam','was':[" SOFTCAM "]}",
		  "set-config");
}

Test(was, lets_two_clients_choose_no_id_twice)
{
	open_world("{'gid':1000}");
	cr_assert_eq(post("{'cmd':'set-stream','was':null,'stream':"
			  "{'enable':false,'type':'spts'}}"), 200);
	cr_assert_str_eq(said(), "{'set-stream':'ok','id':'rs'}");
	expect_ok("{'cmd':'set-softcam','was':null,'softcam':" SOFTCAM "}",
		  "set-softcam");
	expect_error("{'cmd':'set-softcam','was':null,'softcam':" SOFTCAM "}",
		     409, "was: the softcam has changed meanwhile: \"now\" is "
			  "its present value");
	expect_error("{'cmd':'set-softcam','softcam':" SOFTCAM "}", 400,
		     "softcam.id: \"s1\" exists: to change it, send its id as "
		     "\"id\" beside \"softcam\", too");
}

/* A document of n streams and n sections, named from `first` on. */
static json_t *make_large(unsigned first, unsigned n)
{
	json_t *document = json_object(), *streams = json_array();
	char name[16];

	for (unsigned i = first; i < first + n; i++) {
		(void)snprintf(name, sizeof name, "s%u", i);
		(void)json_object_set_new(document, name, json_true());
		(void)json_array_append_new(streams,
					    json_pack("{s:s}", "id", name));
	}
	(void)json_object_set_new(document, "make_stream", streams);
	return document;
}

static size_t size_of(const json_t *changes, const char *key)
{
	return json_array_size(json_object_get(changes, key));
}

/* In less than a second; a search per member would take minutes. */
Test(changes, of_many_members_take_no_search_per_member, .timeout = 20)
{
	enum { MANY = 50 * 1000, SHIFT = 10 };
	json_t *old = make_large(0, MANY), *new = make_large(SHIFT, MANY);
	json_t *changes = changes_list(old, new);

	cr_expect_eq(size_of(changes, "added"), (size_t)SHIFT);
	cr_expect_eq(size_of(changes, "removed"), (size_t)SHIFT);
	cr_expect_eq(size_of(changes, "changed"), 0u);
	cr_expect_eq(size_of(changes, "sections"), 2u * SHIFT);
	json_decref(changes);
	json_decref(old);
	json_decref(new);
}
