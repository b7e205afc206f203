/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "common/base/util.h"
#include "proto/si/record.h"
#include "tests/unit/proto/si/json_eq.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The body between header and CRC_32 in hex. */
struct sample {
	uint8_t table_id;
	uint16_t extension;
	const char *body;
	const char *json; /* without the common fields */
};

static const struct sample samples[] = {
	{ 0x00, 7, "", "'psi': 'pat', 'tsid': 7, 'programs': []" },
	{ 0x00, 7, "0000 e010 0001 e100 ffff ffff",
	  "'psi': 'pat', 'tsid': 7, 'network_pid': 16, 'programs': ["
	  "{'pnr': 1, 'pid': 256}, {'pnr': 65535, 'pid': 8191}]" },
	{ 0x01, 0xffff, "",
	  "'psi': 'cat', 'descriptors': []" },
	{ 0x01, 0xffff, "0904 1802 e0c0",
	  "'psi': 'cat', 'descriptors': [{'type_id': 9,"
	  "'type_name': 'cas', 'caid': 6146, 'pid': 192}]" },
	{ 0x02, 9, "e101 f000",
	  "'psi': 'pmt', 'pnr': 9, 'pcr': 257, 'descriptors': [],"
	  "'streams': []" },
	{ 0x02, 9, "e101 f003 520107 1b e101 f000 06 e102 f005 6a00 520109"
		   "06 e103 f007 5605 737765 1000 06 e104 f000"
		   "05 e105 f002 6f00",
	  "'psi': 'pmt', 'pnr': 9, 'pcr': 257, 'descriptors': ["
	  "{'type_id': 82, 'type_name': 'stream_id', 'stream_id': 7}],"
	  "'streams': ["
	  "{'pid': 257, 'type_name': 'VIDEO', 'type_id': 27,"
	  "'descriptors': []},"
	  "{'pid': 258, 'type_name': 'AUDIO', 'type_id': 6, 'descriptors': ["
	  "{'type_id': 106, 'type_name': 'ac3', 'data': ''},"
	  "{'type_id': 82, 'type_name': 'stream_id', 'stream_id': 9}]},"
	  "{'pid': 259, 'type_name': 'TTX', 'type_id': 6, 'descriptors': ["
	  "{'type_id': 86, 'type_name': 'teletext', 'pages': ["
	  "{'lang': 'swe', 'teletext_type': 2, 'page': 800}]}]},"
	  "{'pid': 260, 'type_name': 'DATA', 'type_id': 6,"
	  "'descriptors': []},"
	  "{'pid': 261, 'type_name': 'AIT', 'type_id': 5, 'descriptors': ["
	  "{'type_id': 111, 'type_name': 'application_signalling',"
	  "'applications': []}]}]" },
	{ 0x40, 3, "f003 40014e f00e 0001 0002 f008"
		   "41 06 0001 01 0002 02",
	  "'psi': 'nit', 'network_id': 3, 'descriptors': ["
	  "{'type_id': 64, 'type_name': 'network_name',"
	  "'network_name': 'N'}], 'streams': [{'tsid': 1, 'onid': 2,"
	  "'descriptors': [{'type_id': 65, 'type_name': 'service_list',"
	  "'services': [{'service_id': 1, 'service_type_id': 1},"
	  "{'service_id': 2, 'service_type_id': 2}]}]}]" },
	{ 0x41, 3, "f000 f000",
	  "'psi': 'nit', 'network_id': 3, 'descriptors': [],"
	  "'streams': []" },
	{ 0x4a, 5, "f000 f006 0001 0002 f000",
	  "'psi': 'bat', 'bouquet_id': 5, 'descriptors': [], 'streams': ["
	  "{'tsid': 1, 'onid': 2, 'descriptors': []}]" },
	{ 0x42, 1, "0002 ff",
	  "'psi': 'sdt', 'tsid': 1, 'onid': 2, 'services': []" },
	{ 0x46, 1, "0002 ff 0010 fd 9000 0011 fe 6005 4803 01 00 00",
	  "'psi': 'sdt', 'tsid': 1, 'onid': 2, 'services': ["
	  "{'sid': 16, 'eit_schedule': false,"
	  "'eit_present_following': true, 'running_status': 4,"
	  "'free_ca': true, 'descriptors': []},"
	  "{'sid': 17, 'eit_schedule': true,"
	  "'eit_present_following': false, 'running_status': 3,"
	  "'free_ca': false, 'descriptors': [{'type_id': 72,"
	  "'type_name': 'service', 'service_type_id': 1,"
	  "'service_provider': '', 'service_name': ''}]}]" },
	{ 0xc8, 9, "00 00 fc00",
	  "'psi': 'vct', 'tsid': 9, 'protocol_version': 0, 'channels': [],"
	  "'descriptors': []" },
	/* a short name of seven characters, one of two units, and a name of
	 * two segments: ISO 8859-1 and Greek */
	{ 0xc8, 9, "00 02"
		   "0057 0041 0042 0043 002d 0044 0054 f01c01 04 00000000"
		   "0009 0001 0dc2 0005 fc11"
		   "a00f 01 656e67 02 00 00 02 4869 00 03 02 b1b2"
		   "00e9 d83d dcfa 0000 0041 0000 0000 f01c02 04 00000000"
		   "0009 0002 7dc3 0006 fc00 fc02 8000",
	  "'psi': 'vct', 'tsid': 9, 'protocol_version': 0, 'channels': ["
	  "{'short_name': 'WABC-DT', 'major': 7, 'minor': 1,"
	  "'channel': '7.1', 'modulation_mode': 4, 'carrier_frequency': 0,"
	  "'tsid': 9, 'pnr': 1, 'etm_location': 0,"
	  "'access_controlled': false, 'hidden': false, 'hide_guide': false,"
	  "'service_type_id': 2, 'source_id': 5,"
	  "'name': 'Hi\\u03b1\\u03b2', 'descriptors': [{'type_id': 160,"
	  "'type_name': 'unknown',"
	  "'data': '01656e67020000024869000302b1b2'}]},"
	  "{'short_name': '\\u00e9\\ud83d\\udcfa', 'major': 7, 'minor': 2,"
	  "'channel': '7.2', 'modulation_mode': 4, 'carrier_frequency': 0,"
	  "'tsid': 9, 'pnr': 2, 'etm_location': 1,"
	  "'access_controlled': true, 'hidden': true, 'hide_guide': false,"
	  "'service_type_id': 3, 'source_id': 6, 'descriptors': []}],"
	  "'descriptors': [{'type_id': 128, 'type_name': 'unknown',"
	  "'data': ''}]" },
	{ 0xc9, 9, "00 01"
		   "0000 0000 0000 0000 0000 0000 0000 ffc405 05 1dcd6500"
		   "0009 0001 03c2 0005 fc00 fc00",
	  "'psi': 'vct', 'tsid': 9, 'protocol_version': 0, 'channels': ["
	  "{'short_name': '', 'major': 1009, 'minor': 5,"
	  "'channel': '1029', 'modulation_mode': 5,"
	  "'carrier_frequency': 500000000, 'tsid': 9, 'pnr': 1,"
	  "'etm_location': 0, 'access_controlled': false, 'hidden': false,"
	  "'path_select': false, 'out_of_band': false,"
	  "'hide_guide': true, 'service_type_id': 2, 'source_id': 5,"
	  "'descriptors': []}], 'descriptors': []" },
	{ 0x4e, 16, "0001 0002 01 4e 0007 c079124500 014530 800b"
		    "4d 09 656e67 04 4e657773 00"
		    "0008 ffffffffff ffffff 1000",
	  "'psi': 'eit', 'sid': 16, 'tsid': 1, 'onid': 2,"
	  "'segment_last_section_number': 1, 'last_table_id': 78,"
	  "'events': [{'event_id': 7, 'start': 750516300, 'duration': 6330,"
	  "'running_status': 4, 'free_ca': false, 'descriptors': ["
	  "{'type_id': 77, 'type_name': 'short_event', 'lang': 'eng',"
	  "'event_name': 'News', 'text': ''}]},"
	  "{'event_id': 8, 'running_status': 0, 'free_ca': true,"
	  "'descriptors': []}]" },
};

static uint32_t crc_of(const uint8_t *section, size_t len)
{
	return crc32_mpeg(section, len - 4);
}

/* The record, "raw" of the section apart, which gives the same bytes again. */
static json_t *record_of(const uint8_t *section, size_t len, uint16_t pid)
{
	json_t *record = si_record(section, len, pid);
	uint8_t again[SI_RECORD_BYTES];
	struct errmsg error = { "" };
	size_t again_len = 0;

	cr_assert(record);
	cr_expect_eq(si_record_encode(record, again, &again_len, &error), 0,
		     "%s", error.text);
	cr_expect_eq(again_len, len);
	cr_expect_arr_eq(again, section, len);
	(void)json_object_del(record, "raw");
	return record;
}

static size_t build(const struct sample *s, uint8_t *section)
{
	uint8_t body[1024];

	return build_table(section, &(struct build_table){
		.table_id = s->table_id,
		.extension = s->extension,
		.version = 21,
		.number = 1,
		.last = 2,
		.body = body,
		.len = from_hex(s->body, body, sizeof body),
	});
}

Test(record, shows_the_fields_of_each_table)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		uint8_t section[4096];
		size_t len = build(&samples[i], section);
		char json[4096];

		(void)snprintf(json, sizeof json,
			       "{'table_id': %u, 'pid': 42, 'version': 21,"
			       "'section_number': 1, 'last_section_number': 2,"
			       "'crc32': %u, %s}", samples[i].table_id,
			       crc_of(section, len), samples[i].json);
		expect_json(record_of(section, len, 42), json);
	}
}

Test(record, marks_a_table_that_is_not_yet_in_force)
{
	uint8_t section[64];
	size_t len = build(&samples[0], section);
	json_t *record;

	section[5] &= 0xfe;
	record = si_record(section, len, 0);
	cr_assert(json_is_true(json_object_get(record, "next")));
	json_decref(record);
}

/* Any loop of any table with a length beyond the end, or an incomplete entry:
 * no byte beyond the section is read, and the record reports it. */
Test(record, ends_where_the_section_is_cut)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		uint8_t whole[4096];
		size_t len = build(&samples[i], whole);

		for (size_t cut = 0; cut < len; cut++) {
			uint8_t *part = malloc(MAX(cut, 1));
			json_t *record;

			memcpy(part, whole, cut);
			cr_assert_null(si_record(part, cut, 0));
			if (cut >= 3) {
				part[1] = (uint8_t)(0xb0 | (cut - 3) >> 8);
				part[2] = (uint8_t)(cut - 3);
			}
			record = si_record(part, cut, 0);
			cr_assert_eq(record != NULL, cut >= 12, "%zu", cut);
			json_decref(record);
			free(part);
		}
	}
}

Test(record, names_the_error_of_an_incomplete_entry)
{
	static const struct sample cut[] = {
		{ 0x00, 7, "0001 e1", NULL },
		{ 0x02, 9, "e101 f0", NULL },
		{ 0x02, 9, "e101 f001", NULL },
		{ 0x02, 9, "e101 f000 1b e101 f001", NULL },
		{ 0x40, 3, "f001", NULL },
		{ 0x40, 3, "f000 f006 0001 0002 f001", NULL },
		{ 0x40, 3, "f000 f007 0001 0002 f000", NULL },
		{ 0x42, 1, "0002 ff 0010 fd 9001", NULL },
		{ 0x4e, 16, "0001 0002 01 4e 0007", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cut); i++) {
		uint8_t section[256];
		size_t len = build(&cut[i], section);
		json_t *record = si_record(section, len, 0);

		cr_expect_str_eq(json_string_value(json_object_get(record,
								   "error")),
				 "the section ends inside an entry", "%zu",
				 i);
		json_decref(record);
	}
}

static size_t short_section(const char *hex, uint8_t *ret)
{
	return from_hex(hex, ret, 256);
}

Test(record, shows_the_time_tables)
{
	uint8_t section[256];
	size_t len = short_section("70 7005 c079124500", section);

	expect_json(record_of(section, len, 20),
		    "{'psi': 'tdt', 'table_id': 112, 'pid': 20,"
		    "'utc': 750516300}");
	len = short_section("70 7005 ffffffffff", section);
	expect_json(record_of(section, len, 20),
		    "{'psi': 'tdt', 'table_id': 112, 'pid': 20}");
	cr_expect_null(si_record(section, len - 1, 20));

	len = short_section("73 701a c079124500 f00f 580d 43414e 0b 0330"
			    "c079124500 0230", section);
	uint32_t crc = crc32_mpeg(section, len);

	for (unsigned i = 0; i < 4; i++)
		section[len++] = (uint8_t)(crc >> (24 - 8 * i));

	json_t *record = si_record(section, len, 20);

	cr_assert(record);
	cr_expect_eq(json_integer_value(json_object_get(record, "crc32")),
		     crc);
	cr_expect_eq(json_array_size(json_object_get(record, "descriptors")),
		     1);
	json_decref(record);
	section[9] ^= 1;
	cr_expect_null(si_record(section, len, 20), "a wrong CRC_32");
}

Test(record, exists_for_known_tables_only)
{
	for (unsigned id = 0; id < 256; id++) {
		uint8_t section[64];
		struct sample s = { (uint8_t)id, 1, "0000 0000 0000", NULL };
		size_t len = build(&s, section);
		bool known = id <= 2 || id == 0x40 || id == 0x41 ||
			     id == 0x42 || id == 0x46 || id == 0x4a ||
			     (id >= 0x4e && id <= 0x70) || id == 0x73 ||
			     id == 0xc8 || id == 0xc9 || id == 0xfc;
		json_t *record = si_record(section, len, 1);

		cr_expect_eq(record != NULL, known, "%02x", id);
		json_decref(record);
	}
}

Test(record, has_no_time_without_its_bytes)
{
	uint8_t *section = malloc(4);

	memcpy(section, "\x70\x70\x01\x00", 4);
	expect_json(record_of(section, 4, 20),
		    "{'psi': 'tdt', 'table_id': 112, 'pid': 20,"
		    "'error': 'the section ends inside an entry'}");
	free(section);
}

/* "error" and the bytes of a descriptor are those of the section. */
Test(record, is_written_again_with_an_error_and_raw_descriptors)
{
	static const char *const list[] = {
		"{'psi': 'tdt', 'table_id': 112, 'pid': 20, 'raw': '70700100',"
		"'error': 'the section ends inside an entry'}",
		"{'table_id': 1, 'crc32': 0, 'descriptors': [{'type_id': 9,"
		"'raw': '00010002'}]}",
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		json_t *record = json_of(list[i]);
		struct errmsg error = { "" };
		uint8_t made[SI_RECORD_BYTES];
		size_t len;

		cr_expect_eq(si_record_encode(record, made, &len, &error), 0,
			     "%s", error.text);
		json_decref(record);
	}
}

/* The SDT of two services. */
#define SDT "'table_id': 66, 'tsid': 1, 'onid': 2, 'version': 3," \
	"'services': [" \
	"{'sid': 16, 'eit_schedule': false, 'eit_present_following': true," \
	"'running_status': 4, 'free_ca': false, 'descriptors': []}"

Test(record, is_written_from_its_fields)
{
	json_t *record = json_of("{" SDT "]}");
	struct errmsg error = { "" };
	uint8_t made[SI_RECORD_BYTES], bytes[64];
	size_t len = 0;

	cr_expect_eq(si_record_encode(record, made, &len, &error), 0, "%s",
		     error.text);
	cr_assert_eq(len, 20);
	cr_expect_eq(crc32_mpeg(made, len), 0);
	(void)from_hex("42 f011 0001 c7 00 00 0002 ff 0010 fd 8000", bytes,
		       sizeof bytes);
	cr_expect_arr_eq(made, bytes, len - 4);
	json_decref(record);
}

Test(record, names_what_cannot_be_written)
{
	static const struct {
		const char *json, *error;
	} list[] = {
		{ "{}", "table_id: is missing" },
		{ "{'table_id': 116}", "table_id: 116 is not a table that "
		  "fields describe: write the section as hex" },
		{ "{'table_id': 66}", "tsid: is missing" },
		{ "{" SDT ", {}]}", "services[1].sid: is missing" },
		{ "{" SDT ", 7]}", "services: item 1 is not an object" },
		{ "{" SDT "], 'name': 1}", "name: is not a field of what these "
		  "keys describe" },
		{ "{" SDT "], 'psi': 'nit'}", "psi: contradicts other keys, "
		  "which make it \"sdt\"" },
		{ "{'table_id': 112, 'utc': 2155593600}", "utc: 2155593600 is "
		  "not between 0 and 2155593599" },
		{ "{'table_id': 70, 'raw': '42f0'}", "raw: is not a section "
		  "with a valid length and CRC_32" },
		{ "{'table_id': 112, 'utc': 1, 'raw': '707005ffffffffff'}",
		  "utc: is not a field of what these keys describe" },
		{ "{'table_id': 1, 'descriptors': [{'type_id': 9,"
		  "'type_name': 'cas', 'caid': 1, 'pid': 2, 'name': 'x'}]}",
		  "descriptors[0].name: is not a field of what these keys "
		  "describe" },
		{ "{'table_id': 1, 'descriptors': [{'type_id': 64,"
		  "'network_name': 'a\\u0001b'}]}",
		  "descriptors[0].network_name: contradicts other keys, which "
		  "make it \"ab\"" },
		/* what the bytes say and a field that was edited */
		{ "{'table_id': 1, 'descriptors': [{'type_id': 9, 'caid': 1,"
		  "'pid': 3, 'raw': '00010002'}]}",
		  "descriptors[0].pid: contradicts other keys, which make it "
		  "2" },
		/* keys that no byte of the section holds, and no limit does */
		{ "{" SDT "], 'error': 'x'}", "error: is not a field of what "
		  "these keys describe" },
		{ "{" SDT "], 'crc32': ['x']}", "crc32: is not a whole "
		  "number" },
		{ "{'table_id': 2, 'pnr': 1, 'pcr': 2, 'descriptors': [],"
		  "'streams': [{'pid': 3, 'type_id': 2, 'descriptors': [],"
		  "'raw': '00'}]}", "streams[0].raw: is not a field of what "
		  "these keys describe" },
		{ "{'table_id': 1, 'descriptors': [{'type_id': 9,"
		  "'raw': '00010002', 'error': {'a': []}}]}",
		  "descriptors[0].error: is not a field of what these keys "
		  "describe" },
		{ "{'table_id': 1, 'descriptors': [{'type_id': 9,"
		  "'type_name': 'broken', 'data': '0905', 'raw': '00'}]}",
		  "descriptors[0].raw: is not a field of what these keys "
		  "describe" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		json_t *record = json_of(list[i].json);
		uint8_t made[SI_RECORD_BYTES];
		struct errmsg error = { "" };
		size_t len;

		cr_expect_lt(si_record_encode(record, made, &len, &error), 0,
			     "%s", list[i].json);
		cr_expect_str_eq(error.text, list[i].error);
		json_decref(record);
	}
}

/* A list that would be a section of megabytes ends at its limit. */
Test(record, is_not_longer_than_a_section)
{
	json_t *record = json_of("{'table_id': 0, 'tsid': 1}");
	json_t *list = json_array();
	uint8_t made[SI_RECORD_BYTES];
	struct errmsg error = { "" };
	size_t len;

	for (unsigned i = 0; i < 20000; i++)
		(void)json_array_append_new(
			list, json_pack("{s:i,s:i}", "pnr", 1, "pid", 100));
	(void)json_object_set_new(record, "programs", list);
	cr_expect_lt(si_record_encode(record, made, &len, &error), 0);
	cr_expect_str_eq(error.text, "programs: is longer than the section, "
			 "which has 4096 bytes at most");
	json_decref(record);
}

/* --- splice information: the samples of ANSI/SCTE 35 section 14 --- */

static const char *const time_signal =
	"fc3034000000000000fffff00506fe72bd0050001e021c435545494800008e7fcf00"
	"01a599b00808000000002ca0a18a3402009ac9d17e";

Test(record, shows_a_time_signal_and_its_segment)
{
	uint8_t section[256];
	size_t len = from_hex(time_signal, section, sizeof section);

	expect_json(record_of(section, len, 300),
		    "{'psi': 'splice', 'table_id': 252, 'pid': 300,"
		    "'protocol_version': 0, 'encrypted': false,"
		    "'encryption_algorithm': 0, 'pts_adjustment': 0,"
		    "'cw_index': 255, 'tier': 4095, 'command': 'time_signal',"
		    "'pts_time': 1924989008, 'descriptors': [{'type_id': 2,"
		    "'type_name': 'segmentation', 'identifier': 'CUEI',"
		    "'event_id': 1207959694, 'cancel': false,"
		    "'web_delivery_allowed': false,"
		    "'no_regional_blackout': true, 'archive_allowed': true,"
		    "'device_restrictions': 3, 'duration': 27630000,"
		    "'upid_type': 8, 'upid': '000000002ca0a18a',"
		    "'segmentation_type': 52, 'segment_num': 2,"
		    "'segments_expected': 0}], 'crc32': 2596917630}");
	section[20] ^= 1;
	cr_expect_null(si_record(section, len, 300), "a wrong CRC_32");
}

Test(record, shows_a_splice_insert)
{
	uint8_t section[256];
	size_t len = from_hex(
		"fc302f000000000000fffff014054800008f7feffe7369c02efe0052ccf5"
		"00000000000a0008435545490000013562dba30a", section,
		sizeof section);
	json_t *r = si_record(section, len, 300);

	cr_expect_null(json_object_get(r, "raw"));
	json_decref(r);
	expect_json(record_of(section, len, 300),
		    "{'psi': 'splice', 'table_id': 252, 'pid': 300,"
		    "'protocol_version': 0, 'encrypted': false,"
		    "'encryption_algorithm': 0, 'pts_adjustment': 0,"
		    "'cw_index': 255, 'tier': 4095,"
		    "'command': 'splice_insert', 'event_id': 1207959695,"
		    "'cancel': false, 'out_of_network': true,"
		    "'immediate': false, 'pts_time': 1936310318,"
		    "'auto_return': true, 'duration': 5426421,"
		    "'unique_program_id': 0, 'avail_num': 0,"
		    "'avails_expected': 0, 'descriptors': [{'type_id': 0,"
		    "'type_name': 'avail', 'identifier': 'CUEI',"
		    "'provider_avail_id': 309}], 'crc32': 1658561290}");
}

/* The commands that operators write, without their length and CRC_32. */
Test(record, writes_splice_commands)
{
	static const char *const head =
		"'table_id': 252, 'protocol_version': 0, 'encrypted': false,"
		"'encryption_algorithm': 0, 'pts_adjustment': 8589934591,"
		"'cw_index': 255, 'tier': 4095, 'descriptors': []";
	static const struct {
		const char *json, *hex;
	} list[] = {
		{ "'command': 'splice_null'",
		  "fc3011 00 01ffffffff ff fff000 00 0000" },
		{ "'command': 'time_signal'",
		  "fc3012 00 01ffffffff ff fff001 06 7f 0000" },
		{ "'command': 'time_signal', 'pts_time': 4294967297",
		  "fc3016 00 01ffffffff ff fff005 06 ff00000001 0000" },
		{ "'command': 'splice_insert', 'event_id': 7, 'cancel': true",
		  "fc3016 00 01ffffffff ff fff005 05 00000007ff 0000" },
		{ "'command': 'splice_insert', 'event_id': 7, 'cancel': false,"
		  "'out_of_network': true, 'immediate': true, 'components': ["
		  "{'component_tag': 3}], 'unique_program_id': 1,"
		  "'avail_num': 2, 'avails_expected': 3",
		  "fc301d 00 01ffffffff ff fff00c 05 000000077f 9f 01 03 0001"
		  "02 03 0000" },
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		char *text = xasprintf("{%s, %s}", head, list[i].json);
		json_t *record = json_of(text);
		uint8_t made[SI_RECORD_BYTES], bytes[64];
		struct errmsg error = { "" };
		size_t len = 0, n = from_hex(list[i].hex, bytes, sizeof bytes);

		cr_expect_eq(si_record_encode(record, made, &len, &error), 0,
			     "%s", error.text);
		cr_expect_eq(len, n + 4, "%s: %zu", list[i].json, len);
		cr_expect_arr_eq(made, bytes, n, "%s", list[i].json);
		cr_expect_eq(crc32_mpeg(made, len), 0);
		json_decref(record);
		free(text);
	}
}
