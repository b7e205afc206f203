/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_sec.h"

#include "proto/spec/tuner_sat.h"

#include <assert.h>
#include <linux/dvb/frontend.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
	/* Time in which a switch and the LNB behind it start. */
	POWER_MS = 100,
	SETTLE_MS = 15,
	/* A byte of DiSEqC takes 13.5 ms on the wire. */
	BYTE_US = 13500,
	REPEAT_MS = 100,
	BURST_MS = 15 + 13,
	/* Unicable: the times at 18 V before and after the command, and at 13 V
	 * afterwards.  The standard has 4 to 22 ms before and 2 to 60 ms
	 * after. */
	UNICABLE_BEFORE_MS = 10,
	UNICABLE_HOLD_MS = 10,
	UNICABLE_AFTER_MS = 10,
	DISH_MS = 60000,
	EN50607_BASE_MHZ = 100,
};

static struct sec_step *add(struct sec_steps *s, enum sec_kind kind,
			    unsigned value, unsigned wait_ms)
{
	struct sec_step *step = &s->list[s->n];

	assert(s->n < SEC_STEPS_MAX);
	s->n++;
	*step = (struct sec_step){ .kind = kind, .value = value,
				   .wait_ms = wait_ms };
	return step;
}

static void send(struct sec_steps *s, const uint8_t *bytes, unsigned n,
		 unsigned more_ms)
{
	struct sec_step *step = add(s, SEC_STEP_DISEQC, 0, more_ms);

	step->wire_ms = (n * BYTE_US + 999) / 1000;
	memcpy(step->command.bytes, bytes, n);
	step->command.n = (uint8_t)n;
}

/* 18 V selects horizontal and left. */
static bool is_high_voltage(const struct tuner_spec *s)
{
	return s->polarization == TUNER_H || s->polarization == TUNER_L;
}

static void add_switches(struct sec_steps *steps, const struct tuner_spec *s)
{
	uint8_t committed[] = { 0xe0, 0x10, 0x38,
		(uint8_t)(0xf0 | (s->switch_2 & 3) << 2 |
			  (is_high_voltage(s) ? 2 : 0) | (s->high ? 1 : 0)) };
	uint8_t uncommitted[] = { 0xe0, 0x10, 0x39,
				  (uint8_t)(0xf0 | (s->switch_1 & 15)) };
	bool cascade = s->switch_1 >= 0 && s->switch_2 >= 0;

	/* the second switch of a cascade has power only after the first switch
	 * has switched, so all commands are sent twice */
	for (int round = 0; round < (cascade ? 2 : 1); round++) {
		committed[0] = uncommitted[0] = (uint8_t)(0xe0 + round);
		if (s->switch_1 >= 0)
			send(steps, uncommitted, 4,
			     cascade ? REPEAT_MS : SETTLE_MS);
		if (s->switch_2 >= 0)
			send(steps, committed, 4,
			     cascade && round == 0 ? REPEAT_MS : SETTLE_MS);
	}
}

unsigned dvb_sec_usals(double latitude, double longitude, double position)
{
	const double earth = 6378.14, orbit = 42164.57, degree = M_PI / 180;
	double west = (longitude - position) * degree;
	/* distance in the plane of the equator from the dish to the satellite;
	 * the axis of the mount is parallel to the axis of the earth */
	double south = orbit * cos(west) - earth * cos(latitude * degree);
	double angle = atan2(orbit * sin(west), south) / degree;
	unsigned sixteenths = (unsigned)(fabs(angle) * 16 + 0.5);

	if (latitude < 0)
		angle = -angle;
	return (angle > 0 ? 0xd000 : 0xe000) | (sixteenths & 0xfff);
}

static void add_diseqc(struct sec_steps *steps, const struct tuner_spec *s)
{
	unsigned at;

	if (s->diseqc[0] == '\0')
		return;
	switch ((enum tuner_diseqc_mode)s->diseqc_mode) {
	case DISEQC_COMMITTED:
	case DISEQC_UNCOMMITTED:
		add_switches(steps, s);
		break;
	case DISEQC_POSITIONER:
		if (s->motor >= 0)
			send(steps, (const uint8_t[]){ 0xe0, 0x31, 0x6b,
						       (uint8_t)s->motor }, 4,
			     SETTLE_MS);
		break;
	case DISEQC_USALS:
		at = dvb_sec_usals(s->latitude, s->longitude, s->orbit);
		send(steps, (const uint8_t[]){ 0xe0, 0x31, 0x6e,
					       (uint8_t)(at >> 8),
					       (uint8_t)at }, 5, SETTLE_MS);
		break;
	case DISEQC_BURST:
		(void)add(steps, SEC_STEP_BURST,
			  s->switch_2 == 0 ? SEC_MINI_A : SEC_MINI_B,
			  BURST_MS);
		break;
	case DISEQC_RAW:
		for (unsigned i = 0; i < s->n_commands; i++)
			send(steps, s->commands[i].bytes, s->commands[i].n,
			     SETTLE_MS);
		break;
	}
}

static unsigned make_50494(const struct tuner_spec *s, uint8_t bytes[6])
{
	unsigned t = tuner_50494_word(s);

	bytes[0] = 0xe0;
	bytes[1] = 0x10;
	bytes[2] = s->uni_pin >= 0 ? 0x5c : 0x5a;
	bytes[3] = (uint8_t)((s->uni_scr - 1) << 5 |
			     (s->uni_position != 0 ? 0x10 : 0) |
			     (is_high_voltage(s) ? 8 : 0) |
			     (s->high ? 4 : 0) | (t >> 8 & 3));
	bytes[4] = (uint8_t)t;
	bytes[5] = (uint8_t)s->uni_pin;
	return s->uni_pin >= 0 ? 6 : 5;
}

static unsigned make_50607(const struct tuner_spec *s, uint8_t bytes[6])
{
	unsigned t = (s->if_khz + 500) / 1000 - EN50607_BASE_MHZ;

	bytes[0] = s->uni_pin >= 0 ? 0x71 : 0x70;
	bytes[1] = (uint8_t)((s->uni_scr - 1) << 3 | (t >> 8 & 7));
	bytes[2] = (uint8_t)t;
	bytes[3] = (uint8_t)(s->uni_position << 2 |
			     (is_high_voltage(s) ? 2 : 0) | (s->high ? 1 : 0));
	bytes[4] = (uint8_t)s->uni_pin;
	return s->uni_pin >= 0 ? 5 : 4;
}

static void add_unicable(struct sec_steps *steps, const struct tuner_spec *s)
{
	uint8_t bytes[6];
	unsigned n = s->uni_mode == UNICABLE_50607 ? make_50607(s, bytes)
						   : make_50494(s, bytes);

	(void)add(steps, SEC_STEP_TONE, SEC_TONE_OFF, 0);
	(void)add(steps, SEC_STEP_VOLTAGE, SEC_VOLTAGE_13, POWER_MS);
	(void)add(steps, SEC_STEP_VOLTAGE, SEC_VOLTAGE_18, UNICABLE_BEFORE_MS);
	send(steps, bytes, n, UNICABLE_HOLD_MS);
	(void)add(steps, SEC_STEP_VOLTAGE, SEC_VOLTAGE_13, UNICABLE_AFTER_MS);
}

void dvb_sec_make(const struct tuner_spec *s, struct sec_steps *ret)
{
	*ret = (struct sec_steps){ 0 };
	if (!s->satellite)
		return;
	if (s->lnb_sharing) {
		(void)add(ret, SEC_STEP_TONE, SEC_TONE_OFF, 0);
		(void)add(ret, SEC_STEP_VOLTAGE, SEC_VOLTAGE_OFF, 0);
		return;
	}
	if (s->uni_scr != 0) {
		add_unicable(ret, s);
		return;
	}
	(void)add(ret, SEC_STEP_TONE, SEC_TONE_OFF, 0);
	(void)add(ret, SEC_STEP_VOLTAGE,
		  is_high_voltage(s) ? SEC_VOLTAGE_18 : SEC_VOLTAGE_13,
		  POWER_MS);
	add_diseqc(ret, s);
	if (s->high || s->tone)
		(void)add(ret, SEC_STEP_TONE, SEC_TONE_ON, SETTLE_MS);
}

unsigned dvb_sec_moves_ms(const struct tuner_spec *s)
{
	bool moves = s->diseqc[0] != '\0' && s->uni_scr == 0 &&
		     (s->diseqc_mode == DISEQC_POSITIONER ||
		      s->diseqc_mode == DISEQC_USALS);

	return s->satellite && moves ? DISH_MS : 0;
}
