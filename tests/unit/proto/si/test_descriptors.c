/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "proto/si/descriptors.h"
#include "tests/unit/proto/si/json_eq.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Reads a loop into a new object. */
static json_t *read_loop(const uint8_t *bytes, size_t len)
{
	struct codec c = {
		.object = json_object(), .in = bits_of(bytes, len),
	};

	codec_descriptors(&c);
	return c.object;
}

/* Writes the loop of the object; returns its length. */
static size_t write_loop(json_t *object, uint8_t *ret, size_t size,
			 struct errmsg *error)
{
	struct codec c = {
		.encode = true, .object = object, .out = { ret, size, 0 },
		.error = error,
	};

	memset(ret, 0, size);
	codec_descriptors(&c);
	return c.failed ? 0 : c.out.at / 8;
}

/* A loop in hex, and the expected "descriptors", "raw" apart.  What was read
 * gives the same bytes again. */
static void expect(const char *hex, const char *json)
{
	uint8_t bytes[1024], again[1024];
	size_t len = from_hex(hex, bytes, sizeof bytes), i;
	json_t *object = read_loop(bytes, len), *list, *item;
	struct errmsg error = { "" };

	cr_expect_eq(write_loop(object, again, sizeof again, &error), len,
		     "%s: %s", hex, error.text);
	cr_expect_arr_eq(again, bytes, len, "%s", hex);
	list = json_object_get(object, "descriptors");
	json_array_foreach(list, i, item)
		(void)json_object_del(item, "raw");
	expect_json(json_incref(list), json);
	json_decref(object);
}

struct sample {
	const char *hex;
	const char *json;
};

static const struct sample samples[] = {
	{ "", "[]" },
	{ "48 08 01 02 4142 03 434445",
	  "[{'type_id': 72, 'type_name': 'service', 'service_type_id': 1,"
	  "'service_provider': 'AB', 'service_name': 'CDE'}]" },
	/* two, and text in another table */
	{ "48 07 02 00 04 01bfe0e2 40 01 4e",
	  "[{'type_id': 72, 'type_name': 'service', 'service_type_id': 2,"
	  "'service_provider': '', 'service_name': 'Прт'},"
	  "{'type_id': 64, 'type_name': 'network_name',"
	  "'network_name': 'N'}]" },
	{ "09 04 0b00 e123",
	  "[{'type_id': 9, 'type_name': 'cas', 'caid': 2816, 'pid': 291}]" },
	{ "09 06 4ae1 ffff 01ab",
	  "[{'type_id': 9, 'type_name': 'cas', 'caid': 19169, 'pid': 8191,"
	  "'data': '01ab'}]" },
	{ "0a 04 64657500",
	  "[{'type_id': 10, 'type_name': 'lang', 'lang': 'deu',"
	  "'audio_type': 0}]" },
	{ "0a 08 64657500 65ff6703",
	  "[{'type_id': 10, 'type_name': 'lang', 'lang': 'deu',"
	  "'audio_type': 0, 'others': [{'lang': 'e?g', 'audio_type': 3}]}]" },
	{ "05 04 48444d56",
	  "[{'type_id': 5, 'type_name': 'registration',"
	  "'format_identifier': 'HDMV'}]" },
	{ "52 01 07",
	  "[{'type_id': 82, 'type_name': 'stream_id', 'stream_id': 7}]" },
	{ "0e 03 c00123",
	  "[{'type_id': 14, 'type_name': 'maximum_bitrate',"
	  "'maximum_bitrate': 291}]" },
	{ "41 06 0001 01 0002 19",
	  "[{'type_id': 65, 'type_name': 'service_list', 'services': ["
	  "{'service_id': 1, 'service_type_id': 1},"
	  "{'service_id': 2, 'service_type_id': 25}]}]" },
	/* 11727.48 MHz V 27500 3/4 S2 8PSK, 19.2 E, roll-off 0.20 */
	{ "43 0b 01172748 0192 b6 02750003",
	  "[{'type_id': 67, 'type_name': 'satellite_delivery_system',"
	  "'frequency': 11727, 'frequency_khz': 11727480,"
	  "'orbital_position': '19.2E', 'polarization': 'V', 'type': 'S2',"
	  "'rolloff': '20', 'modulation': 'PSK8', 'symbolrate': 27500,"
	  "'fec': '3/4'}]" },
	{ "43 0b 01206300 0300 61 03000005",
	  "[{'type_id': 67, 'type_name': 'satellite_delivery_system',"
	  "'frequency': 12063, 'frequency_khz': 12063000,"
	  "'orbital_position': '30.0W', 'polarization': 'R', 'type': 'S',"
	  "'modulation': 'QPSK', 'symbolrate': 30000, 'fec': '7/8'}]" },
	{ "44 0b 03460000 fff2 03 0069000f",
	  "[{'type_id': 68, 'type_name': 'cable_delivery_system',"
	  "'frequency': 346, 'frequency_khz': 346000,"
	  "'fec_outer': 'RS(204/188)', 'modulation': 'QAM64',"
	  "'symbolrate': 6900, 'fec': 'none'}]" },
	{ "5a 0b 02d34440 1f 82 1a ffffffff",
	  "[{'type_id': 90, 'type_name': 'terrestrial_delivery_system',"
	  "'frequency': 474, 'frequency_khz': 474000,"
	  "'bandwidth': '8000', 'high_priority': true,"
	  "'no_time_slicing': true, 'no_mpe_fec': true,"
	  "'modulation': 'QAM64', 'hierarchy': 'none', 'fec': '3/4',"
	  "'fec_low_priority': '1/2', 'guardinterval': '1/4',"
	  "'transmitmode': '8K', 'other_frequencies': false}]" },
	{ "6a 04 c0 42 08 77",
	  "[{'type_id': 106, 'type_name': 'ac3', 'component_type': 66,"
	  "'bsid': 8, 'data': '77'}]" },
	{ "7a 03 89 c2 05",
	  "[{'type_id': 122, 'type_name': 'enhanced_ac3',"
	  "'component_type': 194, 'mixinfo': true, 'substream3': 5}]" },
	{ "56 0a 667261 28 88 667261 10 89",
	  "[{'type_id': 86, 'type_name': 'teletext', 'pages': ["
	  "{'lang': 'fra', 'teletext_type': 5, 'page': 888},"
	  "{'lang': 'fra', 'teletext_type': 2, 'page': 889}]}]" },
	{ "59 08 737765 10 0001 0002",
	  "[{'type_id': 89, 'type_name': 'subtitling', 'subtitles': ["
	  "{'lang': 'swe', 'subtitling_type': 16, 'composition_page_id': 1,"
	  "'ancillary_page_id': 2}]}]" },
	{ "4d 0c 656e67 04 4e657773 03 412042",
	  "[{'type_id': 77, 'type_name': 'short_event', 'lang': 'eng',"
	  "'event_name': 'News', 'text': 'A B'}]" },
	{ "4e 0d 01 656e67 05 0144 02 4970 02 546f",
	  "[{'type_id': 78, 'type_name': 'extended_event', 'number': 0,"
	  "'last_number': 1, 'lang': 'eng',"
	  "'items': [{'description': 'D', 'item': 'Ip'}], 'text': 'To'}]" },
	{ "55 04 475242 0f",
	  "[{'type_id': 85, 'type_name': 'parental_rating', 'ratings': ["
	  "{'country': 'GRB', 'rating': 15, 'age': 18}]}]" },
	{ "54 02 15 ff",
	  "[{'type_id': 84, 'type_name': 'content', 'contents': ["
	  "{'level_1': 1, 'level_2': 5, 'user': 255}]}]" },
	/* UTC-3:30, from 1993-10-13 12:45:00 on UTC-2:30 */
	{ "58 0d 43414e 0b 0330 c079124500 0230",
	  "[{'type_id': 88, 'type_name': 'local_time_offset', 'offsets': ["
	  "{'country': 'CAN', 'region': 2, 'offset_minutes': -210,"
	  "'time_of_change': 750516300, 'next_offset_minutes': -150}]}]" },
	{ "76 06 04 03 2f6162 05",
	  "[{'type_id': 118, 'type_name': 'content_identifier',"
	  "'data': '04032f616205'}]" },
	{ "76 08 04 03 2f6162 05 0007",
	  "[{'type_id': 118, 'type_name': 'content_identifier', 'crids': ["
	  "{'crid_type': 1, 'crid': '/ab'}, {'crid_type': 1, 'crid_ref': 7}"
	  "]}]" },
	{ "6f 03 8010 e5",
	  "[{'type_id': 111, 'type_name': 'application_signalling',"
	  "'applications': [{'application_type': 16, 'ait_version': 5}]}]" },
	{ "7f 04 04 01 0002",
	  "[{'type_id': 127, 'type_name': 't2_delivery_system',"
	  "'extension': 4, 'plp_id': 1, 't2_system_id': 2}]" },
	{ "7f 0f 04 01 0002 03 6c 1234 02d34b00 00 02d0",
	  "[{'type_id': 127, 'type_name': 't2_delivery_system',"
	  "'extension': 4, 'data': '0401000203" "6c123402d34b000002d0'}]" },
	{ "7f 0d 04 01 0002 03 74 1234 02d34440 00",
	  "[{'type_id': 127, 'type_name': 't2_delivery_system',"
	  "'extension': 4, 'plp_id': 1, 't2_system_id': 2,"
	  "'siso_miso': 'SISO', 'bandwidth': '8000',"
	  "'guardinterval': '1/4', 'transmitmode': '32K',"
	  "'other_frequencies': false, 'time_frequency_slicing': false,"
	  "'cells': [{'cell_id': 4660, 'frequencies_khz': [474000],"
	  "'subcells': []}]}]" },
	{ "79 05 c0 012345 07",
	  "[{'type_id': 121, 'type_name': 's2_satellite_delivery_system',"
	  "'backwards_compatible': false, 'scrambling_sequence': 74565,"
	  "'stream_id': 7}]" },
	{ "53 04 0b00 1802",
	  "[{'type_id': 83, 'type_name': 'ca_identifier',"
	  "'caids': [2816, 6146]}]" },
};

Test(descriptors, shows_its_fields)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		expect(samples[i].hex, samples[i].json);
}

Test(descriptors, shows_the_bytes_of_an_unknown_descriptor)
{
	expect("88 04 0ffffcfc",
	       "[{'type_id': 136, 'type_name': 'unknown',"
	       "'data': '0ffffcfc'}]");
	expect("3a 00",
	       "[{'type_id': 58, 'type_name': 'unknown', 'data': ''}]");
	expect("7f 00",
	       "[{'type_id': 127, 'type_name': 'unknown', 'data': ''}]");
	expect("7f 02 ff01",
	       "[{'type_id': 127, 'type_name': 'unknown', 'extension': 255,"
	       "'data': 'ff01'}]");
	expect("42 01 00",
	       "[{'type_id': 66, 'type_name': 'stuffing', 'data': '00'}]");
}

Test(descriptors, shows_the_bytes_of_a_short_descriptor)
{
	expect("48 03 01 05 41",
	       "[{'type_id': 72, 'type_name': 'service',"
	       "'data': '010541'}]");
	expect("48 00",
	       "[{'type_id': 72, 'type_name': 'service', 'data': ''}]");
	expect("09 03 0b00e1",
	       "[{'type_id': 9, 'type_name': 'cas', 'data': '0b00e1'}]");
	expect("41 04 00010100",
	       "[{'type_id': 65, 'type_name': 'service_list',"
	       "'data': '00010100'}]");
}

Test(descriptors, shows_the_bytes_of_an_incomplete_descriptor)
{
	expect("52 01 07 48 10 01",
	       "[{'type_id': 82, 'type_name': 'stream_id', 'stream_id': 7},"
	       "{'type_id': 72, 'type_name': 'broken', 'data': '481001'}]");
	expect("48",
	       "[{'type_id': 72, 'type_name': 'broken', 'data': '48'}]");
}

Test(descriptors, decodes_private_descriptors_by_their_specifier)
{
	const char *lcn = "'channels': [{'service_id': 1, 'visible': true,"
			  "'lcn': 5}]";
	char json[512];

	(void)snprintf(json, sizeof json,
		       "[{'type_id': 95, 'type_name':"
		       "'private_data_specifier', 'private_data_specifier':"
		       "40}, {'type_id': 131, 'type_name':"
		       "'logical_channel', %s}]", lcn);
	expect("5f 04 00000028 83 04 0001 8005", json);
	expect("5f 04 00000029 83 04 0001 c401",
	       "[{'type_id': 95, 'type_name': 'private_data_specifier',"
	       "'private_data_specifier': 41}, {'type_id': 131, 'type_name':"
	       "'logical_channel', 'channels': [{'service_id': 1, 'visible':"
	       "true, 'lcn': 1025}]}]");
	expect("83 04 0001 8005",
	       "[{'type_id': 131, 'type_name': 'unknown',"
	       "'data': '00018005'}]");
	expect("5f 04 000000aa 83 04 0001 8005",
	       "[{'type_id': 95, 'type_name': 'private_data_specifier',"
	       "'private_data_specifier': 170},"
	       "{'type_id': 131, 'type_name': 'unknown',"
	       "'data': '00018005'}]");
}

/* Every tag and every length: nothing is read beyond the end (the sanitizers
 * detect that), and each has a name and its content. */
Test(descriptors, accepts_any_tag_and_length)
{
	for (unsigned tag = 0; tag < 256; tag++) {
		for (unsigned len = 0; len < 256; len += len < 40 ? 1 : 43) {
			uint8_t *bytes = calloc(1, 2 + len), again[300];
			json_t *object, *d;

			bytes[0] = (uint8_t)tag;
			bytes[1] = (uint8_t)len;
			memset(bytes + 2, (int)(tag * 7 + len), len);
			object = read_loop(bytes, 2 + len);
			cr_assert_eq(write_loop(object, again, sizeof again,
						NULL), 2 + len);
			cr_assert_arr_eq(again, bytes, 2 + len);
			d = json_array_get(json_object_get(object,
							   "descriptors"),
					   0);
			cr_assert_eq(json_integer_value(
					     json_object_get(d, "type_id")),
				     tag);
			cr_assert(json_object_get(d, "type_name"));
			cr_assert_geq(json_object_size(d), 3);
			json_decref(object);
			free(bytes);
		}
	}
}

/* A loop of one descriptor, in which ' stands for ". */
static size_t write_text(const char *text, uint8_t *ret, size_t size,
			 struct errmsg *error)
{
	json_t *item = json_of(text);
	json_t *object = json_pack("{s:[o]}", "descriptors", item);
	size_t len = write_loop(object, ret, size, error);

	json_decref(object);
	return len;
}

Test(descriptors, are_written_from_their_fields)
{
	static const struct sample list[] = {
		{ "48 08 01 02 4142 03 434445",
		  "{'type_id': 72, 'service_type_id': 1,"
		  "'service_provider': 'AB', 'service_name': 'CDE'}" },
		{ "43 0b 01172748 0192 b6 02750003",
		  "{'type_id': 67, 'frequency_khz': 11727480,"
		  "'orbital_position': '19.2E', 'polarization': 'V',"
		  "'type': 'S2', 'rolloff': '20', 'modulation': 'PSK8',"
		  "'symbolrate': 27500, 'fec': '3/4'}" },
		{ "56 0a 667261 28 88 667261 10 00",
		  "{'type_id': 86, 'pages': [{'lang': 'fra',"
		  "'teletext_type': 5, 'page': 888}, {'lang': 'fra',"
		  "'teletext_type': 2, 'page': 800}]}" },
		{ "6a 03 c0 42 08",
		  "{'type_id': 106, 'component_type': 66, 'bsid': 8}" },
		{ "58 0d 43414e 0b 0330 c079124500 0230",
		  "{'type_id': 88, 'offsets': [{'country': 'CAN',"
		  "'region': 2, 'offset_minutes': -210, 'time_of_change':"
		  "750516300, 'next_offset_minutes': -150}]}" },
		{ "88 02 0aff", "{'type_id': 136, 'data': '0AfF'}" },
		{ "7f 02 ff01",
		  "{'type_id': 127, 'extension': 255, 'data': 'ff01'}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		uint8_t bytes[300], made[300];
		size_t len = from_hex(list[i].hex, bytes, sizeof bytes);
		struct errmsg error = { "" };

		cr_expect_eq(write_text(list[i].json, made, sizeof made,
					&error), len, "%s: %s", list[i].json,
			     error.text);
		cr_expect_arr_eq(made, bytes, len, "%s", list[i].json);
	}
}

Test(descriptors, name_the_path_of_a_wrong_value)
{
	static const struct sample list[] = {
		{ "descriptors[0].type_id: is missing", "{}" },
		{ "descriptors[0].type_id: 256 is not between 0 and 255",
		  "{'type_id': 256}" },
		{ "descriptors[0].service_type_id: is missing",
		  "{'type_id': 72}" },
		{ "descriptors[0].lang: has 2 bytes instead of 3",
		  "{'type_id': 10, 'lang': 'de', 'audio_type': 0}" },
		{ "descriptors[0].pages[1].page: 900 is not between 0 and 899",
		  "{'type_id': 86, 'pages': [{'lang': 'fra',"
		  "'teletext_type': 5, 'page': 888}, {'lang': 'fra',"
		  "'teletext_type': 2, 'page': 900}]}" },
		{ "descriptors[0].pages: item 0 is not an object",
		  "{'type_id': 86, 'pages': [1]}" },
		{ "descriptors[0].pages: is not a list",
		  "{'type_id': 86, 'pages': 1}" },
		{ "descriptors[0].data: has a character at 2 that is no "
		  "hexadecimal digit", "{'type_id': 136, 'data': '0a0g'}" },
		{ "descriptors[0].data: has half a byte at its end",
		  "{'type_id': 136, 'data': '0a0'}" },
		{ "descriptors[0].polarization: \"X\" is not a word for it",
		  "{'type_id': 67, 'frequency': 11727,"
		  "'orbital_position': '19.2E', 'polarization': 'X'}" },
		{ "descriptors[0].orbital_position: \"19E\" is not a "
		  "position such as \"19.2E\"",
		  "{'type_id': 67, 'frequency': 11727,"
		  "'orbital_position': '19E', 'polarization': 'V'}" },
		{ "descriptors[0].transmitmode: is missing",
		  "{'type_id': 90, 'frequency': 474, 'bandwidth': '8000',"
		  "'high_priority': true, 'no_time_slicing': true,"
		  "'no_mpe_fec': true, 'modulation': 'QAM64', 'hierarchy':"
		  "'none', 'fec': '3/4', 'fec_low_priority': '1/2',"
		  "'guardinterval': '1/4'}" },
		{ "descriptors[0].high_priority: is neither true nor false",
		  "{'type_id': 90, 'frequency': 474, 'bandwidth': '8000',"
		  "'high_priority': 1}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		struct errmsg error = { "" };
		uint8_t made[300];

		cr_expect_eq(write_text(list[i].json, made, sizeof made,
					&error), 0, "%s", list[i].json);
		cr_expect_str_eq(error.text, list[i].hex);
	}
}

Test(descriptors, do_not_exceed_their_length)
{
	struct errmsg error = { "" };
	uint8_t made[1024];
	char text[700];

	(void)snprintf(text, sizeof text, "{'type_id': 64, 'network_name':"
		       "'%0300d'}", 0);
	cr_expect_eq(write_text(text, made, sizeof made, &error), 0);
	cr_expect_str_eq(error.text, "descriptors[0].descriptor: has 300 "
			 "bytes, and at most 255 fit");
}
