/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_sec.h"

#include <criterion/criterion.h>
#include <stdio.h>

static char text[1024];

/* "t0": tone off, "t1"; "v0", "v13", "v18"; "A", "B"; commands in hex;
 * "+15": wait */
static void write_step(const struct sec_step *s, size_t *len)
{
	size_t room = sizeof text - *len;
	char *to = text + *len;
	int n = 0;

	switch (s->kind) {
	case SEC_STEP_TONE:
		n = snprintf(to, room, "t%d", s->value == 0);
		break;
	case SEC_STEP_VOLTAGE:
		n = snprintf(to, room, "v%d", s->value == 0   ? 13
					      : s->value == 1 ? 18
							      : 0);
		break;
	case SEC_STEP_BURST:
		n = snprintf(to, room, "%c", s->value == 0 ? 'A' : 'B');
		break;
	case SEC_STEP_DISEQC:
		for (unsigned i = 0; i < s->command.n; i++)
			n += snprintf(to + n, room - (size_t)n, "%02x",
				      s->command.bytes[i]);
		break;
	}
	n += snprintf(to + n, room - (size_t)n, "+%u ",
		      s->wire_ms + s->wait_ms);
	*len += (size_t)n;
}

static void expect(const char *keys, double mhz, const char *polarization,
		   const char *wanted)
{
	json_error_t where;
	json_t *more = json_loads(keys, 0, &where);
	json_t *adapter = json_pack("{s:s, s:f, s:i, s:s}", "type", "S2",
				    "frequency", mhz, "symbolrate", 22000,
				    "polarization", polarization);
	struct sec_steps steps;
	struct tuner_spec spec;
	struct errmsg error;
	size_t len = 0;

	cr_assert_not_null(more, "%s: %s", keys, where.text);
	(void)json_object_update(adapter, more);
	cr_assert_eq(tuner_spec_parse(adapter, &spec, &error), 0, "%s: %s",
		     keys, error.text);
	dvb_sec_make(&spec, &steps);
	text[0] = '\0';
	for (unsigned i = 0; i < steps.n; i++)
		write_step(&steps.list[i], &len);
	cr_expect_str_eq(text, wanted, "%s: got %s", keys, text);
	json_decref(adapter);
	json_decref(more);
}

Test(dvb_sec, voltage_and_tone_select_polarization_and_band)
{
	expect("{}", 11362, "V", "t0+0 v13+100 ");
	expect("{}", 11362, "H", "t0+0 v18+100 ");
	expect("{}", 12188, "L", "t0+0 v18+100 t1+15 ");
	expect("{}", 12188, "R", "t0+0 v13+100 t1+15 ");
	expect("{\"tone\": true}", 11362, "V", "t0+0 v13+100 t1+15 ");
	expect("{\"lnb_sharing\": true, \"diseqc\": 1}", 11362, "V",
	       "t0+0 v0+0 ");
}

Test(dvb_sec, switches)
{
	expect("{\"diseqc\": 1}", 11362, "V",
	       "t0+0 v13+100 e01038f0+69 ");
	expect("{\"diseqc\": \"3\"}", 12188, "H",
	       "t0+0 v18+100 e01038fb+69 t1+15 ");
	expect("{\"diseqc_mode\": \"1.1\", \"diseqc\": 16}", 11362, "V",
	       "t0+0 v13+100 e01039ff+69 ");
	/* each switch of a cascade receives its command twice */
	expect("{\"diseqc_mode\": \"1.1\", \"diseqc\": \"2/4\"}", 11362, "H",
	       "t0+0 v18+100 e01039f1+154 e01038fe+154 e11039f1+154 "
	       "e11038fe+69 ");
	expect("{\"diseqc_mode\": \"toneburst\", \"diseqc\": \"B\"}", 12188,
	       "V", "t0+0 v13+100 B+28 t1+15 ");
	expect("{\"diseqc_mode\": \"cmd\", \"diseqc\": \"E01038F0 E0106E\"}",
	       11362, "V", "t0+0 v13+100 e01038f0+69 e0106e+56 ");
}

Test(dvb_sec, dishes)
{
	expect("{\"diseqc_mode\": \"1.2\", \"diseqc\": 7}", 11362, "V",
	       "t0+0 v13+100 e0316b07+69 ");
	expect("{\"diseqc_mode\": \"usals\", \"diseqc\": \"19.2E\","
	       " \"latitude\": 48.1, \"longitude\": 11.6}", 11362, "V",
	       "t0+0 v13+100 e0316ee087+83 ");
	/* due south, to the west, and from the other hemisphere */
	cr_assert_eq(dvb_sec_usals(50, 10, 10) & 0xfff, 0u);
	cr_assert_eq(dvb_sec_usals(50, 10, -5) >> 12, 0xdu);
	cr_assert_eq(dvb_sec_usals(-50, 10, -5) >> 12, 0xeu);
	cr_assert_eq(dvb_sec_usals(50, 10, 25), dvb_sec_usals(50, 10, -5) +
						0x1000);
}

Test(dvb_sec, unicable)
{
	/* (1612 + 1210 + 2) / 4 - 350 = 356 = 0x164 */
	expect("{\"uni_scr\": 3, \"uni_frequency\": 1210}", 11362, "V",
	       "t0+0 v13+100 v18+10 e0105a4164+78 v13+10 ");
	expect("{\"uni_scr\": 3, \"uni_frequency\": 1210, \"uni_pos\": \"B\","
	       " \"uni_pin\": 77}", 11362, "H",
	       "t0+0 v13+100 v18+10 e0105c59644d+91 v13+10 ");
	/* 1588 - 100 = 1488 = 0x5d0 */
	expect("{\"uni_scr\": 32, \"uni_frequency\": 1210, \"uni_pos\": 64}",
	       12188, "H", "t0+0 v13+100 v18+10 70fdd0ff+64 v13+10 ");
	expect("{\"uni_scr\": 1, \"uni_mode\": \"EN50607\","
	       " \"uni_frequency\": 1210, \"uni_pin\": 5}", 12188, "V",
	       "t0+0 v13+100 v18+10 7105d00105+78 v13+10 ");
}

Test(dvb_sec, a_dish_needs_time)
{
	struct tuner_spec spec = { .satellite = true, .diseqc = "7",
				   .diseqc_mode = DISEQC_POSITIONER };

	cr_assert_geq(dvb_sec_moves_ms(&spec), 60000u);
	spec.diseqc_mode = DISEQC_COMMITTED;
	cr_assert_eq(dvb_sec_moves_ms(&spec), 0u);
}
