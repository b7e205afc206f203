/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CA descriptors, EMMs, and packets with tables and ECMs of any content, on the
 * way to the descrambler: no packet is lost or added, a question has a whole
 * section, and an EMM of another card is not forwarded.
 *
 * The first byte chooses the option shift and the answers.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"
#include "common/base/units.h"
#include "worker/ca/ca_card.h"
#include "worker/ca/ca_stage.h"
#include "worker/csa/core.h"

enum { CAID = 0x0b00 };

struct flow {
	size_t n; /* packets that came out */
	unsigned number; /* of the last question; 0: none */
};

static const struct cam_list cams = { .n = 2, .ids = { "c1", "c2" } };

static void count(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct flow *f = arg;

	for (size_t i = 0; i < n_runs; i++)
		f->n += runs[i].n;
}

static int ask(const struct msg *m, void *arg)
{
	bool ecm = m->type == MSG_STREAM_ECM;
	const struct msg_cam_section *s = ecm ? &m->stream_ecm : &m->stream_emm;
	size_t digits = strlen(s->section);

	must(digits >= 6 && digits % 2 == 0);
	must(digits <= 2 * MSG_CAM_SECTION_MAX);
	if (ecm)
		((struct flow *)arg)->number = s->number;
	return 0;
}

static void judge_parts(const uint8_t *data, size_t size)
{
	struct ca_card card = { .caid = CAID, .ua = { 0, 0, 1, 2, 3, 4, 5 } };
	struct ca_refs refs, same;

	ca_refs_read((struct desc_loop){ data, size }, &refs);
	ca_refs_read((struct desc_loop){ data, size }, &same);
	must(refs.n <= CA_REFS_MAX && ca_refs_equal(&refs, &same));
	for (size_t i = 0; i < refs.n; i++)
		must(refs.list[i].pid < TS_PIDS);
	if (ca_card_choose(&card, &refs) != NULL)
		must(ca_card_choose(&card, &refs)->caid == CAID);
	ca_refs_read_cat(data, size, &refs);
	if (size > 0)
		(void)ca_card_judge_emm(&card, CAID, data, size);
}

static void run_stage(uint8_t mode, const uint8_t *data, size_t n)
{
	struct flow f = { 0 };
	struct descrambler *d = descrambler_new(csa_core(0), count, &f);
	struct ca_stage *s = ca_stage_new(&(struct ca_stage_config){
		.cams = &cams, .shift_ms = mode & 1 ? 5 : 0,
		.ecm_pid = mode & 2 ? 0x100 : 0, .position = 1,
		.descrambler = d, .send = ask, .arg = &f });
	struct msg_stream_cam cam = { .softcam = "c1", .error = "",
				      .caid = CAID, .emm = true,
				      .ua = "0000010203040506",
				      .timeout_ms = 10 };

	ca_stage_take_cam(s, &cam, 0);
	for (size_t i = 0; i < n; i++) {
		struct ts_run run = { data + i * TS_PACKET, 1 };
		struct msg_cam_word word = {
			.name = "c1", .number = f.number, .error = "",
			.even = "0102030604050615", .odd = "" };

		ca_stage_feed(s, &run, 1, i * MS);
		ca_stage_turn(s, i * MS);
		if (mode & 4)
			ca_stage_take_word(s, &word, i * MS);
		if (i % 50 == 49)
			(void)ca_stage_second(s, i * MS);
	}
	ca_stage_turn(s, (n + 100) * MS);
	descrambler_turn(d, false, 0);
	must(f.n == n);
	ca_stage_free(&s);
	descrambler_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	judge_parts(data + 1, size - 1);
	run_stage(data[0], data + 1, (size - 1) / TS_PACKET);
	return 0;
}
