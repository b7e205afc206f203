/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/tuner_sat.h"

#include "common/base/hex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	IF_MIN_MHZ = 950,
	IF_MAX_MHZ = 2150,
	KU_LOF1 = 9750,
	KU_LOF2 = 10600,
	KU_SLOF = 11700,
	ISI_MAX = 255,
	PLS_MODE_SHIFT = 26,
	PLS_CODE_SHIFT = 8,
	PLS_CODES = 1 << 18,
	PLS_GOLDS = PLS_CODES - 1,
	PLS_GOLD = 1,
	SCR_50494_MAX = 8,
	STEP_50494_KHZ = 4000,
	BASE_50494 = 350,
	POSITIONS_50607 = 64,
};

static double magnitude(double x)
{
	return x < 0 ? -x : x;
}

/* --- LNB --- */

/* The oscillators of the LNB for a frequency from `from' to `to' if the
 * configuration names none.  lof2 0: the LNB has one band. */
static const struct {
	unsigned from, to, lof1, lof2, slof; /* all in MHz */
} lnbs[] = {
	{ 10700, 13250, KU_LOF1, KU_LOF2, KU_SLOF },
	{ 4500, 4800, 5950, 0, 0 },
	{ 3400, 4200, 5150, 0, 0 },
	{ 2500, 2700, 3650, 0, 0 },
	{ IF_MIN_MHZ, IF_MAX_MHZ, 0, 0, 0 },
};

static void find_lnb(const struct tuner_spec *s, unsigned lof[3])
{
	lof[0] = s->lof1;
	lof[1] = s->lof2;
	lof[2] = s->slof;
	if (s->lof1 != 0) {
		if (s->lof2 != 0 && s->slof == 0)
			lof[2] = KU_SLOF;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(lnbs); i++) {
		if (s->frequency < lnbs[i].from || s->frequency > lnbs[i].to)
			continue;
		lof[0] = lnbs[i].lof1;
		lof[1] = s->lof2 != 0 ? s->lof2 : lnbs[i].lof2;
		lof[2] = s->slof != 0 ? s->slof : lnbs[i].slof;
		return;
	}
}

static int judge_lnb(struct tuner_spec *s, struct errmsg *error)
{
	unsigned lof[3];
	double mhz;

	find_lnb(s, lof);
	s->high = lof[1] != 0 && lof[2] != 0 && s->frequency >= lof[2];
	mhz = s->frequency - (s->high ? lof[1] : lof[0]);
	s->inverted = mhz < 0;
	mhz = magnitude(mhz);
	if (mhz < IF_MIN_MHZ || mhz > IF_MAX_MHZ)
		return errmsg_fail(error, -EINVAL, "frequency: %g MHz with an "
				   "oscillator of %u MHz (%s) is %g MHz behind "
				   "the LNB, not %d to %d", s->frequency,
				   s->high ? lof[1] : lof[0],
				   s->high ? "lof2" : "lof1", mhz, IF_MIN_MHZ,
				   IF_MAX_MHZ);
	s->if_khz = s->tune = (uint32_t)(mhz * 1000 + 0.5);
	return 0;
}

/* --- multistream --- */

uint32_t tuner_pls_of_root(uint32_t root)
{
	uint32_t x = 1, gold = 0;

	while (gold < PLS_GOLDS && x != root) {
		x = ((x ^ x >> 7) & 1) << 17 | x >> 1;
		gold++;
	}
	return gold < PLS_GOLDS ? gold : 0;
}

static int judge_stream(struct tuner_spec *s, struct errmsg *error)
{
	uint32_t id = (uint32_t)s->stream_id, mode, code;

	if (s->system != TUNER_S2 || s->stream_id < 0)
		return 0;
	mode = id >> PLS_MODE_SHIFT;
	code = id >> PLS_CODE_SHIFT & (PLS_CODES - 1);
	if (mode > PLS_GOLD)
		return errmsg_fail(error, -EINVAL, "stream_id: %u has the "
				   "scrambling mode %u, not 0 (root) or 1 "
				   "(gold): Linux has no mode combo", id, mode);
	if (mode == PLS_GOLD && code >= PLS_GOLDS)
		return errmsg_fail(error, -EINVAL, "stream_id: the gold code "
				   "%u is not 0 to %d", code, PLS_GOLDS - 1);
	s->stream = (int)(id & ISI_MAX);
	/* the register never has state 0: root code 0 means no scrambling
	 * sequence of its own */
	s->pls = mode == PLS_GOLD ? code
		 : code != 0	  ? tuner_pls_of_root(code)
				  : 0;
	return 0;
}

/* --- switches and the dish --- */

static int fail_diseqc(const struct tuner_spec *s, const char *accepted,
		       struct errmsg *error)
{
	return errmsg_fail(error, -EINVAL, "diseqc: \"%.32s\" is not %s",
			   s->diseqc, accepted);
}

/* Reads a number from 1 to most, and writes it less 1 to *ret; *end is behind
 * its last digit.  False: the text does not begin with such a number. */
static bool take_number(const char *text, unsigned long most, int *ret,
			char **end)
{
	unsigned long n = strtoul(text, end, 10);

	if (text[0] < '0' || text[0] > '9' || n < 1 || n > most)
		return false;
	*ret = (int)n - 1;
	return true;
}

static int read_switches(struct tuner_spec *s, struct errmsg *error)
{
	bool cascade = s->diseqc_mode == DISEQC_UNCOMMITTED;
	char *end;

	if (!cascade && strcmp(s->diseqc, "0") == 0)
		return 0;
	if (!take_number(s->diseqc, cascade ? 16 : 4,
			 cascade ? &s->switch_1 : &s->switch_2, &end) ||
	    (*end == '/' &&
	     (!cascade || !take_number(end + 1, 4, &s->switch_2, &end))) ||
	    *end != '\0')
		return fail_diseqc(s, cascade ? "1 to 16, or 1/1 to 16/4 with "
						"a switch of 1.0 behind it"
					      : "1 to 4", error);
	return 0;
}

static int read_position(struct tuner_spec *s, struct errmsg *error)
{
	char *end;

	if (!take_number(s->diseqc, 255, &s->motor, &end) || *end != '\0')
		return fail_diseqc(s, "a stored position, 1 to 255", error);
	s->motor++;
	return 0;
}

static int read_orbit(struct tuner_spec *s, struct errmsg *error)
{
	char *end;
	double at = strtod(s->diseqc, &end);

	if (end != s->diseqc && strchr("wW", *end) != NULL && *end != '\0')
		at = -at;
	if (end != s->diseqc && *end != '\0' && strchr("eEwW", *end) != NULL)
		end++;
	if (end == s->diseqc || *end != '\0' || !(magnitude(at) <= 180))
		return fail_diseqc(s, "a position of the orbit as 19.2E",
				   error);
	if (!(magnitude(s->latitude) <= 90) ||
	    !(magnitude(s->longitude) <= 180) ||
	    (s->latitude == 0 && s->longitude == 0))
		return errmsg_fail(error, -EINVAL, "latitude: usals needs the "
				   "place of the dish in latitude (-90 to 90) "
				   "and longitude (-180 to 180)");
	s->orbit = at;
	return 0;
}

static int read_burst(struct tuner_spec *s, struct errmsg *error)
{
	if (strcmp(s->diseqc, "A") != 0 && strcmp(s->diseqc, "B") != 0)
		return fail_diseqc(s, "A or B", error);
	s->switch_2 = s->diseqc[0] - 'A';
	return 0;
}

static int read_commands(struct tuner_spec *s, struct errmsg *error)
{
	char text[TUNER_DISEQC_MAX], *rest = text, *one;

	memcpy(text, s->diseqc, sizeof text);
	while ((one = strsep(&rest, ", ")) != NULL) {
		size_t len = strlen(one);
		struct tuner_command *c = &s->commands[s->n_commands];

		if (len == 0)
			continue;
		if (s->n_commands == TUNER_COMMANDS_MAX || len % 2 != 0 ||
		    len < 6 || len > 2 * TUNER_COMMAND_BYTES ||
		    !hex_read(one, c->bytes, len / 2))
			return fail_diseqc(s, "up to 8 commands of 3 to 6 "
					   "bytes in hex, as E01038F0", error);
		c->n = (uint8_t)(len / 2);
		s->n_commands++;
	}
	return 0;
}

static int judge_diseqc(struct tuner_spec *s, struct errmsg *error)
{
	if (s->diseqc[0] == '\0' || s->uni_scr != 0)
		return 0;
	switch ((enum tuner_diseqc_mode)s->diseqc_mode) {
	case DISEQC_COMMITTED:
	case DISEQC_UNCOMMITTED:
		return read_switches(s, error);
	case DISEQC_POSITIONER:
		return read_position(s, error);
	case DISEQC_USALS:
		return read_orbit(s, error);
	case DISEQC_BURST:
		return read_burst(s, error);
	case DISEQC_RAW:
		break;
	}
	return read_commands(s, error);
}

/* --- unicable --- */

/* The tuning word sets the oscillator of the user band in steps of 4 MHz; this
 * is the nearest step. */
unsigned tuner_50494_word(const struct tuner_spec *s)
{
	uint32_t khz = s->if_khz + s->uni_frequency * 1000;

	return (khz + STEP_50494_KHZ / 2) / STEP_50494_KHZ - BASE_50494;
}

static int judge_unicable(struct tuner_spec *s, struct errmsg *error)
{
	char *end;
	int at = 0;

	if (s->uni_scr == 0)
		return 0;
	if (s->uni_mode == UNICABLE_AUTO)
		s->uni_mode = s->uni_scr > SCR_50494_MAX ? UNICABLE_50607
							 : UNICABLE_50494;
	if (s->uni_mode == UNICABLE_50494 && s->uni_scr > SCR_50494_MAX)
		return errmsg_fail(error, -EINVAL, "uni_scr: %u is not 1 to "
				   "%d, as EN50494 has", s->uni_scr,
				   SCR_50494_MAX);
	if (s->uni_frequency < IF_MIN_MHZ)
		return errmsg_fail(error, -EINVAL, "uni_frequency: %u is not "
				   "%d to %d MHz", s->uni_frequency,
				   IF_MIN_MHZ, IF_MAX_MHZ);
	if (strcmp(s->uni_pos, "B") == 0) {
		at = 1;
	} else if (s->uni_pos[0] != '\0' && strcmp(s->uni_pos, "A") != 0 &&
		   (!take_number(s->uni_pos, s->uni_mode == UNICABLE_50607
						     ? POSITIONS_50607 : 2,
				 &at, &end) || *end != '\0')) {
		return errmsg_fail(error, -EINVAL, "uni_pos: \"%s\" is not A "
				   "or B, or 1 to 64 with EN50607",
				   s->uni_pos);
	}
	s->uni_position = (unsigned)at;
	/* The carrier on the cable in kHz.  Because the oscillator of EN50494
	 * has steps, it differs from the middle of the user band by up to
	 * 2 MHz. */
	s->tune = s->uni_mode == UNICABLE_50494
			  ? (tuner_50494_word(s) + BASE_50494) *
					    STEP_50494_KHZ - s->if_khz
			  : s->uni_frequency * 1000;
	return 0;
}

int tuner_sat_judge(struct tuner_spec *s, struct errmsg *error)
{
	int r = judge_lnb(s, error);

	if (r == 0)
		r = judge_unicable(s, error);
	if (r == 0)
		r = judge_stream(s, error);
	return r == 0 ? judge_diseqc(s, error) : r;
}
