/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a generator of ECMs sends on its connection: it sets up a channel and
 * streams, and each ECM is followed by a request for the next one. */
#include "worker/cas/ecmg_session.h"

#include "common/base/fd.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/peer.h"

enum { STREAMS = 3, PERIOD_MS = 1000 };

struct peer {
	struct ev_loop *loop;
	struct ecmg_session *ecmg;
	bool ended;
};

static void on_up(const struct ecmg_terms *t, void *arg)
{
	struct peer *p = arg;

	must(t->lead <= ECMG_LEAD_MAX);
	must(t->per_msg >= 1 && t->per_msg <= t->lead + 2);
	for (unsigned i = 0; i < STREAMS; i++)
		ecmg_session_open(p->ecmg, i);
}

static void request(struct peer *p, unsigned stream)
{
	static const struct ecmg_request r = {
		.number = 1, .period_ms = PERIOD_MS,
		.ac = (const uint8_t *)"ac", .ac_len = 2,
	};

	ecmg_session_ask(p->ecmg, stream, &r);
}

static void on_stream(unsigned stream, const char *error, void *arg)
{
	must(stream < STREAMS);
	if (error == NULL)
		request(arg, stream);
}

static void on_late(unsigned stream, void *arg)
{
	(void)arg;
	must(stream < STREAMS);
}

static void on_ecm(unsigned stream, uint16_t number, struct ts_run run,
		   void *arg)
{
	must(stream < STREAMS && number == 1);
	fuzz_judge_run(run, ECMG_PACKETS_MAX);
	request(arg, stream);
}

static void on_end(const char *error, unsigned status, void *arg)
{
	struct peer *p = arg;

	(void)status;
	must(error != NULL && !p->ended);
	p->ended = true;
}

static const struct ecmg_session_events events = {
	.on_up = on_up, .on_stream = on_stream, .on_late = on_late,
	.on_ecm = on_ecm, .on_end = on_end,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct peer p = { 0 };
	int pair[2];

	if (size < 2 || size > FUZZ_PEER_MAX)
		return 0;
	p.loop = fuzz_connect(pair);
	p.ecmg = ecmg_session_new(&(struct ecmg_session_config){
		.loop = p.loop, .fd = pair[0], .version = 2, .channel = 1,
		.first_stream = 1, .period_ms = PERIOD_MS, .events = &events,
		.arg = &p });
	fuzz_be_peer(p.loop, pair[1], data, size, &p.ended);
	ecmg_session_free(&p.ecmg);
	fd_close(&pair[1]);
	ev_loop_destroy(p.loop);
	return 0;
}
