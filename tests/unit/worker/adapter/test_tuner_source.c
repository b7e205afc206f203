/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/tuner_source.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/adapter/dvb/fake_dvb.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/core/hidden.h"
#include "worker/ts/packet.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 30, PACKETS = 5 };

static struct fake_dvb fake;
static struct source *source;
static struct source_report report;
static struct batch batch;
static json_t *adapter;
static size_t received;
static uint8_t packets[PACKETS * TS_PACKET];
static atomic_uint_fast64_t later_ns;
static unsigned opened;      /* by the loop */
static unsigned asked;       /* the loop asked the permissions */
static char asked_path[128]; /* the last of them */

uint64_t __real_mono_ns(void);
uint64_t __wrap_mono_ns(void);
uint64_t __wrap_mono_ns(void)
{
	return __real_mono_ns() + atomic_load(&later_ns);
}

bool __wrap_hidden_by_sandbox(const char *path);
bool __wrap_hidden_by_sandbox(const char *path)
{
	(void)path;
	opened++;
	return false;
}

bool __wrap_hidden_when_refused(const char *path, int mode);
bool __wrap_hidden_when_refused(const char *path, int mode)
{
	cr_assert_eq(mode, R_OK | W_OK);
	(void)snprintf(asked_path, sizeof asked_path, "%s", path);
	asked++;
	return false;
}

static void count(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		received += runs[i].n;
}

static void start(const char *type)
{
	adapter = json_pack("{s:s, s:i}", "type", type, "frequency", 474);
	fake_dvb_init(&fake);
	batch_init(&batch, count, NULL);
	for (size_t i = 0; i < PACKETS; i++) {
		packets[i * TS_PACKET] = 0x47;
		packets[i * TS_PACKET + 1] = 0x1f;
		packets[i * TS_PACKET + 2] = 0xff;
		packets[i * TS_PACKET + 3] = 0x10;
	}
	source = tuner_source_new(adapter, &fake_dvb_ops, &fake);
}

static void stop(void)
{
	source->ops->free(source);
	json_decref(adapter);
	cr_assert_eq(fake_dvb_open_fds(&fake), 0u);
}

static void second(void)
{
	report = (struct source_report){ 0 };
	source->ops->every_second(source, mono_ns(), &report);
}

#define AWAIT(expression) do { \
	uint64_t end = mono_ns() + PATIENCE_S * SECOND_NS; \
	for (;;) { \
		second(); \
		if (expression) \
			break; \
		cr_assert_lt(mono_ns(), end, "%s; %s", #expression, \
			     report.error != NULL ? report.error : "-"); \
		(void)sched_yield(); \
	} \
} while (0)

/* The thread tries again. */
static void pass_time(unsigned s)
{
	atomic_fetch_add(&later_ns, s * SECOND_NS);
}

static bool has_error(const char *text)
{
	return report.error != NULL && strstr(report.error, text) != NULL;
}

Test(tuner_source, passes_packets_and_reports_the_signal, .timeout = 60)
{
	start("T");
	AWAIT(report.lock && report.dvb.snr_db == 1350);
	cr_assert(report.dvb.taken);
	cr_assert_eq(report.dvb.status, 0x1fu);
	cr_assert_eq(report.signal, 83u);
	cr_assert_eq(report.snr, 45u);
	cr_assert(has_error("lock, but no data"));
	packets[2 * TS_PACKET] = 0;
	FAKE_SET(&fake, packets, packets);
	FAKE_SET(&fake, n_bytes, sizeof packets);
	while (source->ops->read(source, &batch, mono_ns()) > 0)
		continue;
	/* one has no sync byte */
	cr_assert_eq(received, (size_t)PACKETS - 1);
	second();
	cr_assert_null(report.error);
	cr_assert_eq(report.lost, 0u);
	/* the watch and the error are those of whole seconds */
	report = (struct source_report){ 0 };
	source->ops->look(source, &report);
	cr_assert(report.lock);
	cr_assert_null(report.error);
	FAKE_SET(&fake, overflow, true);
	(void)source->ops->read(source, &batch, mono_ns());
	second();
	cr_assert_gt(report.lost, 0u);
	stop();
}

/* Reads all bytes that wait from there. */
static void read_bytes(size_t from, size_t n)
{
	FAKE_SET(&fake, packets, packets + from);
	FAKE_SET(&fake, n_bytes, n);
	while (source->ops->read(source, &batch, mono_ns()) > 0)
		continue;
}

/* The other packets would all be without sync byte. */
Test(tuner_source, a_packet_may_come_in_two_reads, .timeout = 60)
{
	json_t *other = json_pack("{s:s, s:i}", "type", "T", "frequency", 666);

	start("T");
	AWAIT(report.lock);
	read_bytes(0, 2 * TS_PACKET + 100);
	cr_assert_eq(received, 2u);
	read_bytes(2 * TS_PACKET + 100, sizeof packets - 2 * TS_PACKET - 100);
	cr_assert_eq(received, (size_t)PACKETS);
	/* the next packets begin anew */
	read_bytes(0, 100);
	FAKE_SET(&fake, overflow, true);
	(void)source->ops->read(source, &batch, mono_ns());
	read_bytes(0, sizeof packets);
	cr_assert_eq(received, (size_t)2 * PACKETS);
	read_bytes(0, 100);
	cr_assert(source->ops->retune(source, other));
	AWAIT(report.tunes == 2);
	AWAIT(report.lock);
	read_bytes(0, sizeof packets);
	cr_assert_eq(received, (size_t)3 * PACKETS);
	json_decref(other);
	stop();
}

Test(tuner_source, names_the_reason, .timeout = 60)
{
	start("T");
	FAKE_SET(&fake, status, 0);
	AWAIT(has_error("no signal since the tuning"));
	FAKE_SET(&fake, status, 0x03);
	AWAIT(has_error("no lock, status SC---"));
	cr_assert_not(report.lock);
	FAKE_SET(&fake, open_error, -EBUSY);
	FAKE_SET(&fake, ioctl_error, -ENODEV);
	AWAIT(has_error("is busy"));
	stop();
	adapter = json_pack("{s:s}", "type", "T");
	source = tuner_source_new(adapter, &fake_dvb_ops, &fake);
	second();
	cr_assert_str_eq(report.error, "frequency: is missing");
	cr_assert_eq(source->ops->read(source, &batch, mono_ns()), 0);
	stop();
}

Test(tuner_source, takes_another_tuning, .timeout = 60)
{
	json_t *other = json_pack("{s:s, s:i}", "type", "T", "frequency", 666);
	json_t *wrong = json_pack("{s:s}", "type", "T");

	start("T");
	AWAIT(report.lock);
	cr_assert_not(source->ops->retune(source, wrong));
	cr_assert(source->ops->retune(source, other));
	AWAIT(strstr(fake_dvb_log(&fake), "frequency 666000000; tune") != NULL);
	cr_assert_null(strstr(fake_dvb_log(&fake), "close"));
	json_decref(other);
	json_decref(wrong);
	stop();
}

/* Keys that name nothing of the tuning. */
Test(tuner_source, keeps_a_tuning_whose_watch_changes, .timeout = 60)
{
	json_t *other = json_pack("{s:s, s:i, s:i, s:s, s:b, s:s, s:i}",
				  "type", "S", "frequency", 11362, "symbolrate",
				  27500, "polarization", "V", "lnb_sharing", 1,
				  "lnb_adapter", "b", "timeout", 7);

	adapter = json_deep_copy(other);
	(void)json_object_set_new(adapter, "lnb_adapter", json_string("a"));
	(void)json_object_set_new(adapter, "timeout", json_integer(300));
	fake_dvb_init(&fake);
	batch_init(&batch, count, NULL);
	source = tuner_source_new(adapter, &fake_dvb_ops, &fake);
	AWAIT(report.lock);
	cr_assert(source->ops->retune(source, other));
	/* the thread obeys before it measures again */
	FAKE_SET(&fake, status, 0x0f);
	AWAIT(!report.lock);
	cr_assert_eq(report.tunes, 1u);
	FAKE_SET(&fake, status, 0x1f);
	AWAIT(report.lock);
	/* the new time applies */
	pass_time(8);
	second();
	cr_assert_eq(report.dvb.status, 0u);
	json_decref(other);
	stop();
}

/* Each of them could hang in the driver. */
Test(tuner_source, the_loop_opens_no_device, .timeout = 60)
{
	static const struct {
		int error;
		const char *text;
	} list[] = {
		{ -EBUSY, "is busy" }, { -ENOENT, "no device" },
		{ -ETIMEDOUT, "cannot open" },
	};

	start("T");
	FAKE_SET(&fake, ioctl_error, -EIO);
	AWAIT(has_error("FE_READ_STATUS"));
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		FAKE_SET(&fake, open_error, list[i].error);
		pass_time(40);
		AWAIT(has_error(list[i].text));
		second();
	}
	cr_assert_eq(opened + asked, 0u);
	stop();
	start("T");
	FAKE_SET(&fake, open_error, -EACCES);
	FAKE_SET(&fake, ioctl_error, -ENODEV);
	AWAIT(!report.dvb.taken);
	pass_time(40);
	AWAIT(asked > 0);
	cr_assert_str_eq(asked_path, "/dev/dvb/adapter0/frontend0");
	cr_assert_eq(opened, 0u);
	stop();
}

/* The state is that of the tuning before, which had its last packets long
 * ago. */
Test(tuner_source, another_tuning_has_its_own_timeout, .timeout = 60)
{
	json_t *other = json_pack("{s:s, s:i}", "type", "T", "frequency", 666);

	start("T");
	AWAIT(report.lock);
	FAKE_SET(&fake, hangs, true);
	AWAIT(fake_dvb_hangs(&fake));
	pass_time(1000);
	cr_assert(source->ops->retune(source, other));
	second();
	/* 0: a step of the watch */
	cr_assert_eq(report.dvb.status, 0x1fu);
	FAKE_SET(&fake, hangs, false);
	AWAIT(strstr(fake_dvb_log(&fake), "frequency 666000000; tune") != NULL);
	json_decref(other);
	stop();
}

/* Status 0 in the second of the stop, then silence until it is tuned.  A step
 * that does not end needs a new process. */
Test(tuner_source, reports_a_stop_of_the_watch_once, .timeout = 60)
{
	uint64_t limit_ns = mono_ns() + PATIENCE_S * SECOND_NS;
	unsigned tunes;

	start("T");
	AWAIT(report.lock);
	tunes = report.tunes;
	/* the step waits for the driver */
	FAKE_SET(&fake, hangs, true);
	while (!fake_dvb_hangs(&fake) && mono_ns() < limit_ns)
		(void)sched_yield();
	cr_assert(fake_dvb_hangs(&fake));
	pass_time(1000);
	second();
	cr_assert_eq(report.dvb.status, 0u);
	cr_assert_not(report.silent);
	cr_assert_not(report.lock);
	for (int i = 0; i < 3; i++) {
		second();
		cr_assert(report.silent, "%d", i);
	}
	cr_assert_eq(report.tunes, tunes);
	pass_time(20);
	second();
	cr_assert_not(report.renew);
	pass_time(15);
	second();
	cr_assert(report.renew);
	cr_assert(report.silent);
	cr_assert_not(report.lock);
	FAKE_SET(&fake, hangs, false);
	AWAIT(report.tunes > tunes && !report.silent);
	AWAIT(report.dvb.status == 0x1fu);
	stop();
}

static size_t waiting(void)
{
	size_t n;

	(void)pthread_mutex_lock(&fake.lock);
	n = fake.n_bytes;
	(void)pthread_mutex_unlock(&fake.lock);
	return n;
}

static void read_built(struct build *b)
{
	uint64_t end = __real_mono_ns() + PATIENCE_S * SECOND_NS;

	FAKE_SET(&fake, packets, build_packet(b, 0));
	FAKE_SET(&fake, n_bytes, b->n * TS_PACKET);
	/* a tuning may have to be done first */
	while (waiting() > 0) {
		(void)source->ops->read(source, &batch, mono_ns());
		cr_assert_lt(__real_mono_ns(), end);
	}
	build_free(b);
}

/* Reads the tables of one program. */
static void read_tables(void)
{
	struct build *b = build_new();

	build_tables(b);
	read_built(b);
}

/* A PMT and a CAT of the same CA system. */
static void read_ca_tables(void)
{
	static const struct build_es video = { 2, 0x111, "\x09\x04\x0b\x00"
					       "\xe3\x33", 6 };
	const struct build_entry program = { 1, 0x100 };
	uint8_t section[SECTION_PSI_MAX];
	struct build *b = build_new();

	build_section(b, 0, section, build_pat(section, 0, &program, 1));
	build_section(b, 0x100, section,
		      build_pmt(section, program, 0, &video, 1));
	build_section(b, 1, section, build_table(section,
		&(struct build_table){ .table_id = 1, .extension = 0xffff,
			.body = "\x09\x04\x0b\x00\xe4\x44", .len = 6 }));
	read_built(b);
}

Test(tuner_source, receives_the_emms_of_programs_that_are_read, .timeout = 60)
{
	adapter = json_pack("{s:s, s:i, s:b}", "type", "T", "frequency", 474,
			    "budget", 0);
	fake_dvb_init(&fake);
	batch_init(&batch, count, NULL);
	source = tuner_source_new(adapter, &fake_dvb_ops, &fake);
	AWAIT(report.lock);
	read_ca_tables();
	AWAIT(strstr(fake_dvb_log(&fake), "pid 1092;") != NULL);
	AWAIT(fake.filters == 6 + 4);
	stop();
}

Test(tuner_source, receives_the_pids_of_programs_that_are_read, .timeout = 60)
{
	struct msg_adapter_programs wanted = { .n = 1, .numbers = { 1 } };

	adapter = json_pack("{s:s, s:i, s:b}", "type", "T", "frequency", 474,
			    "budget", 0);
	fake_dvb_init(&fake);
	batch_init(&batch, count, NULL);
	source = tuner_source_new(adapter, &fake_dvb_ops, &fake);
	source->ops->choose(source, &(struct msg_adapter_programs){ 0 });
	AWAIT(report.lock);
	read_tables();
	AWAIT(strstr(fake_dvb_log(&fake), "pid 16;") != NULL);
	cr_assert_null(strstr(fake_dvb_log(&fake), "pid 257;"));
	source->ops->choose(source, &wanted);
	AWAIT(strstr(fake_dvb_log(&fake), "pid 257;") != NULL);
	AWAIT(fake.filters == 6 + 3);
	wanted.n = 0;
	source->ops->choose(source, &wanted);
	AWAIT(fake.filters == 6);
	stop();
}

static unsigned filters(void)
{
	unsigned n;

	(void)pthread_mutex_lock(&fake.lock);
	n = fake.filters;
	(void)pthread_mutex_unlock(&fake.lock);
	return n;
}

/* Between two seconds. */
static void await_filters(unsigned n)
{
	uint64_t end = __real_mono_ns() + PATIENCE_S * SECOND_NS;

	while (filters() != n) {
		cr_assert_lt(__real_mono_ns(), end, "%u filters", filters());
		(void)sched_yield();
	}
}

/* A second is a long time for a stream without its packets. */
Test(tuner_source, receives_the_pids_of_tables_at_once, .timeout = 60)
{
	json_t *other;

	adapter = json_pack("{s:s, s:i, s:b}", "type", "T", "frequency", 474,
			    "budget", 0);
	other = json_copy(adapter);
	(void)json_object_set_new(other, "frequency", json_integer(666));
	fake_dvb_init(&fake);
	batch_init(&batch, count, NULL);
	source = tuner_source_new(adapter, &fake_dvb_ops, &fake);
	AWAIT(report.lock);
	read_tables();
	await_filters(6 + 3);
	cr_assert_not_null(strstr(fake_dvb_log(&fake), "pid 257;"));
	/* nothing of the tables of another tuning is left */
	cr_assert(source->ops->retune(source, other));
	read_ca_tables();
	await_filters(6 + 4);
	cr_assert_not_null(strstr(fake_dvb_log(&fake), "pid 273;"));
	json_decref(other);
	stop();
}

/* The programs are inside of it. */
Test(tuner_source, receives_the_pid_of_t2mi, .timeout = 60)
{
	json_t *other;

	adapter = json_pack("{s:s, s:i, s:b, s:b, s:i}", "type", "T",
			    "frequency", 474, "budget", 0, "t2mi", 1,
			    "t2mi_pid", 500);
	other = json_copy(adapter);
	(void)json_object_set_new(other, "t2mi_pid", json_integer(501));
	fake_dvb_init(&fake);
	batch_init(&batch, count, NULL);
	source = tuner_source_new(adapter, &fake_dvb_ops, &fake);
	AWAIT(strstr(fake_dvb_log(&fake), "pid 500;") != NULL);
	AWAIT(fake.filters == 2);
	/* a CAM descrambles the program that lists it */
	read_tables();
	AWAIT(fake.filters == 3);
	/* the tuner is not tuned again */
	cr_assert(source->ops->retune(source, other));
	AWAIT(strstr(fake_dvb_log(&fake), "pid 501;") != NULL);
	AWAIT(fake.filters == 3);
	cr_assert_eq(report.tunes, 1u);
	json_decref(other);
	stop();
}

static char logged[256]; /* the last warning */

static void take_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	(void)level, (void)component, (void)arg;
	(void)snprintf(logged, sizeof logged, "%s", text);
}

enum pat_fault { PAT_GOOD, PAT_COUNTER, PAT_CHECKSUM };

/* A second with two PATs, of which the first n have a fault, and with more PMTs
 * that have none. */
static void pass_pat(enum pat_fault fault, unsigned n)
{
	static const struct build_es video = { 2, 0x111, NULL, 0 };
	static const struct build_entry program = { 1, 0x100 };
	static uint8_t cc;
	uint8_t section[SECTION_PSI_MAX];
	struct build *b = build_new();

	for (unsigned i = 0; i < 2; i++) {
		size_t len = build_pat(section, 0, &program, 1);
		bool wrong = i < n;

		if (wrong && fault == PAT_CHECKSUM)
			section[len - 1] ^= 1;
		cc = (cc + (wrong && fault == PAT_COUNTER ? 3 : 1)) & 0x0f;
		b->cc[0] = cc;
		build_section(b, 0, section, len);
	}
	for (unsigned i = 0; i < 8; i++)
		build_section(b, 0x100, section,
			      build_pmt(section, program, 0, &video, 1));
	read_built(b);
	pass_time(1);
	second();
}

/* Single errors are no fault, 10 s of them are. */
static void expect_fault(enum pat_fault fault, const char *line)
{
	unsigned tunes;

	start("T");
	log_open(take_line, NULL, LOG_LEVEL_WARNING);
	AWAIT(report.lock);
	tunes = report.tunes;
	for (unsigned i = 0; i < 40; i++) {
		pass_pat(fault, i % 4 == 3 ? 1 : 0);
		cr_assert_eq(report.dvb.status, 0x1fu, "%u: %s", i, logged);
	}
	for (unsigned i = 0; i < 10 && report.dvb.status != 0; i++)
		pass_pat(fault, 2);
	cr_assert_eq(report.dvb.status, 0u);
	cr_assert_str_eq(logged, line);
	AWAIT(report.tunes > tunes);
	stop();
}

/* TR 101 290 allows 500 ms from a PAT to the next. */
Test(tuner_source, judges_the_counters_of_a_slow_pat, .timeout = 60)
{
	expect_fault(PAT_COUNTER, "dvr cc error: tuning again");
}

Test(tuner_source, judges_the_checksums_of_a_slow_pat, .timeout = 60)
{
	expect_fault(PAT_CHECKSUM, "PAT checksum error: tuning again");
}
