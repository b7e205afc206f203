/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/cas_spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define REQUIRED "'ecmg_channel_id':7,'ecmg_host':'h','ecmg_port':2222"

/* The text with " for '. */
static json_t *json_of(const char *text)
{
	char copy[1024];
	json_t *json;

	cr_assert_lt(strlen(text), sizeof copy);
	strcpy(copy, text);
	for (char *p = copy; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	json = json_loads(copy, 0, NULL);
	cr_assert_not_null(json, "%s", copy);
	return json;
}

static struct cas_entry read_entry(const char *text)
{
	json_t *json = json_of(text);
	struct errmsg error = { 0 };
	struct cas_entry e;

	cr_assert_eq(cas_entry_read(json, &e, &error), 0, "%s", error.text);
	json_decref(json);
	return e;
}

static void refuse(const char *text, const char *why)
{
	json_t *json = json_of(text);
	struct errmsg error = { 0 };
	struct cas_entry e;

	cr_assert_eq(cas_entry_read(json, &e, &error), -EINVAL);
	cr_assert_str_eq(error.text, why);
	json_decref(json);
}

Test(cas_spec, has_defaults)
{
	struct cas_entry e = read_entry("{'id':'a'," REQUIRED "}");

	cr_assert_str_eq(e.id, "a");
	cr_assert_eq(e.channel_id, 7);
	cr_assert_eq(e.port2, 2222);
	cr_assert_eq(e.period_s, 10);
	cr_assert_eq(e.entropy, 48);
	cr_assert_eq(e.version, 2);
	cr_assert_eq(e.lost, CAS_LOST_KEEP);
	cr_assert_eq(e.lost_after_s, 60);
	cr_assert_eq(e.emm_pid, 8191);
	cr_assert_eq(e.first_stream, 0);
	cr_assert_not(e.emmg_udp);
}

Test(cas_spec, reads_all_keys)
{
	struct cas_entry e = read_entry(
		"{'id':'a','super_cas_id':'0B0001fe','first_stream_id':false,"
		"'ecmg_channel_id':'7','ecmg_host':'h','ecmg_port':'2222',"
		"'ecmg_host2':'i','ecmg_port2':3,'ecmg_cp':'5',"
		"'ecmg_version':3,'ecmg_lost':'stop','ecmg_lost_time':0,"
		"'cw_entropy':64,'emmg_protocol':'udp','emmg_port':9,"
		"'emmg_bitrate':50,'emm_pid':300,'emm_data':'01ff',"
		"'emm_clone':true,'more':1}");

	cr_assert_eq(e.super_cas_id, 0x0b0001fe);
	cr_assert_eq(e.first_stream, 1);
	cr_assert_str_eq(e.host2, "i");
	cr_assert_eq(e.port2, 3);
	cr_assert_eq(e.period_s, 5);
	cr_assert_eq(e.version, 3);
	cr_assert_eq(e.lost, CAS_LOST_STOP);
	cr_assert_eq(e.lost_after_s, 0);
	cr_assert_eq(e.entropy, 64);
	cr_assert(e.emmg_udp);
	cr_assert_eq(e.emmg_port, 9);
	cr_assert_eq(e.emmg_kbps, 50);
	cr_assert_eq(e.emm_pid, 300);
	cr_assert_eq(e.emm_data.len, 2);
	cr_assert_eq(e.emm_data.bytes[1], 0xff);
	cr_assert(e.emm_clone);
}

Test(cas_spec, ignores_a_super_cas_id_of_another_length)
{
	cr_assert_eq(read_entry("{'super_cas_id':'0B0001'," REQUIRED "}")
			     .super_cas_id, 0);
	cr_assert_eq(read_entry("{'super_cas_id':''," REQUIRED "}")
			     .super_cas_id, 0);
}

Test(cas_spec, numbers_streams_of_some_systems_from_1)
{
	cr_assert_eq(read_entry("{'super_cas_id':'4AB00000'," REQUIRED "}")
			     .first_stream, 1);
	cr_assert_eq(read_entry("{'super_cas_id':'4ABFFFFF'," REQUIRED "}")
			     .first_stream, 1);
	cr_assert_eq(read_entry("{'super_cas_id':'4AC00000'," REQUIRED "}")
			     .first_stream, 0);
}

Test(cas_spec, names_what_an_entry_lacks)
{
	refuse("{'ecmg_host':'h','ecmg_port':2}",
	       "ecmg_channel_id: is missing");
	refuse("{'ecmg_channel_id':1,'ecmg_port':2}", "ecmg_host: is missing");
	refuse("{'ecmg_channel_id':1,'ecmg_host':'h'}",
	       "ecmg_port: is missing");
	refuse("{'ecmg_channel_id':1,'ecmg_host':'','ecmg_port':2}",
	       "ecmg_host: is missing");
	refuse("{'ecmg_channel_id':null,'ecmg_host':'h','ecmg_port':2}",
	       "ecmg_channel_id: is missing");
	refuse("{'ecmg_channel_id':'','ecmg_host':'h','ecmg_port':2}",
	       "ecmg_channel_id: is missing");
	refuse("{'ecmg_channel_id':1,'ecmg_host':'h','ecmg_port':null}",
	       "ecmg_port: is missing");
	refuse("{'ecmg_channel_id':1,'ecmg_host':'h','ecmg_port':70000}",
	       "ecmg_port: 70000 is not between 1 and 65535");
	refuse("{" REQUIRED ",'emm_data':'0'}",
	       "emm_data: is not at most 251 bytes in hexadecimal digits");
}

Test(cas_spec, gives_each_system_a_pid_of_its_own)
{
	json_t *entry = json_of("{'id':'a'," REQUIRED "}");
	json_t *links[] = {
		json_of("{'cas_id':'a','ecm_pid':7936}"),
		json_of("{'cas_id':'b'}"),
		json_of("{'cas_id':'c','ecm_pid':7936,'ac':'aabb'}"),
		json_of("{'cas_id':'d','ecm_pid':'100','ac':'x'}"),
	};
	struct cas_item items[] = {
		{ links[0], entry }, { links[1], NULL },
		{ links[2], entry }, { links[3], entry },
	};
	static struct cas_list l;

	cas_list_read(items, ARRAY_LEN(items), &l);
	cr_assert_eq(l.n, 4);
	cr_assert_eq(l.list[0].link.ecm_pid, 7936);
	cr_assert_eq(l.list[1].link.ecm_pid, 7937);
	cr_assert_eq(l.list[2].link.ecm_pid, 7938);
	cr_assert_eq(l.list[3].link.ecm_pid, 100);
	cr_assert_str_eq(l.list[0].error.text, "");
	cr_assert_str_eq(l.list[1].error.text,
			 "cas has no entry with this id");
	cr_assert_str_eq(l.list[2].error.text, "ecm_pid: another system of "
			 "the stream has PID 7936");
	cr_assert_str_eq(l.list[3].error.text, "cas_list: ac: is not at most "
			 "256 bytes in hexadecimal digits");
	cr_assert_eq(l.list[2].link.ac.len, 2);
	cr_assert_eq(cas_list_period_s(&l), 10);
}
