/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/mux/absent_rig.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/ts/pcr.h"
#include "worker/ts/psi.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

static void on_packet(struct absent_rig *r, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	size_t len;

	r->packets++;
	r->of_pid[pid]++;
	r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
	if (pid == PMT_OUT) {
		if (r->pmt_ns != 0)
			r->pmt_gap_ns = MAX(r->pmt_gap_ns,
					    r->now_ns - r->pmt_ns);
		r->pmt_ns = r->now_ns;
		if (r->pmt_len == 0)
			r->pmt_len = 3 + section_get12(p + 6);
	}
	if (pid == SECOND_OUT && ts_pusi(p) && !r->second_began) {
		r->second_began = true;
		r->second_intra = memmem(p, TS_PACKET, "\0\0\1\xb3", 4) !=
				  NULL;
	}
	if (pid == VIDEO_OUT && ts_pusi(p) && !r->began) {
		r->began = true;
		r->began_intra = memmem(p, TS_PACKET, "\0\0\1\xb3", 4) != NULL;
	}
	if (pid != SI_PID_SDT)
		return;
	if (r->sdt_at != 0)
		r->sdt_apart = MIN(r->sdt_apart, r->packets - r->sdt_at);
	r->sdt_at = r->packets;
	section_push(&r->sdt, p);
	while (section_pull(&r->sdt, &len) != NULL) {
		r->services = r->stopped = 0;
		for (size_t at = 11; at + 4 < len - 4; r->services++) {
			r->stopped += r->sdt_buffer[at + 3] >> 5 == 1;
			at += 5 + section_get12(r->sdt_buffer + at + 3);
		}
	}
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			on_packet(arg, runs[i].data + k * TS_PACKET);
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct side *s = arg;

	mux_feed(s->mux, s->i, runs, n_runs);
}

struct absent_rig *absent_rig_of(unsigned absent_ms, unsigned delay_ms)
{
	struct absent_rig *r = xcalloc(1, sizeof *r);

	r->now_ns = 1000 * SECOND_NS;
	r->sdt_apart = UINT64_MAX;
	r->pcr = 1000 * PCR_HZ;
	section_init(&r->sdt, r->sdt_buffer, sizeof r->sdt_buffer);
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = INPUTS, .kbps = 4000, .delay_ms = delay_ms,
		.tsid = 5, .onid = 6, .versions = &r->versions,
		.continuity = &r->continuity, .out = on_out, .arg = r });
	for (size_t i = 0; i < INPUTS; i++)
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(100 * (i + 1)), .count = 100,
			.priority = 100,
			.absent_ms = i == 0 ? absent_ms : 0 });
	for (size_t i = 0; i < INPUTS; i++) {
		struct remux_options options = { .set_tsid = 5 };

		r->sources[i] = build_new();
		r->sides[i] = (struct side){ r->mux, i };
		r->remux[i] = remux_new(&(struct remux_config){
			.options = &options, .versions = &r->versions,
			.place = mux_place(r->mux, i),
			.out = on_remuxed, .arg = &r->sides[i] });
		mux_set_remux(r->mux, i, r->remux[i]);
	}
	return r;
}

struct absent_rig *absent_rig_new(void)
{
	return absent_rig_of(ABSENT_MS, DELAY_MS);
}

void absent_rig_free(struct absent_rig *r)
{
	for (size_t i = 0; i < INPUTS; i++) {
		remux_free(&r->remux[i]);
		build_free(r->sources[i]);
	}
	mux_free(&r->mux);
	free(r);
}

/* Video alone, or with sound. */
static void put_second(struct build *b, bool twin, bool sound)
{
	const struct build_es es[] = {
		{ 0x02, twin ? 0x101 : 0x111, NULL, 0 },
		{ 0x03, 0x112, NULL, 0 },
	};
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pmt(section, (struct build_entry){ 2, es[0].pid }, 0,
			       es, sound ? 2 : 1);

	(void)build_section(b, 0x110, section, len);
}

static void put_tables(const struct absent_rig *r, struct build *b,
		       unsigned version, bool two)
{
	static const uint8_t sdt[] = { 0, 1, 0xff, 0, 1, 0xfc, 0x80, 7,
				       0x48, 5, 1, 0, 2, 'n', '1',
				       0, 2, 0xfc, 0x80, 7,
				       0x48, 5, 1, 0, 2, 'n', '2' };
	const struct build_entry both[] = { { 1, 0x100 }, { 2, 0x110 } };
	const struct build_entry one = both[0];
	const struct build_es es[] = { { 0x02, 0x101, NULL, 0 },
				       { 0x03, 0x102, NULL, 0 } };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, both, two ? 2 : 1);

	(void)build_section(b, 0, section, len);
	if (two)
		put_second(b, r->twin, r->own_sound);
	len = build_pmt(section, one, version % 32, es,
			ARRAY_LEN(es) - version % 2);
	section[9] = 1; /* the PCR is in the video */
	build_mend_crc(section, len);
	(void)build_section(b, 0x100, section, len);
	len = build_table(section, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 1,
		.body = sdt, .len = two ? sizeof sdt : 15 });
	(void)build_section(b, SI_PID_SDT, section, len);
}

static const uint8_t i_picture[] = { 0, 0, 1, 0xb3, 0x2d, 2, 0x40, 0x33, 0xff,
				     0xff, 0xe0, 0x18, 0, 0, 1, 0, 0, 8, 0, 0 };
static const uint8_t p_picture[] = { 0, 0, 1, 0, 0, 0x10, 0, 0 };

/* MPEG-2: an I picture behind a sequence header, or a P picture. */
static void put_picture(struct build *b, bool intra, unsigned between)
{
	if (intra && between > 0) {
		(void)build_pes(b, 0x101, "", 0);
		for (; between > 0; between--)
			(void)build_payload(b, 0x102, 0x55);
		memcpy(build_payload(b, 0x101, 0x55) + 4, i_picture,
		       sizeof i_picture);
	} else if (intra)
		(void)build_pes(b, 0x101, i_picture, sizeof i_picture);
	else
		(void)build_pes(b, 0x101, p_picture, sizeof p_picture);
}

static void play_second(struct absent_rig *r, struct build *b)
{
	if (r->own_sound)
		(void)build_pes(b, 0x112, "", 0);
	/* its clock runs */
	if (!r->twin)
		(void)build_pcr(b, 0x111, r->pcr);
	if (r->second_off || r->twin)
		return;
	if (r->pictures % 50 == 0)
		(void)build_pes(b, 0x111, i_picture, sizeof i_picture);
	else
		(void)build_pes(b, 0x111, p_picture, sizeof p_picture);
}

void absent_rig_play(struct absent_rig *r, unsigned ms)
{
	for (unsigned t = 0; t < ms; t += TICK_MS) {
		struct ts_run places = mux_places();

		for (size_t i = 0; i < INPUTS; i++) {
			struct build *b = r->sources[i];
			struct ts_run run;

			b->n = 0;
			if (t % 100 == 0)
				put_tables(r, b, i > 0 ? 0 : r->renews
						      ? r->pictures / 10
						      : r->version,
					   i == 0 && r->two);
			if (i == 0 && r->two)
				play_second(r, b);
			(void)build_pcr(b, 0x101, r->pcr);
			put_picture(b, r->pictures % 50 == 0 && !r->no_intra,
				    r->between);
			(void)build_payload(b, 0x101, 0x55);
			(void)build_pes(b, 0x102, "", 0);
			run = build_run(b);
			if (i > 0 || !r->off) {
				mux_heard(r->mux, i, r->now_ns);
				remux_feed(r->remux[i], &run, 1, r->now_ns);
			}
			remux_feed(r->remux[i], &places, 1, r->now_ns);
		}
		r->pictures++;
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
		r->now_ns += TICK_MS * MS;
		r->pcr += TICK_MS * (PCR_HZ / 1000);
	}
}

unsigned absent_rig_draw(unsigned *seed, unsigned first, unsigned end)
{
	*seed = *seed * 1103515245 + 12345;
	return first + (*seed >> 16) % ((end - first) / TICK_MS) * TICK_MS;
}

size_t absent_rig_programs(const struct absent_rig *r)
{
	const struct psi_program *list;

	return psi_programs(mux_psi(r->mux), &list);
}

bool absent_rig_is_absent(const struct absent_rig *r)
{
	struct mux_source_state state;

	mux_source_get(r->mux, 0, &state);
	return state.n_absent > 0;
}

struct mux_service_state absent_rig_service(const struct absent_rig *r,
					    size_t nth)
{
	struct mux_service_state ret;

	mux_service_get(r->mux, 0, nth, &ret);
	return ret;
}
