/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/mux/fill_rig.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t i_picture[] = { 0, 0, 1, 0xb3, 0x2d, 2, 0x40, 0x33, 0xff,
				     0xff, 0xe0, 0x18, 0, 0, 1, 0, 0, 8, 0, 0 };
static const uint8_t p_picture[] = { 0, 0, 1, 0, 0, 0x10, 0, 0 };
/* layer II, 48 kHz; 192 kbit/s, and 384 */
static const uint8_t audio[] = { 0xff, 0xfd, 0xa4, 0, 0, 0, 0, 0 };
static const uint8_t loud[] = { 0xff, 0xfd, 0xe4, 0, 0, 0, 0, 0 };

static void take_sdt(struct fill_rig *r, const uint8_t *p)
{
	size_t len;

	section_push(&r->sdt, p);
	while (section_pull(&r->sdt, &len) != NULL) {
		uint8_t version = r->sdt_buffer[5] >> 1 & 0x1f;

		r->sdts += version != r->sdt_version;
		r->sdt_version = version;
		r->stopped = 0;
		for (size_t at = 11; at + 4 < len - 4;) {
			r->stopped += r->sdt_buffer[at + 3] >> 5 == 1;
			r->last_service = (uint16_t)(r->sdt_buffer[at] << 8 |
						     r->sdt_buffer[at + 1]);
			at += 5 + section_get12(r->sdt_buffer + at + 3);
		}
	}
}

/* The header of a PES may lie in several packets. */
static bool take_pts(struct fill_sent *s, const uint8_t *p, uint64_t *ret)
{
	size_t at = ts_payload_offset(p), n;

	if (!ts_has_payload(p))
		return false;
	if (ts_pusi(p))
		s->n_head = 0;
	else if (s->n_head == 0)
		return false;
	n = MIN(TS_PACKET - at, sizeof s->head - s->n_head);
	memcpy(s->head + s->n_head, p + at, n);
	s->n_head += n;
	if (n == 0 || s->n_head < sizeof s->head || s->head[2] != 1)
		return false;
	*ret = pes_time(s->head + PES_HEADER);
	return true;
}

static void on_packet(struct fill_rig *r, const uint8_t *p)
{
	struct fill_sent *s = &r->sent[ts_pid(p)];
	bool intra = memmem(p, TS_PACKET, "\0\0\1\xb3", 4) != NULL;
	uint64_t pts, pcr;

	s->n++;
	s->intra += intra;
	if (ts_pusi(p) && s->of_file == 0) {
		s->last_unit = s->unit;
		s->unit = 0;
	}
	s->unit += ts_has_payload(p);
	s->of_file += p[TS_PACKET - 1] == FILE_FILL;
	r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
	if (ts_pid(p) == SI_PID_SDT)
		take_sdt(r, p);
	/* a section with one descriptor */
	if (ts_pid(p) == SI_PID_CAT)
		r->emm_pid = p[7] != 15 ? 0
				: (uint16_t)((p[17] & 0x1f) << 8 | p[18]);
	if (ts_pid(p) == TS_PID_PAT) {
		uint8_t version = p[10] >> 1 & 0x1f;

		r->pats += version != r->pat_version;
		r->pat_version = version;
	}
	if (ts_pcr(p, &pcr)) {
		if (s->has_pcr) {
			s->back += pcr <= s->pcr;
			s->pcr_gap = MAX(s->pcr_gap, pcr - s->pcr);
		}
		s->has_pcr = true;
		s->pcr = pcr;
	}
	if (!take_pts(s, p, &pts))
		return;
	if (s->has_pts) {
		s->back += pts <= s->pts;
		s->pts_gap = MAX(s->pts_gap, pts - s->pts);
	}
	s->has_pts = true;
	s->pts = pts;
	if (!s->begun) {
		s->begun = true;
		s->began_intra = intra;
	}
}

/* What a receiver finds in the PMT of the second service. */
static void follow_listed(struct fill_rig *r)
{
	const struct psi_program *p = NULL, *list;
	size_t n = psi_programs(mux_psi(r->mux), &list);

	for (size_t i = 0; i < n; i++)
		if (list[i].pmt_pid == PMT_OUT + 1)
			p = &list[i];
	if (p == NULL || p->video_pid == r->listed)
		return;
	r->listed = p->video_pid;
	r->listed_ns = r->now_ns;
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			on_packet(arg, runs[i].data + k * TS_PACKET);
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct fill_side *s = arg;

	if (!*s->restores)
		mux_feed(s->mux, s->i, runs, n_runs);
}

struct fill_rig *fill_rig_new(bool still, unsigned kbps)
{
	return fill_rig_of(&(struct fill_options){ .still = still,
						   .kbps = kbps });
}

static void make_mux(struct fill_rig *r)
{
	static const struct remux_options options = { .set_tsid = 5,
						.pass_ca = true };
	const struct fill_options *o = &r->options;

	r->mux = mux_new(&(struct mux_config){
		.n_inputs = 2, .kbps = o->kbps, .tsid = 5, .onid = 6,
		.delay_ms = MUX_DELAY_DEFAULT_MS,
		.versions = &r->versions, .continuity = &r->continuity,
		.out = on_out, .arg = r });
	for (size_t i = 0; i < 2; i++)
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(100 * (i + 1) + o->base),
			.count = 100,
			.still = i == 0 && o->still,
			.file = i == 0 && o->file ? "/a/fill.ts" : NULL,
			.max_kbps = i == 0 ? o->max_kbps : 0,
			.absent_ms = i == 0 ? o->absent_ms : 0,
			.priority = 100 + (unsigned)i });
	for (size_t i = 0; i < 2; i++) {
		r->sides[i] = (struct fill_side){ r->mux, i,
						   &r->restores };
		r->remux[i] = remux_new(&(struct remux_config){
			.options = &options, .versions = &r->versions,
			.place = mux_place(r->mux, i),
			.out = on_remuxed, .arg = &r->sides[i] });
		mux_set_remux(r->mux, i, r->remux[i]);
	}
}

struct fill_rig *fill_rig_of(const struct fill_options *o)
{
	struct fill_rig *r = xcalloc(1, sizeof *r);

	r->options = *o;
	r->now_ns = 1000 * SECOND_NS;
	r->pcr = 500 * PCR_HZ;
	section_init(&r->sdt, r->sdt_buffer, sizeof r->sdt_buffer);
	make_mux(r);
	for (size_t i = 0; i < 2; i++)
		r->ts[i] = build_new();
	for (size_t k = 0; k < SERVICES; k++)
		r->per_tick[k] = 4;
	r->other = 4;
	r->lead_ms = r->file_lead_ms = LEAD_MS;
	r->group = GROUP;
	r->file = build_new();
	r->file_coding = 0x02;
	r->file_packets = 4;
	return r;
}

struct fill_rig_last fill_rig_replace(struct fill_rig *r)
{
	struct fill_rig_last last = { r->mux, { r->remux[0], r->remux[1] } };

	make_mux(r);
	/* the counters are those of another stage */
	memset(&r->cc, 0, sizeof r->cc);
	memset(r->sent, 0, sizeof r->sent);
	return last;
}

void fill_rig_drop(struct fill_rig_last *last)
{
	mux_free(&last->mux);
	for (size_t i = 0; i < 2; i++)
		remux_free(&last->remux[i]);
}

void fill_rig_free(struct fill_rig *r)
{
	struct cbr_counters c;

	mux_cbr_counters(r->mux, &c);
	cr_expect_eq(c.overflow, 0u, "%u", (unsigned)c.overflow);
	cr_expect_eq(r->cc_errors, 0u, "%u", r->cc_errors);
	for (size_t pid = 0; pid < TS_PIDS; pid++) {
		cr_expect_eq(r->sent[pid].back, 0u, "%zu", pid);
		cr_expect_leq(r->sent[pid].pcr_gap, 45 * (PCR_HZ / 1000),
			      "%zu: %u", pid, (unsigned)r->sent[pid].pcr_gap);
	}
	for (size_t i = 0; i < 2; i++) {
		remux_free(&r->remux[i]);
		build_free(r->ts[i]);
	}
	build_free(r->file);
	mux_free(&r->mux);
	free(r);
}

static void put_sdt(struct build *ts)
{
	static const uint8_t sdt[] = { 0, 1, 0xff, 0, 1, 0xfc, 0x80, 0,
				       0, 2, 0xfc, 0x80, 0 };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_table(section, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 1,
		.body = sdt, .len = sizeof sdt });

	(void)build_section(ts, SI_PID_SDT, section, len);
}

static void put_cat(struct build *ts)
{
	static const uint8_t ca[] = { 0x09, 4, CAT_CAID >> 8, 0,
				      0xe0 | EMM >> 8, EMM & 0xff };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_table(section, &(struct build_table){
		.table_id = CAT_TABLE_ID, .extension = 0xffff,
		.body = ca, .len = sizeof ca });

	(void)build_section(ts, SI_PID_CAT, section, len);
}

static bool has_moved(const struct fill_rig *r, size_t i, uint16_t k)
{
	return r->moved && i == 0 && k == 1;
}

static uint16_t video_pid(const struct fill_rig *r, size_t i, uint16_t k)
{
	return has_moved(r, i, k) ? VIDEO_MOVED : (uint16_t)(VIDEO + k);
}

static uint16_t audio_pid(const struct fill_rig *r, size_t i, uint16_t k)
{
	return has_moved(r, i, k) ? AUDIO_MOVED : (uint16_t)(AUDIO + k);
}

static uint16_t pcr_pid(const struct fill_rig *r, size_t i, uint16_t k)
{
	bool radio = r->radio && i == 0 && k == 1;

	return r->apart ? (uint16_t)(CLOCK + k)
	       : radio	? audio_pid(r, i, k)
			: video_pid(r, i, k);
}

/* tag: 0, or of two bytes that live as long as the result. */
static struct build_es audio_es(uint16_t pid, const char tag[2])
{
	return tag[0] == 0 ? (struct build_es){ 0x03, pid, NULL, 0 }
			   : (struct build_es){ 0x06, pid, tag, 2 };
}

static void put_tables(struct fill_rig *r, size_t i, uint16_t n)
{
	struct build_entry list[SERVICES];
	uint8_t section[SECTION_PSI_MAX];
	struct build *ts = r->ts[i];
	size_t len;

	for (uint16_t k = 0; k < n; k++)
		list[k] = (struct build_entry){ (uint16_t)(k + 1),
						(uint16_t)(PMT + k) };
	len = build_pat(section, 0, list, n);
	(void)build_section(ts, TS_PID_PAT, section, len);
	for (uint16_t k = 0; k < n; k++) {
		bool radio = r->radio && i == 0 && k == 1;
		uint16_t pcr = pcr_pid(r, i, k);
		const char tag[2] = { (char)r->audio_tag, 0 };
		const struct build_es es[] = {
			audio_es(audio_pid(r, i, r->joins ? 1 : k), tag),
			{ 0x02, video_pid(r, i, k), NULL, 0 } };

		len = build_pmt(section, list[k], r->version, es,
				radio ? 1 : 2);
		section[8] = (uint8_t)(0xe0 | pcr >> 8);
		section[9] = (uint8_t)pcr;
		build_mend_crc(section, len);
		(void)build_section(ts, list[k].pid, section, len);
	}
	if (!r->no_sdt)
		put_sdt(ts);
}

static void put_unit(struct build *ts, uint16_t pid, const void *es,
		     size_t len, uint64_t pts)
{
	uint8_t *p = build_pes(ts, pid, es, len);
	struct pes_times at;

	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.pts, pts);
}

/* Only so many bytes of the last unit, which is short, are in its packet. */
static void split_unit(struct build *ts, uint16_t pid, size_t first)
{
	uint8_t *next = build_payload(ts, pid, 0xff);
	uint8_t *p = build_packet(ts, ts->n - 2);
	size_t at = ts_payload_offset(p), rest = TS_PACKET - at - first;

	next[3] |= 0x20;
	next[4] = (uint8_t)(TS_PACKET - 5 - rest);
	memset(next + 5, 0xff, next[4]);
	next[5] = 0;
	memcpy(next + TS_PACKET - rest, p + TS_PACKET - rest, rest);
	memmove(p + at + rest, p + at, first);
	memset(p + at, 0xff, rest);
	p[4] = (uint8_t)(p[4] + rest);
}

static void put_picture(struct build *ts, uint16_t pid, bool intra,
			uint64_t pts)
{
	put_unit(ts, pid, intra ? i_picture : p_picture,
		 intra ? sizeof i_picture : sizeof p_picture, pts);
}

/* A radio program of 192 kbit/s: three frames in ten packets, two of which have
 * a PCR. */
static void put_dense(struct fill_rig *r)
{
	static const unsigned packets[] = { 0, 2, 1, 2, 0, 1, 2 };
	unsigned at = r->ticks % ARRAY_LEN(packets);
	uint16_t pid = audio_pid(r, 0, 1);
	uint8_t *p;

	if (at == 0)
		put_unit(r->ts[0], pid, audio, sizeof audio,
			 r->pcr / 300 + 90 * r->lead_ms);
	else if (at == 4)
		build_pes(r->ts[0], pid, audio, sizeof audio)[1] &= 0xbf;
	for (unsigned i = 0; i < packets[at]; i++)
		(void)build_payload(r->ts[0], pid, 0x55);
	if (packets[at] > 0)
		return;
	p = build_packet(r->ts[0], r->ts[0]->n - 1);
	p[5] |= 0x10;
	ts_set_pcr(p, r->pcr);
}

static void put_service(struct fill_rig *r, size_t i, uint16_t k, unsigned n)
{
	uint64_t pts = r->pcr / 300 + 90 * r->lead_ms;
	bool intra = r->ticks % r->group == 0;
	bool split = i == 0 && k == 1 && r->split > 0;
	struct build *ts = r->ts[i];

	if (r->dense && i == 0 && k == 1) {
		put_dense(r);
		return;
	}
	if (intra && i == 0 && k == 1)
		n = MAX(n, 2u) + r->picture;
	(void)build_pcr(ts, pcr_pid(r, i, k), r->pcr);
	if ((!r->radio && !r->blind) || i != 0 || k != 1) {
		put_picture(ts, video_pid(r, i, k), intra, pts);
		if (split)
			split_unit(ts, video_pid(r, i, k), r->split);
		while (n-- > 2)
			(void)build_payload(ts, video_pid(r, i, k), 0x55);
	}
	if (r->ticks % 3 == 0)
		put_unit(ts, audio_pid(r, i, k), r->loud ? loud : audio,
			 sizeof audio, pts);
	if (split && r->ticks % 3 == 0)
		split_unit(ts, audio_pid(r, i, k), r->split);
	else if (r->long_units && r->ticks % 3 != 0)
		(void)build_payload(ts, audio_pid(r, i, k), 0x55);
}

/* Its program, whose clock is another one. */
static void put_file(struct fill_rig *r)
{
	const struct build_entry program = { 7, 0x20 };
	const char tag[2] = { (char)r->file_audio_tag, 0 };
	const struct build_es es[] = {
		audio_es(FILE_AUDIO, tag),
		{ r->file_coding, FILE_VIDEO, NULL, 0 },
		{ 0x03, FILE_OTHER, NULL, 0 } };
	uint64_t pcr = r->pcr + 7000 * (uint64_t)PCR_HZ;
	uint64_t pts = pcr / 300 + 90 * r->file_lead_ms;
	uint8_t section[SECTION_PSI_MAX];
	size_t len;

	r->file->n = 0;
	if (r->ticks % 10 == 0 && !r->file_lacks.program) {
		len = build_pat(section, 0, &program, 1);
		(void)build_section(r->file, TS_PID_PAT, section, len);
		len = build_pmt(section, program, 0, es,
				r->file_others > 0 ? 3 : 2);
		section[8] = 0xe0;
		section[9] = FILE_VIDEO;
		build_mend_crc(section, len);
		(void)build_section(r->file, program.pid, section, len);
	}
	if (!r->file_lacks.pcr)
		(void)build_pcr(r->file, FILE_VIDEO, pcr);
	put_picture(r->file, FILE_VIDEO,
		    r->ticks % GROUP == 25 && !r->file_lacks.start, pts);
	for (unsigned n = r->file_others; n > 0; n--)
		(void)build_payload(r->file, FILE_OTHER, FILE_FILL);
	for (unsigned n = r->file_packets; n > 2; n--)
		(void)build_payload(r->file, FILE_VIDEO, FILE_FILL);
	if (r->ticks % 3 == 0)
		put_unit(r->file, FILE_AUDIO, audio, sizeof audio, pts);
	if (r->ticks % 3 == 0 && r->file_split > 0)
		split_unit(r->file, FILE_AUDIO, r->file_split);
}

static void feed_file(struct fill_rig *r)
{
	struct ts_run run;

	r->reads_file = r->has_file && mux_wants_file(r->mux, 0);
	if (!r->reads_file)
		return;
	put_file(r);
	run = build_run(r->file);
	mux_feed_file(r->mux, 0, &run, 1, r->now_ns);
}

void fill_play(struct fill_rig *r, unsigned ticks)
{
	for (; ticks > 0; ticks--) {
		r->ts[0]->n = r->ts[1]->n = 0;
		if (r->ticks % 10 == 0) {
			put_tables(r, 0, SERVICES);
			put_tables(r, 1, 1);
			if (r->has_cat)
				put_cat(r->ts[1]);
		}
		for (uint16_t k = 0; k < SERVICES; k++)
			if (k < SERVICES - r->off)
				put_service(r, 0, k, r->per_tick[k]);
		put_service(r, 1, 0, r->other);
		for (size_t i = 0; i < 2; i++) {
			struct ts_run run = build_run(r->ts[i]);

			if (i == 0 ? r->dead : r->other_dead)
				continue;
			mux_heard(r->mux, i, r->now_ns);
			remux_feed(r->remux[i], &run, 1, r->now_ns);
		}
		feed_file(r);
		r->now_ns += TICK_MS * MS;
		r->pcr += TICK_MS * (PCR_HZ / 1000);
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
		follow_listed(r);
		if (++r->ticks % 100 == 0)
			mux_every_second(r->mux);
	}
}

struct mux_service_state fill_state(const struct fill_rig *r, size_t nth)
{
	struct mux_service_state ret;

	mux_service_get(r->mux, 0, nth, &ret);
	return ret;
}

struct fill_sent *fill_watch(struct fill_rig *r, uint16_t pid)
{
	r->sent[pid].n = r->sent[pid].intra = r->sent[pid].of_file = 0;
	r->sent[pid].begun = false;
	return &r->sent[pid];
}

