/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_mux_pmt.h"

#include "common/base/crc32.h"
#include "worker/ts/pmt.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PMT_PID = 0x100, PACKETS_MAX = 8 };

static void feed(struct psi *psi, uint8_t *s, size_t len, uint16_t pid)
{
	uint8_t packets[PACKETS_MAX * TS_PACKET], cc = 0;
	uint32_t crc;
	size_t n;

	s[1] = (uint8_t)(0xb0 | (len + 1) >> 8);
	s[2] = (uint8_t)(len + 1);
	crc = crc32_mpeg(s, len);
	for (size_t i = 0; i < 4; i++)
		s[len + i] = (uint8_t)(crc >> (24 - 8 * i));
	n = section_pack(s, len + 4, pid, &cc, packets);
	for (size_t i = 0; i < n; i++)
		(void)psi_feed(psi, packets + i * TS_PACKET);
}

/* A program with so many bytes of descriptors, and video on 0x101. */
static struct psi *program_with(size_t descriptors)
{
	uint8_t pat[64] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1,
			    0xe0 | PMT_PID >> 8, PMT_PID & 0xff };
	uint8_t pmt[SECTION_PSI_MAX] = { 2, 0, 0, 0, 1, 0xc7, 0, 0, 0xe1, 1 };
	const uint8_t pictures[] = { 0x1b, 0xe1, 1, 0xf0, 0 };
	struct psi *psi = psi_new();

	pmt[10] = (uint8_t)(0xf0 | descriptors >> 8);
	pmt[11] = (uint8_t)descriptors;
	for (size_t at = 0; at < descriptors; at += 2)
		pmt[12 + at] = 0x80; /* empty */
	memcpy(pmt + 12 + descriptors, pictures, sizeof pictures);
	feed(psi, pat, 12, 0);
	feed(psi, pmt, 12 + descriptors + sizeof pictures, PMT_PID);
	cr_assert_not_null(psi_main_program(psi));
	return psi;
}

/* A PMT of maximum length at the source has no room for the audio. */
Test(hls_mux_pmt, is_never_longer_than_a_section, .timeout = 90)
{
	struct audio_track_format sound = {
		.type = 0x0f, .pid = 0x102, .len = AUDIO_TRACK_DESCRIPTORS,
	};
	uint8_t out[PACKETS_MAX * TS_PACKET];

	for (size_t i = 0; i + 1 < sizeof sound.descriptors; i += 2)
		sound.descriptors[i] = 0x80;
	for (size_t len = 0; len <= SECTION_PSI_MAX - 21; len += 2) {
		struct psi *psi = program_with(len);
		struct mux_pmt p;
		struct pmt pmt;

		mux_pmt_init(&p);
		mux_pmt_set_language(&p, "cze");
		cr_assert_gt(mux_pmt_put(&p, psi, psi_main_program(psi),
					 &sound, out), 0);
		cr_assert_leq(p.len + 4, SECTION_PSI_MAX, "%zu", len);
		cr_assert_eq(pmt_decode(p.section, p.len + 4, &pmt), 0);
		cr_assert_eq(pmt.n_streams, 2, "%zu", len);
		cr_assert_eq(pmt.streams[0].pid, 0x101);
		cr_assert_eq(pmt.streams[1].pid, 0x102);
		psi_free(&psi);
	}
}

enum {
	PROGRAMS = 41,
	STREAMS = 199, /* in each program: all PIDs from 0x20 + 41 on */
	FIRST = 0x20,
};

/* So many programs that every PID is in use. */
static struct psi *full_house(void)
{
	uint8_t pat[SECTION_PSI_MAX] = { 0, 0, 0, 0, 1, 0xc1, 0, 0 };
	struct psi *psi = psi_new();
	size_t len = 8;
	unsigned pid = FIRST + PROGRAMS;

	for (unsigned i = 0; i < PROGRAMS; i++, len += 4)
		memcpy(pat + len, (uint8_t[]){ 0, (uint8_t)(i + 1), 0xe0,
					       (uint8_t)(FIRST + i) }, 4);
	feed(psi, pat, len, 0);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		uint8_t pmt[SECTION_PSI_MAX] = { 2, 0, 0, 0, (uint8_t)(i + 1),
						 0xc7, 0, 0, 0xff, 0xff,
						 0xf0, 0 };

		len = 12;
		for (unsigned k = 0; k < STREAMS && pid < TS_PID_NULL;
		     k++, len += 5, pid++)
			memcpy(pmt + len, (uint8_t[]){ 0x1b,
				(uint8_t)(0xe0 | pid >> 8), (uint8_t)pid,
				0xf0, 0 }, 5);
		feed(psi, pmt, len, (uint16_t)(FIRST + i));
	}
	cr_assert_eq(pid, TS_PID_NULL);
	return psi;
}

Test(hls_mux_pmt, keeps_the_sources_audio_if_no_pid_is_free, .timeout = 60)
{
	struct audio_track_format sound = { .type = 0x0f, .pid = 0x102 };
	uint8_t out[PACKETS_MAX * TS_PACKET];
	struct psi *psi = full_house();
	struct mux_pmt p;

	mux_pmt_init(&p);
	cr_assert_gt(mux_pmt_put(&p, psi, psi_main_program(psi), &sound, out),
		     0);
	cr_assert(!mux_pmt_has_audio(&p));
	cr_assert_arr_eq(p.section, psi_main_program(psi)->pmt.data, 5);
	psi_free(&psi);
}
