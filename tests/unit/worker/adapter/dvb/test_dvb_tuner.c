/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_tuner.h"

#include "common/base/units.h"
#include "tests/unit/worker/adapter/dvb/fake_dvb.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/dvb/frontend.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { PATIENCE_S = 30 };

static struct fake_dvb fake;
static struct dvb_tuner *tuner;
static struct dvb_state state;
static atomic_bool clock_stands;
static atomic_uint_fast64_t clock_rate = 1;

uint64_t __real_mono_ns(void);
uint64_t __wrap_mono_ns(void);
uint64_t __wrap_mono_ns(void)
{
	if (atomic_load(&clock_stands))
		return SECOND_NS;
	return atomic_load(&clock_rate) * __real_mono_ns();
}

static struct tuner_spec spec_of(int mhz)
{
	json_t *adapter = json_pack("{s:s, s:i}", "type", "T", "frequency",
				    mhz);
	struct tuner_spec spec;

	cr_assert_eq(tuner_spec_parse(adapter, &spec, NULL), 0);
	json_decref(adapter);
	return spec;
}

static void start_with(const struct tuner_spec *spec)
{
	int err;

	tuner = dvb_tuner_new(&(struct dvb_tuner_config){
		.root = "/dev/dvb", .spec = spec, .ops = &fake_dvb_ops,
		.ctx = &fake }, &err);
	cr_assert_not_null(tuner);
}

static void start(void)
{
	struct tuner_spec spec = spec_of(474);

	start_with(&spec);
}

static void stop(void)
{
	dvb_tuner_free(&tuner);
	cr_assert_null(tuner);
	cr_assert_eq(fake_dvb_open_fds(&fake), 0u);
	cr_assert_not(fake_dvb_has_hotplug(&fake));
}

/* Until the expression, which may use the state, is true. */
#define AWAIT(expression) do { \
	uint64_t end = __real_mono_ns() + PATIENCE_S * SECOND_NS; \
	for (;;) { \
		dvb_tuner_get(tuner, &state); \
		if (expression) \
			break; \
		cr_assert_lt(__real_mono_ns(), end, "%s", #expression); \
		(void)sched_yield(); \
	} \
} while (0)

static ssize_t read_bytes(void)
{
	static uint8_t got[4096];
	unsigned tunes;

	return dvb_tuner_read(tuner, got, sizeof got, &tunes);
}

static bool is_told(const char *text)
{
	return strstr(fake_dvb_log(&fake), text) != NULL;
}

static bool is_plugged(void)
{
	bool plugged;

	(void)pthread_mutex_lock(&fake.lock);
	plugged = fake.plugged;
	(void)pthread_mutex_unlock(&fake.lock);
	return plugged;
}

Test(dvb_tuner, passes_packets_and_measures, .timeout = 60)
{
	static uint8_t packets[3 * 188];

	fake_dvb_init(&fake);
	start();
	AWAIT(state.tuned && state.signal.status == 0x1f &&
	      state.signal.snr_db != 0);
	cr_assert(state.taken && state.whole);
	cr_assert_eq(state.tunes, 1u);
	cr_assert_str_eq(state.error.text, "");
	cr_assert_eq(read_bytes(), 0);
	FAKE_SET(&fake, packets, packets);
	FAKE_SET(&fake, n_bytes, sizeof packets);
	cr_assert_eq(read_bytes(),
		     (ssize_t)sizeof packets);
	FAKE_SET(&fake, overflow, true);
	cr_assert_eq(read_bytes(), -EOVERFLOW);
	stop();
}

/* The clock that the tries wait for stands. */
Test(dvb_tuner, a_device_that_comes_is_opened_at_once, .timeout = 60)
{
	fake_dvb_init(&fake);
	fake.open_error = -ENOENT;
	atomic_store(&clock_stands, true);
	start();
	AWAIT(state.absent);
	FAKE_SET(&fake, open_error, 0);
	FAKE_SET(&fake, plugged, true);
	AWAIT(state.tuned);
	/* another device does not disturb one that runs */
	FAKE_SET(&fake, plugged, true);
	AWAIT(!is_plugged());
	cr_assert_eq(state.tunes, 1u);
	cr_assert_not(is_told("close; "));
	atomic_store(&clock_stands, false);
	stop();
}

Test(dvb_tuner, works_without_messages_of_hot_plug, .timeout = 60)
{
	fake_dvb_init(&fake);
	fake.no_hotplug = true;
	fake.open_error = -ENOENT;
	start();
	AWAIT(state.absent);
	FAKE_SET(&fake, open_error, 0);
	AWAIT(state.tuned);
	stop();
}

Test(dvb_tuner, takes_another_tuning_without_closing, .timeout = 60)
{
	struct tuner_spec other = spec_of(666);

	other.system = TUNER_T2;
	fake_dvb_init(&fake);
	start();
	AWAIT(state.tuned);
	dvb_tuner_set(tuner, &other);
	AWAIT(state.tunes == 2);
	cr_assert(is_told("frequency 666000000; tune; "));
	cr_assert_not(is_told("close; "));
	dvb_tuner_request(tuner, DVB_RETUNE);
	AWAIT(state.tunes == 3);
	cr_assert_not(is_told("close; "));
	dvb_tuner_request(tuner, DVB_POWER);
	AWAIT(state.tunes == 4);
	cr_assert(is_told("voltage 0; wait 1000; "));
	dvb_tuner_request(tuner, DVB_REOPEN);
	AWAIT(state.tunes == 5);
	cr_assert(is_told("close; open frontend0; "));
	stop();
}

/* Packets of the old multiplex would go to streams of the new one. */
Test(dvb_tuner, nothing_is_read_of_a_tuning_that_is_no_longer_wanted,
     .timeout = 60)
{
	static uint8_t packets[3 * 188];
	struct tuner_spec other = spec_of(666);

	fake_dvb_init(&fake);
	start();
	AWAIT(state.tuned);
	FAKE_SET(&fake, tune_hangs, true);
	dvb_tuner_request(tuner, DVB_RETUNE);
	AWAIT(fake_dvb_hangs(&fake));
	dvb_tuner_set(tuner, &other);
	/* the thread passes on to the end of its turn */
	FAKE_SET(&fake, hangs, true);
	FAKE_SET(&fake, tune_hangs, false);
	AWAIT(state.tunes == 2 && fake_dvb_hangs(&fake));
	FAKE_SET(&fake, packets, packets);
	FAKE_SET(&fake, n_bytes, sizeof packets);
	cr_assert_eq(read_bytes(), 0);
	FAKE_SET(&fake, n_bytes, 0);
	FAKE_SET(&fake, hangs, false);
	AWAIT(state.tunes == 3 && state.tuned);
	cr_assert(is_told("frequency 666000000; tune; "));
	FAKE_SET(&fake, packets, packets);
	FAKE_SET(&fake, n_bytes, sizeof packets);
	AWAIT(read_bytes() > 0);
	stop();
}

Test(dvb_tuner, repeats_unicable_after_a_pause, .timeout = 60)
{
	struct tuner_spec other = spec_of(666);

	other.uni_scr = 1;
	fake_dvb_init(&fake);
	start();
	AWAIT(state.tuned);
	dvb_tuner_set(tuner, &other);
	AWAIT(state.tunes == 2);
	cr_assert_not(is_told("wait "));
	dvb_tuner_request(tuner, DVB_RETUNE);
	AWAIT(state.tunes == 3);
	cr_assert(is_told("wait "));
	stop();
}

Test(dvb_tuner, waits_for_a_device_that_is_busy_or_absent, .timeout = 60)
{
	fake_dvb_init(&fake);
	fake.open_error = -EBUSY;
	start();
	AWAIT(strstr(state.error.text, "is busy") != NULL);
	cr_assert_not(state.absent);
	FAKE_SET(&fake, open_error, -ENOENT);
	AWAIT(state.absent);
	FAKE_SET(&fake, open_error, 0);
	AWAIT(state.tuned);
	cr_assert_str_eq(state.error.text, "");
	stop();
}

static unsigned errors_left(void)
{
	unsigned n;

	(void)pthread_mutex_lock(&fake.lock);
	n = fake.n_errors;
	(void)pthread_mutex_unlock(&fake.lock);
	return n;
}

static unsigned looks(void)
{
	unsigned n;

	(void)pthread_mutex_lock(&fake.lock);
	n = fake.looks;
	(void)pthread_mutex_unlock(&fake.lock);
	return n;
}

/* The PIDs of its programs are for the tuning that comes. */
Test(dvb_tuner, sleeps_while_it_waits_for_a_device, .timeout = 60)
{
	const uint16_t pids[] = { 256, 257 };
	uint64_t begin;
	unsigned before;

	fake_dvb_init(&fake);
	fake.open_error = -ETIMEDOUT;
	start();
	AWAIT(state.error.text[0] != '\0');
	dvb_tuner_want(tuner, pids, ARRAY_LEN(pids));
	before = looks();
	begin = __real_mono_ns();
	/* one for the PIDs, one that had begun, and two sleeps */
	AWAIT(looks() >= before + 4);
	cr_assert_geq(__real_mono_ns() - begin, 150 * MS);
	stop();
}

/* It had been wrong so often that the next try is far away. */
Test(dvb_tuner, a_corrected_configuration_is_tried_at_once, .timeout = 60)
{
	struct tuner_spec other = spec_of(474);

	other.system = TUNER_T2;
	fake_dvb_init(&fake);
	fake.systems = 1u << SYS_DVBT2;
	atomic_store(&clock_stands, true);
	start();
	AWAIT(strstr(state.error.text, "type: ") != NULL);
	dvb_tuner_set(tuner, &other);
	AWAIT(state.tuned);
	stop();
}

Test(dvb_tuner, names_the_path_that_it_may_not_open, .timeout = 60)
{
	fake_dvb_init(&fake);
	fake.open_error = -EACCES;
	start();
	AWAIT(strcmp(state.forbidden, "/dev/dvb/adapter0/frontend0") == 0);
	FAKE_SET(&fake, open_error, -EBUSY);
	AWAIT(strstr(state.error.text, "is busy") != NULL);
	cr_assert_str_eq(state.forbidden, "");
	stop();
}

/* A stick that is pulled. */
Test(dvb_tuner, closes_a_device_that_is_gone, .timeout = 60)
{
	fake_dvb_init(&fake);
	start();
	AWAIT(state.tuned);
	FAKE_SET(&fake, open_error, -ENOENT);
	FAKE_SET(&fake, ioctl_error, -ENODEV);
	AWAIT(!state.taken && state.absent);
	AWAIT(fake_dvb_open_fds(&fake) == 0);
	FAKE_SET(&fake, ioctl_error, 0);
	FAKE_SET(&fake, open_error, 0);
	AWAIT(state.tuned);
	stop();
}

static void fail_status(int err, unsigned times)
{
	(void)pthread_mutex_lock(&fake.lock);
	fake.ioctl_error = err;
	fake.n_errors = times;
	(void)pthread_mutex_unlock(&fake.lock);
}

/* Streams have its packets all the time. */
Test(dvb_tuner, a_bus_may_fail_for_a_moment, .timeout = 60)
{
	unsigned before;

	fake_dvb_init(&fake);
	start();
	AWAIT(state.tuned && state.signal.status == 0x1f);
	for (int i = 0; i < 2; i++) {
		fail_status(-EIO, 19);
		AWAIT(errors_left() == 0);
		before = looks();
		AWAIT(looks() >= before + 2);
	}
	cr_assert(state.tuned);
	cr_assert_eq(state.signal.status, 0x1fu);
	cr_assert_not(is_told("close; "));
	fail_status(-EIO, 0);
	AWAIT(strstr(state.error.text, "FE_READ_STATUS") != NULL);
	cr_assert(is_told("close; "));
	stop();
}

/* Between the close of a device and its next opening; 0: not known yet. */
static atomic_uint_fast64_t closed_ns, pause_ns;

static int note_open(void *ctx, const char *path, int flags)
{
	if (strstr(path, "frontend") != NULL && atomic_load(&closed_ns) != 0)
		atomic_store(&pause_ns,
			     __wrap_mono_ns() - atomic_load(&closed_ns));
	return fake_dvb_ops.open(ctx, path, flags);
}

static int note_close(void *ctx, int fd)
{
	atomic_store(&closed_ns, __wrap_mono_ns());
	return fake_dvb_ops.close(ctx, fd);
}

/* Openings in a row would wear out a tuned device that reports no status. */
Test(dvb_tuner, pauses_longer_after_each_failure_of_a_device, .timeout = 60)
{
	static struct dvb_ops ops;
	struct tuner_spec spec = spec_of(474);
	uint64_t first_ns;
	int err;

	ops = fake_dvb_ops;
	ops.open = note_open;
	ops.close = note_close;
	atomic_store(&clock_rate, 4);
	fake_dvb_init(&fake);
	fail_status(-EIO, 0);
	tuner = dvb_tuner_new(&(struct dvb_tuner_config){
		.root = "/dev/dvb", .spec = &spec, .ops = &ops,
		.ctx = &fake }, &err);
	cr_assert_not_null(tuner);
	AWAIT(atomic_load(&pause_ns) != 0);
	first_ns = atomic_exchange(&pause_ns, 0);
	cr_assert_geq(first_ns, 2 * SECOND_NS);
	AWAIT(atomic_load(&pause_ns) != 0);
	cr_assert_geq(atomic_load(&pause_ns), 4 * SECOND_NS);
	stop();
}

Test(dvb_tuner, a_driver_that_hangs_holds_up_its_thread_alone, .timeout = 60)
{
	fake_dvb_init(&fake);
	start();
	AWAIT(state.tuned);
	FAKE_SET(&fake, hangs, true);
	AWAIT(fake.hung && state.call != NULL);
	cr_assert_str_eq(state.call, "FE_READ_STATUS");
	dvb_tuner_request(tuner, DVB_RETUNE);
	FAKE_SET(&fake, hangs, false);
	AWAIT(state.tunes == 2);
	cr_assert_geq(read_bytes(), 0);
	stop();
}

Test(dvb_tuner, goes_the_other_way_where_hardware_refuses, .timeout = 60)
{
	static const uint16_t pids[] = { 0, 100, 101 };

	fake_dvb_init(&fake);
	fake.no_whole = true;
	start();
	AWAIT(state.tuned);
	cr_assert_not(state.whole);
	cr_assert(is_told("pid 0; "));
	dvb_tuner_want(tuner, pids, 3);
	AWAIT(is_told("pid 100; pid 101; "));
	/* packets of a PID that stays are not interrupted */
	cr_assert_null(strstr(strstr(fake_dvb_log(&fake), "pid 0; ") + 1,
			      "pid 0; "));
	stop();
}

/* Too few filters, and no wish for the whole multiplex. */
Test(dvb_tuner, receives_all_where_filters_do_not_suffice, .timeout = 60)
{
	static const uint16_t pids[] = { 0, 100, 101 };
	struct tuner_spec spec = spec_of(474);

	fake_dvb_init(&fake);
	fake.max_pids = 2;
	spec.budget = false;
	start_with(&spec);
	AWAIT(state.tuned && !state.whole);
	dvb_tuner_want(tuner, pids, 3);
	AWAIT(state.whole);
	stop();
}

/* The driver accepts PID 0x2000 alone. */
Test(dvb_tuner, receives_all_instead_of_the_filters, .timeout = 60)
{
	static const uint16_t pids[] = { 0, 100, 101 };
	struct tuner_spec spec = spec_of(474);

	fake_dvb_init(&fake);
	fake.max_pids = 2;
	fake.whole_alone = true;
	spec.budget = false;
	start_with(&spec);
	AWAIT(state.tuned && !state.whole);
	dvb_tuner_want(tuner, pids, 3);
	AWAIT(state.whole);
	cr_assert_eq(state.whole_error, 0);
	stop();
}

/* More PIDs than filters. */
Test(dvb_tuner, counts_the_pids_that_it_does_not_receive, .timeout = 60)
{
	uint16_t pids[DVB_PIDS_MAX];

	for (uint16_t i = 0; i < DVB_PIDS_MAX; i++)
		pids[i] = (uint16_t)(100 + i);
	fake_dvb_init(&fake);
	fake.no_whole = true;
	start();
	AWAIT(state.tuned);
	dvb_tuner_want(tuner, pids, DVB_PIDS_MAX);
	AWAIT(is_told("pid 227; "));
	dvb_tuner_want(tuner, pids, DVB_PIDS_MAX + 2);
	AWAIT(state.refused == 2);
	cr_assert_not(state.whole);
	cr_assert_eq(state.whole_error, EINVAL);
	dvb_tuner_want(tuner, pids, DVB_PIDS_MAX);
	AWAIT(state.refused == 0);
	stop();
}

Test(dvb_tuner, receives_all_where_the_pids_are_too_many, .timeout = 60)
{
	uint16_t pids[DVB_PIDS_MAX];
	struct tuner_spec spec = spec_of(474);

	for (uint16_t i = 0; i < DVB_PIDS_MAX; i++)
		pids[i] = (uint16_t)(100 + i);
	fake_dvb_init(&fake);
	spec.budget = false;
	start_with(&spec);
	AWAIT(state.tuned && !state.whole);
	dvb_tuner_want(tuner, pids, DVB_PIDS_MAX + 1);
	AWAIT(state.whole);
	cr_assert_eq(state.refused, 0u);
	stop();
}
