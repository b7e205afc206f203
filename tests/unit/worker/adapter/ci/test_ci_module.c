/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_module.h"

#include "common/base/units.h"
#include "tests/unit/worker/adapter/ci/fake_cam.h"
#include "tests/unit/worker/adapter/ci/programs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEP_MS = 10,
	RESET_MS = 300,
	CA_INFO = 0x9f8031,
	CA_PMT_REPLY = 0x9f8033,
};

static struct ci_module *module;
static struct fake_cam cam;
static struct ca_programs *programs;
static uint64_t now_ns;
static uint64_t ready_ns;  /* the slot is ready again after a reset */
static bool pulled;
static unsigned written;   /* messages of the host */

static enum ci_slot slot(void)
{
	if (pulled)
		return CI_SLOT_EMPTY;
	if (now_ns >= ready_ns)
		return CI_SLOT_READY;
	return ready_ns - now_ns > 100 * MS ? CI_SLOT_EMPTY : CI_SLOT_SEEN;
}

static void reset(void)
{
	ready_ns = now_ns + RESET_MS * MS;
	fake_cam_start(&cam);
}

static void pass_messages(void)
{
	uint8_t to[CI_SEND_MAX], answer[CAM_MESSAGE];

	for (int i = 0; i < 8; i++) {
		size_t n = ci_module_next(module, programs, now_ns, 1000000000,
					  to);

		if (n == 0)
			return;
		written++;
		n = fake_cam_take(&cam, to, n, answer);
		if (n > 0)
			ci_module_take(module, answer, n, now_ns);
	}
}

static void run(unsigned ms)
{
	for (unsigned t = 0; t < ms; t += STEP_MS) {
		now_ns += STEP_MS * MS;
		ci_module_set_slot(module, slot(), now_ns);
		pass_messages();
		if (ci_module_take_reset(module, true))
			reset();
	}
}

static void start(const struct ci_config *cfg, unsigned n_programs)
{
	module = malloc(sizeof *module);
	programs = calloc(1, sizeof *programs);
	cr_assert_not_null(module);
	cr_assert_not_null(programs);
	now_ns = SECOND_NS;
	ci_module_init(module, cfg);
	cam.caids[0] = 0x0b00;
	cam.caids[1] = 0x0500;
	cam.n_caids = 2;
	for (unsigned i = 1; i <= n_programs; i++)
		programs_put(programs, (uint16_t)i, 0);
	ready_ns = now_ns + RESET_MS * MS;
}

static void stop(void)
{
	free(module);
	free(programs);
}

static const struct ci_config plain = { .limit = 8 };

Test(ci_module, initialises_a_cam)
{
	start(&plain, 2);
	run(2000);
	cr_assert_eq(module->state, CI_READY, "%s",
		     ci_state_names[module->state]);
	cr_assert(module->named);
	cr_assert_eq(module->manufacturer, 0x1234);
	cr_assert_eq(module->code, 0x5678);
	cr_assert_str_eq(module->name, "Fake CAM");
	cr_assert_eq(module->list.ids.n, 2);
	cr_assert_eq(module->list.ids.list[1], 0x0500);
	cr_assert_str_eq(cam.log, "first 1 descramble 0b00; "
				  "last 2 descramble 0b00; ");
	cr_assert_str_eq(module->error.text, "");
	stop();
}

Test(ci_module, polls_an_idle_cam_ten_times_a_second)
{
	start(&plain, 0);
	run(2000);
	written = 0;
	run(10000);
	cr_assert(written >= 90 && written <= 100, "%u", written);
	stop();
}

Test(ci_module, waits_before_the_first_program)
{
	start(&(struct ci_config){ .limit = 8, .delay_ms = 5000 }, 1);
	run(5000);
	cr_assert_eq(module->state, CI_READY);
	cr_assert_str_eq(cam.log, "");
	run(2000);
	cr_assert_str_eq(cam.log, "only 1 descramble 0b00; ");
	stop();
}

Test(ci_module, follows_a_cam_that_is_pulled_and_put_in)
{
	start(&plain, 1);
	run(2000);
	pulled = true;
	run(100);
	cr_assert_eq(module->state, CI_EMPTY);
	cr_assert(!module->named);
	cr_assert_eq(module->list.ids.n, 0);
	cam.len = 0;
	pulled = false;
	reset();
	run(2000);
	cr_assert_eq(module->state, CI_READY);
	cr_assert_str_eq(cam.log, "only 1 descramble 0b00; ");
	cr_assert_eq(module->resets, 0);
	stop();
}

/* Another slot of its card is not reset meanwhile, because all slots are. */
Test(ci_module, has_its_time_to_start_until_it_fails)
{
	start(&plain, 0);
	cr_expect_not(ci_module_may_work(module));
	ci_module_set_slot(module, CI_SLOT_SEEN, now_ns);
	cr_assert_eq(module->state, CI_PRESENT);
	cr_expect(ci_module_may_work(module));
	ci_module_set_slot(module, CI_SLOT_READY, now_ns);
	cr_assert_eq(module->state, CI_INITIALISING);
	cr_expect(ci_module_may_work(module));
	now_ns += (uint64_t)CI_INIT_MS * MS;
	ci_module_set_slot(module, CI_SLOT_READY, now_ns);
	cr_expect_eq(module->failures, 1);
	cr_expect_not(ci_module_may_work(module));
	now_ns += (uint64_t)CI_PAUSE_MIN_MS * MS;
	ci_module_set_slot(module, CI_SLOT_SEEN, now_ns);
	cr_assert_eq(module->state, CI_PRESENT);
	cr_expect_not(ci_module_may_work(module), "it has failed once");
	stop();
}

Test(ci_module, gives_the_date)
{
	cam.time_s = 2;
	start(&plain, 0);
	run(9500);
	cr_assert(cam.dates >= 4 && cam.dates <= 5, "%u", cam.dates);
	/* 2001-09-09 01:46:40 */
	cr_assert_eq(memcmp(cam.date, "\xcb\xc1\x01\x46\x40", 5), 0,
		     "%02x%02x %02x%02x%02x", cam.date[0], cam.date[1],
		     cam.date[2], cam.date[3], cam.date[4]);
	stop();
}

static void act(enum ci_action action, unsigned choice, const char *text)
{
	struct errmsg error = { "" };

	cr_assert_eq(ci_module_act(module, action, choice, text, &error), 0,
		     "%s", error.text);
	run(1000);
}

Test(ci_module, passes_menus_and_answers)
{
	struct errmsg error;

	start(&plain, 0);
	run(2000);
	act(CI_ACT_MENU, 0, NULL);
	cr_assert(cam.confirmed);
	cr_assert_eq(module->mmi.kind, MMI_MENU);
	cr_assert_str_eq(module->mmi.title, "Title");
	cr_assert_str_eq(module->mmi.subtitle, "Subtitle");
	cr_assert_eq(module->mmi.n, 3);
	cr_assert_str_eq(module->mmi.items[2], "Three");
	cr_assert_lt(ci_module_act(module, CI_ACT_CHOICE, 4, NULL, &error), 0);
	cr_assert_str_eq(error.text,
			 "choice: 4 is not an item of the menu, 1 to 3");
	cr_assert_lt(ci_module_act(module, CI_ACT_TEXT, 0, "x", &error), 0);
	act(CI_ACT_CHOICE, 2, NULL);
	cr_assert_eq(cam.choice, 2);
	cr_assert_eq(module->mmi.kind, MMI_NONE);
	fake_cam_ask(&cam);
	run(500);
	cr_assert_eq(module->mmi.kind, MMI_QUESTION);
	cr_assert(module->mmi.blind);
	act(CI_ACT_TEXT, 0, "1234");
	cr_assert_str_eq(cam.text, "1:1234");
	fake_cam_show_menu(&cam);
	run(500);
	act(CI_ACT_CANCEL, 0, NULL);
	cr_assert_eq(cam.choice, 0);
	act(CI_ACT_CLOSE, 0, NULL);
	cr_assert_lt(ci_module_act(module, CI_ACT_CLOSE, 0, NULL, &error), 0);
	cr_assert_str_eq(error.text, "the CAM has no menu or question open");
	stop();
}

Test(ci_module, an_answer_has_the_characters_of_dvb)
{
	char text[MMI_ANSWER_MAX + 1] = "";
	struct errmsg error;

	start(&plain, 0);
	run(2000);
	act(CI_ACT_MENU, 0, NULL);
	fake_cam_ask(&cam);
	run(500);
	act(CI_ACT_TEXT, 0, "caf\u00e9");
	cr_assert_str_eq(cam.text, "1:caf\xc2" "e");
	fake_cam_ask(&cam);
	run(500);
	/* no other table has it: with the byte of UTF-8 it is too long */
	for (size_t i = 0; i + 3 <= MMI_ANSWER_MAX; i += 3)
		memcpy(text + i, "\u4e00", 3);
	memcpy(text + MMI_ANSWER_MAX - 1, "x", 1);
	cr_assert_lt(ci_module_act(module, CI_ACT_TEXT, 0, text, &error), 0);
	cr_assert_str_eq(error.text, "text: has more than 250 bytes");
	stop();
}

Test(ci_module, keeps_the_answers_of_programs_in_the_list)
{
	start(&plain, 2);
	run(2000);
	for (uint16_t i = 100; i < 100 + 2 * CA_PROGRAMS_MAX; i++) {
		fake_cam_refuse(&cam, i);
		run(200);
	}
	cr_assert_eq(module->n_answers, 0u);
	fake_cam_refuse(&cam, 1);
	fake_cam_refuse(&cam, 2);
	run(500);
	cr_assert_eq(module->n_answers, 2u);
	programs_drop(programs, 1);
	run(500);
	fake_cam_refuse(&cam, 2);
	run(500);
	cr_assert_eq(module->n_answers, 1u);
	cr_assert_eq(module->answers[0].program, 2);
	cr_assert_eq(module->answers[0].answer, CA_REPLY_NO_RIGHT);
	stop();
}

Test(ci_module, refuses_what_it_cannot_do)
{
	cam.mode = 2;
	cam.asks[0] = 0x00200041;
	cam.asks[1] = 0x008c1041;
	cam.n_asks = 2;
	start(&plain, 1);
	run(2000);
	cr_assert_eq(module->state, CI_READY);
	cr_assert(module->plus);
	cr_assert(!module->low_level);
	act(CI_ACT_MENU, 0, NULL);
	cr_assert(module->low_level);
	cr_assert_eq(module->mmi.kind, MMI_NONE);
	cr_assert_str_eq(cam.log, "only 1 descramble 0b00; ");
	stop();
}

Test(ci_module, a_cam_without_a_card_names_no_caid)
{
	start(&plain, 1);
	cam.n_caids = 0;
	run(2000);
	cr_assert_eq(module->state, CI_READY);
	cr_assert_eq(module->list.ids.n, 0);
	cr_assert_str_eq(cam.log, "");
	stop();
}

Test(ci_module, pauses_before_resets_grow)
{
	start(&plain, 1);
	cam.fault = CAM_SILENT;
	for (int i = 0; i < 300; i++) {
		run(1000);
		cam.broken = false;
	}
	/* 5 s without an answer, then 1, 2, 4, ... 60 s */
	cr_assert(module->resets >= 6 && module->resets <= 10, "%u",
		  module->resets);
	cam.broken = true;
	run(70000);
	cr_assert_eq(module->state, CI_READY);
	run(CI_HEALTHY_MS);
	cr_assert_eq(module->failures, 0);
	stop();
}

/* --- misbehaviour --- */

static void recover(enum cam_fault fault, unsigned at, unsigned value)
{
	static const char expected[] = "first 1 descramble 0b00; "
				       "more 2 descramble 0b00; "
				       "last 3 descramble 0b00; ";
	const char *end;

	memset(&cam, 0, sizeof cam);
	start(&plain, 3);
	cam.fault = fault;
	cam.at = at;
	cam.value = value;
	written = 0;
	run(90000);
	cr_assert_eq(module->state, CI_READY, "fault %d at %u (%u): %s, %s",
		     fault, at, value, ci_state_names[module->state],
		     module->error.text);
	cr_assert_leq(module->resets, 3);
	cr_assert_leq(written, 4000, "fault %d at %u (%u): %u", fault, at,
		      value, written);
	/* a wrong byte may be that of a CAID */
	if (module->list.ids.list[0] != 0x0b00) {
		cr_assert_eq(fault, CAM_BYTE);
		stop();
		return;
	}
	/* what it knows in the end is the whole list */
	end = strlen(cam.log) >= strlen(expected)
		      ? cam.log + strlen(cam.log) - strlen(expected) : cam.log;
	cr_assert_str_eq(end, expected, "fault %d at %u (%u): %s", fault, at,
			 value, cam.log);
	stop();
}

static const struct {
	enum cam_fault fault;
	unsigned at, value;
} faults[] = {
	{ CAM_SESSION, 4, 0 },     { CAM_SESSION, 8, 9 },
	{ CAM_SESSION, 12, 0xffff }, { CAM_CONNECTION, 0, 0 },
	{ CAM_CONNECTION, 3, 2 },  { CAM_CONNECTION, 9, 0xff },
	{ CAM_SILENT, 0, 0 },      { CAM_SILENT, 1, 0 },
	{ CAM_SILENT, 5, 0 },      { CAM_SILENT, 13, 0 },
	{ CAM_SILENT, 40, 0 },     { CAM_MUTE, 0, 0 },
	{ CAM_MUTE, 2, 0 },        { CAM_MUTE, 7, 0 },
	{ CAM_MUTE, 15, 0 },       { CAM_MUTE, 30, 0 },
	{ CAM_ENDLESS, 1, 0 },     { CAM_ENDLESS, 10, 0 },
	{ CAM_ENDLESS, 50, 0 },    { CAM_ENDLESS_TEXT, 10, 0 },
	{ CAM_ENDLESS_TEXT, 50, 0 }, { CAM_OPENS, 2, 0 },
	{ CAM_OPENS, 20, 0 },      { CAM_DELETES, 1, 0 },
	{ CAM_DELETES, 8, 0 },     { CAM_DELETES, 45, 0 },
	{ CAM_CLOSES, 20, 0 },     { CAM_CLOSES, 60, 0 },
	{ CAM_NO_CAIDS, 0, 0 },    { CAM_JUNK, 0, 1 },
	{ CAM_JUNK, 3, 4 },        { CAM_JUNK, 6, 512 },
	{ CAM_JUNK, 20, 16 },      { CAM_JUNK, 70, 3 },
	{ CAM_TWICE, 0, 0 },       { CAM_TWICE, 2, 0 },
	{ CAM_TWICE, 6, 0 },       { CAM_TWICE, 11, 0 },
	{ CAM_ASKS, 3, 0 },        { CAM_ASKS, 30, 0 },
};

Test(ci_module, recovers_from_forty_faults)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		recover(faults[i].fault, faults[i].at, faults[i].value);
}

Test(ci_module, recovers_from_messages_that_are_cut)
{
	for (unsigned at = 0; at < 16; at++)
		for (unsigned n = 0; n < 12; n++)
			recover(CAM_CUT, at, n);
}

Test(ci_module, recovers_from_wrong_bytes)
{
	for (unsigned at = 0; at < 16; at++)
		for (unsigned n = 0; n < 12; n++)
			recover(CAM_BYTE, at, n);
}

Test(ci_module, recovers_from_resets_at_any_moment)
{
	for (unsigned ms = 0; ms < 1500; ms += 50) {
		memset(&cam, 0, sizeof cam);
		start(&plain, 1);
		run(RESET_MS + ms);
		reset();
		cam.len = 0;
		cam.log[0] = '\0';
		run(5000);
		cr_assert_eq(module->state, CI_READY, "after %u ms", ms);
		cr_assert_str_eq(cam.log, "only 1 descramble 0b00; ");
		stop();
	}
}

Test(ci_module, a_flood_is_no_busy_loop)
{
	static const uint8_t status[] = { 0x80, 2, 1, 0 };

	start(&plain, 1);
	run(2000);
	for (int i = 0; i < 2000 && module->state == CI_READY; i++)
		ci_module_take(module, status, sizeof status, now_ns);
	cr_assert_eq(module->state, CI_ERROR);
	cr_assert_str_eq(module->error.text,
			 "the CAM sends too many messages");
	run(5000);
	cr_assert_eq(module->state, CI_READY);
	stop();
}

/* How many objects with errors the module sends, at most 25, until it is no
 * longer ready. */
static unsigned send_errors(uint32_t tag, unsigned pause_s)
{
	unsigned n = 0;

	while (n < 25 && module->state == CI_READY) {
		now_ns += pause_s * SECOND_NS;
		fake_cam_err(&cam, tag);
		run(500);
		n++;
	}
	return n;
}

Test(ci_module, many_errors_in_a_minute_are_a_fault)
{
	start(&plain, 1);
	run(2000);
	cr_assert_eq(send_errors(CA_INFO, 600), 25u);
	cr_assert_eq(module->state, CI_READY);
	now_ns += 60 * SECOND_NS;
	cr_assert_eq(send_errors(CA_INFO, 1), CI_ERRORS_MAX + 1u);
	cr_assert_eq(module->state, CI_ERROR);
	cr_assert_str_eq(module->error.text,
			 "the CAM sent too many invalid objects");
	run(5000);
	cr_assert_eq(module->state, CI_READY);
	stop();
}

/* It descrambles nevertheless. */
Test(ci_module, wrong_replies_are_no_fault)
{
	start(&plain, 1);
	run(2000);
	cr_assert_eq(send_errors(CA_PMT_REPLY, 600), 25u);
	cr_assert_eq(send_errors(CA_PMT_REPLY, 1), 25u);
	cr_assert_eq(module->state, CI_READY);
	cr_assert_eq(module->resets, 0u);
	stop();
}
