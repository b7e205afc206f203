/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan-init, scan-check and scan-kill. */
#include "common/base/util.h"
#include "master/api/scan_weight.h"
#include "master/api/scans.h"
#include "proto/spec/tuner_spec.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *with_id(const char *command, const char *id)
{
	static char text[128];

	(void)snprintf(text, sizeof text, "{'cmd':'%s','id':'%s'}", command,
		       id);
	return text;
}

/* Starts one; its id. */
static const char *init(void)
{
	static char id[SCAN_ID_TEXT];
	json_t *body;

	cr_assert_eq(post("{'cmd':'scan-init','scan':'udp://239.1.1.1'}"),
		     200, "%s", fakes.body);
	body = fakes_json(fakes.body);
	(void)snprintf(id, sizeof id, "%s",
		       json_string_value(json_object_get(body, "id")));
	cr_assert_eq(strlen(id), SCAN_ID_TEXT - 1);
	cr_assert_str_eq(json_string_value(json_object_get(body,
							   "scan-init")),
			 "ok");
	json_decref(body);
	return id;
}

/* The last worker reports a record. */
static void tell_record(const char *record)
{
	struct job *j = &fakes.jobs[fakes.n_jobs - 1];
	struct msg m = { .type = MSG_SCAN_RECORD };
	json_t *json = fakes_json(record);

	m.scan_record.record = json;
	j->kind->on_message(&m, j->self);
	json_decref(json);
}

static void tell_status(const char *error)
{
	struct job *j = &fakes.jobs[fakes.n_jobs - 1];
	struct msg m = { .type = MSG_SCAN_STATUS, 
			 .scan_status = { .packets = 1, .error = error } };

	j->kind->on_message(&m, j->self);
}

Test(scans, report_each_record_once)
{
	const char *id;

	open_world("{}");
	id = init();
	cr_expect_str_eq(fakes.told, "job scan\ndeadline 10000\n");
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok'}");
	cr_expect_str_eq(fakes.told, "deadline 10000\n", "it lives on");

	tell_record("{'psi':'pat'}");
	tell_record("{'psi':'cat'}");
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok','scan':["
				 "{'psi':'pat'},{'psi':'cat'}]}");
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok'}");
	close_world();
}

Test(scans, report_why_no_packets_arrive)
{
	const char *id;

	open_world("{}");
	id = init();
	tell_status("no such file");
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(),
			 "{'scan-check':'ok','error':'no such file'}");
	tell_status(NULL);
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok'}");

	fakes.jobs[0].kind->on_end("killed by signal 11", fakes.jobs[0].self);
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok','error':"
			 "'the analyzer has ended: killed by signal 11'}");
	close_world();
}

Test(scans, end_when_killed_or_forgotten)
{
	const char *id;
	char first[SCAN_ID_TEXT];

	open_world("{}");
	(void)snprintf(first, sizeof first, "%s", init());
	id = init();
	cr_expect_str_neq(first, id);
	cr_expect_eq(post(with_id("scan-kill", id)), 200);
	cr_expect_str_eq(said(), "{'scan-kill':'ok'}");
	cr_expect_str_eq(fakes.told, "job over\n");
	cr_expect_eq(post(with_id("scan-kill", id)), 404);
	cr_expect_eq(post(with_id("scan-check", id)), 404);

	fakes.jobs[0].kind->on_deadline(fakes.jobs[0].self);
	cr_expect_eq(post(with_id("scan-check", first)), 404);
	close_world();
	cr_expect_null(fakes.jobs[0].kind);
	cr_expect_null(fakes.jobs[1].kind);
}

Test(scans, are_few)
{
	char id[SCAN_ID_TEXT] = "";

	open_world("{}");
	for (int i = 0; i < SCANS_MAX; i++)
		(void)snprintf(id, sizeof id, "%s", init());
	expect_error("{'cmd':'scan-init','scan':'udp://239.1.1.1'}", 503,
		     "16 analyzers run already");
	cr_expect_eq(post(with_id("scan-kill", id)), 200);
	(void)init();
	fakes.n_jobs = ARRAY_LEN(fakes.jobs);
	cr_expect_eq(post(with_id("scan-kill", id)), 404);
	close_world();
}

Test(scans, keep_so_much_and_no_more)
{
	const char *id;

	open_world("{}");
	id = init();
	for (int i = 0; i < SCAN_RECORDS_MAX + 10; i++) {
		struct job *j = &fakes.jobs[0];
		json_t *record = json_pack("{si}", "n", i);
		struct msg m = { .type = MSG_SCAN_RECORD,
				 .scan_record = { record } };

		j->kind->on_message(&m, j->self);
		json_decref(record);
	}
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect(strstr(fakes.body, "{\"n\":0}"));
	cr_expect(strstr(fakes.body, "{\"n\":4095}"));
	cr_expect_null(strstr(fakes.body, "{\"n\":4096}"));
	cr_expect(strstr(fakes.body, "\"truncated\":true"));
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok'}");
	close_world();
}

/* Empty lists are short as text, and not as memory. */
Test(scans, keep_so_much_memory_and_no_more)
{
	json_t *record = json_pack("{s:[]}", "n");
	json_t *list = json_object_get(record, "n");
	size_t n;
	const char *id;

	for (int i = 0; i < 20000; i++)
		(void)json_array_append_new(list, json_array());
	n = scan_weight(record, SIZE_MAX);
	cr_expect_gt(n, 20000 * 100);
	cr_expect_lt(scan_weight(record, 1000), 2000);

	open_world("{}");
	id = init();
	for (size_t more = 0; more < 2; more++) {
		for (size_t i = 0; i < SCAN_BYTES_MAX / n + more; i++) {
			struct job *j = &fakes.jobs[0];
			struct msg m = { .type = MSG_SCAN_RECORD,
					 .scan_record = { record } };

			j->kind->on_message(&m, j->self);
		}
		cr_expect_eq(post(with_id("scan-check", id)), 200);
		cr_expect_eq(strstr(fakes.tail, "\"truncated\":true") != NULL,
			     more);
	}
	json_decref(record);
	close_world();
}

Test(scans, are_of_inputs_only)
{
	open_world("{}");
	expect_error("{'cmd':'scan-init'}", 400, "scan: is missing");
	expect_error("{'cmd':'scan-init','scan':null}", 400,
		     "scan: is missing");
	expect_error("{'cmd':'scan-init','scan':7}", 400,
		     "scan: is not the address of an input");
	expect_error("{'cmd':'scan-init','scan':{}}", 400,
		     "scan.stream: is not the id of a stream");
	expect_error("{'cmd':'scan-init','scan':{'format':'dvb'}}", 400,
		     "scan.format: type \"dvb\" is not supported by this "
		     "version");
	expect_error("{'cmd':'scan-init','scan':'dvb://a001'}", 404,
		     "scan: there is no adapter \"a001\"");
	expect_error("{'cmd':'scan-init','scan':'udp://239.1.1.1:70000'}",
		     400, "scan: port: 70000 is not a port (1 to 65535)");
	expect_error("{'cmd':'scan-check'}", 400,
		     "id: is not the id of an analyzer");
	expect_error("{'cmd':'scan-kill','id':7}", 400,
		     "id: is not the id of an analyzer");
	expect_error("{'cmd':'scan-kill','id':'x'}", 404,
		     "id: there is no analyzer \"x\"");
	cr_expect_str_eq(fakes.told, "");
	close_world();
}

#define INPUT "{'cmd':'scan-init','scan':{'stream':'a001','input':'2'}}"

/* The worker that receives the input reports it. */
Test(scans, read_inputs_of_streams)
{
	json_t *record = fakes_json("{'psi':'pat'}"), *body;
	char id[SCAN_ID_TEXT];

	open_world("{'make_stream':[{'id':'a001','enable':true,'type':'spts',"
		   "'input':['udp://239.1.1.1','udp://239.1.1.2']}]}");
	fakes_clear();
	cr_assert_eq(post(INPUT), 200, "%s", fakes.body);
	body = fakes_json(fakes.body);
	(void)snprintf(id, sizeof id, "%s",
		       json_string_value(json_object_get(body, "id")));
	json_decref(body);
	cr_expect_str_eq(fakes.told, "scan a001 2\n");
	fakes_clear();
	fakes.on_scan->on_record(record, fakes.on_scan_arg);
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect(strstr(fakes.body, "\"scan\":[{\"psi\":\"pat\"}]"));
	cr_expect(strstr(fakes.body, "has not opened the input"));
	cr_expect_str_eq(fakes.told, "scan goes on\n");

	fakes_clear();
	fakes.on_scan->on_end("gone", fakes.on_scan_arg);
	cr_expect_str_eq(fakes.told, "scan over\n");
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok',"
				 "'error':'the analyzer has ended: gone'}");
	cr_expect_str_eq(fakes.told, "");

	fakes.scan_error = -EBUSY;
	cr_expect_eq(post(INPUT), 503);
	cr_expect(strstr(fakes.body, "another input of the stream"));
	fakes.scan_error = -ESRCH;
	cr_expect_eq(post(INPUT), 503);
	cr_expect(strstr(fakes.body, "the stream does not run"));
	json_decref(record);
	close_world();
}

/* --- adapters --- */

#define ADAPTER_SCAN(keys, more) "{'cmd':'scan-init','scan':{'adapter':{" \
	keys "}" more "}}"
#define T(more) "'type':'T','adapter':0,'frequency':474" more

Test(scans, judge_the_adapter)
{
	open_world("{'dvb_tune':[{'id':'a','enable':false,'type':'T'}]}");
	expect_error(ADAPTER_SCAN("'type':'T'", ""), 400,
		     "scan.adapter.frequency: is missing");
	expect_error(ADAPTER_SCAN(T(), ",'search':'all'"), 400,
		     "scan.search: \"all\" is not transponder, network or "
		     "blind");
	expect_error(ADAPTER_SCAN(T(), ",'search':'blind'"), 400,
		     "scan.grid.from: 0 is not a frequency in MHz");
	expect_error(ADAPTER_SCAN("'type':'T','address':'udp://239.1.1.1'",
				  ",'search':'network'"), 400,
		     "scan.search: is only possible with \"transponder\" for "
		     "an address, which has one multiplex");
	expect_error(ADAPTER_SCAN(T() ",'t2mi':true", ",'search':'network'"),
		     400, "scan.search: with t2mi only \"transponder\" is "
		     "possible: the scan reads the multiplex of a PLP");
	expect_error("{'cmd':'scan-init','scan':'dvb://a'}", 503,
		     "scan: the adapter \"a\" does not run");
	cr_expect_str_eq(fakes.told, "");
	close_world();
}

Test(scans, do_not_take_a_tuner_from_streams)
{
	open_world("{'dvb_tune':[{'id':'a','enable':true," T() "}],"
		   "'make_stream':[{'id':'p1','enable':true,'type':'spts',"
		   "'input':['dvb://a#pnr=1']},{'id':'p2','enable':false,"
		   "'type':'spts','input':['dvb://a#pnr=2']}]}");
	expect_error(ADAPTER_SCAN(T(), ""), 409, "scan.adapter: frontend0 of "
		     "the scan belongs to the enabled adapter \"a\", which "
		     "feeds p1");
	cr_assert_eq(post(ADAPTER_SCAN(T(",'device':1"), "")), 200, "%s",
		     fakes.body);
	expect_error(ADAPTER_SCAN(T(",'device':1"), ""), 409, "scan.adapter: "
		     "another analyzer uses the frontend");
	fakes.jobs[0].kind->on_end("killed", fakes.jobs[0].self);
	cr_assert_eq(post(ADAPTER_SCAN(T(",'device':1"), "")), 200,
		     "a worker that has ended has none");
	close_world();
}

#define S(more) "'type':'S','adapter':0,'symbolrate':27500" more
#define LOWER_V ",'polarization':'V','frequency':11362"
#define LOWER_H ",'polarization':'H','frequency':11362"
#define SHARES ",'device':1,'lnb_sharing':true"

/* The scan would name services of another transponder. */
Test(scans, receive_what_the_feeder_of_the_lnb_selects)
{
	open_world("{'dvb_tune':[{'id':'a','enable':true," S(LOWER_V) "}]}");
	expect_error(ADAPTER_SCAN(S(SHARES LOWER_H), ""), 409,
		     "scan.adapter.polarization: adapter \"a\", which feeds "
		     "the LNB, selects the other one");
	expect_error(ADAPTER_SCAN(S(SHARES LOWER_V), ",'search':'network'"),
		     400, "scan.search: with lnb_sharing only \"transponder\" "
		     "is possible: another tuner selects band and "
		     "polarization");
	expect_error(ADAPTER_SCAN(S(SHARES), ",'search':'blind','grid':{"
				  "'from':10700,'to':11700,"
				  "'symbolrate':[22000]}"), 400,
		     "scan.search: with lnb_sharing only \"transponder\" is "
		     "possible: another tuner selects band and polarization");
	cr_expect_eq(post(ADAPTER_SCAN(S(SHARES LOWER_V), "")), 200, "%s",
		     fakes.body);
	fakes_clear();
	expect_ok("{'cmd':'set-adapter','id':'a','adapter':{'id':'a',"
		  "'enable':true," S(LOWER_H) "}}", "set-adapter");
	cr_expect(strstr(fakes.told, "job over"), "the scan has ended");
	close_world();
}

static unsigned looks; /* at links */

ssize_t __wrap_readlink(const char *path, char *to, size_t size);
ssize_t __wrap_readlink(const char *path, char *to, size_t size)
{
	static const char *const links[][2] = {
		{ "/sys/class/dvb/dvb0.frontend0",
		  "../../devices/pci0000:00/0000:03:00.0/dvb/dvb0.frontend0" },
		{ "/sys/class/dvb/dvb1.frontend0",
		  "../../devices/pci0000:00/0000:03:00.01/dvb/dvb1.frontend0" },
	};

	looks++;
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (strcmp(path, links[i][0]) == 0)
			return snprintf(to, size, "%s", links[i][1]);
	errno = ENOENT;
	return -1;
}

#define BY_PATH(path) "'type':'T','path':'" path "','frequency':474"

/* A card has a number and a path. */
Test(scans, know_a_frontend_by_number_and_by_path)
{
	open_world("{'dvb_tune':[{'id':'a','enable':true," T() "},"
		   "{'id':'b','enable':true," BY_PATH("0000:03:00.01") "}]}");
	expect_error(ADAPTER_SCAN(BY_PATH("0000:03:00.0"), ""), 409,
		     "scan.adapter: frontend0 of the scan belongs to the "
		     "enabled adapter \"a\"");
	expect_error(ADAPTER_SCAN("'type':'T','adapter':1,'frequency':474",
				  ""), 409,
		     "scan.adapter: frontend0 of the scan belongs to the "
		     "enabled adapter \"b\"");
	/* it is not there, and no adapter without a number is it */
	cr_expect_eq(post(ADAPTER_SCAN(BY_PATH("0000:04:00.0"), "")), 200);
	close_world();
}

#define BY_MAC(mac) "'type':'T','mac':'" mac "','frequency':474"

/* No card of this machine has an address that can be read. */
Test(scans, know_a_frontend_by_its_hardware_address)
{
	open_world("{'dvb_tune':[{'id':'a','enable':true,"
		   BY_MAC("02:11:22:33:44:5e") "},{'id':'b','enable':true,"
		   "'adapter':201," BY_MAC("02:11:22:33:44:5f") "}]}");
	expect_error(ADAPTER_SCAN(BY_MAC("02:11:22:33:44:5E"), ""), 409,
		     "scan.adapter: frontend0 of the scan belongs to the "
		     "enabled adapter \"a\"");
	expect_error(ADAPTER_SCAN("'type':'T','adapter':201,'frequency':474",
				  ""), 409,
		     "scan.adapter: frontend0 of the scan belongs to the "
		     "enabled adapter \"b\"");
	cr_expect_eq(post(ADAPTER_SCAN(BY_MAC("02:11:22:33:44:60"), "")),
		     200, "%s", fakes.body);
	close_world();
}

/* The links of all numbers are read once, and that of an adapter once. */
Test(scans, compare_each_adapter_with_one_look)
{
	enum { ADAPTERS_N = 100 };
	char document[ADAPTERS_N * 80] = "{'dvb_tune':[";
	size_t len = strlen(document);

	for (unsigned i = 0; i < ADAPTERS_N; i++)
		len += (size_t)snprintf(document + len, sizeof document - len,
					"%s{'id':'a%u','enable':true,"
					BY_PATH("0000:05:%02x.0") "}",
					i == 0 ? "" : ",", i, i);
	(void)snprintf(document + len, sizeof document - len, "]}");
	open_world(document);
	looks = 0;
	cr_expect_eq(post(ADAPTER_SCAN(BY_PATH("0000:04:00.0"), "")), 200,
		     "%s", fakes.body);
	cr_expect_leq(looks, TUNER_ADAPTERS_MAX + (unsigned)ADAPTERS_N,
		      "%u", looks);
	looks = 0;
	cr_expect_eq(post(ADAPTER_SCAN("'type':'T','adapter':1,"
				       "'frequency':474", "")), 200);
	cr_expect_leq(looks, TUNER_ADAPTERS_MAX + (unsigned)ADAPTERS_N,
		      "%u", looks);
	close_world();
}

/* Starts the scan of a frontend that no adapter has; its id. */
static const char *init_adapter(void)
{
	static char id[SCAN_ID_TEXT];
	json_t *body;

	cr_assert_eq(post(ADAPTER_SCAN(T(",'device':1"), "")), 200, "%s",
		     fakes.body);
	body = fakes_json(fakes.body);
	(void)snprintf(id, sizeof id, "%s",
		       json_string_value(json_object_get(body, "id")));
	json_decref(body);
	return id;
}

Test(scans, end_when_an_adapter_needs_the_tuner)
{
	const char *id;

	open_world("{}");
	id = init_adapter();
	fakes_clear();
	expect_ok("{'cmd':'set-adapter','adapter':{'id':'b','enable':true,"
		  T(",'device':2") "}}", "set-adapter");
	cr_expect_eq(strstr(fakes.told, "job over"), NULL);
	expect_ok("{'cmd':'set-adapter','adapter':{'id':'a','enable':true,"
		  T(",'device':1") "}}", "set-adapter");
	cr_expect(strstr(fakes.told, "job over"));
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok','error':'the scan has "
			 "ended: frontend1 of the scan belongs to the enabled "
			 "adapter \\'a\\''}");
	cr_expect_eq(post(with_id("scan-kill", id)), 200);
	close_world();
}

static void tell_service(uint32_t number, const char *service)
{
	struct job *j = &fakes.jobs[fakes.n_jobs - 1];
	json_t *json = fakes_json(service);
	struct msg m = { .type = MSG_SCAN_SERVICE,
			 .scan_service = { number, json } };

	j->kind->on_message(&m, j->self);
	json_decref(json);
}

Test(scans, report_transponders_and_services_that_changed)
{
	json_t *tuning = fakes_json("{'frequency':474,'tsid':9}");
	struct msg m = { .type = MSG_SCAN_TRANSPONDER };
	const char *id;
	struct job *j;

	open_world("{}");
	id = init_adapter();
	j = &fakes.jobs[fakes.n_jobs - 1];
	m.scan_transponder.number = 1;
	m.scan_transponder.tuning = tuning;
	m.scan_transponder.complete = true;
	m.scan_transponder.status.lock = true;
	m.scan_transponder.status.snr = 60;
	j->kind->on_message(&m, j->self);
	tell_service(1, "{'pnr':1,'scrambled':false}");
	tell_service(1, "{'pnr':1,'scrambled':true}");
	m = (struct msg){ .type = MSG_SCAN_STATUS };
	m.scan_status.done = m.scan_status.total = 1;
	m.scan_status.ended = true;
	j->kind->on_message(&m, j->self);
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok','transponders':["
		"{'number':1,'tuning':{'frequency':474,'tsid':9},'lock':true,"
		"'complete':true,'services':[{'pnr':1,'scrambled':true}],"
		"'signal':0,'signal_db':0,'snr':60,'snr_db':0,'ber':0,"
		"'unc':0,'bitrate':0}],'progress':{'done':1,'total':1,"
		"'ended':true}}");
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok','progress':{'done':1,"
			 "'total':1,'ended':true}}");
	json_decref(tuning);
	close_world();
}

/* What no worker sends that works. */
Test(scans, drop_tunings_and_services_that_are_large)
{
	static const char *const list[] = {
		"{'pnr':1,'name':{'a':1}}", "{'pnr':1,'caids':[[]]}",
		"{'pnr':1,'caids':['a']}",
	};
	json_t *name = json_object(), *caids = json_pack("{s:[]}", "caids");
	json_t *keys = json_object();
	const json_t *large[] = { name, caids, keys };
	char text[4097] = "", key[8];
	const char *id;
	struct job *j;

	memset(text, 'a', sizeof text - 1);
	(void)json_object_set_new(name, "name", json_string(text));
	for (int i = 0; i < 65; i++) {
		(void)snprintf(key, sizeof key, "k%d", i);
		(void)json_object_set_new(keys, key, json_integer(i));
		(void)json_array_append_new(json_object_get(caids, "caids"),
					    json_integer(i));
	}
	open_world("{}");
	id = init_adapter();
	j = &fakes.jobs[fakes.n_jobs - 1];
	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		tell_service(1, list[i]);
	for (size_t i = 0; i < ARRAY_LEN(large); i++) {
		struct msg m = { .type = MSG_SCAN_SERVICE };

		m.scan_service.number = 1;
		m.scan_service.service = large[i];
		j->kind->on_message(&m, j->self);
		m = (struct msg){ .type = MSG_SCAN_TRANSPONDER };
		m.scan_transponder.number = 4096;
		m.scan_transponder.tuning = large[i];
		j->kind->on_message(&m, j->self);
	}
	cr_expect_eq(post(with_id("scan-check", id)), 200);
	cr_expect_str_eq(said(), "{'scan-check':'ok','truncated':true}");
	json_decref(name);
	json_decref(caids);
	json_decref(keys);
	close_world();
}
