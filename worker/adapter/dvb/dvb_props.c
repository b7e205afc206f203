/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_props.h"

#include <assert.h>
#include <stddef.h>

enum { ALL_LAYERS = 7 };

/* The values of tuner_spec.h are those of the kernel, so they are passed on
 * without conversion. */
_Static_assert((int)TUNER_AUTO_FEC == (int)FEC_AUTO, "fec");
_Static_assert((int)TUNER_AUTO_MODULATION == (int)QAM_AUTO, "modulation");
_Static_assert((int)TUNER_PSK8 == (int)PSK_8, "modulation");
_Static_assert((int)TUNER_VSB8 == (int)VSB_8, "modulation");
_Static_assert((int)TUNER_AUTO_MODE == (int)TRANSMISSION_MODE_AUTO, "mode");
_Static_assert((int)TUNER_AUTO_GUARD == (int)GUARD_INTERVAL_AUTO, "guard");
_Static_assert((int)TUNER_AUTO_HIERARCHY == (int)HIERARCHY_AUTO, "hierarchy");
_Static_assert((int)TUNER_AUTO_ROLLOFF == (int)ROLLOFF_AUTO, "rolloff");
_Static_assert((int)TUNER_AUTO_PILOT == (int)PILOT_AUTO, "pilot");
_Static_assert(DQPSK == 12 && QAM_64 == 3 && QAM_16 == 1, "modulation");
_Static_assert(DTV_ISDBT_LAYERA_TIME_INTERLEAVING - DTV_ISDBT_LAYERA_FEC == 3 &&
	       DTV_ISDBT_LAYERC_SEGMENT_COUNT - DTV_ISDBT_LAYERC_FEC == 2,
	       "layers");
_Static_assert(FEC_2_5 == 12 && FEC_9_10 == 11 && FEC_3_5 == 10, "fec");
_Static_assert(GUARD_INTERVAL_19_256 == 7 && GUARD_INTERVAL_1_128 == 5,
	       "guard");
_Static_assert(TRANSMISSION_MODE_32K == 6 && TRANSMISSION_MODE_4K == 3,
	       "mode");

static void add(struct dvb_props *p, uint32_t cmd, uint32_t data)
{
	assert(p->n < DVB_PROPS_MAX);
	p->list[p->n].cmd = cmd;
	p->list[p->n].u.data = data;
	p->n++;
}

unsigned dvb_props_system(const struct tuner_spec *s)
{
	static const unsigned systems[] = {
		[TUNER_ISDBT] = SYS_ISDBT,      [TUNER_S] = SYS_DVBS,
		[TUNER_S2] = SYS_DVBS2,         [TUNER_T] = SYS_DVBT,
		[TUNER_T2] = SYS_DVBT2,         [TUNER_C] = SYS_DVBC_ANNEX_A,
		[TUNER_C_A] = SYS_DVBC_ANNEX_A, [TUNER_C_B] = SYS_DVBC_ANNEX_B,
		[TUNER_C_C] = SYS_DVBC_ANNEX_C, [TUNER_ATSC] = SYS_ATSC,
	};

	/* ATSC with QAM is cable (ITU-T J.83 annex B) */
	if (s->system == TUNER_ATSC && s->modulation != VSB_8 &&
	    s->modulation != VSB_16)
		return SYS_DVBC_ANNEX_B;
	return systems[s->system];
}

static uint32_t stream_of(const struct tuner_spec *s)
{
	return s->stream >= 0 ? (uint32_t)s->stream : NO_STREAM_ID_FILTER;
}

static void add_satellite(struct dvb_props *p, const struct tuner_spec *s)
{
	/* between its commands, unicable stays at 13 V without tone, so that
	 * other receivers on the cable can send commands */
	bool rests = s->uni_scr != 0;
	bool high = s->polarization == TUNER_H || s->polarization == TUNER_L;

	add(p, DTV_SYMBOL_RATE, s->symbolrate * 1000);
	add(p, DTV_INNER_FEC, s->fec);
	if (!s->lnb_sharing) {
		add(p, DTV_VOLTAGE,
		    !rests && high ? SEC_VOLTAGE_18 : SEC_VOLTAGE_13);
		add(p, DTV_TONE, !rests && (s->high || s->tone)
					 ? SEC_TONE_ON : SEC_TONE_OFF);
	}
	if (s->system == TUNER_S)
		return;
	add(p, DTV_MODULATION, s->modulation);
	add(p, DTV_PILOT, s->pilot);
	add(p, DTV_ROLLOFF, s->rolloff);
	add(p, DTV_STREAM_ID, stream_of(s));
	if (s->pls != 0)
		add(p, DTV_SCRAMBLING_SEQUENCE_INDEX, s->pls);
}

static void add_layers(struct dvb_props *p, const struct tuner_spec *s)
{
	static const uint32_t firsts[TUNER_LAYERS] = {
		DTV_ISDBT_LAYERA_FEC, DTV_ISDBT_LAYERB_FEC,
		DTV_ISDBT_LAYERC_FEC,
	};

	add(p, DTV_ISDBT_LAYER_ENABLED,
	    s->isdbt_layers != 0 ? s->isdbt_layers : ALL_LAYERS);
	/* without the property, the driver detects the value */
	if (s->isdbt_partial != 0)
		add(p, DTV_ISDBT_PARTIAL_RECEPTION, s->isdbt_partial - 1);
	for (size_t i = 0; i < TUNER_LAYERS; i++) {
		const struct tuner_layer *l = &s->layers[i];

		if (s->isdbt_layer[i][0] == '\0')
			continue;
		add(p, firsts[i], (uint32_t)l->fec);
		add(p, firsts[i] + 1, (uint32_t)l->modulation);
		add(p, firsts[i] + 2, (uint32_t)l->segments);
		add(p, firsts[i] + 3, (uint32_t)l->interleaving);
	}
}

static void add_terrestrial(struct dvb_props *p, const struct tuner_spec *s)
{
	if (s->bandwidth_hz != 0)
		add(p, DTV_BANDWIDTH_HZ, s->bandwidth_hz);
	add(p, DTV_GUARD_INTERVAL, s->guardinterval);
	add(p, DTV_TRANSMISSION_MODE, s->transmitmode);
	if (s->system == TUNER_ISDBT) {
		add_layers(p, s);
		return;
	}
	add(p, DTV_MODULATION, s->modulation);
	add(p, DTV_CODE_RATE_HP, s->fec);
	add(p, DTV_CODE_RATE_LP, s->fec_lp);
	add(p, DTV_HIERARCHY, s->hierarchy);
	if (s->system == TUNER_T2)
		add(p, DTV_STREAM_ID, stream_of(s));
}

void dvb_props_make(const struct tuner_spec *s, struct dvb_props *ret)
{
	*ret = (struct dvb_props){ 0 };
	add(ret, DTV_DELIVERY_SYSTEM, dvb_props_system(s));
	add(ret, DTV_FREQUENCY, s->tune);
	add(ret, DTV_INVERSION, s->inverted && s->uni_scr == 0
				       ? INVERSION_ON : INVERSION_AUTO);
	if (s->satellite) {
		add_satellite(ret, s);
	} else if (s->system == TUNER_T || s->system == TUNER_T2 ||
		   s->system == TUNER_ISDBT) {
		add_terrestrial(ret, s);
	} else {
		add(ret, DTV_MODULATION, s->modulation);
		if (dvb_props_system(s) == SYS_DVBC_ANNEX_A ||
		    dvb_props_system(s) == SYS_DVBC_ANNEX_C) {
			add(ret, DTV_SYMBOL_RATE, s->symbolrate * 1000);
			add(ret, DTV_INNER_FEC, s->fec);
		}
	}
	add(ret, DTV_TUNE, 0);
}

void dvb_props_drop(struct dvb_props *p, uint32_t cmd)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		if (p->list[i].cmd != cmd)
			p->list[n++] = p->list[i];
	p->n = n;
}
