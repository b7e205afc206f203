/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/cam_source.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "tests/unit/worker/adapter/ci/fake_card.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_S = 30, ADAPTER = 2 };

/* The clock of the device runs 20 times faster. */
uint64_t __real_mono_ns(void);
uint64_t __wrap_mono_ns(void);
uint64_t __wrap_mono_ns(void)
{
	return 20 * __real_mono_ns();
}

static struct cam_source *source;
static struct msg_adapter_slot slot;
static struct psi *psi;
static struct build *build;
static size_t fed;

static void feed(void)
{
	for (; fed < build->n; fed++)
		(void)psi_feed(psi, build_packet(build, fed));
}

static void put_pmt(uint16_t number, uint8_t version)
{
	static const struct build_es streams[] = {
		{ 0x1b, 0x101, "\x09\x04\x0b\x00\xe1\x23", 6 } };
	uint8_t section[1024];

	(void)build_section(build, (uint16_t)(0x100 * number), section,
			    build_pmt(section,
				      (struct build_entry){ number, 0x101 },
				      version, streams, 1));
	feed();
}

static void start_with(const struct tuner_spec *spec)
{
	static const struct build_entry entries[] = { { 1, 0x100 },
						      { 2, 0x200 },
						      { 3, 0x300 } };
	uint8_t section[1024];

	psi = psi_new();
	build = build_new();
	(void)build_section(build, 0, section,
			    build_pat(section, 0, entries, 3));
	feed();
	for (uint16_t i = 1; i <= 3; i++)
		put_pmt(i, 0);
	source = cam_source_new(spec, &fake_card_ops, NULL);
}

static void start(void)
{
	static const struct tuner_spec spec = { .ca = { .limit = 2 } };

	start_with(&spec);
}

static void stop(void)
{
	cam_source_free(&source);
	psi_free(&psi);
	build_free(build);
}

static void want(size_t n, uint16_t a, uint16_t b)
{
	const struct msg_adapter_cam cam = { .n = n, .programs = { a, b } };

	cam_source_want(source, &cam);
}

static void turn(uint64_t since_ns)
{
	struct timespec pause = { .tv_nsec = 2000000 };

	(void)nanosleep(&pause, NULL);
	cam_source_second(source, psi, ADAPTER);
	(void)cam_source_take(source, 0, &slot);
	cr_assert_lt(__real_mono_ns() - since_ns, PATIENCE_S * SECOND_NS,
		     "never: state %s, error %s, log %s",
		     slot.state != NULL ? slot.state : "none",
		     slot.error != NULL ? slot.error : "", card.cam.log);
}

#define AWAIT(condition) do { \
	uint64_t since_ns = __real_mono_ns(); \
	while (!(condition)) \
		turn(since_ns); \
} while (0)

static bool is_state(const char *state)
{
	return slot.state != NULL && strcmp(slot.state, state) == 0;
}

Test(cam_source, opens_nothing_before_the_master_names_programs)
{
	start();
	cam_source_second(source, psi, ADAPTER);
	cr_assert(!cam_source_take(source, 0, &slot));
	want(0, 0, 0);
	cam_source_second(source, psi, CAM_GONE);
	cr_assert(!cam_source_take(source, 0, &slot));
	cr_assert_eq(card.opens, 0);
	AWAIT(is_state("ready"));
	cr_assert_str_eq(slot.name, "Fake CAM");
	cr_assert_eq(slot.n_programs, 0);
	stop();
}

Test(cam_source, descrambles_programs_and_follows_their_pmts)
{
	start();
	want(1, 2, 0);
	AWAIT(fake_card_has_log("only 2 descramble 0b00; "));
	put_pmt(2, 1);
	AWAIT(fake_card_has_log("only 2 descramble 0b00; "
				"update 2 descramble 0b00; "));
	AWAIT(is_state("ready") && slot.n_programs == 1 &&
	      strcmp(slot.programs[0].state, "descrambled") == 0);
	cr_assert_str_eq(slot.error, "");
	/* an absent one has no PMT */
	want(2, 2, 9);
	AWAIT(slot.n_programs == 2);
	cr_assert_str_eq(slot.programs[1].state, "no PMT");
	stop();
}

Test(cam_source, the_program_that_carries_t2mi_is_descrambled)
{
	static const struct build_es carrier = { 6, 0x1000,
		"\x09\x04\x0b\x00\xe1\x23", 6 };
	uint8_t section[1024];

	start();
	(void)build_section(build, 0x200, section,
			    build_pmt(section,
				      (struct build_entry){ 2, 0x1fff }, 1,
				      &carrier, 1));
	feed();
	cam_source_carry(source, 0x1000);
	/* numbers of the PLP, which the module does not see */
	want(2, 1, 3);
	AWAIT(fake_card_has_log("only 2 descramble 0b00; "));
	AWAIT(slot.n_programs == 1);
	want(0, 0, 0);
	AWAIT(slot.n_programs == 0);
	want(1, 3, 0);
	AWAIT(slot.n_programs == 1 && slot.programs[0].pnr == 2);
	cam_source_carry(source, 0);
	AWAIT(slot.n_programs == 1 && slot.programs[0].pnr == 3);
	stop();
}

Test(cam_source, zero_is_all_programs_and_ca_limit_is_reported)
{
	start();
	want(2, 3, 0);
	AWAIT(fake_card_has_log("first 3 descramble 0b00; "
				"last 1 descramble 0b00; "));
	AWAIT(slot.n_programs == 3 &&
	      strcmp(slot.error, "ca_limit is reached: 1 programs are not sent "
		     "to the CAM") == 0);
	cr_assert_eq(slot.programs[0].pnr, 3);
	cr_assert_str_eq(slot.programs[2].state, "beyond ca_limit");
	stop();
}

Test(cam_source, another_limit_starts_the_module_again)
{
	static const struct tuner_spec more = { .ca = { .limit = 3 } };

	start();
	want(1, 0, 0);
	AWAIT(fake_card_has_log("first 1 descramble 0b00; "
				"last 2 descramble 0b00; "));
	cam_source_set(source, &more);
	AWAIT(strstr(card.cam.log, "last 3 descramble 0b00; ") != NULL);
	stop();
}

Test(cam_source, closes_the_device_of_hardware_that_is_gone)
{
	start();
	want(1, 1, 0);
	AWAIT(is_state("ready"));
	cam_source_second(source, psi, CAM_KEEPS);
	cr_assert_eq(card.closes, 0);
	for (int i = 0; i < 3000 && card.closes == 0; i++) {
		struct timespec pause = { .tv_nsec = 2000000 };

		cam_source_second(source, psi, CAM_GONE);
		(void)nanosleep(&pause, NULL);
	}
	cr_assert_eq(card.closes, 1);
	slot.state = NULL;
	for (int i = 0; i < 3000 && !is_state("absent"); i++) {
		struct timespec pause = { .tv_nsec = 2000000 };

		(void)cam_source_take(source, 0, &slot);
		(void)nanosleep(&pause, NULL);
	}
	cr_assert_str_eq(slot.state, "absent");
	AWAIT(is_state("ready"));
	stop();
}

Test(cam_source, reports_all_to_a_new_master)
{
	start();
	want(1, 1, 0);
	AWAIT(is_state("ready"));
	AWAIT(!cam_source_take(source, 0, &slot));
	want(1, 1, 0);
	slot.state = NULL;
	AWAIT(is_state("ready"));
	stop();
}

Test(cam_source, a_card_without_a_slot_is_an_error_where_programs_need_it)
{
	card.open_error = -ENOENT;
	start();
	want(1, 1, 0);
	AWAIT(is_state("absent"));
	cr_assert_not_null(strstr(slot.error, "no slot for a CAM"));
	stop();
}

Test(cam_source, passes_the_menu)
{
	const struct msg_adapter_menu open = { .action = CAM_MENU,
					       .text = "" };
	const struct msg_adapter_menu choose = { .action = CAM_CHOICE,
						 .choice = 2, .text = "" };

	start();
	want(0, 0, 0);
	AWAIT(is_state("ready"));
	cam_source_act(source, &open);
	AWAIT(strcmp(slot.menu.kind, "menu") == 0);
	cr_assert_str_eq(slot.menu.title, "Title");
	cr_assert_eq(slot.menu.n, 3);
	cr_assert_str_eq(slot.menu.items[1], "Two");
	cam_source_act(source, &choose);
	AWAIT(strcmp(slot.menu.kind, "") == 0);
	AWAIT(card.cam.choice == 2);
	stop();
}

/* A program that stays scrambled is worse than a menu that is not open. */
Test(cam_source, an_action_that_is_refused_hides_no_error)
{
	const struct msg_adapter_menu answer = { .action = CAM_TEXT,
						 .text = "1" };

	start();
	want(0, 0, 0);
	AWAIT(is_state("ready"));
	cam_source_act(source, &answer);
	AWAIT(strcmp(slot.error,
		     "the CAM has no menu or question open") == 0);
	want(1, 0, 0);
	AWAIT(slot.n_programs == 3);
	AWAIT(strcmp(slot.error, "ca_limit is reached: 1 programs are not sent "
		     "to the CAM") == 0);
	stop();
}

/* The log of the module may be read late, but never early. */
Test(cam_source, ca_pmt_delay_holds_the_first_program_back)
{
	enum { DELAY_S = 30 };
	json_t *adapter = json_pack("{s:s, s:i, s:i}", "type", "T", "frequency",
				    474, "ca_pmt_delay", DELAY_S);
	uint64_t begin_ns = mono_ns();
	struct tuner_spec spec;

	cr_assert_eq(tuner_spec_parse(adapter, &spec, NULL), 0);
	start_with(&spec);
	want(1, 2, 0);
	AWAIT(is_state("ready"));
	AWAIT(fake_card_has_log("only 2 descramble 0b00; "));
	cr_assert_geq(mono_ns() - begin_ns, DELAY_S * SECOND_NS);
	json_decref(adapter);
	stop();
}

/* Without a licensed host, a module of CI Plus keeps the programs scrambled
 * that are marked as protected, and descrambles the others. */
Test(cam_source, a_module_of_ci_plus_does_its_plain_programs)
{
	start();
	fake_card_lock();
	card.cam.asks[0] = 0x008c1041; /* content control */
	card.cam.n_asks = 1;
	fake_card_unlock();
	want(2, 1, 2);
	AWAIT(fake_card_has_log("first 1 descramble 0b00; "
				"last 2 descramble 0b00; "));
	fake_card_lock();
	fake_cam_refuse(&card.cam, 1);
	fake_card_unlock();
	AWAIT(slot.n_programs == 2 &&
	      strcmp(slot.programs[0].state, "no entitlement") == 0);
	AWAIT(strcmp(slot.programs[1].state, "descrambled") == 0);
	cr_assert(is_state("ready"));
	cr_assert(slot.ciplus);
	cr_assert_str_eq(slot.error, "CI Plus is refused, because it needs a "
			 "licensed host: programs that it protects stay "
			 "scrambled");
	stop();
}
