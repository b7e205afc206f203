/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/input_chain.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

static struct table_versions versions;

static struct input_chain chain_of(const char *address,
				   const struct stream_spec *s)
{
	struct input_chain l;

	chain_init(&l, &(struct chain_config){
			       .position = 1,
			       .address = address,
			       .stream = s,
			       .versions = &versions,
			       .alone = true,
			       .remuxed = ignore,
		       });
	return l;
}

Test(input_chain, each_kind_of_input_has_its_time_to_begin)
{
	static const struct {
		const char *address;
		uint32_t initial_ms;
		bool cold;
	} kinds[] = {
		{ "udp://239.1.1.1", 5000, false },
		{ "rtp://239.1.1.1", 5000, false },
		{ "srt://127.0.0.1:7000", 5000, false },
		{ "file:///srv/a.ts", 5000, true },
		/* packets of a later time cannot arrive earlier */
		{ "http://127.0.0.1/a.ts", 13000, false },
		{ "http://127.0.0.1/a.ts#buffer_time=8", 18000, false },
		{ "https://127.0.0.1/a.ts#no_sync", 10000, false },
	};
	struct stream_spec spec;

	stream_spec_init(&spec);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct input_chain l = chain_of(kinds[i].address, &spec);
		struct failover_input_config policy = chain_policy(&l);

		cr_expect(policy.valid, "%s", kinds[i].address);
		cr_expect_eq(policy.initial_ms, kinds[i].initial_ms, "%s: %u",
			     kinds[i].address, policy.initial_ms);
		cr_expect_eq(policy.cold, kinds[i].cold, "%s",
			     kinds[i].address);
		chain_done(&l);
	}
}

Test(input_chain, the_limit_of_the_stream_is_for_inputs_without_one)
{
	struct stream_spec spec;
	struct input_chain own, none, other;

	stream_spec_init(&spec);
	spec.cc_limit = 7;
	own = chain_of("udp://239.1.1.1#cc_limit=3", &spec);
	none = chain_of("udp://239.1.1.1#cc_limit=0", &spec);
	other = chain_of("udp://239.1.1.1", &spec);
	cr_assert_eq(own.cc_limit, 3u);
	cr_assert_eq(none.cc_limit, (unsigned)CC_LIMIT_NONE);
	cr_assert_eq(other.cc_limit, 7u);
	chain_done(&own);
	chain_done(&none);
	chain_done(&other);
}

Test(input_chain, the_stages_of_a_point_share_its_tables)
{
	struct stream_spec spec;
	struct input_chain relay, remux;

	stream_spec_init(&spec);
	relay = chain_of("udp://239.1.1.1", &spec);
	remux = chain_of("udp://239.1.1.1#set_pnr=7", &spec);
	chain_want(&relay, true, 1);
	chain_want(&remux, true, 1);
	cr_assert_eq(relay.candidate.psi, monitor_psi(relay.watch.monitor));
	cr_assert_eq(monitor_psi(remux.watch.monitor), remux_psi(remux.remux));
	cr_assert_eq(remux.candidate.psi, analyze_psi(remux.analyze));
	chain_done(&relay);
	chain_done(&remux);
}

/* The received packets are watched whole, of whatever program. */
Test(input_chain, the_monitor_knows_the_programs_that_are_not_selected)
{
	static const struct build_entry programs[] = { { 1, 0x100 },
						       { 2, 0x200 } };
	static const struct build_es first = { .type = 0x1b, .pid = 0x101 },
				     second = { .type = 0x1b, .pid = 0x201 };
	struct build *b = build_new();
	struct stream_spec spec;
	struct input_chain l;
	struct ts_run run;
	uint8_t section[1024];

	build_section(b, 0, section, build_pat(section, 0, programs, 2));
	build_section(b, 0x100, section,
		      build_pmt(section, programs[0], 0, &first, 1));
	build_section(b, 0x200, section,
		      build_pmt(section, programs[1], 0, &second, 1));
	run = build_run(b);
	stream_spec_init(&spec);
	l = chain_of("udp://239.1.1.1#pnr=1", &spec);
	chain_want(&l, true, 1);
	/* in the order of the pipeline; the tables come twice */
	for (unsigned i = 0; i < 2; i++) {
		monitor_log_feed(&l.watch, &run, 1, 1);
		remux_feed(l.remux, &run, 1, 1);
	}
	cr_assert_eq(psi_class(monitor_psi(l.watch.monitor), 0x101), PID_VIDEO);
	cr_assert_eq(psi_class(monitor_psi(l.watch.monitor), 0x201), PID_VIDEO);
	chain_done(&l);
	build_free(b);
}

/* An operator compares the received rate with the port of a switch. */
Test(input_chain, the_received_rate_counts_the_packets_that_are_not_selected)
{
	enum { PACKETS = 1000 };
	static uint8_t data[PACKETS * TS_PACKET];
	struct ts_run run = { data, PACKETS };
	struct stream_spec spec;
	struct input_chain l;

	for (size_t i = 0; i < PACKETS; i++)
		memcpy(data + i * TS_PACKET, (uint8_t[]){ 0x47, 1, 0, 0x10 },
		       4);
	stream_spec_init(&spec);
	l = chain_of("udp://239.1.1.1#pnr=1", &spec);
	chain_want(&l, true, 0);
	(void)monitor_log_feed(&l.watch, &run, 1, 1);
	chain_second(&l, 1000 * MS);
	cr_assert_eq(l.report.bitrate_kbps, 0u);
	cr_assert_eq(l.received_kbps, 1504u);
	chain_second(&l, 2000 * MS);
	cr_assert_eq(l.received_kbps, 0u);
	chain_done(&l);
	/* without such options there is one rate */
	l = chain_of("udp://239.1.1.1", &spec);
	chain_want(&l, true, 0);
	(void)monitor_log_feed(&l.watch, &run, 1, 1);
	chain_second(&l, 1000 * MS);
	cr_assert_eq(l.report.bitrate_kbps, 1504u);
	cr_assert_eq(l.received_kbps, 0u);
	chain_done(&l);
}
