/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thousand changes of the control word, with generators of every kind and
 * speed: a receiver that has the ECMs descrambles each packet. */
#include "worker/stream/cas_stage.h"

#include "common/base/fd.h"
#include "common/base/hex.h"
#include "common/base/units.h"
#include "proto/ipc/channel.h"
#include "tests/helpers/csa_words.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/csa/core_choice.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <ev.h>
#include <string.h>

enum {
	ECM_PID = 0x600,
	VIDEO = 0x101, /* of build_tables() */
	PERIOD_MS = 1000,
	STEP_MS = 100,
	PER_STEP = 8, /* packets, two of them of the video */
	VIDEO_PER_STEP = 2,
	CHANGES = 1000,
	WORDS = 2 * MSG_CW_COUNT * MSG_CAS_WORD, /* digits */
	FIRST_WORD = 16, /* offset in the packet of an ECM */
};

/* What a generator wants, and how fast it answers. */
struct generator {
	int delay_ms;  /* from the change to the ECM; < 0: ahead of it */
	int stop_ms;   /* from the change to the end of the last ECM */
	unsigned lead; /* the ECM has the words up to that of number + lead */
	unsigned late_ms; /* of each seventh ECM, beyond the period */
};

/* A receiver with the words of the ECMs. */
struct receiver {
	struct csa_words words;
	unsigned wrong, right;
	uint32_t next; /* number in the next packet */
};

static struct {
	struct generator is;
	struct ev_loop *loop;
	struct cas_stage *stage;
	struct channel *worker; /* the end of the cas worker */
	struct csa_choice csa;
	struct crypto_memory memory;
	struct scrambler_pids pids;
	struct psi *psi;
	bool asked;
	unsigned number;
	char words[WORDS + 1];
	uint64_t now_ms, answer_ms;
	struct receiver receiver;
} g;

/* --- the receiver --- */

static void take_ecm(struct receiver *r, const uint8_t *p)
{
	unsigned number = (unsigned)(p[5] << 8 | p[6]);

	for (unsigned i = 0; i <= p[7]; i++)
		csa_words_take(&r->words, (number + i) & 1,
			       p + FIRST_WORD + (size_t)i * MSG_CAS_WORD);
}

static void take_video(struct receiver *r, const uint8_t *packet)
{
	uint8_t p[TS_PACKET];
	uint32_t found;

	cr_assert(packet[3] & 0x80, "a packet is clear");
	memcpy(p, packet, sizeof p);
	if (csa_words_clear(&r->words, p)) {
		memcpy(&found, p + TS_PACKET - sizeof found, sizeof found);
		r->wrong += found != r->next || p[4] != (uint8_t)r->next;
		r->right += found == r->next;
	}
	r->next++;
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) == ECM_PID)
				take_ecm(&g.receiver, p);
			else if (ts_pid(p) == VIDEO)
				take_video(&g.receiver, p);
		}
}

/* --- the generator --- */

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	(void)channel, (void)fds, (void)n_fds, (void)arg;
	cr_assert_eq(m->type, MSG_CAS_WORDS);
	cr_assert_not(g.asked, "a request before the answer");
	g.asked = true;
	g.number = m->cas_words.number;
	memcpy(g.words, m->cas_words.words, WORDS);
	g.answer_ms = g.now_ms + 20;
	if (g.number % 7 == 0)
		g.answer_ms += PERIOD_MS + g.is.late_ms;
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	(void)channel, (void)err, (void)arg;
	cr_assert_fail("%s", error);
}

static const struct channel_events events = {
	.on_message = on_message,
	.on_close = on_close,
};

static void run_loop(void)
{
	for (unsigned i = 0; i < 4; i++)
		(void)ev_run(g.loop, EVRUN_NOWAIT);
}

static void answer(void)
{
	uint8_t p[TS_PACKET] = { TS_SYNC_BYTE };
	char digits[2 * TS_PACKET + 1];
	struct msg m = { .type = MSG_CAS_ECM };

	g.asked = false;
	p[5] = (uint8_t)(g.number >> 8);
	p[6] = (uint8_t)g.number;
	p[7] = (uint8_t)g.is.lead;
	/* the first word is that of the period before */
	cr_assert(hex_read(g.words + 2 * MSG_CAS_WORD, p + FIRST_WORD,
			   (size_t)(g.is.lead + 1) * MSG_CAS_WORD));
	hex_write(digits, p, sizeof p);
	m.cas_ecm = (struct msg_cas_ecm){ g.number, digits };
	cr_assert_eq(channel_send(g.worker, &m, NULL, 0), 0);
	run_loop();
}

/* --- the stream --- */

static void start(uint16_t number)
{
	struct msg_stream_start start = { .n_cas = 1 };
	struct msg terms = { .type = MSG_CAS_TERMS };
	struct build *tables = build_new();
	int pair[2];

	g.loop = ev_loop_new(0);
	g.psi = psi_new();
	build_tables(tables);
	for (size_t i = 0; i < tables->n; i++)
		(void)psi_feed(g.psi, build_packet(tables, i));
	build_free(tables);
	start.cas[0] = (struct cas_item){
		.link = json_pack("{s:s, s:i}", "cas_id", "c1", "ecm_pid",
				  ECM_PID),
		.entry = json_pack("{s:s, s:i, s:s, s:i, s:i}", "id", "c1",
				   "ecmg_channel_id", 1, "ecmg_host", "h",
				   "ecmg_port", 1, "ecmg_cp", PERIOD_MS / 1000),
	};
	g.stage = cas_stage_new(&(struct cas_stage_config){
		.loop = g.loop, .start = &start, .csa = &g.csa,
		.memory = &g.memory, .pids = &g.pids, .out = take,
	});
	json_decref((json_t *)start.cas[0].link);
	json_decref((json_t *)start.cas[0].entry);
	g.memory.number = number;
	cas_stage_set_psi(g.stage, g.psi);
	cr_assert_eq(fd_seqpacket_pair(pair), 0);
	cas_stage_link(g.stage, 0, pair[0]);
	g.worker = channel_new(&(struct channel_config){
		.loop = g.loop, .fd = pair[1], .receives = MSG_TO_MASTER,
		.events = &events,
	});
	terms.cas_terms = (struct msg_cas_terms){
		.up = true, .period_ms = PERIOD_MS, .repetition_ms = 100,
		.delay_start_ms = g.is.delay_ms,
		.delay_stop_ms = MIN(g.is.delay_ms, g.is.stop_ms),
		.lead = g.is.lead,
	};
	cr_assert_eq(channel_send(g.worker, &terms, NULL, 0), 0);
	run_loop();
}

static void stop(void)
{
	cas_stage_free(&g.stage);
	channel_free(&g.worker);
	psi_free(&g.psi);
	ev_loop_destroy(g.loop);
	csa_words_done(&g.receiver.words);
}

static void step(void)
{
	static uint32_t number;
	uint8_t packets[PER_STEP][TS_PACKET];
	struct ts_run run = { packets[0], PER_STEP };

	for (size_t i = 0; i < PER_STEP; i++) {
		memset(packets[i], (int)(number & 0xff), TS_PACKET);
		memcpy(packets[i], "\x47\x1f\xff\x10", 4);
		if (i % (PER_STEP / VIDEO_PER_STEP) != 0)
			continue;
		memcpy(packets[i], "\x47\x01\x01\x10", 4);
		memcpy(packets[i] + TS_PACKET - sizeof number, &number,
		       sizeof number);
		number++;
	}
	g.now_ms += STEP_MS;
	if (g.asked && g.now_ms >= g.answer_ms)
		answer();
	cas_stage_feed(g.stage, &run, 1, g.now_ms * MS);
	if (g.now_ms % 1000 == 0)
		(void)cas_stage_second(g.stage, g.now_ms * MS);
	run_loop();
}

ParameterizedTestParameters(cas_changes, no_packet_is_wrong)
{
	static const struct generator list[] = {
		{ -300, -300, 0, 500 }, { 0, 0, 1, 0 }, { 200, 200, 1, 700 },
		{ -300, -300, 1, 0 }, { 200, -200, 1, 0 },
	};

	return cr_make_param_array(struct generator, (void *)list,
				   ARRAY_LEN(list));
}

/* The numbers of periods pass 65535 on the way. */
ParameterizedTest(const struct generator *is, cas_changes, no_packet_is_wrong)
{
	struct receiver *r = &g.receiver;

	g.is = *is;
	csa_words_init(&r->words);
	start(65000);
	for (unsigned i = 0; i < CHANGES * 2 * PERIOD_MS / STEP_MS &&
			     r->words.changes < CHANGES; i++)
		step();
	cr_expect_eq(r->words.changes, CHANGES);
	cr_expect_eq(r->wrong, 0, "%u of %u are wrong", r->wrong, r->next);
	/* before the first ECM */
	cr_expect_leq(r->words.lost, 3 * VIDEO_PER_STEP);
	cr_expect_geq(r->right, CHANGES * VIDEO_PER_STEP);
	stop();
}
