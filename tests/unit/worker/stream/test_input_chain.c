/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/input_chain.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/log_lines.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/csa/core_choice.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
		monitor_log_feed(&l.watch, &run, 1, NULL, 1);
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
	(void)monitor_log_feed(&l.watch, &run, 1, NULL, 1);
	chain_second(&l, 1000 * MS);
	cr_assert_eq(l.report.bitrate_kbps, 0u);
	cr_assert_eq(l.received_kbps, 1504u);
	chain_second(&l, 2000 * MS);
	cr_assert_eq(l.received_kbps, 0u);
	chain_done(&l);
	/* without such options there is one rate */
	l = chain_of("udp://239.1.1.1", &spec);
	chain_want(&l, true, 0);
	(void)monitor_log_feed(&l.watch, &run, 1, NULL, 1);
	chain_second(&l, 1000 * MS);
	cr_assert_eq(l.report.bitrate_kbps, 1504u);
	cr_assert_eq(l.received_kbps, 0u);
	chain_done(&l);
}

/* A PAT of 300 programs in two sections. */
static struct build *many_programs(uint8_t version)
{
	enum { EACH = 150 };
	struct build_entry programs[EACH];
	struct build *b = build_new();
	uint8_t section[1024];

	for (unsigned part = 0; part < 2; part++) {
		size_t len;

		for (unsigned i = 0; i < EACH; i++)
			programs[i] = (struct build_entry){
				(uint16_t)(part * EACH + i + 1), 0x100 };
		len = build_pat(section, version, programs, EACH);
		section[6] = (uint8_t)part; /* section_number */
		section[7] = 1;             /* last_section_number */
		build_mend_crc(section, len);
		build_section(b, 0, section, len);
	}
	return b;
}

/* Feeds it and ends as many seconds, each with another version. */
static void feed_many(const char *address, unsigned seconds,
		      struct log_lines *told)
{
	struct stream_spec spec;
	struct input_chain l;

	*told = (struct log_lines){ .part = "programs are dropped" };
	log_open(log_lines_take, told, LOG_LEVEL_INFO);
	stream_spec_init(&spec);
	l = chain_of(address, &spec);
	chain_want(&l, true, 0);
	for (unsigned i = 1; i <= seconds; i++) {
		struct build *b = many_programs((uint8_t)(i % 32));
		struct ts_run run = build_run(b);

		if (l.remux != NULL)
			remux_feed(l.remux, &run, 1, i * SECOND_NS);
		chain_second(&l, i * SECOND_NS);
		build_free(b);
	}
	chain_done(&l);
}

Test(input_chain, programs_beyond_the_limit_are_logged_once)
{
	struct log_lines told;

	feed_many("udp://239.1.1.1#set_tsid=7", 3, &told);
	cr_assert_eq(told.n, 1u);
	cr_assert_str_eq(told.last,
			 "input 1: packets of 44 programs are dropped: the PAT "
			 "lists 300 programs, the limit is 256; select a "
			 "program with pnr");
	/* these drop none, or were asked to */
	feed_many("udp://239.1.1.1#pnr=290", 3, &told);
	cr_assert_eq(told.n, 0u);
	feed_many("udp://239.1.1.1", 3, &told);
	cr_assert_eq(told.n, 0u);
}

/* A PMT of 1,024 bytes, most of them in private descriptors of the video. */
static size_t full_pmt(uint8_t *section)
{
	char desc[1024 - 16 - 5] = { 0 };
	const struct build_es es = { 0x1b, 0x101, desc, sizeof desc };

	for (size_t at = 0; at < sizeof desc; at += 200) {
		desc[at] = (char)0xfe;
		desc[at + 1] = (char)(MIN(sizeof desc - at, 200U) - 2);
	}
	return build_pmt(section, (struct build_entry){ 1, 0x101 }, 0, &es, 1);
}

Test(input_chain, a_pmt_without_room_is_logged_once)
{
	static const struct build_entry one = { 1, 0x100 };
	struct log_lines told = { .part = "exceeds" };
	struct build *b = build_new();
	struct stream_spec spec;
	struct input_chain l;
	uint8_t section[1024];
	json_t *list, *first;
	struct ts_run run;

	build_section(b, 0, section, build_pat(section, 0, &one, 1));
	build_section(b, 0x100, section, full_pmt(section));
	run = build_run(b);
	log_open(log_lines_take, &told, LOG_LEVEL_INFO);
	stream_spec_init(&spec);
	l = chain_of("udp://239.1.1.1#set_pnr=5&lang.257=deu", &spec);
	chain_want(&l, true, 0);
	remux_feed(l.remux, &run, 1, 1);
	chain_second(&l, 1 * SECOND_NS);
	chain_second(&l, 2 * SECOND_NS);
	cr_assert_eq(told.n, 1u);
	cr_assert_str_eq(told.last,
			 "input 1: the PMT of program 5 exceeds 1,024 bytes; "
			 "dropped descriptors: 1, tags 0xfe; drop PIDs with "
			 "filter");
	list = omission_list(l.remux);
	cr_assert_eq(json_array_size(list), 1u);
	first = json_array_get(list, 0);
	cr_expect_eq(json_integer_value(json_object_get(first, "program")), 5);
	cr_expect_eq(json_integer_value(json_object_get(first, "descriptors")),
		     1);
	cr_expect(json_is_false(json_object_get(first, "ait")));
	json_decref(list);
	chain_done(&l);
	/* nothing is missing */
	told.n = 0;
	l = chain_of("udp://239.1.1.1#set_pnr=5", &spec);
	chain_want(&l, true, 0);
	remux_feed(l.remux, &run, 1, 1);
	chain_second(&l, 1 * SECOND_NS);
	cr_assert_eq(told.n, 0u);
	cr_assert_null(omission_list(l.remux));
	chain_done(&l);
	build_free(b);
}

/* The number of sights with each of these. */
struct loss_sights {
	unsigned losses, lossy, holes;
};

/* A datagram every 10 ms; in every third one a packet is damaged. */
static struct loss_sights watch_damaged(const char *address, unsigned seconds)
{
	struct loss_sights told = { 0 };
	struct build *b = build_new();
	struct failover_sight sight;
	struct stream_spec spec;
	struct input_chain l;

	stream_spec_init(&spec);
	chain_init(&l, &(struct chain_config){
		.position = 1, .address = address, .stream = &spec,
		.versions = &versions, .remuxed = ignore,
	});
	l.candidate.state = CANDIDATE_ON_AIR;
	chain_want(&l, true, SECOND_NS);
	for (uint64_t ms = 1010; ms < 1000 + seconds * 1000; ms += 10) {
		struct ts_run run;

		b->n = 0;
		for (unsigned i = 0; i < 7; i++)
			build_payload(b, 0x101, 1);
		if (ms % 30 == 0)
			build_packet(b, 3)[1] |= 0x80;
		run = build_run(b);
		chain_watch(&l, &run, 1, ms * MS);
		(void)chain_look(&l, ms * MS, &sight);
		told.losses += sight.loss;
		told.lossy += sight.lossy;
		told.holes += sight.hole;
	}
	chain_done(&l);
	build_free(b);
	return told;
}

Test(input_chain, damaged_packets_are_lost_packets)
{
	static const char *const addresses[] = {
		"udp://239.1.1.1", "udp://239.1.1.1#no_analyze",
	};

	for (size_t i = 0; i < ARRAY_LEN(addresses); i++) {
		struct loss_sights told = watch_damaged(addresses[i], 2);

		cr_expect(told.losses >= 60, "%s: %u", addresses[i],
			  told.losses);
		cr_expect_eq(told.lossy, 0, "%s", addresses[i]);
		told = watch_damaged(addresses[i], 6);
		cr_expect(told.lossy > 0, "%s", addresses[i]);
		/* no pause shows them */
		cr_expect_eq(told.holes, 0, "%s", addresses[i]);
	}
}

enum { LOST_MS = 3000, WATCHED_MS = 6000 };

/* Watches PIDs with packets every 10, 200 and 500 ms, whose datagrams at
 * LOST_MS, and at as many further seconds, are lost; the losses counted. */
static unsigned watch_lost(const char *address, unsigned lost)
{
	struct build *b = build_new();
	struct stream_spec spec;
	struct input_chain l;
	unsigned losses = 0;

	stream_spec_init(&spec);
	chain_init(&l, &(struct chain_config){
		.position = 1, .address = address, .stream = &spec,
		.versions = &versions, .remuxed = ignore,
	});
	l.candidate.state = CANDIDATE_ON_AIR;
	chain_want(&l, true, SECOND_NS);
	for (uint64_t ms = 1010; ms < WATCHED_MS; ms += 10) {
		struct ts_run run;

		b->n = 0;
		for (unsigned i = 0; i < 5; i++)
			build_payload(b, 0x101, 1);
		build_payload(b, ms % 200 == 0 ? 0x102 : 0x101, 1);
		build_payload(b, ms % 500 == 0 ? 0x103 : 0x101, 1);
		run = build_run(b);
		if (ms % 1000 == 0 && ms >= LOST_MS &&
		    ms < LOST_MS + 1000 * lost)
			continue;
		chain_watch(&l, &run, 1, ms * MS);
	}
	for (unsigned i = 0; i < LOSS_WINDOW_S; i++)
		losses += l.losses.seconds[i].losses;
	chain_done(&l);
	build_free(b);
	return losses;
}

/* Its PIDs show the gap one after the other. */
Test(input_chain, a_lost_datagram_of_several_pids_is_one_loss)
{
	static const char *const addresses[] = {
		"udp://239.1.1.1", "udp://239.1.1.1#no_analyze",
	};

	for (size_t i = 0; i < ARRAY_LEN(addresses); i++)
		for (unsigned lost = 0; lost <= 2; lost++)
			cr_expect_eq(watch_lost(addresses[i], lost), lost,
				     "%s: %u", addresses[i], lost);
}

/* The number of sights with a hole while the clock stands, of two seconds.
 * alone: the stream has no other input. */
static unsigned watch_frozen(const char *address, bool alone)
{
	static const struct build_entry program = { 1, 0x100 };
	static const struct build_es es = { .type = 0x1b, .pid = 0x101,
					    .desc = "" };
	const struct build_entry pmt = { 1, 0x101 };
	struct build *b = build_new();
	struct failover_sight sight;
	struct stream_spec spec;
	struct input_chain l;
	uint8_t section[1024];
	unsigned holes = 0;

	stream_spec_init(&spec);
	chain_init(&l, &(struct chain_config){
		.position = 1, .address = address, .stream = &spec,
		.versions = &versions, .remuxed = ignore, .alone = alone,
	});
	l.candidate.state = CANDIDATE_ON_AIR;
	chain_want(&l, true, SECOND_NS);
	for (uint64_t ms = 1010; ms <= 6000; ms += 10) {
		struct ts_run run;

		b->n = 0;
		build_section(b, 0, section,
			      build_pat(section, 0, &program, 1));
		build_section(b, 0x100, section,
			      build_pmt(section, pmt, 0, &es, 1));
		build_pcr(b, 0x101, MIN(ms, UINT64_C(3000)) * 27000);
		for (unsigned i = 0; i < 10; i++)
			build_payload(b, 0x101, 1);
		run = build_run(b);
		chain_watch(&l, &run, 1, ms * MS);
		if (!alone) {
			remux_feed(l.remux, &run, 1, ms * MS);
			analyze_feed(l.analyze, run);
		}
		if (ms % 1000 == 0)
			chain_second(&l, ms * MS);
		(void)chain_look(&l, ms * MS, &sight);
		holes += sight.hole;
		cr_assert(!sight.hole || ms > 3500, "%u ms", (unsigned)ms);
	}
	cr_assert(alone || strcmp(chain_fault(&l, 6100 * MS),
				  "frozen clock (PCR)") == 0);
	chain_done(&l);
	build_free(b);
	return holes;
}

Test(input_chain, a_clock_that_stands_is_a_failure_beside_another_input)
{
	/* a limit of losses does not concern it */
	cr_assert_eq(watch_frozen("udp://239.1.1.1", false), 3);
	cr_assert_eq(watch_frozen("udp://239.1.1.1#cc_limit=5", false), 3);
	cr_assert_eq(watch_frozen("udp://239.1.1.1", true), 0);
}

struct held {
	struct input_chain chain;
	unsigned n;
	uint64_t empty_ns; /* when the packets left the descrambler */
};

static void left(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct held *h = arg;

	for (size_t i = 0; i < n_runs; i++)
		h->n += (unsigned)runs[i].n;
	h->empty_ns = h->chain.empty_ns;
}

/* The pause before a packet is not longer because it was descrambled. */
Test(input_chain, a_read_that_ends_the_wait_of_packets_is_after_them)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE, 1, 1, 0x10 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct batch batch;
	socklen_t len = sizeof at;
	struct stream_spec spec;
	struct held h = { .n = 0 };
	struct csa_choice csa = { 0 };
	char address[80];

	/* a port that no process has */
	cr_assert_eq(bind(fd, (struct sockaddr *)&at, len), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	(void)close(fd);
	(void)snprintf(address, sizeof address,
		       "udp://127.0.0.1:%u#biss=123456abcdef",
		       ntohs(at.sin_port));
	batch_init(&batch, ignore, NULL);
	stream_spec_init(&spec);
	chain_init(&h.chain, &(struct chain_config){
		.position = 1, .address = address, .stream = &spec,
		.csa = &csa, .versions = &versions, .descrambled = left,
		.remuxed = ignore, .arg = &h,
	});
	chain_want(&h.chain, true, SECOND_NS);
	chain_read(&h.chain, &batch, SECOND_NS);
	cr_assert_eq(h.chain.empty_ns, SECOND_NS);
	descrambler_feed(h.chain.descrambler, &(struct ts_run){ packet, 1 }, 1,
			 SECOND_NS + 500 * MS);
	chain_read(&h.chain, &batch, SECOND_NS + 510 * MS);
	cr_assert_eq(h.n, 1);
	cr_assert_eq(h.empty_ns, SECOND_NS);
	cr_assert_eq(h.chain.empty_ns, SECOND_NS + 510 * MS);
	chain_done(&h.chain);
}

Test(input_chain, reads_one_program_of_a_multiplex_in_memory)
{
	static const struct {
		const char *address;
		struct program_choice choice;
	} cases[] = {
		{ "dvb://d", { 0 } },
		{ "udp://239.1.1.1#pnr=3", { 0 } },
		{ "dvb://d#pnr=3", { .number = 3 } },
		{ "stream://a#pnr=3&set_pcr_pid=300",
		  { .number = 3, .pids = { 0, 300 } } },
		{ "dvb://d#pnr=3&cas", { .number = 3, .emms = true } },
		{ "dvb://d#pnr=3&t2mi", { 0 } },
	};
	struct stream_spec spec;

	stream_spec_init(&spec);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct input_chain l = chain_of(cases[i].address, &spec);
		const struct program_choice *c = &l.keeper.choice;

		cr_assert(l.keeper.valid, "%s: %s", cases[i].address,
			  l.keeper.error.text);
		cr_assert_eq(memcmp(c, &cases[i].choice, sizeof *c), 0, "%s",
			     cases[i].address);
		chain_show_tables(&l, true);
		cr_assert_eq(c->tables, c->number != 0);
		chain_done(&l);
	}
}
