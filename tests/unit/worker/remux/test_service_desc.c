/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and names of services, as the configuration gives them. */
#include "worker/remux/service_desc.h"

#include "common/base/crc32.h"
#include "proto/spec/remux_options.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* Service 1 without descriptors, not running; service 2 with a name in two
 * languages. */
static const uint8_t services[] =
	"\x00\x03\xff"
	"\x00\x01\xfe\x20\x00"
	"\x00\x02\xff\x90\x13" "\x48\x09\x16\x03" "Pro" "\x03" "Two"
	"\x5d\x06" "eng\x00\x01" "X";

static size_t source_sdt(uint8_t *ret)
{
	return build_table(ret, &(struct build_table){
		.table_id = 0x42, .extension = 7, .version = 4, .number = 1,
		.last = 2, .body = services, .len = sizeof services - 1,
	});
}

static int apply(const struct service_entry *list, size_t n, uint8_t *made)
{
	uint8_t source[1024];
	size_t len = source_sdt(source);

	return service_names_apply(&(struct service_names){ list, n, 0 },
				   source, len, made);
}

Test(service_desc, an_entry_precedes_the_keys_of_the_stream)
{
	const struct remux_options o = { .service_name = "N",
		.service_provider = "P", .service_type = 2, .textcode = 9 };
	const struct service_spec s = { .type = 25, .name = "E" };
	struct service_given g = service_given_of(&o, &s);

	cr_expect_eq(g.type, 25);
	cr_expect_str_eq(g.name, "E");
	cr_expect_str_eq(g.provider, "P");
	cr_expect_eq(g.textcode, 9);
	g = service_given_of(&o, NULL);
	cr_expect_eq(g.type, 2);
	cr_expect_str_eq(g.name, "N");
	cr_expect(service_is_given(&g));
}

Test(service_desc, services_of_a_section_get_type_and_names)
{
	const struct service_spec one = { .name = "One" };
	const struct service_spec two = { .type = 25, .provider = "Q" };
	const struct service_entry list[] = { { 1, &one }, { 2, &two } };
	static const uint8_t expected[] =
		"\x00\x03\xff"
		"\x00\x01\xfe\x20\x08" "\x48\x06\x01\x00\x03" "One"
		/* without a new name the translations stay */
		"\x00\x02\xff\x90\x11" "\x48\x07\x19\x01" "Q" "\x03" "Two"
		"\x5d\x06" "eng\x00\x01" "X";
	uint8_t made[1024];
	int len = apply(list, 2, made);

	cr_assert_eq(len, (int)(8 + sizeof expected - 1 + 4), "%d", len);
	cr_expect_eq(crc32_mpeg(made, (size_t)len), 0);
	cr_expect_arr_eq(made + 8, expected, sizeof expected - 1);
	/* version and numbers of the section */
	cr_expect_arr_eq(made + 3, "\x00\x07\xc9\x01\x02", 5);
}

Test(service_desc, a_new_name_replaces_the_translations)
{
	const struct service_spec two = { .name = "New" };
	const struct service_entry list[] = { { 2, &two } };
	uint8_t made[1024];
	int len = apply(list, 1, made);

	cr_assert_gt(len, 0);
	cr_expect_arr_eq(made + 11, "\x00\x01\xfe\x20\x00"
			 "\x00\x02\xff\x90\x0b" "\x48\x09\x16\x03" "Pro"
			 "\x03" "New", 21);
	cr_expect_eq(len, 11 + 21 + 4);
}

Test(service_desc, a_section_that_is_not_valid_yet_stays_so)
{
	const struct service_spec two = { .type = 2 };
	const struct service_entry list[] = { { 2, &two } };
	uint8_t source[1024], made[1024];
	size_t len = source_sdt(source);

	source[5] &= 0xfe;
	build_mend_crc(source, len);
	cr_assert_gt(service_names_apply(&(struct service_names){ list, 1, 0 },
					 source, len, made), 0);
	cr_expect_eq(made[5], source[5]);
}

Test(service_desc, a_malformed_or_full_section_is_refused)
{
	struct service_spec s = { .type = 2 };
	const struct service_entry list[] = { { 2, &s }, { 5, &s } };
	const struct service_names names = { list, 2, 0 };
	static uint8_t body[1024 - 12];
	uint8_t source[1024], made[1024];
	size_t len = source_sdt(source);

	for (size_t cut = 1; cut < 5; cut++)
		cr_expect_eq(service_names_apply(&names, source, len - cut,
						 made), -EBADMSG);
	cr_expect_eq(service_names_apply(&names, source, 14, made), -EBADMSG);
	/* a loop of two descriptors up to the end of the section */
	memcpy(body, "\x00\x03\xff\x00\x05\xfe\x23\xec", 8);
	for (size_t at = 8; at < sizeof body; at += 251) {
		body[at] = 0xa0;
		body[at + 1] = 249;
	}
	len = build_table(source, &(struct build_table){
		.table_id = 0x42, .extension = 7, .body = body,
		.len = sizeof body });
	cr_assert_eq(len, 1024);
	cr_expect_eq(service_names_apply(&names, source, len, made), -ENOSPC);
}
