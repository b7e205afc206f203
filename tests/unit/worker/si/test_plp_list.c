/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PLPs of a transport stream. */
#include "worker/si/plp_list.h"

#include "tests/unit/worker/t2mi/t2mi_maker.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum { NAMED = 600, DEFAULT = 4096, PACKETS = 20 };

static struct t2mi_maker maker;
static char text[256]; /* the reports */
static bool room;

static bool take(uint16_t pid, const json_t *plps, void *arg)
{
	json_t *plp;
	size_t i, len = strlen(text);

	(void)arg;
	if (!room)
		return false;
	len += (size_t)snprintf(text + len, sizeof text - len, "%u:", pid);
	json_array_foreach((json_t *)(uintptr_t)plps, i, plp)
		len += (size_t)snprintf(text + len, sizeof text - len,
					" %lld", json_integer_value(plp));
	(void)snprintf(text + len, sizeof text - len, "; ");
	return true;
}

/* A second of this PLP. */
static void feed(struct plp_list *l, uint16_t pid, uint8_t plp)
{
	static uint8_t packets[PACKETS][TS_PACKET];
	struct ts_run run;

	for (size_t i = 0; i < PACKETS; i++)
		memcpy(packets[i], "\x47\x01\x00\x10", 4);
	maker.pid = pid;
	maker.plp = plp;
	maker.field = 700;
	maker.n = 0;
	t2mi_maker_add(&maker, (const uint8_t (*)[TS_PACKET])packets, PACKETS);
	t2mi_maker_end(&maker);
	run = (struct ts_run){ maker.packets[0], maker.n };
	plp_list_feed(l, &run, 1);
}

Test(plp_list, reports_each_plp_once_with_those_before)
{
	struct plp_list *l = plp_list_new(take, NULL);

	feed(l, DEFAULT, 7);
	cr_expect_str_empty(text);
	room = true;
	feed(l, DEFAULT, 7);
	feed(l, DEFAULT, 3);
	feed(l, DEFAULT, 7);
	cr_expect_str_eq(text, "4096: 7; 4096: 3 7; ");
	plp_list_free(&l);
}

Test(plp_list, a_pmt_names_other_pids)
{
	static const struct build_es es[] = {
		{ 0x06, NAMED, "\x7f\x04\x11\x00\x00\x00", 6 },
		{ 0x06, NAMED + 1, NULL, 0 } };
	struct plp_list *l = plp_list_new(take, NULL);
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pmt(section, (struct build_entry){ 1, 0x100 }, 0,
			       es, 2);

	room = true;
	feed(l, NAMED, 1);
	cr_expect_str_empty(text);
	plp_list_take_pmt(l, section, len);
	plp_list_take_pmt(l, section, len - 1);
	feed(l, NAMED, 1);
	feed(l, NAMED + 1, 2);
	cr_expect_str_eq(text, "600: 1; ");
	plp_list_free(&l);
}
