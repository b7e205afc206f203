/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The channel to the worker of a system, and the ECMs that go out. */
#include "worker/stream/cas_stage.h"

#include "common/base/fd.h"
#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "proto/ipc/channel.h"
#include "worker/csa/core_choice.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <string.h>

enum { ECM_PID = 0x600, EMM_PID = 0x700, PERIOD_MS = 10000, MOST = 1024,
       LINE_SIZE = 256 };

static struct {
	struct ev_loop *loop;
	struct cas_stage *stage;
	struct channel *worker; /* the end of the cas worker */
	struct csa_choice csa;
	struct crypto_memory memory;
	struct scrambler_pids pids;
	struct psi *psi;
	struct msg_stream_start start;
	unsigned asked; /* requests, and the number of the last one */
	unsigned number;
	bool closed;
	uint64_t now_ns;
	size_t n;
	uint8_t out[MOST][TS_PACKET];
} g;

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(g.n + runs[i].n, MOST);
		memcpy(g.out[g.n], runs[i].data, runs[i].n * TS_PACKET);
		g.n += runs[i].n;
	}
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	(void)channel, (void)fds, (void)n_fds, (void)arg;
	cr_assert_eq(m->type, MSG_CAS_WORDS);
	g.asked++;
	g.number = m->cas_words.number;
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	(void)channel, (void)err, (void)error, (void)arg;
	g.closed = true;
}

static const struct channel_events events = {
	.on_message = on_message,
	.on_close = on_close,
};

static void run_loop(void)
{
	for (unsigned i = 0; i < 8; i++)
		(void)ev_run(g.loop, EVRUN_NOWAIT);
}

static void start(void)
{
	int pair[2];

	g.loop = ev_loop_new(0);
	g.psi = psi_new();
	g.start.n_cas = 1;
	g.start.cas[0] = (struct cas_item){
		.link = json_pack("{s:s, s:i}", "cas_id", "c1", "ecm_pid",
				  ECM_PID),
		.entry = json_pack("{s:s, s:s, s:i, s:s, s:i, s:i, s:i}",
				   "id", "c1", "super_cas_id", "4AE10001",
				   "ecmg_channel_id", 1, "ecmg_host",
				   "127.0.0.1", "ecmg_port", 1, "ecmg_cp",
				   PERIOD_MS / 1000, "emm_pid", EMM_PID),
	};
	g.stage = cas_stage_new(&(struct cas_stage_config){
		.loop = g.loop, .start = &g.start, .csa = &g.csa,
		.memory = &g.memory, .pids = &g.pids, .out = take,
	});
	cas_stage_set_psi(g.stage, g.psi);
	cr_assert_eq(fd_seqpacket_pair(pair), 0);
	cas_stage_link(g.stage, 0, pair[0]);
	g.worker = channel_new(&(struct channel_config){
		.loop = g.loop, .fd = pair[1], .receives = MSG_TO_MASTER,
		.events = &events,
	});
}

static void stop(void)
{
	cas_stage_free(&g.stage);
	channel_free(&g.worker);
	psi_free(&g.psi);
	json_decref((json_t *)g.start.cas[0].link);
	json_decref((json_t *)g.start.cas[0].entry);
	ev_loop_destroy(g.loop);
}

TestSuite(cas_stage, .init = start, .fini = stop);

static void send_terms(bool up)
{
	struct msg m = { .type = MSG_CAS_TERMS };

	m.cas_terms.up = up;
	m.cas_terms.error = up ? NULL : "lost";
	m.cas_terms.period_ms = up ? PERIOD_MS : 0;
	cr_assert_eq(channel_send(g.worker, &m, NULL, 0), 0);
	run_loop();
}

static void send_ecm(uint8_t fill)
{
	uint8_t packet[TS_PACKET];
	char digits[2 * TS_PACKET + 1];
	struct msg m = { .type = MSG_CAS_ECM };

	memset(packet, fill, sizeof packet);
	packet[0] = TS_SYNC_BYTE;
	hex_write(digits, packet, sizeof packet);
	m.cas_ecm = (struct msg_cas_ecm){ g.number, digits };
	cr_assert_eq(channel_send(g.worker, &m, NULL, 0), 0);
	run_loop();
}

/* n null packets, at a time from the start. */
static void feed(uint64_t ms, size_t n)
{
	static uint8_t nulls[64][TS_PACKET];
	struct ts_run run = { nulls[0], n };

	for (size_t i = 0; i < n; i++)
		memcpy(nulls[i], "\x47\x1f\xff\x10", 4);
	g.n = 0;
	cas_stage_feed(g.stage, &run, 1, ms * MS);
	run_loop();
}

static size_t count(uint16_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < g.n; i++)
		n += ts_pid(g.out[i]) == pid;
	return n;
}

Test(cas_stage, a_flood_of_emms_drops_emms_and_keeps_the_channel)
{
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE };
	char digits[2 * TS_PACKET + 1];
	struct msg m = { .type = MSG_CAS_EMM, .cas_emm = { digits } };
	size_t sent = 0;

	hex_write(digits, packet, sizeof packet);
	send_terms(true);
	for (unsigned i = 0; i < 2000; i++) {
		cr_assert_eq(channel_send(g.worker, &m, NULL, 0), 0);
		(void)ev_run(g.loop, EVRUN_NOWAIT);
		if (i % 64 == 63) {
			feed(0, 64);
			sent += count(EMM_PID);
		}
	}
	run_loop();
	cr_assert_not(g.closed);
	cr_assert_eq(cas_stage_linked(g.stage), 1);
	cr_assert_leq(sent, 600);
	cr_assert_geq(sent, 400);
	/* the next second */
	(void)cas_stage_second(g.stage, 0);
	g.asked = 0;
	send_ecm(1);
	cr_assert_eq(g.asked, 1, "the next ECM is requested");
}

static void keep_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	(void)level, (void)component;
	(void)snprintf(arg, LINE_SIZE, "%s", text);
}

/* ECMs have arrived all the time. */
Test(cas_stage, the_end_of_any_error_is_logged)
{
	struct msg m = { .type = MSG_CAS_TERMS, .cas_terms = {
		.up = true, .period_ms = PERIOD_MS,
		.error = "emmg_port 5000: no EMMs",
	} };
	char line[LINE_SIZE] = "";

	log_open(keep_line, line, LOG_LEVEL_INFO);
	cr_assert_eq(channel_send(g.worker, &m, NULL, 0), 0);
	run_loop();
	for (unsigned i = 0; i < 10; i++)
		(void)cas_stage_second(g.stage, 0);
	cr_assert_str_eq(line, "CAS c1: emmg_port 5000: no EMMs");
	m.cas_terms.error = NULL;
	cr_assert_eq(channel_send(g.worker, &m, NULL, 0), 0);
	run_loop();
	(void)cas_stage_second(g.stage, 0);
	cr_assert_str_eq(line, "all CAS systems work again");
	log_open(NULL, NULL, LOG_LEVEL_INFO);
}

Test(cas_stage, a_new_ecm_replaces_the_one_that_waits)
{
	send_terms(true);
	send_ecm(1);
	cr_assert_eq(g.number, 1);
	send_ecm(2);
	feed(0, 8);
	cr_assert_eq(count(ECM_PID), 1);
	/* it is due again, and no packet leaves */
	feed(PERIOD_MS - 10, 0);
	/* the word changes in a moment without packets */
	feed(PERIOD_MS, 0);
	feed(PERIOD_MS + 1, 8);
	cr_assert_eq(count(ECM_PID), 1);
	for (size_t i = 0; i < g.n; i++)
		if (ts_pid(g.out[i]) == ECM_PID)
			cr_assert_eq(g.out[i][100], 2);
}

static unsigned words_with_checksums(const struct crypto_memory *m)
{
	unsigned n = 0;

	for (size_t i = 0; i < CRYPTO_KEPT; i++) {
		const uint8_t *w = m->words[i];

		n += w[3] == (uint8_t)(w[0] + w[1] + w[2]) &&
		     w[7] == (uint8_t)(w[4] + w[5] + w[6]);
	}
	return n;
}

/* By chance a word of 64 random bits has both checksums once in 65536. */
Test(cas_stage, words_have_64_random_bits_if_all_systems_want_that)
{
	static struct crypto_memory memory[2];
	struct msg_stream_start both = g.start;
	struct cas_item full = {
		.link = json_pack("{s:s}", "cas_id", "c2"),
		.entry = json_pack("{s:s, s:i, s:s, s:i, s:i}", "id", "c2",
				   "ecmg_channel_id", 1, "ecmg_host", "h",
				   "ecmg_port", 1, "cw_entropy", 64),
	};

	cr_assert_eq(words_with_checksums(&g.memory), CRYPTO_KEPT);
	for (size_t i = 0; i < 2; i++) {
		struct cas_stage *s;

		both.n_cas = i + 1;
		both.cas[0] = full;
		both.cas[1] = g.start.cas[0];
		s = cas_stage_new(&(struct cas_stage_config){
			.loop = g.loop, .start = &both, .csa = &g.csa,
			.memory = &memory[i], .pids = &g.pids, .out = take,
		});
		cas_stage_free(&s);
	}
	cr_assert_lt(words_with_checksums(&memory[0]), CRYPTO_KEPT);
	cr_assert_eq(words_with_checksums(&memory[1]), CRYPTO_KEPT);
	json_decref((json_t *)full.link);
	json_decref((json_t *)full.entry);
}

Test(cas_stage, a_stream_without_systems_forgets_the_words)
{
	static const struct crypto_memory zero;
	const struct msg_stream_start none = { .n_cas = 0 };

	cr_assert_neq(memcmp(&g.memory, &zero, sizeof zero), 0);
	cr_assert_null(cas_stage_new(&(struct cas_stage_config){
		.loop = g.loop, .start = &none, .memory = &g.memory,
		.pids = &g.pids, .out = take,
	}));
	cr_assert_arr_eq(&g.memory, &zero, sizeof zero);
}
