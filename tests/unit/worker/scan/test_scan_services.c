/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/scan_services.h"

#include "tests/unit/proto/si/json_eq.h"

#include <criterion/criterion.h>

static struct scan_services *list;

static void open_list(void)
{
	list = scan_services_new();
}

static void close_list(void)
{
	scan_services_free(&list);
}

TestSuite(scan_services, .init = open_list, .fini = close_list);

static void add(const char *text)
{
	json_error_t error;
	json_t *record = json_loads(text, 0, &error);

	cr_assert_not_null(record, "%s", error.text);
	scan_services_add(list, record);
	json_decref(record);
}

#define HEAD "\"version\":1,\"section_number\":0,\"last_section_number\":0,"
#define PAT "{\"psi\":\"pat\",\"table_id\":0,\"tsid\":9," HEAD "\"programs\":"
#define PMT "{\"psi\":\"pmt\",\"table_id\":2,\"version\":1,"
#define SDT "{\"psi\":\"sdt\",\"table_id\":66,\"tsid\":9,\"onid\":8," HEAD \
	"\"services\":"
#define NAMED(name) "\"descriptors\":[{\"type_name\":\"service\"," \
	"\"service_type_id\":1,\"service_provider\":\"P\"," \
	"\"service_name\":\"" name "\"}]"

Test(scan_services, names_each_program_and_its_ca_systems)
{
	add(SDT "[{\"sid\":1,\"free_ca\":false," NAMED("One") "},"
	    "{\"sid\":7,\"free_ca\":true," NAMED("Absent") "}]}");
	cr_assert_null(scan_services_next(list), "the PAT is missing");
	add(PAT "[{\"pnr\":1,\"pid\":100},{\"pnr\":2,\"pid\":101}]}");
	expect_json(scan_services_next(list), "{'pnr':1,'name':'One',"
		    "'provider':'P','service_type':1,'scrambled':false}");
	expect_json(scan_services_next(list), "{'pnr':2,'scrambled':false}");
	cr_assert_null(scan_services_next(list));
	cr_assert_not(scan_services_is_complete(list, false, true));

	add(PMT "\"pnr\":1,\"descriptors\":[],\"streams\":[]}");
	cr_assert_not(scan_services_is_complete(list, false, true));
	add(PMT "\"pnr\":2,\"descriptors\":[{\"type_name\":\"cas\","
	    "\"caid\":2816}],\"streams\":[{\"descriptors\":["
	    "{\"type_name\":\"cas\",\"caid\":2816},"
	    "{\"type_name\":\"cas\",\"caid\":256}]}]}");
	cr_assert(scan_services_is_complete(list, false, true));
	cr_assert_not(scan_services_is_complete(list, true, true), "the NIT");
	json_decref(scan_services_next(list));
	expect_json(scan_services_next(list), "{'pnr':2,'scrambled':true,"
		    "'caids':[2816,256]}");
}

#define VCT "{\"psi\":\"vct\",\"table_id\":200,\"tsid\":9," HEAD \
	"\"channels\":"

/* ATSC has no SDT. */
Test(scan_services, takes_the_names_of_a_vct)
{
	add(PAT "[{\"pnr\":1,\"pid\":100},{\"pnr\":2,\"pid\":101},"
	    "{\"pnr\":3,\"pid\":102}]}");
	for (int i = 0; i < 3; i++)
		json_decref(scan_services_next(list));
	add(PMT "\"pnr\":1,\"streams\":[]}");
	add(PMT "\"pnr\":2,\"streams\":[]}");
	add(PMT "\"pnr\":3,\"streams\":[]}");
	for (int i = 0; i < 3; i++)
		json_decref(scan_services_next(list));
	cr_assert_not(scan_services_is_complete(list, false, true));
	add(VCT "[{\"tsid\":9,\"pnr\":1,\"channel\":\"7.1\","
	    "\"short_name\":\"ABC\",\"name\":\"A long one\","
	    "\"service_type_id\":2,\"access_controlled\":true},"
	    "{\"tsid\":9,\"pnr\":2,\"channel\":\"7.2\","
	    "\"short_name\":\"DEF\",\"service_type_id\":3,"
	    "\"name_error\":\"not decoded\"},"
	    "{\"tsid\":8,\"pnr\":3,\"channel\":\"8.1\","
	    "\"short_name\":\"Other\",\"service_type_id\":2},"
	    "{\"tsid\":9,\"pnr\":0,\"channel\":\"9.1\","
	    "\"short_name\":\"Analog\",\"service_type_id\":1},"
	    "{\"tsid\":9,\"pnr\":65535,\"channel\":\"9.2\","
	    "\"short_name\":\"Analog\",\"service_type_id\":1}]}");
	expect_json(scan_services_next(list), "{'pnr':1,'name':'A long one',"
		    "'channel':'7.1','service_type':1,'scrambled':true}");
	expect_json(scan_services_next(list), "{'pnr':2,'name':'DEF',"
		    "'name_error':'not decoded',"
		    "'channel':'7.2','service_type':2,'scrambled':false}");
	cr_assert_null(scan_services_next(list));
	cr_assert(scan_services_is_complete(list, false, true));
	/* the next version has a name that is decoded */
	add(VCT "[{\"tsid\":9,\"pnr\":2,\"channel\":\"7.2\","
	    "\"short_name\":\"DEF\",\"name\":\"Long\","
	    "\"service_type_id\":3}]}");
	expect_json(scan_services_next(list), "{'pnr':2,'name':'Long',"
		    "'channel':'7.2','service_type':2,'scrambled':false}");
}

#define VCT_SECTION(table, version, n, last) \
	"{\"psi\":\"vct\",\"table_id\":" table ",\"tsid\":9,\"version\":" \
	version ",\"section_number\":" n ",\"last_section_number\":" last "}"

Test(scan_services, may_have_the_vcts_of_air_and_cable)
{
	add(PAT "[]}");
	cr_assert(scan_services_lacks_names(list));
	cr_assert(scan_services_is_complete(list, false, false));
	cr_assert_not(scan_services_is_complete(list, false, true));
	add(VCT_SECTION("200", "1", "0", "1"));
	cr_assert_not(scan_services_lacks_names(list));
	add(VCT_SECTION("201", "5", "0", "2"));
	cr_assert_not(scan_services_is_complete(list, false, true));
	add(VCT_SECTION("200", "1", "1", "1"));
	cr_assert(scan_services_is_complete(list, false, true));
}

Test(scan_services, may_have_the_names_of_a_cable)
{
	add(PAT "[]}");
	add(VCT_SECTION("201", "5", "0", "0"));
	cr_assert_not(scan_services_lacks_names(list));
	cr_assert(scan_services_is_complete(list, false, true));
}

Test(scan_services, knows_the_ids_of_the_multiplex)
{
	json_t *ids = json_object();

	scan_services_put_ids(list, ids);
	expect_json(ids, "{}");
	add(PAT "[]}");
	add(SDT "[]}");
	add("{\"psi\":\"nit\",\"table_id\":65,\"network_id\":1," HEAD
	    "\"streams\":[]}");
	cr_assert_not(scan_services_is_complete(list, true, true),
		      "of another network");
	add("{\"psi\":\"nit\",\"table_id\":64,\"network_id\":3," HEAD
	    "\"streams\":[]}");
	cr_assert(scan_services_is_complete(list, true, true));
	ids = json_object();
	scan_services_put_ids(list, ids);
	expect_json(ids, "{'tsid':9,'onid':8,'network_id':3}");
}

Test(scan_services, is_complete_with_all_sections_only)
{
	add(PAT "[]}");
	add("{\"psi\":\"sdt\",\"table_id\":66,\"tsid\":9,\"onid\":8,"
	    "\"version\":1,\"section_number\":1,\"last_section_number\":1,"
	    "\"services\":[]}");
	cr_assert_not(scan_services_is_complete(list, false, true));
	add("{\"psi\":\"sdt\",\"table_id\":66,\"tsid\":9,\"onid\":8,"
	    "\"version\":1,\"section_number\":0,\"last_section_number\":1,"
	    "\"services\":[]}");
	cr_assert(scan_services_is_complete(list, false, true));
}

Test(scan_services, has_a_limit_and_ignores_what_is_not_in_force)
{
	json_t *programs = json_array(), *pat;

	for (int i = 1; i <= SERVICES_MAX + 100; i++)
		(void)json_array_append_new(programs, json_pack(
			"{si}", "pnr", i));
	pat = json_pack("{ss, si, si, si, si, so}", "psi", "pat", "tsid", 1,
			"version", 0, "section_number", 0,
			"last_section_number", 0, "programs", programs);
	(void)json_object_set_new(pat, "next", json_true());
	scan_services_add(list, pat);
	cr_assert_null(scan_services_next(list));
	(void)json_object_del(pat, "next");
	scan_services_add(list, pat);
	for (int i = 0; i < SERVICES_MAX; i++) {
		json_t *service = scan_services_next(list);

		cr_assert_not_null(service);
		json_decref(service);
	}
	cr_assert_null(scan_services_next(list));
	/* what no table of ours has */
	scan_services_add(list, json_object_get(pat, "programs"));
	add("{\"psi\":\"sdt\",\"table_id\":66,\"services\":[1,{}]}");
	add("{\"psi\":\"pmt\",\"streams\":{}}");
	json_decref(pat);
}
