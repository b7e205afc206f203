/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a generator of EMMs sends on its connection: channels, streams, requests
 * for bandwidth, and data. */
#include "worker/cas/emmg_client.h"

#include "common/base/fd.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/peer.h"
#include "worker/ts/section.h"

enum { KBPS = 1000, SETUP_MS = 1000 };

struct peer {
	struct ev_loop *loop;
	struct emmg_client *emmg;
	bool ended;
};

static unsigned left(void *arg)
{
	const struct peer *p = arg;
	unsigned used = emmg_client_allocated(p->emmg);

	must(used <= KBPS);
	return KBPS - used;
}

static void on_packets(struct ts_run run, void *arg)
{
	(void)arg;
	fuzz_judge_run(run, EMMG_RUN_MAX);
}

static void on_section(const uint8_t *section, size_t len, void *arg)
{
	(void)arg;
	must(len >= 3 && len <= SECTION_MAX && section_length(section) == len);
	must(section_table_id(section) != 0xff);
}

static void on_gone(struct emmg_client *client, const char *error, void *arg)
{
	struct peer *p = arg;

	must(client == p->emmg && error != NULL && !p->ended);
	p->ended = true;
	emmg_client_free(&p->emmg);
}

static const struct emmg_client_events events = {
	.left = left, .on_packets = on_packets, .on_section = on_section,
	.on_gone = on_gone,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct peer p = { 0 };
	int pair[2];

	if (size < 2 || size > FUZZ_PEER_MAX)
		return 0;
	p.loop = fuzz_connect(pair);
	p.emmg = emmg_client_new(&(struct emmg_client_config){
		.loop = p.loop, .fd = pair[0], .setup_ms = SETUP_MS,
		.events = &events, .arg = &p });
	fuzz_be_peer(p.loop, pair[1], data, size, &p.ended);
	emmg_client_free(&p.emmg);
	fd_close(&pair[1]);
	ev_loop_destroy(p.loop);
	return 0;
}
