/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A service that is silent for long leaves the tables of the multiplex. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	INPUTS = 2,
	TICK_MS = 10,
	ABSENT_MS = 1000,
	DELAY_MS = 400,
	RETURN_MS = 5000,
	VIDEO_OUT = 157, PMT_OUT = 156, /* of input 0 */
	OTHER_OUT = 257,
	SECOND_OUT = 173, SECOND_PMT_OUT = 172, /* of the second service */
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct remux *remux[INPUTS];
	struct build *sources[INPUTS]; /* for their counters */
	struct side {
		struct mux *mux;
		size_t i;
	} sides[INPUTS];
	bool off;       /* input 0 has no packets */
	bool no_intra;  /* it has P pictures alone */
	bool renews;    /* its PMT changes every 100 ms */
	bool two;       /* it has a second service ... */
	bool second_off; /* ... without pictures */
	bool twin; /* ... with the pictures of the first */
	bool own_sound; /* ... and with sound of its own */
	unsigned version; /* of its PMT */
	unsigned between; /* packets of sound inside an I picture */
	unsigned pictures;
	uint64_t now_ns, pcr;

	struct cc cc;
	unsigned cc_errors;
	uint64_t of_pid[TS_PIDS];
	uint64_t pmt_ns, pmt_gap_ns; /* the last PMT_OUT, the longest gap */
	size_t pmt_len;   /* of the first PMT_OUT since it was 0 */
	bool second_began, second_intra; /* as the two below */
	bool began;       /* a packet of the video since the last stop */
	bool began_intra; /* the first one has an I picture */
	struct section_assembler sdt;
	uint8_t sdt_buffer[SECTION_MAX];
	size_t services; /* of the SDT */
	size_t stopped;  /* that are not running */
	uint64_t packets, sdt_at; /* of the output, at the last SDT */
	uint64_t sdt_apart; /* the fewest packets from one SDT to the next */
};

static void on_packet(struct rig *r, const uint8_t *p)
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

static struct rig *rig_of(unsigned absent_ms, unsigned delay_ms)
{
	struct rig *r = xcalloc(1, sizeof *r);

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

static struct rig *rig_new(void)
{
	return rig_of(ABSENT_MS, DELAY_MS);
}

static void rig_free(struct rig *r)
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

static void put_tables(const struct rig *r, struct build *b, unsigned version,
		       bool two)
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

static void play_second(struct rig *r, struct build *b)
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

static void play(struct rig *r, unsigned ms)
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

/* From first to below end, in ticks of play(). */
static unsigned draw(unsigned *seed, unsigned first, unsigned end)
{
	*seed = *seed * 1103515245 + 12345;
	return first + (*seed >> 16) % ((end - first) / TICK_MS) * TICK_MS;
}

static size_t programs(const struct rig *r)
{
	const struct psi_program *list;

	return psi_programs(mux_psi(r->mux), &list);
}

static bool is_absent(const struct rig *r)
{
	struct mux_source_state state;

	mux_source_get(r->mux, 0, &state);
	return state.n_absent > 0;
}

/* The input leaves; nothing of it is sent, and the other one has no gap. */
static void lose(struct rig *r)
{
	play(r, 3000);
	cr_assert(programs(r) == 2 && r->services == 2);
	r->off = true;
	play(r, ABSENT_MS - 200);
	cr_expect_eq(programs(r), 2u);
	cr_expect(!is_absent(r));
	play(r, 1500);
	cr_assert(is_absent(r));
	cr_expect_eq(programs(r), 1u);
	cr_expect_eq(r->services, 1u);
	r->of_pid[PMT_OUT] = r->of_pid[VIDEO_OUT] = r->of_pid[OTHER_OUT] = 0;
	play(r, 1000);
	cr_expect_eq(r->of_pid[PMT_OUT] + r->of_pid[VIDEO_OUT], 0u);
	cr_expect_geq(r->of_pid[OTHER_OUT], 290u);
	r->began = false;
	r->off = false;
}

Test(mux_absent, a_silent_input_leaves_the_tables_and_returns_at_a_picture)
{
	struct rig *r = rig_new();

	lose(r);
	r->pictures = 20;
	play(r, 200);
	/* the next I picture is 100 ms away */
	cr_expect(is_absent(r));
	cr_expect_eq(programs(r), 1u);
	cr_expect_eq(r->of_pid[VIDEO_OUT] + r->of_pid[PMT_OUT], 0u);
	play(r, 2000);
	cr_expect(!is_absent(r));
	cr_expect_eq(programs(r), 2u);
	cr_expect_eq(r->services, 2u);
	cr_expect(r->began && r->began_intra);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux_absent, an_input_returns_with_the_pmt_that_it_has_then)
{
	struct rig *r = rig_new();
	size_t len;

	play(r, 2000);
	len = r->pmt_len;
	lose(r);
	r->pmt_len = 0;
	r->pictures = 10;
	play(r, 50);
	r->version = 1; /* without sound */
	r->pictures = 0;
	play(r, 1000);
	cr_expect(!is_absent(r));
	cr_expect_eq(r->pmt_len, len - 5, "%zu, %zu", r->pmt_len, len);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux_absent, an_input_behind_a_silence_has_the_pmt_that_it_has_then)
{
	struct rig *r = rig_of(0, DELAY_MS);
	size_t len;

	play(r, 2000);
	len = r->pmt_len;
	r->off = true;
	play(r, 2000);
	r->off = false;
	r->version = 1;
	mux_restart(r->mux, 0);
	play(r, 30);
	r->pmt_len = 0;
	play(r, 1000);
	cr_expect_eq(r->pmt_len, len - 5, "%zu, %zu", r->pmt_len, len);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

static struct mux_service_state service(const struct rig *r, size_t nth)
{
	struct mux_service_state ret;

	mux_service_get(r->mux, 0, nth, &ret);
	return ret;
}

Test(mux_absent, one_silent_service_of_several_is_not_running)
{
	struct rig *r = rig_of(0, DELAY_MS);

	r->two = true;
	play(r, 3000);
	cr_assert_eq(r->services, 3u);
	cr_expect_eq(r->stopped, 0u);
	r->second_off = true;
	play(r, 400);
	cr_expect(!service(r, 1).silent);
	play(r, 1600);
	cr_expect(service(r, 1).silent && !service(r, 1).absent);
	cr_expect(!service(r, 0).silent);
	cr_expect_eq(r->services, 3u);
	cr_expect_eq(r->stopped, 1u);
	cr_expect_eq(programs(r), 3u);
	r->second_off = false;
	play(r, 2000);
	cr_expect_eq(r->stopped, 0u);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux_absent, one_silent_service_leaves_the_tables_and_returns_at_a_picture)
{
	struct rig *r = rig_new();

	r->two = true;
	play(r, 3000);
	cr_assert(programs(r) == 3 && r->services == 3);
	r->second_off = true;
	play(r, ABSENT_MS - 200);
	cr_expect_eq(programs(r), 3u);
	play(r, 1500);
	cr_expect(service(r, 1).absent && !service(r, 0).absent);
	cr_expect_eq(programs(r), 2u);
	cr_expect_eq(r->services, 2u);
	r->of_pid[SECOND_PMT_OUT] = r->of_pid[SECOND_OUT] = 0;
	r->of_pid[VIDEO_OUT] = 0;
	play(r, 1000);
	/* not even its clock */
	cr_expect_eq(r->of_pid[SECOND_PMT_OUT] + r->of_pid[SECOND_OUT], 0u);
	cr_expect_geq(r->of_pid[VIDEO_OUT], 290u);
	r->second_began = false;
	r->second_off = false;
	r->pictures = 20;
	play(r, 200);
	/* the next I picture is 100 ms away */
	cr_expect(service(r, 1).absent);
	cr_expect_eq(r->of_pid[SECOND_OUT], 0u);
	play(r, 2000);
	cr_expect(!service(r, 1).absent);
	cr_expect_eq(programs(r), 3u);
	cr_expect_eq(r->services, 3u);
	cr_expect(r->second_began && r->second_intra);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

/* Their input is lost; with its next I picture both return. */
static void lose_twins(bool own_sound)
{
	struct rig *r = rig_new();

	r->two = r->twin = true;
	r->own_sound = own_sound;
	play(r, 3000);
	cr_assert(programs(r) == 3 && r->services == 3);
	r->off = true;
	play(r, 3000);
	cr_assert(service(r, 0).absent && service(r, 1).absent);
	r->began = r->off = false;
	r->pictures = 20;
	play(r, 200);
	cr_expect(service(r, 0).absent && service(r, 1).absent);
	play(r, 1000);
	cr_expect(!service(r, 0).absent && !service(r, 1).absent);
	cr_expect_eq(programs(r), 3u);
	cr_expect_eq(r->services, 3u);
	cr_expect(r->began && r->began_intra);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux_absent, services_that_share_their_pictures_return_together)
{
	lose_twins(false);
	lose_twins(true);
}

Test(mux_absent, counters_continue_whenever_one_service_goes_and_returns)
{
	for (unsigned seed = 1; seed <= 10; seed++) {
		unsigned random = seed;
		struct rig *r = rig_new();

		r->two = true;
		play(r, 2000);
		for (unsigned i = 0; i < 10; i++) {
			r->second_off = true;
			play(r, draw(&random, 900, 2500));
			r->second_off = false;
			play(r, draw(&random, 100, 1500));
			cr_assert_eq(r->cc_errors, 0u, "seed %u, time %u",
				     seed, i);
		}
		cr_expect_leq(r->pmt_gap_ns, 120 * MS, "%u ms",
			      (unsigned)(r->pmt_gap_ns / MS));
		rig_free(r);
	}
}

Test(mux_absent, an_input_without_such_a_picture_returns_after_a_while)
{
	struct rig *r = rig_new();

	lose(r);
	r->no_intra = true;
	play(r, RETURN_MS - 500);
	cr_expect(is_absent(r));
	play(r, 1500);
	cr_expect(!is_absent(r));
	cr_expect_eq(programs(r), 2u);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux_absent, an_input_whose_tables_change_returns_as_early)
{
	struct rig *r = rig_new();

	lose(r);
	r->no_intra = r->renews = true;
	play(r, RETURN_MS - 500);
	cr_expect(is_absent(r));
	play(r, 1500);
	cr_expect(!is_absent(r));
	rig_free(r);
}

Test(mux_absent, a_picture_too_long_to_be_kept_is_not_sent_in_part)
{
	struct rig *r = rig_new();

	lose(r);
	r->between = 1100;
	r->pictures = 40;
	play(r, 300);
	cr_expect(is_absent(r));
	r->between = 0;
	play(r, 1000);
	cr_expect(!is_absent(r));
	cr_expect(r->began && r->began_intra);
	rig_free(r);
}

Test(mux_absent, the_search_for_a_picture_begins_again_after_a_silence)
{
	struct rig *r = rig_new();

	lose(r);
	r->no_intra = true;
	play(r, RETURN_MS / 2 + 500);
	r->off = true;
	play(r, 1000);
	r->off = false;
	play(r, RETURN_MS / 2 + 500);
	cr_expect(is_absent(r));
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux_absent, counters_continue_whenever_an_input_goes_and_returns)
{
	for (unsigned seed = 1; seed <= 10; seed++) {
		unsigned random = seed;
		unsigned absent_ms = draw(&random, 1000, 4000);
		struct rig *r = rig_of(absent_ms, DELAY_MS);

		play(r, 3000);
		for (unsigned i = 0; i < 10; i++) {
			r->off = true;
			play(r, absent_ms + 50);
			r->of_pid[PMT_OUT] = 0;
			play(r, draw(&random, 50, 2000));
			cr_assert_eq(r->of_pid[PMT_OUT], 0u);
			r->off = false;
			play(r, draw(&random, 100, 1500));
			cr_assert_eq(r->cc_errors, 0u, "seed %u, time %u",
				     seed, i);
		}
		rig_free(r);
	}
}

Test(mux_absent, its_services_leave_the_tables_behind_its_last_packet)
{
	enum { LONG_MS = 2 * ABSENT_MS };
	struct rig *r = rig_of(ABSENT_MS, LONG_MS);

	play(r, 4000);
	r->of_pid[VIDEO_OUT] = 0;
	r->off = true;
	play(r, LONG_MS - 100);
	cr_expect(!is_absent(r));
	play(r, 600);
	cr_expect(is_absent(r));
	cr_expect_eq(programs(r), 1u);
	/* three in each tick */
	cr_expect_geq(r->of_pid[VIDEO_OUT], 3 * LONG_MS / TICK_MS - 6, "%u",
		      (unsigned)r->of_pid[VIDEO_OUT]);
	rig_free(r);
}

Test(mux_absent, its_pmt_is_repeated_however_long_it_is_silent)
{
	for (unsigned ms = 100; ms < 4000; ms += 230) {
		struct rig *r = rig_of(0, DELAY_MS);

		play(r, 3000);
		r->off = true;
		play(r, ms);
		r->off = false;
		/* its source is another one */
		mux_restart(r->mux, 0);
		play(r, 1500);
		cr_expect_leq(r->pmt_gap_ns, 450 * MS, "%u ms: %u ms", ms,
			      (unsigned)(r->pmt_gap_ns / MS));
		cr_expect_eq(r->cc_errors, 0u);
		rig_free(r);
	}
}

Test(mux_absent, a_change_of_the_sdt_keeps_its_distance_too)
{
	struct rig *r = rig_of(0, DELAY_MS);

	play(r, 3000);
	for (unsigned ms = 900; ms < 1100; ms += TICK_MS) {
		r->off = true;
		play(r, 620);
		r->off = false;
		mux_restart(r->mux, 0);
		play(r, ms);
	}
	/* 25 ms of 4 Mbit/s, and the packet */
	cr_expect_gt(r->sdt_apart, 67u, "%u", (unsigned)r->sdt_apart);
	rig_free(r);
}
