/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_device.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "tests/unit/worker/adapter/ci/fake_card.h"
#include "tests/unit/worker/adapter/ci/programs.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/dvb/ca.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { PATIENCE_S = 30 };

/* The clock of the device runs 20 times faster. */
uint64_t __real_mono_ns(void);
uint64_t __wrap_mono_ns(void);
uint64_t __wrap_mono_ns(void)
{
	return 20 * __real_mono_ns();
}

static struct ci_device *device;
static struct ci_view view;
static struct ca_programs programs;

static void start(void)
{
	int err = 0;

	device = ci_device_new(&(struct ci_device_config){
		.root = "/dev/dvb",
		.place = { .adapter = 3, .device = 1,
			   .module = { .limit = 8 } },
		.ops = &fake_card_ops }, &err);
	cr_assert_not_null(device);
}

static bool is_late(uint64_t since_ns)
{
	struct timespec pause = { .tv_nsec = 2000000 };

	(void)nanosleep(&pause, NULL);
	return __real_mono_ns() - since_ns > PATIENCE_S * SECOND_NS;
}

#define AWAIT(condition) do { \
	uint64_t since_ns = __real_mono_ns(); \
	while (!(condition)) \
		cr_assert(!is_late(since_ns), "never: " #condition); \
} while (0)

static bool has_state(enum ci_state state)
{
	return ci_device_get(device, 0, &view) && view.state == state;
}

static bool chose(unsigned choice)
{
	bool is;

	fake_card_lock();
	is = card.cam.choice == choice;
	fake_card_unlock();
	return is;
}

static bool has_error(const char *text)
{
	struct errmsg error;

	ci_device_error(device, &error);
	return strstr(error.text, text) != NULL;
}

Test(ci_device, descrambles_the_wanted_programs)
{
	start();
	programs_put(&programs, 7, 0);
	ci_device_want(device, &programs);
	AWAIT(has_state(CI_READY));
	cr_assert_str_eq(card.path, "/dev/dvb/adapter3/ca1");
	AWAIT(fake_card_has_log("only 7 descramble 0b00; "));
	AWAIT(has_state(CI_READY) &&
	      view.programs[0].state == CA_STATE_SENT);
	cr_assert_eq(view.n_programs, 1);
	cr_assert_str_eq(view.name, "Fake CAM");
	cr_assert_eq(view.ids.n, 1);
	cr_assert(!ci_device_get(device, 1, &view));
	ci_device_free(&device);
	cr_assert_null(device);
}

Test(ci_device, passes_the_menu)
{
	start();
	cr_assert_eq(ci_device_act(device, 1, CI_ACT_MENU, 0, NULL), -EINVAL);
	AWAIT(has_state(CI_READY));
	cr_assert_eq(ci_device_act(device, 0, CI_ACT_MENU, 0, NULL), 0);
	AWAIT(has_state(CI_READY) && view.mmi.kind == MMI_MENU);
	cr_assert_eq(ci_device_act(device, 0, CI_ACT_CHOICE, 9, NULL), 0);
	AWAIT(has_state(CI_READY) && view.refused.text[0] != '\0');
	cr_assert_eq(ci_device_act(device, 0, CI_ACT_CHOICE, 3, NULL), 0);
	AWAIT(has_state(CI_READY) && view.mmi.kind == MMI_NONE);
	AWAIT(chose(3));
	ci_device_free(&device);
}

static void refuse(void)
{
	AWAIT(has_state(CI_READY));
	cr_assert_eq(ci_device_act(device, 0, CI_ACT_TEXT, 0, "1"), 0);
	AWAIT(has_state(CI_READY) && view.refused.text[0] != '\0');
}

Test(ci_device, forgets_what_it_refused_when_the_module_changes)
{
	start();
	refuse();
	fake_card_lock();
	card.present = false;
	fake_card_unlock();
	AWAIT(has_state(CI_EMPTY));
	cr_expect_str_eq(view.refused.text, "");
	fake_card_lock();
	card.present = true;
	fake_cam_start(&card.cam);
	fake_card_unlock();
	refuse();
	ci_device_move(device, &(struct ci_place){ .adapter = -1 });
	AWAIT(!ci_device_get(device, 0, &view));
	ci_device_move(device, &(struct ci_place){
		.adapter = 4, .module = { .limit = 1 } });
	AWAIT(ci_device_get(device, 0, &view));
	cr_expect_str_eq(view.refused.text, "");
	ci_device_free(&device);
}

Test(ci_device, follows_a_module_that_is_pulled)
{
	start();
	AWAIT(has_state(CI_READY));
	fake_card_lock();
	card.present = false;
	fake_card_unlock();
	AWAIT(has_state(CI_EMPTY));
	cr_assert(!view.named);
	fake_card_lock();
	card.present = true;
	fake_cam_start(&card.cam);
	fake_card_unlock();
	AWAIT(has_state(CI_READY));
	ci_device_free(&device);
}

Test(ci_device, resets_a_module_that_is_silent)
{
	card.cam.fault = CAM_SILENT;
	start();
	AWAIT(has_state(CI_SILENT));
	AWAIT(has_state(CI_READY));
	cr_assert_eq(card.resets, 1);
	fake_card_lock();
	card.write_error = -EIO;
	fake_card_unlock();
	AWAIT(has_state(CI_ERROR));
	cr_assert_str_eq(view.error.text, "the CAM accepts no message: "
			 "Input/output error");
	fake_card_lock();
	card.write_error = 0;
	fake_card_unlock();
	AWAIT(has_state(CI_READY));
	ci_device_free(&device);
}

/* A reset is one of all slots. */
Test(ci_device, does_not_reset_a_module_beside_one_that_works)
{
	unsigned failures = 0;
	bool silent = false;

	card.second = true;
	start();
	AWAIT(has_state(CI_READY));
	while (failures < 3) {
		AWAIT(ci_device_get(device, 1, &view));
		failures += !silent && view.state == CI_SILENT;
		silent = view.state == CI_SILENT;
	}
	cr_assert_eq(view.resets, 0);
	fake_card_lock();
	cr_expect_eq(card.resets, 0, "%u", card.resets);
	card.write_error = -EIO;
	fake_card_unlock();
	/* none works */
	AWAIT(ci_device_get(device, 1, &view) && view.resets > 0);
	ci_device_free(&device);
}

static unsigned count_sleeps(void)
{
	unsigned n;

	fake_card_lock();
	n = card.sleeps;
	fake_card_unlock();
	return n;
}

Test(ci_device, a_driver_whose_reads_fail_for_ever_does_not_spin)
{
	unsigned before;

	start();
	AWAIT(has_state(CI_READY));
	fake_card_lock();
	card.read_error = -EIO;
	before = card.sleeps;
	fake_card_unlock();
	AWAIT(count_sleeps() >= before + 3);
	fake_card_lock();
	card.read_error = 0;
	fake_card_unlock();
	AWAIT(has_state(CI_READY));
	ci_device_free(&device);
}

Test(ci_device, opens_a_device_that_is_absent_busy_or_gone_again)
{
	card.open_error = -ENOENT;
	start();
	AWAIT(has_error("no slot for a CAM"));
	fake_card_lock();
	card.open_error = -EBUSY;
	fake_card_unlock();
	AWAIT(has_error("busy"));
	fake_card_lock();
	card.open_error = 0;
	fake_card_unlock();
	AWAIT(has_state(CI_READY));
	cr_assert(has_error(""));
	fake_card_lock();
	card.gone = true;
	fake_card_unlock();
	AWAIT(has_error("is gone"));
	cr_assert(!ci_device_get(device, 0, &view));
	fake_card_lock();
	card.gone = false;
	fake_cam_start(&card.cam);
	fake_card_unlock();
	AWAIT(has_state(CI_READY));
	ci_device_free(&device);
}

Test(ci_device, moves_to_another_device)
{
	start();
	AWAIT(has_state(CI_READY));
	ci_device_move(device, &(struct ci_place){ .adapter = -1 });
	AWAIT(!ci_device_get(device, 0, &view));
	ci_device_move(device, &(struct ci_place){
		.adapter = 4, .module = { .limit = 1 } });
	AWAIT(has_state(CI_READY));
	cr_assert_str_eq(card.path, "/dev/dvb/adapter4/ca0");
	ci_device_free(&device);
}

Test(ci_device, refuses_cards_with_an_interface_of_their_own)
{
	card.slot_type = CA_CI;
	start();
	AWAIT(has_error("which is required"));
	ci_device_free(&device);
}

Test(ci_device, the_owner_does_not_wait_for_a_driver_that_hangs)
{
	start();
	AWAIT(has_state(CI_READY));
	fake_card_lock();
	card.hangs = true;
	fake_card_unlock();
	AWAIT(has_error("has not returned from CA_GET_SLOT_INFO"));
	ci_device_want(device, &programs);
	fake_card_lock();
	card.hangs = false;
	fake_card_unlock();
	AWAIT(!has_error("has not returned"));
	ci_device_free(&device);
}
