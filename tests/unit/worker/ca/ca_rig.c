/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/ca/ca_rig.h"

#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "common/base/hex.h"
#include "proto/spec/field.h"
#include "worker/csa/core.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *g = arg;

	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(g->n_out + runs[i].n, OUT_MAX);
		memcpy(g->out[g->n_out], runs[i].data, runs[i].n * TS_PACKET);
		g->n_out += runs[i].n;
	}
}

/* The ECM of the tests has the period in its body. */
static int asked(const struct msg *m, void *arg)
{
	struct rig *g = arg;
	const struct msg_cam_section *s = m->type == MSG_STREAM_ECM
						  ? &m->stream_ecm
						  : &m->stream_emm;
	uint8_t bytes[8] = { 0 };
	struct question *q = &g->asked[g->n_asked++];

	cr_assert_leq(g->n_asked, ASKED_MAX);
	(void)hex_read(s->section, bytes, MIN(strlen(s->section) / 2,
					      sizeof bytes));
	*q = (struct question){
		.emm = m->type == MSG_STREAM_EMM,
		.number = s->number, .sid = s->sid, .caid = s->caid,
		.period = (unsigned)bytes[3] << 8 | bytes[4],
		.at_ns = g->now_ns,
	};
	(void)snprintf(q->name, sizeof q->name, "%s", s->name);
	return 0;
}

struct rig *rig_new(const char *cams, unsigned shift_ms)
{
	struct rig *g = xcalloc(1, sizeof *g);
	struct cam_list list = { 0 };
	struct errmsg error;
	const struct field f = { .key = "cam" };

	cr_assert_eq(cam_hook.read(&f, "cam", cams, &list, &error), 0);
	g->now_ns = 1000 * MS;
	g->n_components = 2;
	g->csa = csa_new(NULL);
	g->descrambler = descrambler_new(csa_core(0), take, g);
	g->stage = ca_stage_new(&(struct ca_stage_config){
		.cams = &list,
		.shift_ms = shift_ms,
		.position = 2,
		.descrambler = g->descrambler,
		.send = asked,
		.arg = g,
	});
	return g;
}

void rig_free(struct rig *g)
{
	ca_stage_free(&g->stage);
	descrambler_free(&g->descrambler);
	csa_free(&g->csa);
	free(g);
}

void rig_turn(struct rig *g, unsigned ms)
{
	g->now_ns += ms * MS;
	ca_stage_turn(g->stage, g->now_ns);
	descrambler_turn(g->descrambler, true, g->now_ns);
}

/* --- packets --- */

void rig_put(struct rig *g, const uint8_t *p, const uint8_t *clear)
{
	struct ts_run run = { p, 1 };

	memcpy(g->clear[g->n_clear++], clear, TS_PACKET);
	ca_stage_feed(g->stage, &run, 1, g->now_ns);
}

void rig_put_section(struct rig *g, uint16_t pid, const uint8_t *section,
		     size_t len)
{
	uint8_t packets[4][TS_PACKET];
	size_t n = section_pack(section, len, pid, &g->cc[pid], packets[0]);

	for (size_t i = 0; i < n; i++)
		rig_put(g, packets[i], packets[i]);
}

/* Completes length and CRC_32 of a table with syntax. */
void rig_put_table(struct rig *g, uint16_t pid, uint8_t *s, size_t len)
{
	uint32_t crc;

	s[1] = (uint8_t)(0xb0 | (len + 1) >> 8);
	s[2] = (uint8_t)(len + 1);
	crc = crc32_mpeg(s, len);
	for (size_t i = 0; i < 4; i++)
		s[len + i] = (uint8_t)(crc >> (24 - 8 * i));
	rig_put_section(g, pid, s, len + 4);
}

/* CA descriptors of both systems for the program, or for each component. */
void rig_put_tables(struct rig *g, uint8_t version, bool of_components)
{
	uint8_t pat[20] = { 0, 0, 0, 0, 1, 0xc1, 0, 0, 0, SID, 0xe0, PMT_PID };
	uint8_t pmt[80] = { 2, 0, 0, 0, SID, (uint8_t)(0xc1 | version << 1), 0,
			    0, 0xe1, 1 };
	static const uint8_t ca[] = { 9, 4, CAID_A >> 8, CAID_A & 0xff, 0xe2, 1,
				      9, 4, CAID_B >> 8, CAID_B & 0xff, 0xe2,
				      2 };
	static const uint8_t types[] = { 0x1b, 0x0f, 0x0b };
	size_t n = 12;

	rig_put_table(g, 0, pat, n);
	n = 10;
	pmt[n++] = 0xf0;
	pmt[n++] = of_components ? 0 : sizeof ca;
	if (!of_components) {
		memcpy(pmt + n, ca, sizeof ca);
		n += sizeof ca;
	}
	for (unsigned i = 0; i < g->n_components; i++) {
		pmt[n++] = types[i];
		pmt[n++] = 0xe1;
		pmt[n++] = (uint8_t)(1 + i);
		pmt[n++] = 0xf0;
		pmt[n++] = of_components ? 6 : 0;
		if (of_components) {
			memcpy(pmt + n, ca + 6 * (i % 2), 6);
			n += 6;
		}
	}
	rig_put_table(g, PMT_PID, pmt, n);
}

/* The reduced control word of a period: OSCam and others repair the sums. */
void rig_word_of(unsigned period, unsigned salt, uint8_t ret[8])
{
	for (unsigned i = 0; i < 8; i++)
		ret[i] = (uint8_t)(period * 37 + i * 11 + salt * 101 + 1);
	ret[3] = (uint8_t)(ret[0] + ret[1] + ret[2]);
	ret[7] = (uint8_t)(ret[4] + ret[5] + ret[6]);
}

void rig_put_ecm(struct rig *g, uint16_t pid, unsigned period)
{
	uint8_t ecm[20] = { (uint8_t)(0x80 | (period & 1)), 0x70, 17,
			    (uint8_t)(period >> 8), (uint8_t)period };

	rig_put_section(g, pid, ecm, sizeof ecm);
}

/* A packet of a component, scrambled with the word of its period. */
void rig_put_packet(struct rig *g, uint16_t pid, unsigned period,
		    unsigned salt)
{
	uint8_t clear[TS_PACKET] = { TS_SYNC_BYTE }, p[TS_PACKET], word[8];
	unsigned n = (unsigned)g->n_clear;

	ts_set_pid(clear, pid);
	clear[3] = (uint8_t)(0x10 | (g->cc[pid]++ & 15));
	for (size_t i = 4; i < TS_PACKET; i++)
		clear[i] = (uint8_t)(n * 13 + i);
	if (pid == DATA) {
		clear[1] |= 0x40;
	} else if (n % 10 < 2) {
		clear[1] |= 0x40;
		memcpy(clear + 4, "\0\0\1\xe0\0\0\x80", 7);
	}
	memcpy(p, clear, TS_PACKET);
	rig_word_of(period, salt, word);
	csa_set(g->csa, word);
	(void)csa_add(g->csa, p + 4, TS_PACKET - 4);
	csa_scramble(g->csa);
	p[3] |= period & 1 ? 0xc0 : 0x80;
	rig_put(g, p, clear);
}

void rig_put_period(struct rig *g, unsigned period)
{
	for (unsigned i = 0; i < PERIOD; i++) {
		rig_put_packet(g, VIDEO, period, 0);
		rig_put_packet(g, AUDIO, period, 0);
		rig_turn(g, 1);
	}
}

/* --- softcams --- */

void rig_report(struct rig *g, const char *id, unsigned caid,
		const char *error)
{
	struct msg_stream_cam cam = {
		.softcam = id, .error = error, .caid = caid, .ua = "",
		.timeout_ms = 1000,
	};

	ca_stage_take_cam(g->stage, &cam, g->now_ns);
}

/* Answers with the words of the period and of the next one, as CW_per_msg 2
 * does; salt 0 is right. */
void rig_answer(struct rig *g, const struct question *q, unsigned salt)
{
	struct msg_cam_word m = { .name = q->name, .number = q->number,
				  .error = "" };
	char digits[2][17];
	uint8_t word[8];

	for (unsigned i = 0; i < 2; i++) {
		unsigned period = q->period + i;

		rig_word_of(period, salt, word);
		hex_write(digits[period & 1], word, 8);
	}
	m.even = digits[0];
	m.odd = digits[1];
	ca_stage_take_word(g->stage, &m, g->now_ns);
}

void rig_refuse(struct rig *g, const struct question *q, const char *error)
{
	struct msg_cam_word m = { .name = q->name, .number = q->number,
				  .even = "", .odd = "", .error = error };

	ca_stage_take_word(g->stage, &m, g->now_ns);
}

const struct question *rig_last(const struct rig *g)
{
	cr_assert_gt(g->n_asked, 0);
	return &g->asked[g->n_asked - 1];
}

/* All packets came out as they were before they were scrambled. */
void rig_assert_clear(struct rig *g)
{
	descrambler_turn(g->descrambler, false, g->now_ns);
	cr_assert_eq(g->n_out, g->n_clear);
	for (size_t i = 0; i < g->n_out; i++)
		cr_assert_arr_eq(g->out[i], g->clear[i], TS_PACKET, "%zu", i);
}

/* The number of scrambled packets that came out since the last call. */
unsigned rig_scrambled(struct rig *g)
{
	unsigned n = 0;

	descrambler_turn(g->descrambler, false, g->now_ns);
	for (size_t i = 0; i < g->n_out; i++)
		n += ts_scrambling(g->out[i]) != 0;
	g->n_out = g->n_clear = 0;
	return n;
}
