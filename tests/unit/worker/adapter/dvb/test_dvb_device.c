/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_device.h"

#include "tests/unit/worker/adapter/dvb/fake_dvb.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/dvb/frontend.h>
#include <stdio.h>
#include <string.h>

static struct fake_dvb fake;
static struct dvb_device device;
static struct tuner_spec spec;
static struct errmsg error;

uint64_t __wrap_mono_ns(void);
uint64_t __wrap_mono_ns(void)
{
	return fake.now_ns;
}

static void setup(const char *type, int number)
{
	json_t *adapter = json_pack("{s:s, s:i, s:i, s:s, s:i, s:i, s:i}",
				    "type", type, "frequency",
				    type[0] == 'S' ? 11362 : 474, "symbolrate",
				    6900, "polarization", "H", "adapter", 2,
				    "device", number, "diseqc", 1);

	cr_assert_eq(tuner_spec_parse(adapter, &spec, &error), 0, "%s",
		     error.text);
	json_decref(adapter);
	fake_dvb_init(&fake);
	device = (struct dvb_device){ .ops = &fake_dvb_ops, .ctx = &fake,
				      .root = "/dev/dvb" };
	dvb_device_init(&device);
	error.text[0] = '\0';
}

static void expect_log(const char *wanted)
{
	cr_assert_str_eq(fake_dvb_log(&fake), wanted);
	fake.len = 0;
	fake.log[0] = '\0';
}

Test(dvb_device, tunes_behind_the_switch_and_receives_all)
{
	setup("S2", 0);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0, "%s",
		     error.text);
	expect_log("open frontend0; open dvr0; ");
	cr_assert_eq(dvb_device_tune(&device, &spec, &error), 0, "%s",
		     error.text);
	expect_log("clear; tone 0; voltage 18; wait 100; diseqc e01038f2; "
		   "wait 69; frequency 1612000; property voltage; property "
		   "tone; tune; ");
	cr_assert_eq(dvb_device_receive_all(&device), 0);
	expect_log("pid 8192; ");
	dvb_device_power_cycle(&device);
	expect_log("voltage 0; wait 1000; ");
	dvb_device_close(&device);
	expect_log("close; ");
	cr_assert_eq(fake_dvb_open_fds(&fake), 0u);
}

static void open_and_tune(void)
{
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	expect_log("open frontend0; open dvr0; ");
	cr_assert_eq(dvb_device_tune(&device, &spec, &error), 0, "%s",
		     error.text);
}

/* The kernel refuses the property of a call that the driver lacks, and takes
 * none of those behind it. */
Test(dvb_device, tunes_without_calls_that_the_driver_lacks)
{
	setup("S2", 0);
	fake.no_tone = true;
	open_and_tune();
	expect_log("clear; voltage 18; wait 100; diseqc e01038f2; wait 69; "
		   "frequency 1612000; property voltage; tune; ");
	dvb_device_close(&device);
	setup("S2", 0);
	fake.no_tone = fake.no_voltage = true;
	open_and_tune();
	expect_log("clear; wait 100; diseqc e01038f2; wait 69; "
		   "frequency 1612000; tune; ");
	dvb_device_close(&device);
}

/* EN 50494 allows 60 ms from the end of the command to 13 V. */
Test(dvb_device, unicable_returns_to_its_low_voltage_in_time)
{
	static const struct {
		unsigned send_ms, wait_ms;
	} drivers[] = {
		/* those that return before it is sent, then others */
		{ 0, 78 }, { 20, 78 }, { 60, 18 }, { 68, 10 }, { 150, 10 },
	};
	char wanted[256];

	setup("S2", 0);
	spec.uni_scr = 3;
	spec.uni_frequency = 1210;
	open_and_tune();
	for (size_t i = 0; i < ARRAY_LEN(drivers); i++) {
		fake.len = 0;
		fake.send_ms = drivers[i].send_ms;
		cr_assert_eq(dvb_device_tune(&device, &spec, &error), 0);
		(void)snprintf(wanted, sizeof wanted, "clear; tone 0; "
			       "voltage 13; wait 100; voltage 18; wait 10; "
			       "diseqc e0105a4964; wait %u; voltage 13; wait "
			       "10; frequency 1612000; property voltage; "
			       "property tone; tune; ", drivers[i].wait_ms);
		expect_log(wanted);
	}
	dvb_device_close(&device);
}

/* It may have fed the LNB itself before. */
Test(dvb_device, turns_its_voltage_off_where_another_tuner_feeds_the_lnb)
{
	setup("S2", 0);
	spec.lnb_sharing = true;
	open_and_tune();
	expect_log("clear; tone 0; voltage 0; frequency 1612000; tune; ");
	fake.no_tone = fake.no_voltage = true;
	cr_assert_eq(dvb_device_tune(&device, &spec, &error), 0, "%s",
		     error.text);
	expect_log("clear; frequency 1612000; tune; ");
	dvb_device_close(&device);
}

Test(dvb_device, frontends_may_share_a_demultiplexer)
{
	setup("T", 1);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	expect_log("open frontend1; open dvr1; open dvr0; ");
	cr_assert_str_eq(device.demux, "/dev/dvb/adapter2/demux0");
	dvb_device_close(&device);
	setup("T", 1);
	fake.has_dvr1 = true;
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	expect_log("open frontend1; open dvr1; ");
	cr_assert_str_eq(device.demux, "/dev/dvb/adapter2/demux1");
	dvb_device_close(&device);
}

Test(dvb_device, says_why_it_cannot_be_opened)
{
	static const struct {
		int err;
		const char *text;
	} cases[] = {
		{ -ENOENT, "no device /dev/dvb/adapter2/frontend0" },
		{ -EBUSY, "/dev/dvb/adapter2/frontend0 is busy: another "
			  "program uses it" },
		{ -EACCES, "no permission for /dev/dvb/adapter2/frontend0: "
			   "the service needs the group video" },
		{ -ETIMEDOUT, "cannot open /dev/dvb/adapter2/frontend0: "
			      "Connection timed out" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		setup("T", 0);
		fake.open_error = cases[i].err;
		cr_assert_eq(dvb_device_open(&device, &spec, &error),
			     cases[i].err);
		cr_assert_str_eq(error.text, cases[i].text);
		cr_assert_eq(fake_dvb_open_fds(&fake), 0u);
	}
}

/* Numbers change with the order of detection. */
Test(dvb_device, is_found_by_the_place_of_its_hardware)
{
	setup("T", 0);
	(void)snprintf(spec.path, sizeof spec.path, "usb1/1-3");
	cr_assert_eq(dvb_device_open(&device, &spec, &error), -ENODEV);
	cr_assert_str_eq(error.text, "no device frontend0 at path usb1/1-3");
	fake.links[0] = "../../devices/pci0/usb1/1-30/dvb/dvb0.frontend0";
	fake.links[3] = "../../devices/pci0/usb1/1-3/1-3:1.0/dvb/dvb3.x";
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0, "%s",
		     error.text);
	cr_assert_str_eq(fake.path, "/dev/dvb/adapter3/dvr0");
	cr_assert_eq(device.adapter, 3);
	dvb_device_close(&device);
}

static void set_mac(unsigned adapter, uint8_t last)
{
	const uint8_t mac[6] = { 0, 0x1a, 0x2b, 0x3c, 0x4d, last };

	memcpy(fake.macs[adapter], mac, sizeof mac);
}

Test(dvb_device, is_found_by_its_hardware_address)
{
	setup("T", 0);
	device.hotplug = 1;
	spec.numbered = false;
	spec.adapter = 0;
	(void)snprintf(spec.mac, sizeof spec.mac, "00:1A:2b:3c:4d:5e");
	set_mac(0, 0x5d);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), -ENODEV);
	cr_assert_str_eq(error.text, "no device with mac 00:1A:2b:3c:4d:5e: "
			 "the mac of an adapter is that of its interface "
			 "dvbN_0");
	/* its number is not that of another address */
	spec.numbered = true;
	cr_assert_eq(dvb_device_open(&device, &spec, &error), -ENODEV);
	cr_assert_str_eq(error.text, "no device with mac 00:1A:2b:3c:4d:5e: "
			 "adapter 0 has 00:1a:2b:3c:4d:5d");
	spec.adapter = 2;
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	cr_assert_eq(device.adapter, 2);
	dvb_device_close(&device);
	set_mac(3, 0x5e);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	cr_assert_eq(device.adapter, 3);
	dvb_device_close(&device);
	/* nor does it stand in for addresses that cannot be read */
	device.hotplug = -EACCES;
	cr_assert_eq(dvb_device_open(&device, &spec, &error), -EACCES);
	cr_assert_str_eq(error.text, "cannot look for mac 00:1A:2b:3c:4d:5e: "
			 "the hardware addresses cannot be read: Permission "
			 "denied");
}

Test(dvb_device, judges_the_type_by_the_frontend)
{
	setup("C", 0);
	fake.systems = 1u << SYS_DVBS | 1u << SYS_DVBS2;
	cr_assert_eq(dvb_device_open(&device, &spec, &error), -EINVAL);
	cr_assert_str_eq(error.text, "type: the frontend fake receives S, S2 "
				     "only");
	cr_assert_eq(fake_dvb_open_fds(&fake), 0u);
	/* another type may follow without closing */
	spec.system = TUNER_S2;
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	spec.system = TUNER_T2;
	cr_assert_eq(dvb_device_tune(&device, &spec, &error), -EINVAL);
	cr_assert_str_eq(error.text, "type: the frontend fake receives S, S2 "
				     "only");
	dvb_device_close(&device);
}

Test(dvb_device, a_refused_tuning_is_an_error)
{
	setup("T", 0);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	fake.set_error = -EINVAL;
	cr_assert_eq(dvb_device_tune(&device, &spec, &error), -EINVAL);
	cr_assert(strstr(error.text, "refuses this tuning: frequency 474000000 "
				     "Hz") != NULL, "%s", error.text);
	dvb_device_close(&device);
}

Test(dvb_device, receives_pids_that_change)
{
	static const uint16_t first[] = { 0, 100, 101 }, then[] = { 0, 101,
								    200 };

	setup("T", 0);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	fake.no_whole = true;
	cr_assert_eq(dvb_device_receive_all(&device), -EINVAL);
	cr_assert_eq(device.n_filters, 0u);
	expect_log("open frontend0; open dvr0; ");
	dvb_device_receive(&device, first, 3);
	expect_log("pid 0; pid 100; pid 101; ");
	/* the filters of the others run on */
	dvb_device_receive(&device, then, 3);
	expect_log("pid 200; ");
	cr_assert_eq(device.n_filters, 3u);
	cr_assert_eq(fake.filters, 3u);
	fake.max_pids = 3;
	dvb_device_receive(&device, (const uint16_t[]){ 0, 101, 200, 201, 202 },
			   5);
	cr_assert_eq(device.refused, 2u);
	dvb_device_receive(&device, then, 3);
	cr_assert_eq(device.refused, 0u);
	dvb_device_close(&device);
	cr_assert_eq(fake_dvb_open_fds(&fake), 0u);
}

/* Streams that run lose no packet because another one begins. */
Test(dvb_device, filters_run_until_there_is_one_of_all)
{
	static const uint16_t pids[] = { 0, 100, 101 };

	setup("T", 0);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	dvb_device_receive(&device, pids, 3);
	cr_assert_eq(dvb_device_receive_all(&device), 0);
	cr_assert(device.whole);
	cr_assert_eq(fake.gaps, 0u);
	cr_assert_eq(fake.filters, 1u);
	dvb_device_close(&device);
}

/* Some drivers accept PID 0x2000 only without other filters. */
Test(dvb_device, filters_end_where_all_is_accepted_alone)
{
	static const uint16_t pids[] = { 0, 100, 101 };

	setup("T", 0);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	dvb_device_receive(&device, pids, 3);
	fake.no_whole = true;
	cr_assert_eq(dvb_device_receive_all(&device), -EINVAL);
	cr_assert_not(device.whole);
	expect_log("open frontend0; open dvr0; pid 0; pid 100; pid 101; "
		   "pid 0; pid 100; pid 101; ");
	cr_assert_eq(fake.filters, 3u, "they run again");
	fake.no_whole = false;
	fake.whole_alone = true;
	cr_assert_eq(dvb_device_receive_all(&device), 0);
	cr_assert(device.whole);
	expect_log("pid 8192; ");
	cr_assert_eq(fake.filters, 1u);
	dvb_device_close(&device);
}

/* The device closes one filter for it, and opens it again. */
Test(dvb_device, filters_that_do_not_suffice_lose_one)
{
	static const uint16_t pids[] = { 0, 100, 101 };

	setup("T", 0);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	dvb_device_receive(&device, pids, 3);
	expect_log("open frontend0; open dvr0; pid 0; pid 100; pid 101; ");
	fake.max_pids = 3;
	fake.full_whole = true;
	cr_assert_eq(dvb_device_receive_all(&device), -ENOSPC);
	cr_assert_not(device.whole);
	cr_assert_eq(fake.gaps, 1u);
	expect_log("pid 101; ");
	cr_assert_eq(fake.filters, 3u);
	fake.full_whole = false;
	cr_assert_eq(dvb_device_receive_all(&device), 0);
	cr_assert(device.whole);
	cr_assert_eq(fake.gaps, 2u);
	expect_log("pid 8192; ");
	cr_assert_eq(fake.filters, 1u);
	dvb_device_close(&device);
}

Test(dvb_device, measures_by_both_interfaces)
{
	struct dvb_signal signal;
	struct dvb_stats stats;

	setup("T", 0);
	cr_assert_eq(dvb_device_open(&device, &spec, &error), 0);
	fake.no_old = true;
	cr_assert_eq(dvb_device_measure(&device, true, &stats), 0);
	dvb_signal_read(&stats, 20, &signal);
	cr_assert_eq(signal.status, 0x1fu);
	cr_assert_eq(signal.signal_db, -4500);
	cr_assert_eq(signal.ber, 11u);
	cr_assert_eq(signal.unc, 22u);
	/* what the driver lacks is not called again */
	expect_log("open frontend0; open dvr0; old; old; ");
	cr_assert_eq(dvb_device_measure(&device, true, &stats), 0);
	expect_log("");

	fake.no_old = false;
	fake.no_stats = true;
	memset(device.lacks, 0, sizeof device.lacks);
	cr_assert_eq(dvb_device_measure(&device, true, &stats), 0);
	dvb_signal_read(&stats, 20, &signal);
	cr_assert_eq(signal.signal, 50u);
	cr_assert_eq(signal.signal_db, 0);
	cr_assert_eq(signal.unc, 33u);
	dvb_device_close(&device);
}
