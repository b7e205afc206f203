/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/record.h"
#include "proto/spec/stream_spec.h"
#include "tests/unit/proto/si/json_eq.h"
#include "worker/tables/nit_build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct nit_service services[] = {
	{ 1, 101, 1 }, { 2, 0, 2 }, { 65535, 999, 25 },
};

static struct stream_spec parse(const char *text)
{
	json_t *o = json_loads(text, 0, NULL);
	struct stream_spec s;
	struct errmsg error = { 0 };

	cr_assert_not_null(o, "%s", text);
	cr_assert_eq(stream_spec_parse(o, &s, &error), 0, "%s", error.text);
	json_decref(o);
	return s;
}

static json_t *record(const char *text, size_t number)
{
	static struct stream_spec spec;
	uint8_t section[SECTION_PSI_MAX];
	struct nit_transport t = { .tsid = 7, .services = services,
				   .n_services = 3 };
	struct nit_content c = { .transports = &t, .n_transports = 1 };
	json_t *found;

	spec = parse(text);
	t.onid = spec.tables.onid;
	t.delivery = &spec.tables.delivery;
	c.id = spec.tables.network_id;
	c.name = spec.tables.network_name;
	found = si_record(section, nit_build(&c, number, section), 16);
	cr_assert_not_null(found);
	cr_assert_null(json_object_get(found, "error"));
	return found;
}

/* The delivery descriptor as the analyzer shows it. */
static void expect_delivery(const char *text, const char *expected)
{
	json_t *r = record(text, 0);
	json_t *stream = json_array_get(json_object_get(r, "streams"), 0);
	json_t *wanted = json_loads(expected, 0, NULL);
	json_t *got = json_array_get(json_object_get(stream, "descriptors"),
				     1);
	const char *key;
	json_t *value;

	cr_assert_not_null(wanted, "%s", expected);
	json_object_foreach(wanted, key, value)
		cr_expect(json_equal(json_object_get(got, key), value),
			  "%s: %s", key, json_dumps(got, 0));
	json_decref(wanted);
	json_decref(r);
}

Test(nit_build, is_read_back_by_the_analyzer)
{
	expect_delivery(
		"{\"nit_actual\":{\"type\":\"S2\",\"frequency\":11778,"
		"\"symbolrate\":27500,\"polarization\":\"V\",\"fec\":\"3/4\","
		"\"position\":\"19.2E\",\"modulation\":\"PSK8\","
		"\"rolloff\":\"20\"}}",
		"{\"type_id\":67,\"frequency_khz\":11778000,"
		"\"orbital_position\":\"19.2E\",\"polarization\":\"V\","
		"\"type\":\"S2\",\"rolloff\":\"20\",\"modulation\":\"PSK8\","
		"\"symbolrate\":27500,\"fec\":\"3/4\"}");
	expect_delivery(
		"{\"nit_actual\":{\"type\":\"S\",\"frequency\":\"10714250\","
		"\"symbolrate\":22000,\"polarization\":\"H\",\"fec\":\"5/6\","
		"\"position\":\"7W\",\"modulation\":\"QPSK\"}}",
		"{\"frequency_khz\":10714250,\"orbital_position\":\"7.0W\","
		"\"polarization\":\"H\",\"type\":\"S\",\"fec\":\"5/6\","
		"\"modulation\":\"QPSK\",\"symbolrate\":22000}");
	expect_delivery(
		"{\"nit_actual\":{\"type\":\"C\",\"frequency\":306250,"
		"\"symbolrate\":6900,\"modulation\":\"QAM256\"}}",
		"{\"type_id\":68,\"frequency_khz\":306250,\"symbolrate\":6900,"
		"\"fec_outer\":\"RS(204/188)\",\"modulation\":\"QAM256\","
		"\"fec\":\"undefined\"}");
	expect_delivery(
		"{\"nit_actual\":{\"type\":\"T\",\"frequency\":474,"
		"\"bandwidth\":7000,\"modulation\":\"QAM64\",\"fec\":\"2/3\","
		"\"guardinterval\":\"1/4\",\"transmitmode\":\"8K\"}}",
		"{\"type_id\":90,\"frequency_khz\":474000,"
		"\"bandwidth\":\"7000\",\"modulation\":\"QAM64\","
		"\"hierarchy\":\"none\",\"fec\":\"2/3\","
		"\"guardinterval\":\"1/4\",\"transmitmode\":\"8K\"}");
}

Test(nit_build, lists_services_and_logical_channels)
{
	static const char *const versions[] = { "eacem", "nordig-v1" };
	static const char *const specifiers[] = { "40", "41" };

	for (size_t i = 0; i < 2; i++) {
		char text[256], expected[512];
		json_t *r, *wanted, *got;

		(void)snprintf(text, sizeof text, "{\"network_id\":12,"
			       "\"network_name\":\"Netz\",\"onid\":34,"
			       "\"nit_actual\":{\"lcn_version\":\"%s\"}}",
			       versions[i]);
		(void)snprintf(expected, sizeof expected,
			"[{\"tsid\":7,\"onid\":34,\"descriptors\":["
			"{\"type_id\":65,\"type_name\":\"service_list\","
			"\"services\":["
			"{\"service_id\":1,\"service_type_id\":1},"
			"{\"service_id\":2,\"service_type_id\":2},"
			"{\"service_id\":65535,\"service_type_id\":25}]},"
			"{\"type_id\":95,\"type_name\":"
			"\"private_data_specifier\","
			"\"private_data_specifier\":%s},"
			"{\"type_id\":131,\"type_name\":\"logical_channel\","
			"\"channels\":[{\"service_id\":1,\"visible\":true,"
			"\"lcn\":101},{\"service_id\":65535,\"visible\":true,"
			"\"lcn\":999}]}]}]", specifiers[i]);
		r = record(text, 0);
		wanted = json_loads(expected, 0, NULL);
		got = json_object_get(r, "streams");
		cr_expect(json_equal(wanted, got), "%s",
			  json_dumps(got, JSON_COMPACT));
		cr_expect_eq(json_integer_value(json_object_get(
				     r, "network_id")), 12);
		json_decref(wanted);
		json_decref(r);
	}
}

Test(nit_build, divides_many_services_among_sections)
{
	static struct nit_service many[256];
	static struct stream_spec spec;
	struct nit_transport t[] = {
		{ .tsid = 1, .services = many, .n_services = 256,
		  .delivery = &spec.tables.delivery },
		{ .tsid = 2, .delivery = &spec.tables.delivery },
		{ .tsid = 3, .services = many, .n_services = 1,
		  .delivery = &spec.tables.delivery },
	};
	struct nit_content c = { .name = spec.tables.network_name,
				 .transports = t, .n_transports = 1 };
	uint8_t section[SECTION_PSI_MAX];
	char text[300] = "{\"network_name\":\"";
	size_t n = 0;

	memset(text + strlen(text), 'x', NETWORK_NAME_MAX);
	(void)strcat(text, "\",\"nit_actual\":{}}");
	spec = parse(text);
	spec.tables.delivery.type = DELIVERY_C;
	for (size_t i = 0; i < 256; i++)
		many[i] = (struct nit_service){ (uint16_t)(i + 1),
						(uint16_t)(i + 1), 1 };
	cr_assert_eq(nit_build_sections(&c), 4);
	for (size_t i = 0; i < 4; i++) {
		size_t len = nit_build(&c, i, section), k;
		json_t *r = si_record(section, len, 16), *list;

		cr_assert_not_null(r);
		cr_assert_null(json_object_get(r, "error"));
		list = json_object_get(json_array_get(
			json_object_get(r, "streams"), 0), "descriptors");
		json_t *d;

		json_array_foreach(list, k, d)
			n += json_array_size(json_object_get(d, "channels"));
		json_decref(r);
	}
	cr_assert_eq(n, 256);
	/* other transport streams stand in sections of their own */
	c.n_transports = 3;
	cr_assert_eq(nit_build_sections(&c), 6);
	for (size_t i = 0; i < 6; i++) {
		json_t *r = si_record(section, nit_build(&c, i, section), 16);
		json_t *stream = json_array_get(json_object_get(r, "streams"),
						0);

		cr_expect_eq(json_integer_value(json_object_get(stream,
								"tsid")),
			     i < 4 ? 1 : (json_int_t)i - 2);
		json_decref(r);
	}
}

Test(nit_build, wrong_delivery_names_the_key)
{
	static const struct { const char *text, *error; } list[] = {
		{ "{\"type\":\"X\"}", "nit_actual.type: " },
		{ "{\"type\":\"C\"}", "nit_actual.frequency: is missing" },
		{ "{\"type\":\"C\",\"frequency\":306}",
		  "nit_actual.symbolrate: is missing" },
		{ "{\"type\":\"C\",\"frequency\":9000000,\"symbolrate\":1}",
		  "nit_actual.frequency: 9000000 is not one of a cable" },
		{ "{\"type\":\"S\",\"frequency\":11778,\"symbolrate\":22000}",
		  "nit_actual.position: \"\" is not one such as 19.2E" },
		{ "{\"type\":\"S\",\"frequency\":11778,\"symbolrate\":22000,"
		  "\"position\":\"190E\"}", "nit_actual.position: \"190E\"" },
		{ "{\"type\":\"S\",\"frequency\":11778,\"symbolrate\":22000,"
		  "\"position\":\"5E\",\"modulation\":\"QAM256\"}",
		  "nit_actual.modulation: type S has no QAM256" },
		{ "{\"type\":\"T\",\"frequency\":474}",
		  "nit_actual.modulation: type T has no AUTO" },
		{ "{\"type\":\"T\",\"frequency\":474,\"modulation\":\"QPSK\"}",
		  "nit_actual.fec: type T has no AUTO" },
		{ "{\"frequency\":-1}", "nit_actual.frequency: " },
		{ "{\"bandwidth\":5500,\"type\":\"T\",\"frequency\":474,"
		  "\"modulation\":\"QPSK\",\"fec\":\"1/2\"}",
		  "nit_actual.bandwidth: 5500 is not" },
		{ "[]", "nit_actual: " },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		json_t *o = json_pack("{s:o}", "nit_actual",
				      json_loads(list[i].text, 0, NULL));
		struct errmsg error = { 0 };
		struct stream_spec s;

		cr_expect_lt(stream_spec_parse(o, &s, &error), 0, "%s",
			     list[i].text);
		cr_expect(strncmp(error.text, list[i].error,
				  strlen(list[i].error)) == 0, "%s",
			  error.text);
		json_decref(o);
	}
}

Test(nit_build, a_bouquet_has_its_name_and_its_services)
{
	static const struct delivery_spec delivery = { .type = DELIVERY_C,
						       .frequency = 306 };
	struct nit_transport t = { .tsid = 7, .onid = 8, .services = services,
				   .n_services = 2, .delivery = &delivery };
	struct nit_content c = { .bouquet = true, .id = 5, .name = "B",
				 .transports = &t, .n_transports = 1 };
	uint8_t section[SECTION_PSI_MAX];
	json_t *r = si_record(section, nit_build(&c, 0, section), 17);
	json_t *wanted = json_of(
		"{'psi': 'bat', 'table_id': 74, 'pid': 17, 'bouquet_id': 5,"
		"'version': 0, 'section_number': 0, 'last_section_number': 0,"
		"'descriptors': [{'type_id': 71, 'type_name': 'bouquet_name',"
		"'bouquet_name': 'B'}], 'streams': [{'tsid': 7, 'onid': 8,"
		"'descriptors': [{'type_id': 65, 'type_name': 'service_list',"
		"'services': [{'service_id': 1, 'service_type_id': 1},"
		"{'service_id': 2, 'service_type_id': 2}]}]}]}");

	(void)json_object_del(r, "crc32");
	cr_expect(json_equal(r, wanted), "%s", json_dumps(r, 0));
	json_decref(r);
	json_decref(wanted);
}
