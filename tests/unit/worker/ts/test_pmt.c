/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pmt.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* A descriptor loop from a string literal with bytes. */
#define LOOP(text) ((struct desc_loop){ (const uint8_t *)(text), \
					sizeof(text) - 1 })

Test(pmt, decodes_streams_with_their_descriptors)
{
	static const struct build_es streams[] = {
		{ 0x1b, 0x101, "", 0 },
		{ 0x04, 0x102, "\x0a\x04" "eng\0", 6 },
		{ 0x06, 0x103, "\x52\1\2\x6a\1\0", 6 },
	};
	uint8_t section[1024];
	struct pmt pmt;
	struct desc d = { 0 };
	size_t len = build_pmt(section, (struct build_entry){ 5, 0x101 }, 3,
			       streams, 3);

	cr_assert_eq(pmt_decode(section, len, &pmt), 0);
	cr_assert_eq(pmt.program, 5);
	cr_assert_eq(pmt.version, 3);
	cr_assert_eq(pmt.pcr_pid, 0x101);
	cr_assert_eq(pmt.n_streams, 3);
	cr_assert_eq(pmt.streams[1].pid, 0x102);
	cr_assert_eq(pmt.streams[1].type, 0x04);
	cr_assert(desc_find(pmt.streams[1].descriptors, DESC_LANGUAGE, &d));
	cr_assert_eq(d.len, 4);
	cr_assert_eq(memcmp(d.data, "eng", 3), 0);
	cr_assert(!desc_find(pmt.streams[1].descriptors, DESC_AC3, &d));
	cr_assert_eq(pmt.streams[0].class, PID_VIDEO);
	cr_assert_eq(pmt.streams[2].class, PID_AUDIO);
}

struct found {
	size_t n;
	uint16_t pids[8];
	unsigned caids[8]; /* 0: not of a CA descriptor */
};

static void find(uint16_t pid, const struct desc *ca, void *arg)
{
	struct found *f = arg;

	cr_assert_lt(f->n, ARRAY_LEN(f->pids));
	f->pids[f->n] = pid;
	f->caids[f->n++] = ca != NULL ? (unsigned)ca->data[0] << 8 |
						ca->data[1]
				      : 0;
}

Test(pmt, lists_the_pids_of_pcr_streams_and_ecms)
{
	/* the second descriptor ends inside the PID */
	static const struct build_es streams[] = {
		{ 0x1b, 0x101,
		  "\x09\x04\x0b\x00\xe2\x00\x09\x03\x0b\x00\xe3", 11 },
		{ 0x04, 0x102, "\x09\x05\x18\x01\xff\xff\0", 7 },
	};
	static const uint16_t pids[] = { 0x1fff, 0x201, 0x101, 0x200, 0x102,
					 0x1fff };
	static const unsigned caids[] = { 0, 0x500, 0, 0xb00, 0, 0x1801 };
	struct found found = { 0 };
	uint8_t section[1024];
	struct pmt pmt;
	size_t len = build_pmt(section, (struct build_entry){ 5, 0x1fff }, 0,
			       streams, 2);

	cr_assert_eq(pmt_decode(section, len, &pmt), 0);
	pmt.descriptors = LOOP("\x09\x04\x05\x00\xe2\x01");
	pmt_each_pid(&pmt, find, &found);
	cr_assert_arr_eq(found.pids, pids, sizeof pids);
	cr_assert_arr_eq(found.caids, caids, sizeof caids);
	cr_assert_eq(found.n, ARRAY_LEN(pids));
}

Test(pmt, holds_the_most_streams_of_a_section)
{
	struct build_es streams[PMT_STREAMS_MAX] = { 0 };
	uint8_t section[1200];
	struct pmt pmt;
	size_t n = (1024 - 16) / 5;

	for (size_t i = 0; i < n; i++)
		streams[i] = (struct build_es){ 0x02, (uint16_t)(0x100 + i),
						"", 0 };
	streams[0].desc = "\x52\1\7"; /* fills it to the last byte */
	streams[0].desc_len = 3;

	size_t len = build_pmt(section, (struct build_entry){ 1, 0x100 }, 0,
			       streams, n);

	cr_assert_leq(n, PMT_STREAMS_MAX);
	cr_assert_eq(len, 1024);
	cr_assert_eq(pmt_decode(section, len, &pmt), 0);
	cr_assert_eq(pmt.n_streams, n);
}

Test(pmt, rejects_a_section_that_ends_inside_an_entry)
{
	static const struct build_es streams[] = {
		{ 0x1b, 0x101, "\x52\1\7", 3 },
		{ 0x06, 0x103, "\x6a\1\0\x0a\4" "eng\0", 9 },
	};
	uint8_t section[1024], cut[1024];
	struct pmt pmt;
	size_t len = build_pmt(section, (struct build_entry){ 1, 0x101 }, 0,
			       streams, 2);
	/* whole without the second entry, or without both */
	size_t one = len - 14, none = one - 8;

	for (size_t n = 0; n < len; n++) {
		int want = n == one || n == none ? 0 : -EBADMSG;

		memcpy(cut, section, n);
		if (n > 3) /* the header agrees: the loops must notice */
			cut[2] = (uint8_t)(n - 3);
		cr_expect_eq(pmt_decode(cut, n, &pmt), want, "%zu bytes", n);
	}
}

Test(pmt, rejects_a_descriptor_longer_than_its_loop)
{
	static const struct build_es streams[] = {
		{ 0x06, 0x103, "\x6a\x02\0", 3 },
		{ 0x06, 0x104, "\x6a\1\0", 3 },
	};
	uint8_t section[1024];
	struct pmt pmt;
	size_t len = build_pmt(section, (struct build_entry){ 1, 0x101 }, 0,
			       streams, 2);

	cr_assert_eq(pmt_decode(section, len, &pmt), -EBADMSG);
}

Test(pmt, rejects_other_tables_and_further_sections)
{
	uint8_t section[1024];
	struct pmt pmt;
	size_t len = build_pmt(section, (struct build_entry){ 1, 0x101 }, 0,
			       NULL, 0);

	cr_assert_eq(pmt_decode(section, len, &pmt), 0);
	section[6] = 1;
	cr_expect_eq(pmt_decode(section, len, &pmt), -EBADMSG);
	section[6] = 0;
	section[0] = 3;
	cr_expect_eq(pmt_decode(section, len, &pmt), -EBADMSG);
	section[0] = 2;
	section[11] = 1; /* program_info_length */
	cr_expect_eq(pmt_decode(section, len, &pmt), -EBADMSG);
}

Test(pmt, classifies_by_type_and_descriptors)
{
	static const struct {
		uint8_t type;
		struct desc_loop program, stream;
		enum pid_class class;
	} cases[] = {
		{ 0x01, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x02, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x10, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x1b, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x24, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x33, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x42, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0xea, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x03, LOOP(""), LOOP(""), PID_AUDIO },
		{ 0x04, LOOP(""), LOOP(""), PID_AUDIO },
		{ 0x0f, LOOP(""), LOOP(""), PID_AUDIO },
		{ 0x11, LOOP(""), LOOP(""), PID_AUDIO },
		{ 0x81, LOOP(""), LOOP(""), PID_AUDIO },
		{ 0x87, LOOP(""), LOOP(""), PID_AUDIO },
		{ 0x05, LOOP(""), LOOP(""), PID_DATA },
		{ 0x05, LOOP(""), LOOP("\x6f\0"), PID_AIT },
		{ 0x0b, LOOP(""), LOOP(""), PID_DATA },
		{ 0x15, LOOP(""), LOOP(""), PID_DATA },
		{ 0x86, LOOP(""), LOOP(""), PID_DATA },
		{ 0x06, LOOP(""), LOOP(""), PID_DATA },
		{ 0x06, LOOP(""), LOOP("\x6a\0"), PID_AUDIO },
		{ 0x06, LOOP(""), LOOP("\x0a\4" "eng\0\x7a\0"), PID_AUDIO },
		{ 0x06, LOOP(""), LOOP("\x7b\0"), PID_AUDIO },
		{ 0x06, LOOP(""), LOOP("\x7c\0"), PID_AUDIO },
		{ 0x06, LOOP(""), LOOP("\x7f\1\x15"), PID_AUDIO }, /* AC-4 */
		{ 0x06, LOOP(""), LOOP("\x7f\1\x04"), PID_DATA },
		{ 0x06, LOOP(""), LOOP("\x7f\0"), PID_DATA },
		{ 0x06, LOOP(""), LOOP("\x56\5fra\x10\1"), PID_TELETEXT },
		{ 0x06, LOOP(""), LOOP("\x46\0"), PID_TELETEXT },
		{ 0x06, LOOP(""), LOOP("\x59\0"), PID_SUBTITLE },
		{ 0x06, LOOP(""), LOOP("\5\4Opus"), PID_AUDIO },
		{ 0x06, LOOP(""), LOOP("\5\4HEVC"), PID_VIDEO },
		{ 0x06, LOOP(""), LOOP("\x38\0"), PID_VIDEO },
		{ 0x06, LOOP(""), LOOP("\x28\0"), PID_VIDEO },
		{ 0x06, LOOP(""), LOOP("\5\4Opus\x38\0"), PID_AUDIO },
		{ 0x06, LOOP(""), LOOP("\5\4KLVA"), PID_DATA },
		{ 0x06, LOOP(""), LOOP("\5\3AC-"), PID_DATA },
		{ 0x86, LOOP("\5\4HDMV"), LOOP(""), PID_AUDIO },
		{ 0x80, LOOP("\5\4HDMV"), LOOP(""), PID_AUDIO },
		{ 0x80, LOOP(""), LOOP(""), PID_VIDEO },
		{ 0x90, LOOP("\5\4HDMV"), LOOP(""), PID_SUBTITLE },
		{ 0x02, LOOP("\5\4HDMV"), LOOP(""), PID_VIDEO },
		{ 0xc0, LOOP(""), LOOP(""), PID_OTHER },
		{ 0x00, LOOP(""), LOOP(""), PID_OTHER },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum pid_class class = pmt_classify(
			cases[i].type, cases[i].program, cases[i].stream);

		cr_expect_eq(class, cases[i].class, "case %zu, type %#x: %d",
			     i, cases[i].type, (int)class);
	}
}
