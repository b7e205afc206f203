/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/tuning_list.h"

#include "tests/unit/proto/si/json_eq.h"

#include <criterion/criterion.h>

static json_t *request;
static struct scan_spec spec;
static struct tuning_list *list;

static void start(const char *text)
{
	struct errmsg error = { 0 };
	json_error_t broken;

	request = json_loads(text, 0, &broken);
	cr_assert_not_null(request, "%s", broken.text);
	cr_assert_eq(scan_spec_parse(request, &spec, &error), 0, "%s",
		     error.text);
	list = tuning_list_new(&spec);
}

static void stop(void)
{
	tuning_list_free(&list);
	json_decref(request);
}

static void add(const char *text)
{
	json_error_t error;
	json_t *record = json_loads(text, 0, &error);

	cr_assert_not_null(record, "%s", error.text);
	tuning_list_add(list, record);
	json_decref(record);
}

#define SATELLITE "{\"search\":\"network\",\"adapter\":{\"type\":\"S2\"," \
	"\"adapter\":1,\"diseqc\":2,\"frequency\":\"11362\"," \
	"\"polarization\":\"h\",\"symbolrate\":22000,\"fec\":\"2/3\"}}"
#define NIT "{\"psi\":\"nit\",\"table_id\":64,\"streams\":["
#define AT(khz, pol, sr, type, more) "{\"descriptors\":[{\"type_name\":" \
	"\"satellite_delivery_system\",\"frequency_khz\":" khz ",\"type\":\"" \
	type "\",\"polarization\":\"" pol "\",\"symbolrate\":" sr \
	",\"fec\":\"3/4\",\"modulation\":\"PSK8\"}" more "]}"

Test(tuning_list, tunes_each_transponder_of_the_network_once)
{
	start(SATELLITE);
	cr_assert_eq(tuning_list_total(list), 1u);
	expect_json(tuning_list_next(list), "{'type':'S2','adapter':1,"
		    "'diseqc':2,'frequency':'11362','polarization':'h',"
		    "'symbolrate':22000,'fec':'2/3'}");
	add(NIT AT("11361750", "H", "22000", "S2", "") ","
	    AT("12187500", "H", "27500", "S", "") ","
	    AT("11362000", "V", "22000", "S2", ",{\"type_name\":"
	       "\"s2_satellite_delivery_system\",\"stream_id\":5,"
	       "\"scrambling_sequence\":100}") "]}");
	add(NIT AT("12188250", "H", "27500", "S", "") "]}");
	cr_assert_eq(tuning_list_total(list), 3u);
	expect_json(tuning_list_next(list), "{'type':'S','adapter':1,"
		    "'diseqc':2,'frequency':12187.5,'polarization':'H',"
		    "'symbolrate':27500,'fec':'3/4'}");
	expect_json(tuning_list_current(list), "{'type':'S',"
		    "'frequency':12187.5,'polarization':'H',"
		    "'symbolrate':27500,'fec':'3/4'}");
	/* gold code 100, ISI 5 */
	expect_json(tuning_list_next(list), "{'type':'S2','adapter':1,"
		    "'diseqc':2,'frequency':11362,'polarization':'V',"
		    "'symbolrate':22000,'fec':'3/4','modulation':'PSK8',"
		    "'stream_id':67134469}");
	cr_assert_null(tuning_list_next(list));
	cr_assert_eq(tuning_list_done(list), 3u);
	stop();
}

Test(tuning_list, takes_systems_of_the_adapter_only)
{
	start("{\"search\":\"network\",\"adapter\":{\"type\":\"T\","
	      "\"frequency\":474,\"modulation\":\"QAM64\"}}");
	json_decref(tuning_list_next(list));
	add(NIT AT("11361750", "H", "22000", "S2", "") ","
	    "{\"descriptors\":[{\"type_name\":\"terrestrial_delivery_system\","
	    "\"frequency_khz\":490000,\"bandwidth\":\"8000\","
	    "\"modulation\":\"QPSK\"}]},"
	    "{\"descriptors\":[{\"type_name\":\"t2_delivery_system\","
	    "\"plp_id\":1,\"bandwidth\":\"8000\",\"cells\":["
	    "{\"frequencies_khz\":[498000,506000]}]}]}]}");
	expect_json(tuning_list_next(list), "{'type':'T','frequency':490,"
		    "'bandwidth':'8000'}");
	expect_json(tuning_list_next(list), "{'type':'T2','frequency':498,"
		    "'bandwidth':'8000','stream_id':1}");
	expect_json(tuning_list_next(list), "{'type':'T2','frequency':506,"
		    "'bandwidth':'8000','stream_id':1}");
	cr_assert_null(tuning_list_next(list));
	stop();
}

Test(tuning_list, has_a_limit)
{
	start(SATELLITE);
	for (int i = 0; i < 2 * SCAN_NETWORK_MAX; i++) {
		json_t *nit = json_pack(
			"{ss, si, s[{s[{ss, si, ss, ss}]}]}", "psi", "nit",
			"table_id", 64, "streams", "descriptors", "type_name",
			"satellite_delivery_system", "frequency_khz",
			10700000 + i * 4000, "type", "S", "polarization", "V");

		tuning_list_add(list, nit);
		json_decref(nit);
	}
	cr_assert_eq(tuning_list_total(list), (size_t)SCAN_NETWORK_MAX);
	/* another network, one that is not in force, and nonsense */
	add("{\"psi\":\"nit\",\"table_id\":65,\"streams\":[{}]}");
	add("{\"psi\":\"nit\",\"table_id\":64,\"streams\":[1,"
	    "{\"descriptors\":[2,{\"type_name\":3}]}]}");
	stop();
}

Test(tuning_list, a_blind_scan_skips_what_it_has_found)
{
	start("{\"search\":\"blind\",\"grid\":{\"from\":10700,\"to\":10720,"
	      "\"step\":10,\"symbolrate\":[27500]},"
	      "\"adapter\":{\"type\":\"S2\",\"adapter\":0}}");
	cr_assert_eq(tuning_list_total(list), 6u);
	expect_json(tuning_list_next(list), "{'type':'S2','adapter':0,"
		    "'frequency':10700.0,'polarization':'V',"
		    "'symbolrate':27500}");
	tuning_list_found(list);
	expect_json(tuning_list_next(list), "{'type':'S2','adapter':0,"
		    "'frequency':10720.0,'polarization':'V',"
		    "'symbolrate':27500}");
	expect_json(tuning_list_next(list), "{'type':'S2','adapter':0,"
		    "'frequency':10700.0,'polarization':'H',"
		    "'symbolrate':27500}");
	json_decref(tuning_list_next(list));
	json_decref(tuning_list_next(list));
	cr_assert_null(tuning_list_next(list));
	cr_assert_eq(tuning_list_done(list), 6u);
	stop();
}
