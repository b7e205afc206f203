/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a tuner sends to the equipment of its satellite dish before it tunes:
 * voltage, tone, DiSEqC and unicable, as a list of steps.  Pure.
 */
#pragma once

#include "proto/spec/tuner_spec.h"

enum { SEC_STEPS_MAX = 24 };

enum sec_kind {
	SEC_STEP_TONE,    /* value: enum fe_sec_tone_mode */
	SEC_STEP_VOLTAGE, /* value: enum fe_sec_voltage */
	SEC_STEP_DISEQC,  /* command */
	SEC_STEP_BURST,   /* value: enum fe_sec_mini_cmd */
};

struct sec_step {
	enum sec_kind kind;
	unsigned value;
	struct tuner_command command;
	unsigned wire_ms; /* that a command takes; 0: no command */
	unsigned wait_ms; /* from the end of the command to the next step */
};

struct sec_steps {
	struct sec_step list[SEC_STEPS_MAX];
	unsigned n;
};

/* Empty for a tuner that is not of a satellite.  A tuner that shares an LNB
 * turns its own voltage and tone off. */
void dvb_sec_make(const struct tuner_spec *, struct sec_steps *ret);

/* Milliseconds in which a dish may move, so that no lock is no error. */
unsigned dvb_sec_moves_ms(const struct tuner_spec *);

/* The two bytes of the USALS command that turns a dish at latitude and
 * longitude to a position of the orbit; degrees, north and east positive. */
unsigned dvb_sec_usals(double latitude, double longitude, double position);
