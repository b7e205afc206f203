/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SDT and AIT regenerated, and the other sections with new numbers. */
#include "common/base/crc32.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/ait_build.h"
#include "worker/remux/ids.h"
#include "worker/remux/sdt_build.h"
#include "worker/remux/section_writer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const struct ids ids = { .tsid = 7, .new_tsid = 70, .pnr = 2,
				.new_pnr = 200 };

/* Service 1, then service 2 with a private descriptor, a multilingual name
 * and a linkage to itself. */
static const uint8_t services[] =
	"\x00\x03\xff"
	"\x00\x01\xfe\x80\x07" "\x48\x05\x01\x01" "A" "\x01" "B"
	"\x00\x02\xff\x90\x21" "\x48\x09\x16\x03" "Pro" "\x03" "Two"
	"\x5d\x06" "eng\x00\x01" "X"
	"\x4a\x07\x00\x07\x00\x03\x00\x02\x01"
	"\xc1\x03" "abc";

static size_t source_sdt(uint8_t *ret)
{
	return build_table(ret, &(struct build_table){
		.table_id = 0x42, .extension = 7, .version = 4,
		.body = services, .len = sizeof services - 1,
	});
}

static struct sdt_service find(const uint8_t *section, size_t len,
			       uint16_t pnr)
{
	struct sdt_service s;

	cr_assert_eq(crc32_mpeg(section, len), 0);
	cr_assert(sdt_find(section, len, pnr, &s));
	return s;
}

static struct sdt_omitted omitted;

static size_t build(const struct remux_options *o,
		    const struct sdt_service *source, bool has_video,
		    uint8_t ret[1024])
{
	return sdt_build(&(struct sdt_content){
		.options = o, .ids = &ids, .source = source, .onid = 1,
		.has_video = has_video }, ret, &omitted);
}

Test(sdt_build, keeps_the_service_and_gives_it_its_new_number)
{
	struct remux_options o = { 0 };
	uint8_t source[1024], made[1024];
	size_t len = source_sdt(source);
	struct sdt_service s = find(source, len, 2), out;

	len = build(&o, &s, true, made);
	out = find(made, len, 200);
	cr_assert_eq(made[3] << 8 | made[4], 70);
	cr_assert_eq(out.network, 3);
	cr_assert_eq(out.flags, 3);
	cr_assert_eq(out.status, 0x90);
	cr_assert_eq(out.descriptors.len, s.descriptors.len);
	cr_assert_arr_eq(out.descriptors.data, s.descriptors.data, 19);
	/* the linkage follows */
	cr_assert_arr_eq(out.descriptors.data + 19,
			 "\x4a\x07\x00\x46\x00\x03\x00\xc8\x01\xc1\x03" "abc",
			 14);
	cr_assert_not(sdt_find(made, len, 1, &out));
}

Test(sdt_build, takes_names_and_type_from_the_options)
{
	struct remux_options o = {
		.service_name = "Gr\xc3\xb6\xc3\x9f" "e", .service_type = 2,
		.textcode = 9, .eit = TABLE_DROP,
	};
	uint8_t source[1024], made[1024];
	size_t len = source_sdt(source);
	struct sdt_service s = find(source, len, 2), out;

	len = build(&o, &s, true, made);
	out = find(made, len, 200);
	cr_assert_eq(out.flags, 0, "there is no EIT");
	/* ISO 8859-9 is table 5; the multilingual name is dropped */
	cr_assert_arr_eq(out.descriptors.data,
			 "\x48\x0c\x02\x03" "Pro" "\x06\x05" "Gr\xf6\xdf" "e"
			 "\x4a", 15);
}

/* ISO 6937 has neither Cyrillic nor Greek letters. */
Test(sdt_build, sends_a_name_in_a_table_that_has_its_characters)
{
	struct remux_options o = {
		.service_name = "Новости", .service_provider = "ΕΡΤ",
	};
	uint8_t made[1024];
	size_t len = build(&o, NULL, true, made);
	struct sdt_service out = find(made, len, 200);

	cr_assert_eq(out.descriptors.len, 17);
	cr_assert_arr_eq(out.descriptors.data,
			 "\x48\x0f\x01\x04\x03\xc5\xd1\xd4"
			 "\x08\x01\xbd\xde\xd2\xde\xe1\xe2\xd8", 17);
}

Test(sdt_build, makes_one_for_a_source_without)
{
	struct remux_options o = { .service_name = "N", .textcode = 21 };
	uint8_t made[1024];
	size_t len = build(&o, NULL, false, made);
	struct sdt_service out = find(made, len, 200);

	cr_assert_eq(out.network, 1);
	cr_assert_eq(out.status, 0x80, "running, in the clear");
	cr_assert_eq(out.descriptors.len, 7);
	cr_assert_arr_eq(out.descriptors.data, "\x48\x05\x02\x00\x02\x15N", 7);
}

Test(sdt_build, a_name_of_any_length_fits)
{
	struct remux_options o = { 0 };
	uint8_t made[1024];
	struct sdt_service out;
	size_t len;

	memset(o.service_name, 'n', SERVICE_TEXT_MAX);
	memset(o.service_provider, 'p', SERVICE_TEXT_MAX);
	len = build(&o, NULL, true, made);
	out = find(made, len, 200);
	cr_assert_leq(out.descriptors.len, 257);
	cr_assert_eq(out.descriptors.data[0], 0x48);
	cr_assert_eq(out.descriptors.data[1], out.descriptors.len - 2);
	cr_assert_eq(out.descriptors.data[3], 126);
	cr_assert_eq(out.descriptors.data[3 + 1 + 126], 126);
	cr_assert(omitted.provider && omitted.name, "their ends");
	cr_assert_eq(omitted.n_descriptors, 0);
}

/* The service has a name of one byte, and its descriptors fill a section. */
static size_t full_sdt(uint8_t ret[1024], size_t provider)
{
	uint8_t body[1024] = { 0, 1, 0xff, 0, 2, 0xfc, 0x80, 0 };
	size_t len = 8;

	body[len++] = 0x48;
	body[len++] = (uint8_t)(3 + provider + 1);
	body[len++] = 1;
	body[len++] = (uint8_t)provider;
	memset(body + len, 'p', provider);
	len += provider;
	body[len++] = 1;
	body[len++] = 'n';
	while (len + 100 < 1024 - 12) {
		body[len] = (uint8_t)(0x80 + len % 16);
		body[len + 1] = 98;
		len += 100;
	}
	body[6] = (uint8_t)(0x80 | (len - 8) >> 8);
	body[7] = (uint8_t)(len - 8);
	return build_table(ret, &(struct build_table){
		.table_id = 0x42, .extension = 7, .version = 4,
		.body = body, .len = len,
	});
}

Test(sdt_build, names_the_descriptors_that_have_no_room)
{
	struct remux_options o = { 0 };
	uint8_t source[1024], made[1024];
	size_t len = full_sdt(source, 3);
	struct sdt_service s = find(source, len, 2), out;

	len = build(&o, &s, true, made);
	out = find(made, len, 200);
	cr_assert_eq(out.descriptors.len, s.descriptors.len);
	cr_assert_eq(omitted.n_descriptors, 0);
	memset(o.service_name, 'n', 200);
	len = build(&o, &s, true, made);
	cr_assert_leq(len, 1024);
	out = find(made, len, 200);
	/* two of 100 bytes: each other one is complete */
	cr_assert_eq(out.descriptors.len, s.descriptors.len + 199 - 200);
	cr_assert_eq(omitted.n_descriptors, 2);
	cr_assert_neq(omitted.tags[1], 0);
	cr_assert_not(omitted.provider || omitted.name);
}

Test(sdt_build, keeps_a_long_provider_beside_a_short_name)
{
	struct remux_options o = { 0 };
	uint8_t source[1024], made[1024];
	size_t len = full_sdt(source, 200);
	struct sdt_service s = find(source, len, 2), out;

	len = build(&o, &s, true, made);
	out = find(made, len, 200);
	cr_assert_eq(out.descriptors.len, s.descriptors.len);
	cr_assert_eq(out.descriptors.data[3], 200);
	cr_assert_not(omitted.provider);
	memset(o.service_name, 'n', 100);
	len = build(&o, &s, true, made);
	out = find(made, len, 200);
	cr_assert_eq(out.descriptors.data[3], 0);
	cr_assert(omitted.provider);
}

Test(sdt_build, finds_nothing_in_damaged_sections)
{
	uint8_t source[1024];
	size_t len = source_sdt(source);
	struct sdt_service s;

	cr_assert_not(sdt_find(source, len, 9, &s));
	cr_assert_not(sdt_find(source, len - 1, 2, &s));
	cr_assert_not(sdt_find(source, 3, 2, &s));
	source[0] = 0x46;
	cr_assert_not(sdt_find(source, len, 2, &s), "another's");
	source[0] = 0x42;
	source[15] = 0xff; /* the first loop runs over the end */
	source[14] |= 0x0f;
	cr_assert_not(sdt_find(source, len, 2, &s));
}

/* --- EIT and NIT --- */

static size_t make_eit(uint8_t *ret)
{
	static const uint8_t body[] =
		"\x00\x07\x00\x03\x01\x4e"
		"\x00\x01\xc0\x79\x12\x45\x00\x01\x30\x00\x80\x0a"
		"\x4d\x08" "engABCDE"
		"\x00\x02\xc0\x79\x14\x45\x00\x01\x30\x00\x20\x06"
		"\x4f\x04\x00\x02\x00\x05";

	return build_table(ret, &(struct build_table){
		.table_id = 0x4e, .extension = 2, .version = 9, .number = 1,
		.last = 1, .body = body, .len = sizeof body - 1,
	});
}

Test(ids, gives_an_eit_its_new_numbers_and_keeps_other_bytes)
{
	uint8_t eit[1024], before[1024];
	size_t len = make_eit(eit);

	memcpy(before, eit, len);
	cr_assert_eq(ids_rewrite_eit(&ids, eit, len), 0);
	cr_assert_eq(crc32_mpeg(eit, len), 0);
	cr_assert_eq(eit[3] << 8 | eit[4], 200);
	cr_assert_eq(eit[8] << 8 | eit[9], 70);
	cr_assert_arr_eq(eit + 5, before + 5, 3);
	cr_assert_arr_eq(eit + 10, before + 10, 40);
	/* the time shifted event is of this service */
	cr_assert_eq(eit[len - 4 - 4] << 8 | eit[len - 4 - 3], 200);
}

Test(ids, rejects_an_eit_whose_loops_do_not_fit)
{
	uint8_t eit[1024];
	size_t len = make_eit(eit);

	eit[25]++; /* of the first event */
	build_mend_crc(eit, len);
	cr_assert_eq(ids_rewrite_eit(&ids, eit, len), -EBADMSG);
	len = make_eit(eit);
	cr_assert_eq(ids_rewrite_eit(&ids, eit, len - 1), -EBADMSG);
	cr_assert_eq(ids_rewrite_eit(&ids, eit, 12), -EBADMSG);
}

Test(ids, changes_a_nit_where_it_names_this_stream)
{
	static const uint8_t body[] =
		"\xf0\x03\x40\x01N"
		"\xf0\x1c"
		"\x00\x08\x00\x03\xf0\x05\x41\x03\x00\x02\x01"
		"\x00\x07\x00\x03\xf0\x0b\x41\x03\x00\x02\x01"
		"\x83\x04\x00\x02\xfc\x05";
	struct ids all = ids;
	uint8_t nit[1024];
	size_t len = build_table(nit, &(struct build_table){
		.table_id = 0x40, .extension = 1, .body = body,
		.len = sizeof body - 1,
	});

	cr_assert_eq(ids_rewrite_nit(&all, nit, len), 0);
	cr_assert_eq(crc32_mpeg(nit, len), 0);
	cr_assert_arr_eq(nit + 8 + 7, "\x00\x08\x00\x03\xf0\x05\x41\x03"
			 "\x00\x02\x01", 11, "another stream's");
	cr_assert_arr_eq(nit + 8 + 18, "\x00\x46\x00\x03\xf0\x0b\x41\x03"
			 "\x00\xc8\x01\x83\x04\x00\xc8\xfc\x05", 17);
	nit[8 + 6]--; /* the loop of streams */
	build_mend_crc(nit, len);
	cr_assert_eq(ids_rewrite_nit(&all, nit, len), -EBADMSG);
}

Test(ids, changes_an_sdt_of_several_services)
{
	uint8_t sdt[1024];
	size_t len = source_sdt(sdt);
	struct ids all = { .tsid = 7, .new_tsid = 70 };
	struct sdt_service s;

	cr_assert_eq(ids_rewrite_sdt(&all, sdt, len), 0);
	cr_assert_eq(crc32_mpeg(sdt, len), 0);
	cr_assert_eq(sdt[4], 70);
	cr_assert(sdt_find(sdt, len, 1, &s));
	cr_assert(sdt_find(sdt, len, 2, &s));
}

/* --- AIT --- */

Test(ait_build, points_to_the_page)
{
	static const uint8_t expected[] =
		"\xf0\x00" "\xf0\x41"
		"\x00\x00\x00\x0a\x00\x01\x01\xf0\x38"
		"\x02\x14\x00\x03\x01\x0f" "http://a.org/b/\x00"
		"\x00\x09\x05\x00\x00\x01\x01\x01\xff\x01\x01"
		"\x01\x09" "eng\x05HbbTV"
		"\x15\x0a" "index?x=/y";
	uint8_t made[1024];
	size_t len = ait_build("http://a.org/b/index?x=/y", made);

	cr_assert_eq(crc32_mpeg(made, len), 0);
	cr_assert_eq(made[0], 0x74);
	cr_assert_eq(made[3] << 8 | made[4], 0x0010);
	cr_assert_eq(section_length(made), len);
	cr_assert_eq(len, 8 + sizeof expected - 1 + 4);
	cr_assert_arr_eq(made + 8, expected, sizeof expected - 1);
}

Test(ait_build, copes_with_every_url_of_the_options)
{
	uint8_t made[1024];
	char url[241];

	cr_assert_gt(ait_build("http://a", made), 0);
	cr_assert_gt(ait_build("http://a/", made), 0);
	cr_assert_gt(ait_build("https://", made), 0);
	memset(url, 'x', 240);
	memcpy(url, "http://a/", 9);
	url[240] = '\0';
	cr_assert_gt(ait_build(url, made), 240);
	url[8] = 'x';
	cr_assert_gt(ait_build(url, made), 240);
}
