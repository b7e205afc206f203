/* SPDX-License-Identifier: GPL-3.0-or-later */
/* set-settings, set-config, upload, restart, set-license. */
#include "common/supervise/tls_proc.h"
#include "master/api/certificate.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A command that answers when it is saved or tried. */
static void expect_saved(const char *command, const char *name)
{
	cr_expect_eq(post(command), 0, "answered before it was saved");
	cr_expect_eq(wait_answer(), 200, "%s: %s", command, fakes.body);
	cr_expect_not_null(strstr(fakes.body, name), "%s", fakes.body);
}

Test(settings, are_replaced_whole_saved_and_followed_by_a_restart)
{
	json_t *file;

	open_world("{'gid':1,'settings':{'http_port':1,'instance_name':'a'}}");
	expect_saved("{'cmd':'set-settings','gid':470000,'settings':"
		     "{'instance_name':'b','none':null}}", "set-settings");
	cr_assert_str_eq(fakes.told,
		"{'gid':470000,'scope':'set-settings',"
		"'settings':{'instance_name':'b'}}\n");
	file = world_file();
	cr_assert(json_equal(file, config_document(w.config)));
	json_decref(file);
	expect_section("settings", "{'instance_name':'b'}");
	cr_assert_eq(w.restarts, 0u);
	run_for_ms(800);
	cr_assert_eq(w.restarts, 0u, "restarted before a second was over");
	run_for_ms(400);
	cr_assert_eq(w.restarts, 1u);
	close_world();
}

Test(settings, are_answered_with_the_warnings_of_the_check)
{
	open_world("{}");
	expect_saved("{'cmd':'set-settings','warnings':true,'settings':"
		     "{'http_play_prt':'1','foo':1}}", "set-settings");
	cr_assert_str_eq(said(), "{'set-settings':'ok','warnings':["
			 "'settings: \\'http_play_prt\\' is not known; is it "
			 "\\'http_play_port\\'?',"
			 "'settings: \\'foo\\' is not known']}");
	expect_saved("{'cmd':'set-settings','settings':{'foo':1}}",
		     "set-settings");
	cr_assert_str_eq(said(), "{'set-settings':'ok'}");
	close_world();
}

Test(settings, without_observer_redact_are_answered_with_a_warning)
{
	static const char warning[] = "settings.observer_redact: is not true: "
				      "1 observer reads ";

	open_world("{'users':{'olga':{'enable':true,'type':2}},"
		   "'settings':{'observer_redact':true}}");
	(void)post("{'cmd':'set-settings','dry_run':true,'warnings':true,"
		   "'settings':{'epg_days':1}}");
	cr_assert_eq(wait_answer(), 200);
	cr_assert_not_null(strstr(said(), warning), "%s", said());
	expect_saved("{'cmd':'set-settings','warnings':true,'settings':"
		     "{'observer_redact':true}}", "set-settings");
	cr_assert_str_eq(said(), "{'set-settings':'ok'}");
	expect_saved("{'cmd':'set-settings','warnings':true,'settings':{}}",
		     "set-settings");
	cr_assert_not_null(strstr(said(), warning), "%s", said());
	close_world();
}

/* A warning names 64 bytes of a key. */
Test(settings, a_warning_about_a_long_key_is_not_lost)
{
	char key[128] = "x", command[256], want[256];

	for (size_t i = 0; i < 32; i++)
		(void)strcat(key, "\u0444");
	(void)snprintf(command, sizeof command, "{'cmd':'set-settings',"
		       "'warnings':true,'settings':{'%s':1}}", key);
	(void)snprintf(want, sizeof want, "{'set-settings':'ok','warnings':["
		       "'settings: \\'%.63s?\\' is not known']}", key);
	open_world("{}");
	expect_saved(command, "set-settings");
	cr_assert_str_eq(said(), want);
	close_world();
}

/* --- a certificate, which the tls worker judges --- */

#define PAIR "'crt_chain':'-----BEGIN C','crt_key':'-----BEGIN K'"

static void expect_judged(const char *command)
{
	cr_assert_eq(post(command), 0, "%s: %s", command, fakes.body);
	cr_assert_not_null(fakes.on_judged, "%s", command);
	cr_assert_str_eq(fakes.told, "", "announced before its check");
}

Test(settings, a_certificate_is_judged_before_anything_is_changed)
{
	open_world("{'settings':{'instance_name':'a'}}");
	expect_judged("{'cmd':'set-settings','settings':{" PAIR "}}");
	expect_section("settings", "{'instance_name':'a'}");
	fakes_tell_judgement(-EINVAL, "crt_key: is of wood");
	cr_assert_eq(fakes.status, 400);
	cr_assert_str_eq(said(), "{'error':'settings.crt_key: is of wood'}");
	expect_section("settings", "{'instance_name':'a'}");

	expect_judged("{'cmd':'set-settings','settings':{" PAIR "}}");
	fakes_tell_judgement(-ETIMEDOUT, "crt_chain: nobody is there");
	cr_assert_eq(fakes.status, 503);
	expect_section("settings", "{'instance_name':'a'}");

	expect_judged("{'cmd':'set-settings','settings':{" PAIR "}}");
	fakes_tell_judgement(0, "");
	cr_assert_eq(wait_answer(), 200, "%s", fakes.body);
	expect_section("settings", "{" PAIR "}");
	/* a key as text is not sent to every listener */
	cr_assert_str_eq(fakes.told, "{'scope':'set-settings','settings':"
				     "{'crt_chain':'-----BEGIN C'}}\n");
	run_for_ms(1300);
	cr_assert_eq(w.restarts, 1u);
	close_world();
}

Test(settings, a_certificate_is_judged_wherever_it_comes_in)
{
	open_world("{'settings':{'instance_name':'a'}}");
	expect_judged("{'cmd':'set-config','key':'settings','data':{" PAIR
		      "}}");
	fakes_tell_judgement(-EINVAL, "crt_chain: no");
	cr_assert_eq(fakes.status, 400);
	expect_judged("{'cmd':'upload','config':{'settings':{" PAIR "}}}");
	fakes_tell_judgement(-EINVAL, "crt_chain: no");
	cr_assert_eq(fakes.status, 400);
	expect_section("settings", "{'instance_name':'a'}");

	expect_judged("{'cmd':'set-config','key':'settings','data':{" PAIR
		      "}}");
	fakes_tell_judgement(0, "");
	cr_assert_eq(fakes.status, 200, "%s", fakes.body);
	expect_section("settings", "{" PAIR "}");
	cr_assert_str_eq(fakes.told,
			 "{'data':{'crt_chain':'-----BEGIN C'},"
			 "'key':'settings','scope':'set-config'}\n");
	close_world();
}

Test(settings, a_certificate_that_stays_is_not_judged_again)
{
	open_world("{'settings':{" PAIR "}}");
	expect_saved("{'cmd':'set-settings','settings':{'instance_name':'b',"
		     PAIR "}}", "set-settings");
	expect_saved("{'cmd':'set-settings','settings':{'crt_chain':'',"
		     "'crt_key':''}}", "set-settings");
	close_world();
}

Test(settings, keep_the_key_that_a_client_does_not_know)
{
	open_world("{'settings':{" PAIR "}}");
	expect_saved("{'cmd':'set-settings','was':{'crt_chain':"
		     "'-----BEGIN C'},'settings':{'instance_name':'b',"
		     "'crt_chain':'-----BEGIN C'}}", "set-settings");
	expect_section("settings", "{" PAIR ",'instance_name':'b'}");
	cr_assert_str_eq(fakes.told, "{'scope':'set-settings','settings':"
			 "{'crt_chain':'-----BEGIN C','instance_name':'b'}}\n");
	expect_ok("{'cmd':'set-config','key':'settings','was':{'crt_chain':"
		  "'-----BEGIN C','instance_name':'b'},'data':{'crt_chain':"
		  "'-----BEGIN C'}}", "set-config");
	expect_section("settings", "{" PAIR "}");
	/* without its chain it goes */
	expect_ok("{'cmd':'set-config','key':'settings','was':{'crt_chain':"
		  "'-----BEGIN C'},'data':{'instance_name':'c'}}",
		  "set-config");
	expect_section("settings", "{'instance_name':'c'}");
	close_world();
}

static void ignore(int result, const struct errmsg *error, void *arg)
{
	(void)result, (void)error, (void)arg;
}

struct reading {
	reload_done_fn *done;
	void *arg;
};

static void take_document(int revents, void *arg)
{
	struct reading *r = arg;
	json_t *document = fakes_json("{'settings':{'instance_name':'b'," PAIR
				      "}}");

	(void)revents;
	api_reload(w.api, document, r->done, r->arg);
	json_decref(document);
	free(r);
}

static int reload(reload_done_fn *done, void *done_arg, struct errmsg *ret,
		  void *arg)
{
	struct reading *r = malloc(sizeof *r);

	(void)ret, (void)arg;
	cr_assert_not_null(r);
	*r = (struct reading){ done, done_arg };
	ev_once(w.loop, -1, 0, 0., take_document, r);
	return 0;
}

static void run_until_judged(void)
{
	cr_assert_eq(post("{'cmd':'reload'}"), 0);
	while (fakes.on_judged == NULL)
		ev_run(w.loop, EVRUN_ONCE);
}

/* A restart ends the connection of a reply that waits for the check. */
Test(settings, a_restart_waits_for_the_check_of_a_certificate)
{
	open_world("{'settings':{" PAIR "}}");
	api_set_reload(w.api, reload, NULL);
	run_until_judged();
	run_for_ms(1300);
	cr_assert_eq(w.restarts, 0u);
	cr_assert_eq(fakes.status, 0);
	fakes_tell_judgement(-EINVAL, "crt_key: is of wood");
	cr_assert_eq(fakes.status, 200);
	cr_expect_not_null(strstr(said(), "'warnings':['settings.crt_key: is "
				  "of wood']"), "%s", said());
	run_for_ms(1300);
	cr_assert_eq(w.restarts, 1u);
	close_world();
}

/* Each of them has its reply before the restart that both need. */
Test(settings, a_restart_waits_for_the_replies_of_two_reloads)
{
	tls_judgement_fn *judged;
	void *arg;

	for (int first = 0; first < 2; first++) {
		open_world("{'settings':{" PAIR "}}");
		w.restarts = 0;
		api_set_reload(w.api, reload, NULL);
		run_until_judged();
		judged = fakes.on_judged;
		arg = fakes.on_judged_arg;
		fakes.on_judged = NULL;
		run_until_judged();
		if (first == 0)
			judged(0, &(struct errmsg){ 0 }, arg);
		else
			fakes_tell_judgement(0, "");
		cr_assert_eq(fakes.status, 200);
		run_for_ms(1300);
		cr_expect_eq(w.restarts, 0u, "reply %d waits", 2 - first);
		fakes.status = 0;
		if (first == 0)
			fakes_tell_judgement(0, "");
		else
			judged(0, &(struct errmsg){ 0 }, arg);
		cr_assert_eq(fakes.status, 200);
		run_for_ms(1300);
		cr_expect_eq(w.restarts, 1u);
		close_world();
	}
}

static int keep_reading(reload_done_fn *done, void *done_arg,
			struct errmsg *ret, void *arg)
{
	(void)ret;
	*(struct reading *)arg = (struct reading){ done, done_arg };
	return 0;
}

/* Its file is still being read when the restart of another request is due. */
Test(settings, a_restart_waits_for_a_reload_that_reads)
{
	struct reading *r = malloc(sizeof *r);

	cr_assert_not_null(r);
	open_world("{'settings':{}}");
	api_set_reload(w.api, keep_reading, r);
	cr_assert_eq(post("{'cmd':'reload'}"), 0);
	cr_assert_eq(post("{'cmd':'restart'}"), 0);
	cr_assert_eq(wait_answer(), 200, "%s", fakes.body);
	run_for_ms(1300);
	cr_expect_eq(w.restarts, 0u);
	fakes.status = 0;
	r->done(&(struct reload_result){ .status = 400, .error = "no" },
		r->arg);
	cr_assert_eq(fakes.status, 400);
	run_for_ms(1300);
	cr_expect_eq(w.restarts, 1u);
	free(r);
	close_world();
}

Test(settings, a_reload_warns_of_a_certificate_that_is_not_checked)
{
	open_world("{'settings':{" PAIR "}}");
	api_set_reload(w.api, reload, NULL);
	cr_assert_eq(post("{'cmd':'reload'}"), 0);
	/* another check runs: the next one is refused */
	(void)tls_judgement_new(NULL, "", "", ignore, NULL);
	cr_assert_eq(wait_answer(), 200, "%s", fakes.body);
	cr_expect_not_null(strstr(said(), "'warnings':['settings.crt_chain: "
				  "cannot be checked now"), "%s", said());
	close_world();
}

Test(settings, half_a_certificate_is_an_error)
{
	open_world("{'settings':{}}");
	expect_error("{'cmd':'set-settings','settings':{'crt_chain':'/a'}}",
		     400, "settings.crt_key: is missing, and crt_chain is set");
	expect_error("{'cmd':'set-settings','settings':{'crt_key':'/a',"
		     "'crt_chain':''}}", 400,
		     "settings.crt_chain: is missing, and crt_key is set");
	expect_error("{'cmd':'set-settings','settings':{'crt_chain':5}}",
		     400, "settings.crt_chain: 5 is not a string");
}

Test(settings, that_are_empty_are_removed)
{
	open_world("{'settings':{'instance_name':'a'}}");
	expect_saved("{'cmd':'set-settings','settings':{}}", "set-settings");
	cr_assert_str_eq(fakes.told, "{'scope':'set-settings'}\n");
	expect_section("settings", "");
	close_world();
}

Test(settings, that_would_prevent_the_next_start_are_rejected)
{
	open_world("{'settings':{'instance_name':'a'}}");
	expect_error("{'cmd':'set-settings','settings':{'control_port':8000}}",
		     400, "settings.control_port: 8000 is not a string: write "
		     "\"8000\" or \"<address>:8000\"");
	expect_error("{'cmd':'set-settings','settings':"
		     "{'allow_real_ip':'yes'}}", 400,
		     "settings.allow_real_ip: \"yes\" is not true or false");
	expect_error("{'cmd':'set-settings','settings':{'control_path':"
		     "'a/../b'}}", 400, "settings.control_path: \"a/../b\" "
		     "makes the control interface unreachable: use names with "
		     "'/' between them, of at most 200 bytes together, "
		     "without \"..\", '?', '#' and '%'");
	expect_error("{'cmd':'set-settings','settings':5}", 400,
		     "settings: is not an object");
	expect_error("{'cmd':'set-settings','settings':{},'gid':'x'}", 400,
		     "gid: is not a whole number");
	run_for_ms(1200);
	cr_assert_eq(w.restarts, 0u);
}

Test(settings, without_the_required_field_close_the_connection)
{
	open_world("{'settings':{'instance_name':'a'}}");
	expect_drop("{'cmd':'set-settings'}");
	expect_drop("{'cmd':'set-settings','settings':null}");
	expect_drop("{'cmd':'set-config'}");
	expect_drop("{'cmd':'set-config','key':null,'data':1}");
	expect_drop("{'cmd':'set-log'}");
	expect_drop("{'cmd':'set-server'}");
	expect_drop("{'cmd':'set-server','server':{'remove':true}}");
	expect_drop("{'cmd':'upload'}");
	expect_ok("{'cmd':'set-auth'}", "set-auth");
}

Test(settings, a_failed_save_is_reported)
{
	open_world("{}");
	/* a folder in the place of the file */
	cr_assert_eq(mkdir(w.path, 0700), 0);
	cr_expect_eq(post("{'cmd':'set-settings','settings':"
			  "{'instance_name':'b'}}"), 0);
	cr_expect_eq(wait_answer(), 500);
	cr_expect_not_null(strstr(fakes.body, "is not saved: "), "%s",
			   fakes.body);
	run_for_ms(1200);
	cr_assert_eq(w.restarts, 0u, "there is nothing to restart for");
	expect_section("settings", "");
	cr_assert_eq(rmdir(w.path), 0);
	close_world();
}

Test(set_config, stores_under_any_key)
{
	open_world("{}");
	expect_told("{'cmd':'set-config','key':'mine','data':[1,{'a':null}]}",
		    "set-config",
		    "{'data':[1,{'a':null}],'key':'mine',"
		    "'scope':'set-config'}\n");
	expect_section("mine", "[1,{'a':null}]");
	expect_told("{'cmd':'set-config','key':'mine','data':null}",
		    "set-config",
		    "{'key':'mine','scope':'set-config'}\n");
	expect_section("mine", "");
	expect_told("{'cmd':'set-config','key':'mine'}", "set-config",
		    "{'key':'mine','scope':'set-config'}\n");
	expect_saved("{'cmd':'set-config','key':'users','restart':true,"
		     "'data':{'x':{'type':1,'enable':true}}}", "set-config");
	expect_section("users", "{'x':{'enable':true,'type':1}}");
	run_for_ms(1200);
	cr_assert_eq(w.restarts, 1u);
	close_world();
}

Test(set_config, rejects_values_that_the_next_start_could_not_use)
{
	open_world("{}");
	expect_error("{'cmd':'set-config','key':'make_stream','data':{'a':1}}",
		     400, "make_stream: is not a list");
	expect_error("{'cmd':'set-config','key':'make_stream','data':[1]}",
		     400, "make_stream[0]: is not an object");
	expect_error("{'cmd':'set-config','key':'users','data':[1]}", 400,
		     "users: is not an object");
	expect_error("{'cmd':'set-config','key':'users','data':{'a':1}}", 400,
		     "users.a: is not an object");
	expect_error("{'cmd':'set-config','key':'settings',"
		     "'data':{'control_port':1}}", 400,
		     "settings.control_port: 1 is not a string: write \"1\" "
		     "or \"<address>:1\"");
	expect_error("{'cmd':'set-config','key':'softcam','data':[1]}", 400,
		     "softcam[0]: is not an object");
	expect_error("{'cmd':'set-config','key':''}", 400, "key: is empty");
	expect_error("{'cmd':'set-config','key':1}", 400,
		     "key: is not a string");
	expect_error("{'cmd':'set-config','key':'a','restart':1}", 400,
		     "restart: is not true or false");
	/* a stream at fault is kept, and not run */
	expect_ok("{'cmd':'set-config','key':'make_stream',"
		  "'data':[{'id':'a'}]}", "set-config");
}

Test(upload, goes_to_the_file_alone_until_something_changes)
{
	json_t *file;

	open_world("{'settings':{'instance_name':'a'}}");
	expect_ok("{'cmd':'set-config','key':'before','data':1}",
		  "set-config");
	expect_saved("{'cmd':'upload','config':{'make_stream':'whatever'}}",
		     "upload");
	cr_assert_str_eq(fakes.told, "");
	file = world_file();
	cr_assert_str_eq(json_string_value(json_object_get(file,
							   "make_stream")),
			 "whatever");
	cr_assert_eq(json_object_size(file), 1u);
	json_decref(file);
	expect_section("make_stream", "");
	run_for_ms(1300);
	file = world_file();
	cr_assert_eq(json_object_size(file), 1u,
		     "an earlier change was written over it");
	json_decref(file);
	expect_ok("{'cmd':'set-config','key':'after','data':1}", "set-config");
	run_for_ms(1300);
	file = world_file();
	cr_assert(json_equal(file, config_document(w.config)));
	json_decref(file);
	expect_error("{'cmd':'upload','config':[]}", 400,
		     "config: is not an object");
	close_world();
}

Test(restart, comes_a_second_after_the_answer)
{
	open_world("{}");
	expect_saved("{'cmd':'restart'}", "restart");
	expect_saved("{'cmd':'restart'}", "restart");
	cr_assert_eq(w.restarts, 0u);
	run_for_ms(1200);
	cr_assert_eq(w.restarts, 1u);
}

Test(restart, follows_no_trial_that_failed)
{
	open_world("{}");
	w.trial_error = "it is broken";
	cr_expect_eq(post("{'cmd':'restart'}"), 0);
	cr_expect_eq(wait_answer(), 503);
	cr_expect_str_eq(said(), "{'error':'it is broken'}");
	cr_expect_eq(post("{'cmd':'set-settings','settings':{}}"), 0);
	cr_expect_eq(wait_answer(), 200);
	cr_expect_not_null(strstr(said(), "not in effect: it is broken"), "%s",
			   fakes.body);
	run_for_ms(1200);
	cr_assert_eq(w.restarts, 0u);
	close_world();
}

#define LIMIT(n) "{\"cc_limit\":" n "}"

/* It was asked for, and fails late. */
Test(restart, that_fails_leaves_streams_the_settings_in_force)
{
	open_world("{'settings':{'cc_limit':5}}");
	expect_saved("{'cmd':'set-settings','settings':{'cc_limit':7}}",
		     "set-settings");
	cr_expect_str_eq(fakes.defaults, LIMIT("7"));
	run_for_ms(1200);
	cr_expect_eq(w.restarts, 1u);
	cr_expect_str_eq(fakes.defaults, LIMIT("7"));
	api_restart_failed(w.api);
	cr_expect_str_eq(fakes.defaults, LIMIT("5"));
	expect_saved("{'cmd':'set-settings','settings':{'cc_limit':8}}",
		     "set-settings");
	/* of the restart before */
	api_restart_failed(w.api);
	cr_expect_str_eq(fakes.defaults, LIMIT("8"));
	close_world();
}

static void note_result(const struct reload_result *result, void *arg)
{
	*(int *)arg = result->status;
}

static void expect_reload_to_fail(void)
{
	json_t *document = fakes_json("{'settings':{'cc_limit':9}}");
	int status = 0;

	w.trial_error = "it is broken";
	api_reload(w.api, document, note_result, &status);
	json_decref(document);
	while (status == 0)
		ev_run(w.loop, EVRUN_ONCE);
	cr_expect_eq(status, 503);
	w.trial_error = NULL;
}

/* The restart of another request reads the file of the reload. */
Test(restart, that_is_due_keeps_the_settings_of_a_reload_that_failed)
{
	open_world("{'settings':{'cc_limit':5}}");
	expect_reload_to_fail();
	cr_expect_str_eq(fakes.defaults, LIMIT("5"));
	expect_saved("{'cmd':'set-settings','settings':{'cc_limit':7}}",
		     "set-settings");
	expect_reload_to_fail();
	cr_expect_str_eq(fakes.defaults, LIMIT("9"));
	run_for_ms(1200);
	cr_expect_eq(w.restarts, 1u);
	close_world();
}

/* The disk may hang for minutes. */
Test(restart, comes_for_no_client_that_left_before_all_was_saved)
{
	static const char *const commands[] = {
		"{'cmd':'restart'}", "{'cmd':'restart','dry_run':true}",
	};

	open_world("{}");
	for (size_t i = 0; i < 2; i++) {
		expect_ok("{'cmd':'set-config','key':'mine','data':1}",
			  "set-config");
		cr_expect_eq(post(commands[i]), 0);
		api_gone(w.api, NULL);
		run_for_ms(1300);
		cr_expect_eq(w.trials, 0u, "%s", commands[i]);
		cr_expect_eq(w.restarts, 0u, "%s", commands[i]);
	}
	close_world();
}

Test(set_license, has_no_listener)
{
	open_world("{}");
	expect_told("{'cmd':'set-license','license':'x'}", "set-license", "");
	expect_error("{'cmd':'set-license','license':1}", 400,
		     "license: is not a string");
}
