/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of the guide in memory, which the reader does not trust; and the
 * versions of their tables. */
#include "worker/tables/eit_image.h"

#include "common/base/alloc.h"
#include "worker/tables/eit_versions.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOON_S = 1548158400, HOUR_S = 3600 };

/* An event without descriptors, and one of three bytes. */
static const uint8_t bare[EIT_EVENT_HEAD] = { 0, 7 };
static const uint8_t more[EIT_EVENT_HEAD + 3] = { 0, 8, 0, 0, 0, 0, 0, 0, 0, 0,
						  0, 3, 0x55, 1, 9 };

static void put(struct buf *b, int64_t start_s, const uint8_t *bytes,
		size_t len)
{
	eit_image_event(b, &(struct eit_item){ start_s, HOUR_S, (uint16_t)len,
					       bytes });
}

static void write_two(struct buf *b)
{
	eit_image_begin(b, 0x2012, 2);
	eit_image_service(b, 5, 0x91, 2);
	put(b, NOON_S, bare, sizeof bare);
	put(b, NOON_S + HOUR_S, more, sizeof more);
	eit_image_service(b, 6, 0, 0);
}

static struct eit_image *read_back(struct buf *b, int *ret_err)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct eit_image *i;

	cr_assert_eq(write(fd, buf_head(b), buf_len(b)),
		     (ssize_t)buf_len(b));
	i = eit_image_read(fd, buf_len(b), ret_err);
	(void)close(fd);
	return i;
}

Test(eit_image, has_what_was_written)
{
	struct buf b = { 0 };
	struct eit_image *i;
	struct eit_items items;
	uint16_t number;
	int err;

	write_two(&b);
	i = read_back(&b, &err);
	cr_assert_not_null(i);
	cr_assert_eq(eit_image_services(i), 2);
	cr_expect_eq(eit_image_onid(i), 0x2012);
	items = eit_image_at(i, 0, &number);
	cr_assert(number == 5 && items.n == 2);
	cr_expect_eq(items.list[1].start_s, NOON_S + HOUR_S);
	cr_expect_eq(items.list[1].len, sizeof more);
	cr_expect_eq(memcmp(items.list[1].bytes, more, sizeof more), 0);
	items = eit_image_at(i, 1, &number);
	cr_expect(number == 6 && items.n == 0);
	cr_expect_eq(eit_image_status(i, eit_image_place(i, 5)), 0x91);
	cr_expect_eq(eit_image_status(i, eit_image_place(i, 6)), 0);
	cr_expect_eq(eit_image_place(i, 7), EIT_IMAGE_SERVICES_MAX);
	cr_expect_eq(eit_image_place(NULL, 5), EIT_IMAGE_SERVICES_MAX);
	eit_image_free(&i);
	buf_done(&b);
}

Test(eit_image, no_cut_image_is_accepted)
{
	struct buf whole = { 0 };
	int err;

	write_two(&whole);
	for (size_t len = 0; len < buf_len(&whole); len++) {
		struct buf cut = { 0 };

		buf_append(&cut, buf_head(&whole), len);
		cr_assert_null(read_back(&cut, &err), "%zu bytes", len);
		cr_assert_eq(err, -EBADMSG);
		buf_done(&cut);
	}
	/* nor a longer one */
	buf_append(&whole, "", 1);
	cr_assert_null(read_back(&whole, &err));
	buf_done(&whole);
}

Test(eit_image, impossible_events_are_refused)
{
	uint8_t loop[sizeof more], descriptor[sizeof more];
	const struct {
		int64_t second_s;
		const uint8_t *bytes;
		size_t len;
	} cases[] = {
		{ NOON_S + HOUR_S - 1, bare, sizeof bare }, /* overlaps */
		{ NOON_S + HOUR_S, more, sizeof more - 1 },
		{ NOON_S + HOUR_S, loop, sizeof loop },
		{ NOON_S + HOUR_S, descriptor, sizeof descriptor },
		{ INT64_MAX - 1, bare, sizeof bare },
		{ NOON_S + HOUR_S, bare, EIT_EVENT_HEAD - 1 },
	};
	int err;

	memcpy(loop, more, sizeof more);
	loop[EIT_EVENT_HEAD - 1] = 2;
	memcpy(descriptor, more, sizeof more);
	descriptor[EIT_EVENT_HEAD + 1] = 2;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = { 0 };

		eit_image_begin(&b, 0, 1);
		eit_image_service(&b, 5, 0, 2);
		put(&b, NOON_S, bare, sizeof bare);
		put(&b, cases[i].second_s, cases[i].bytes, cases[i].len);
		cr_expect_null(read_back(&b, &err), "case %zu", i);
		buf_done(&b);
	}
}

Test(eit_versions, count_contents_of_each_table)
{
	struct eit_versions *v = xcalloc(1, sizeof *v);
	const struct eit_table_name a = { 0x50, 1, 0, 0 };
	const struct eit_table_name other = { 0x4f, 1, 2, 3 };
	unsigned last = 0;

	cr_expect_eq(eit_version(v, a, 11), 0);
	cr_expect_eq(eit_version(v, other, 11), 0);
	cr_expect_eq(eit_version(v, a, 11), 0);
	cr_expect_eq(eit_version(v, a, 12), 1);
	/* a former content is a new one */
	cr_expect_eq(eit_version(v, a, 11), 2);
	cr_expect_eq(eit_version(v, other, 11), 0);
	for (unsigned i = 0; i < 30; i++)
		(void)eit_version(v, a, 100 + i);
	cr_expect_eq(eit_version(v, a, 99), 1);
	/* all tables of all services that may have own EIT */
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 9 * EIT_SERVICES_MAX; i++)
			cr_assert_eq(eit_version(v, (struct eit_table_name){
				(uint8_t)(0x60 + i % 9), (uint16_t)(i / 9), 4,
				5 }, round), round);
	/* of more, one that was not asked for lately is forgotten */
	for (unsigned i = 0; i < 4 * EIT_VERSIONS_MAX; i++) {
		unsigned version;

		(void)eit_version(v, (struct eit_table_name){
			0x50, (uint16_t)(100 + i % 20000), 6, 7 }, i);
		if (i % 1000 != 0)
			continue;
		version = eit_version(v, a, 500 + i);
		cr_assert(i < EIT_VERSIONS_MAX ||
			  version == (last + 1) % 32);
		last = version;
	}
	/* damaged memory, and more tables than places */
	memset(v, 0xff, sizeof *v);
	for (unsigned i = 0; i < 2 * EIT_VERSIONS_MAX; i++)
		cr_assert_lt(eit_version(v, (struct eit_table_name){
			0x50, (uint16_t)i, 0, 0 }, i), 32);
	free(v);
}
