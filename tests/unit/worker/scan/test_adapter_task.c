/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/adapter_task.h"

#include "common/base/units.h"
#include "tests/unit/proto/si/json_eq.h"
#include "tests/unit/worker/t2mi/t2mi_maker.h"
#include "worker/adapter/t2mi_source.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/core/worker.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { STEP_MS = 250, TURNS_MAX = 4000, NIT_PID = 16, SDT_PID = 17,
       ATSC_MHZ = 473 };

/* A receiver of a satellite with two transponders. */
static struct {
	struct source base;
	bool absent;     /* the device does not open */
	bool tableless;  /* lock, and null packets */
	bool nameless;   /* PAT and PMT only */
	bool late_nit;   /* the NIT has not come yet */
	bool open;
	double mhz;
	unsigned tunes;
	uint64_t second_ns; /* the last call of every_second() */
	unsigned looks;
	bool sent;       /* the tables of this tuning */
	bool wrapped;    /* in T2-MI */
	char tunings[4096];
} sky;

static struct {
	struct ev_loop *loop;
	struct worker worker;
	struct channel *master;
	struct adapter_task *task;
	uint64_t now_ns, ended_ns;
	bool ended;
	uint32_t done, total;
	char error[256];
	json_t *transponders, *services; /* texts, in order */
	unsigned records;
} g;

uint64_t __wrap_mono_ns(void);
uint64_t __wrap_mono_ns(void)
{
	return g.now_ns;
}

bool __wrap_worker_enter_sandbox(struct worker *, struct grants *);
bool __wrap_worker_enter_sandbox(struct worker *worker,
				 struct grants *take_grants)
{
	(void)worker;
	grants_done(take_grants);
	return true;
}

/* --- the receiver --- */

static void tune(const json_t *adapter)
{
	char *text = json_dumps(adapter, JSON_COMPACT | JSON_REAL_PRECISION(6));
	const json_t *f = json_object_get(adapter, "frequency");

	sky.mhz = json_is_string(f) ? strtod(json_string_value(f), NULL)
				    : json_number_value(f);
	sky.tunes++;
	sky.sent = false;
	(void)strncat(sky.tunings, text,
		      sizeof sky.tunings - strlen(sky.tunings) - 1);
	free(text);
}

static bool has_lock(void)
{
	return !sky.absent && (sky.mhz == 11362 || sky.mhz == 12188 ||
			       sky.mhz == ATSC_MHZ);
}

static bool retune(struct source *s, const json_t *adapter)
{
	(void)s;
	tune(adapter);
	return true;
}

static void look(struct source *s, struct source_report *ret)
{
	(void)s;
	sky.looks++;
	ret->lock = has_lock();
	ret->tunes = sky.absent ? 0 : sky.tunes;
	ret->dvb.taken = !sky.absent;
	ret->dvb.snr_db = 1350;
	ret->error = sky.absent ? "no device" : NULL;
}

static void every_second(struct source *s, uint64_t now_ns,
			 struct source_report *ret)
{
	look(s, ret);
	cr_expect_geq(now_ns - sky.second_ns, SECOND_NS,
		      "the watch of the tuner counts seconds");
	sky.second_ns = now_ns;
}

static void add_sdt(struct build *b)
{
	static const uint8_t body[] = { 0, 1, 0xff, 0, 1, 0xfc, 0x80, 10,
					0x48, 8, 1, 1, 'P', 4, 'N', 'e', 'w',
					's' };
	uint8_t section[256];

	build_section(b, SDT_PID, section,
		      build_table(section, &(struct build_table){
			.table_id = 0x42, .extension = 9, .body = body,
			.len = sizeof body }));
}

/* "WABC", 7.1, of the program of build_tables(). */
static void add_vct(struct build *b)
{
	static const uint8_t body[] = {
		0, 1, 0, 'W', 0, 'A', 0, 'B', 0, 'C', 0, 0, 0, 0, 0, 0,
		0xf0, 0x1c, 0x01, 4, 0, 0, 0, 0, 0, 9, 0, 1,
		0x0d, 0xc2, 0, 5, 0xfc, 0, 0xfc, 0 };
	uint8_t section[256];

	build_section(b, 0x1ffb, section,
		      build_table(section, &(struct build_table){
			.table_id = 0xc8, .extension = 9, .body = body,
			.len = sizeof body }));
}

/* Both transponders, and one that is dark. */
static void add_nit(struct build *b)
{
	uint8_t nit[4 + 3 * 19] = { 0xf0, 0, 0xf0, 3 * 19 };
	static const uint8_t frequencies[3][4] = {
		{ 0x01, 0x13, 0x62, 0x00 }, { 0x01, 0x21, 0x88, 0x00 },
		{ 0x01, 0x24, 0x00, 0x00 },
	};
	uint8_t section[256];

	for (size_t i = 0; i < 3; i++) {
		uint8_t *at = nit + 4 + i * 19;
		const uint8_t head[] = { 0, (uint8_t)i, 0, 1, 0xf0, 13, 0x43,
					 11 };
		const uint8_t tail[] = { 0x01, 0x92, 0x86, 0x02, 0x20, 0x00,
					 0x03 };

		memcpy(at, head, sizeof head);
		memcpy(at + 8, frequencies[i], 4);
		memcpy(at + 12, tail, sizeof tail);
	}
	build_section(b, NIT_PID, section,
		      build_table(section, &(struct build_table){
			.table_id = 0x40, .extension = 3, .body = nit,
			.len = sizeof nit }));
}

/* Wraps it into the T2-MI of PID 500. */
static struct ts_run wrap(struct ts_run run)
{
	static struct t2mi_maker maker;

	maker = (struct t2mi_maker){ .pid = 500, .plp = 4, .field = 700 };
	t2mi_maker_add(&maker, (const uint8_t (*)[TS_PACKET])run.data, run.n);
	t2mi_maker_end(&maker);
	return (struct ts_run){ .data = maker.packets[0], .n = maker.n };
}

static int read_tables(struct source *s, struct batch *batch, uint64_t now_ns)
{
	struct build *b;

	(void)s, (void)now_ns;
	/* a tuner needs a moment, and the first tables are lost */
	if (!has_lock() || sky.sent)
		return 0;
	b = build_new();
	if (sky.tableless) {
		build_null(b);
	} else {
		build_tables(b);
		if (sky.mhz == ATSC_MHZ && !sky.nameless) {
			add_vct(b);
		} else if (!sky.nameless) {
			add_sdt(b);
			if (!sky.late_nit)
				add_nit(b);
		}
	}
	batch_add(batch, sky.wrapped ? wrap(build_run(b)) : build_run(b));
	batch_flush(batch);
	build_free(b);
	return 0;
}

static void close_source(struct source *s)
{
	(void)s;
	sky.open = false;
}

static const struct source_ops ops = {
	.free = close_source, .read = read_tables,
	.every_second = every_second, .look = look, .retune = retune,
};

static struct source *open_source(const json_t *adapter, struct ev_loop *loop,
				  uint64_t now_ns)
{
	(void)loop, (void)now_ns;
	sky.base.ops = &ops;
	sky.open = true;
	tune(adapter);
	return t2mi_source_new(adapter, &sky.base);
}

/* --- the master --- */

static void on_transponder(const struct msg_scan_transponder *m)
{
	while (json_array_size(g.transponders) < m->number)
		(void)json_array_append_new(g.transponders, json_null());
	(void)json_array_set_new(g.transponders, m->number - 1, json_pack(
		"{s:O, s:b, s:b}", "tuning", m->tuning, "lock",
		m->status.lock, "complete", m->complete));
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	(void)channel, (void)fds, (void)n_fds, (void)arg;
	if (m->type == MSG_SCAN_TRANSPONDER) {
		on_transponder(&m->scan_transponder);
	} else if (m->type == MSG_SCAN_SERVICE) {
		(void)json_array_append_new(g.services, json_pack(
			"{s:i, s:O}", "number", (int)m->scan_service.number,
			"service", m->scan_service.service));
	} else if (m->type == MSG_SCAN_RECORD) {
		g.records++;
	} else if (m->type == MSG_SCAN_STATUS) {
		g.done = m->scan_status.done;
		g.total = m->scan_status.total;
		g.ended = m->scan_status.ended;
		if (m->scan_status.error != NULL)
			(void)snprintf(g.error, sizeof g.error, "%s",
				       m->scan_status.error);
	}
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	(void)channel, (void)arg;
	cr_assert_fail("%d %s", err, error);
}

static struct channel *end_of(int fd, enum msg_side side)
{
	static const struct channel_events events = {
		.on_message = on_message, .on_close = on_close,
	};

	return channel_new(&(struct channel_config){
		.loop = g.loop, .fd = fd, .receives = side,
		.events = &events });
}

static void start(const char *scan)
{
	json_error_t error;
	json_t *json = json_loads(scan, 0, &error);
	int fds[2];

	cr_assert_not_null(json, "%s", error.text);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0,
				fds), 0);
	g.loop = ev_loop_new(EVFLAG_AUTO);
	g.now_ns = 1000 * SECOND_NS;
	g.transponders = json_array();
	g.services = json_array();
	g.master = end_of(fds[0], MSG_TO_MASTER);
	g.worker = (struct worker){ .loop = g.loop, .object = "1",
		.channel = end_of(fds[1], MSG_TO_WORKER) };
	g.task = adapter_task_new(&g.worker, json, open_source);
	cr_assert_not_null(g.task);
	json_decref(json);
}

/* Runs until the search has ended, or for some seconds of the clock. */
static void run_for(unsigned s)
{
	uint64_t end_ns = g.now_ns + s * SECOND_NS;

	for (unsigned i = 0; i < TURNS_MAX && !g.ended && g.now_ns < end_ns;
	     i++) {
		g.now_ns += STEP_MS * MS;
		ev_run(g.loop, EVRUN_ONCE);
		ev_run(g.loop, EVRUN_NOWAIT);
	}
}

static void stop(void)
{
	adapter_task_free(&g.task);
	cr_assert_not(sky.open);
	channel_free(&g.worker.channel);
	channel_free(&g.master);
	ev_loop_destroy(g.loop);
	json_decref(g.transponders);
	json_decref(g.services);
}

#define DISH "\"type\":\"S2\",\"adapter\":0,\"polarization\":\"H\"," \
	"\"symbolrate\":22000"
#define NEWS "{'pnr':1,'name':'News','provider':'P','service_type':1," \
	"'scrambled':false}"

static const char *tuning(size_t i, const char *key)
{
	const json_t *t = json_object_get(json_array_get(g.transponders, i),
					  "tuning");
	static char text[32];
	char *dumped = json_dumps(json_object_get(t, key), JSON_ENCODE_ANY);

	(void)snprintf(text, sizeof text, "%s", dumped != NULL ? dumped : "");
	free(dumped);
	return text;
}

static bool is(size_t i, const char *key)
{
	return json_is_true(json_object_get(json_array_get(g.transponders, i),
					    key));
}

Test(adapter_task, one_transponder_is_reported_until_the_end, .timeout = 30)
{
	start("{\"adapter\":{" DISH ",\"frequency\":11362}}");
	run_for(5);
	cr_assert_not(g.ended);
	cr_assert_eq(g.total, 1u);
	cr_assert(g.records >= 4, "%u", g.records);
	cr_assert(is(0, "lock") && is(0, "complete"));
	cr_assert_str_eq(tuning(0, "network_id"), "3");
	cr_assert_str_eq(tuning(0, "frequency"), "11362");
	cr_assert_eq(json_array_size(g.services), 1u);
	expect_json(json_incref(json_object_get(json_array_get(g.services, 0),
						"service")), NEWS);
	run_for(60);
	cr_assert_not(g.ended);
	cr_assert(sky.open);
	stop();
}

Test(adapter_task, a_vct_has_the_names_of_atsc, .timeout = 30)
{
	start("{\"adapter\":{\"type\":\"ATSC\",\"adapter\":0,"
	      "\"frequency\":473}}");
	run_for(5);
	cr_assert(is(0, "lock") && is(0, "complete"));
	expect_json(json_incref(json_object_get(json_array_get(g.services, 0),
						"service")),
		    "{'pnr':1,'name':'WABC','channel':'7.1','service_type':1,"
		    "'scrambled':false}");
	stop();
}

/* Some operators of cable send no PSIP. */
Test(adapter_task, a_multiplex_of_atsc_may_have_no_vct, .timeout = 30)
{
	sky.nameless = true;
	start("{\"adapter\":{\"type\":\"ATSC\",\"adapter\":0,"
	      "\"frequency\":473}}");
	run_for(4);
	cr_assert(is(0, "lock") && !is(0, "complete"));
	run_for(4);
	cr_assert(is(0, "complete"));
	expect_json(json_incref(json_object_get(json_array_get(g.services, 0),
						"service")),
		    "{'pnr':1,'scrambled':false}");
	stop();
}

/* No table of ATSC names other transponders. */
Test(adapter_task, a_network_of_atsc_waits_for_no_nit, .timeout = 30)
{
	start("{\"search\":\"network\",\"adapter\":{\"type\":\"ATSC\","
	      "\"adapter\":0,\"frequency\":473}}");
	run_for(7);
	cr_assert(g.ended);
	cr_assert_not(sky.open);
	cr_assert(is(0, "lock") && is(0, "complete"));
	cr_assert_eq(json_array_size(g.services), 1u);
	cr_assert_str_eq(g.error, "no NIT was received, and ATSC has none: the "
			 "search \"blind\" finds other transponders");
	stop();
}

/* Cable of annex B with the tables of DVB has a NIT, which may be late. */
Test(adapter_task, a_network_by_annex_b_may_have_a_nit, .timeout = 30)
{
	sky.late_nit = true;
	start("{\"search\":\"network\",\"adapter\":{\"type\":\"C/B\","
	      "\"adapter\":0,\"frequency\":11362}}");
	run_for(8);
	cr_assert(!g.ended && is(0, "lock") && !is(0, "complete"));
	sky.late_nit = false;
	run_for(5);
	cr_assert(g.ended && is(0, "complete"));
	cr_assert_str_eq(g.error, "");
	stop();
}

Test(adapter_task, other_systems_need_an_sdt, .timeout = 30)
{
	sky.nameless = true;
	start("{\"adapter\":{" DISH ",\"frequency\":11362}}");
	run_for(10);
	cr_assert(is(0, "lock") && !is(0, "complete"));
	stop();
}

Test(adapter_task, the_multiplex_of_a_plp_is_reported, .timeout = 30)
{
	sky.wrapped = true;
	start("{\"adapter\":{" DISH ",\"frequency\":11362,\"t2mi\":true,"
	      "\"t2mi_pid\":500}}");
	run_for(5);
	cr_assert_eq(json_array_size(g.services), 1u);
	expect_json(json_incref(json_object_get(json_array_get(g.services, 0),
						"service")), NEWS);
	cr_assert_str_eq(g.error, "");
	stop();
	memset(&g, 0, sizeof g);
	start("{\"adapter\":{" DISH ",\"frequency\":11362,\"t2mi\":true}}");
	run_for(5);
	cr_assert_eq(json_array_size(g.services), 0u);
	cr_assert(strstr(g.error, "t2mi: PID 4096 has no T2-MI packets"), "%s",
		  g.error);
	stop();
}

Test(adapter_task, a_network_is_scanned_and_its_tuner_is_free, .timeout = 30)
{
	start("{\"search\":\"network\",\"adapter\":{" DISH
	      ",\"frequency\":11362}}");
	run_for(60);
	cr_assert(g.ended);
	cr_assert_not(sky.open);
	cr_assert_eq(g.error[0], '\0');
	cr_assert_eq(g.records, 0u);
	cr_assert_eq(json_array_size(g.transponders), 3u);
	cr_assert(is(0, "complete") && is(1, "complete"));
	cr_assert_not(is(2, "lock"));
	cr_assert_str_eq(tuning(1, "frequency"), "12188");
	cr_assert_str_eq(tuning(2, "frequency"), "12400");
	cr_assert_eq(json_array_size(g.services), 2u);
	cr_assert_eq(g.done, 3u);
	cr_assert_eq(g.total, 3u);
	cr_assert_eq(sky.tunes, 3u, "%s", sky.tunings);
	stop();
}

Test(adapter_task, a_blind_search_reports_what_has_lock, .timeout = 30)
{
	start("{\"search\":\"blind\",\"grid\":{\"from\":11352,\"to\":11382,"
	      "\"step\":10,\"polarization\":\"H\",\"symbolrate\":[22000]},"
	      "\"adapter\":{\"type\":\"S2\",\"adapter\":0}}");
	run_for(60);
	cr_assert(g.ended);
	cr_assert_eq(json_array_size(g.transponders), 1u);
	cr_assert_str_eq(tuning(0, "frequency"), "11362.0");
	cr_assert_eq(json_array_size(g.services), 1u);
	/* 11372 lies within */
	cr_assert_eq(sky.tunes, 3u, "%s", sky.tunings);
	stop();
}

Test(adapter_task, every_step_has_a_deadline, .timeout = 30)
{
	sky.tableless = true;
	start("{\"search\":\"network\",\"adapter\":{" DISH
	      ",\"frequency\":11362}}");
	run_for(20);
	cr_assert(g.ended);
	cr_assert(is(0, "lock"));
	cr_assert_not(is(0, "complete"));
	cr_assert_str_eq(g.error, "no NIT was received: other transponders of "
			 "the network are unknown");
	stop();
}

Test(adapter_task, a_device_that_does_not_open_ends_the_search, .timeout = 30)
{
	sky.absent = true;
	start("{\"search\":\"blind\",\"grid\":{\"from\":11352,\"to\":12352,"
	      "\"polarization\":\"H\"},"
	      "\"adapter\":{\"type\":\"S2\",\"adapter\":0}}");
	run_for(20);
	cr_assert(g.ended);
	cr_assert_str_eq(g.error, "no device");
	cr_assert_eq(sky.tunes, 1u);
	stop();
}
