/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The steps by which a tuner controls its satellite dish before it tunes:
 * voltage, tone, DiSEqC and unicable.  Pure.
 */
#pragma once

#include "proto/spec/tuner_spec.h"

enum { SEC_STEPS_MAX = 24 };

enum sec_kind {
	SEC_STEP_TONE,    /* value: enum fe_sec_tone_mode */
	SEC_STEP_VOLTAGE, /* value: enum fe_sec_voltage */
	SEC_STEP_DISEQC,  /* command.bytes are sent */
	SEC_STEP_BURST,   /* value: enum fe_sec_mini_cmd */
};

struct sec_step {
	enum sec_kind kind;
	unsigned value;
	struct tuner_command command;
	unsigned wire_ms; /* milliseconds that the command takes on the wire; 0:
			   * no command */
	unsigned wait_ms; /* milliseconds from the end of this step to the next
			   * one */
};

struct sec_steps {
	struct sec_step list[SEC_STEPS_MAX];
	unsigned n;
};

/* Makes the list of steps; it is empty for a tuner that is not a satellite
 * tuner.  A tuner that shares an LNB turns its own voltage and tone off. */
void dvb_sec_make(const struct tuner_spec *, struct sec_steps *ret);

/* Milliseconds in which the dish may move after a tuning: until then a missing
 * lock is no error; 0: no motor. */
unsigned dvb_sec_moves_ms(const struct tuner_spec *);

/* The two bytes of the USALS command that turns a dish at this latitude and
 * longitude to a satellite at the orbital position.  All in degrees; north and
 * east are positive. */
unsigned dvb_sec_usals(double latitude, double longitude, double position);
