/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes silent frames of AC-3 and E-AC-3 (ETSI TS 102 366).
 *
 * All SNR offsets are 0, so no mantissa has a bit.  Dither is off, so a decoder
 * does not replace the mantissas by noise.
 */
#include "common/base/util.h"
#include "proto/si/bits.h"
#include "worker/filler/silent.h"
#include "worker/ts/audio.h"

#include <assert.h>
#include <string.h>

enum {
	CRC_POLY = 0x18005, /* x^16 + x^15 + x^2 + 1 */
	EXPONENTS_D45 = 3,  /* exponent strategy D45 */
	GROUPS_D45 = 6,     /* exponent groups of 73 coefficients (chbwcod 0) */
	GROUPS_LFE = 2,     /* exponent groups of LFE: 7 coefficients, D15 */
	FLAT = 62,          /* a group of three exponents without a change */
	QUIET = 15,         /* the first exponent of a channel */
	LAST_BITS = 18,     /* bits of auxdatae, crcrsv and crc2 */
};

struct layout {
	unsigned acmod;
	bool lfe;
	unsigned channels; /* without LFE */
	unsigned blocks;
};

static const uint8_t channels_of[8] = { 2, 1, 2, 3, 3, 4, 4, 5 };

static uint16_t crc_of(const uint8_t *data, size_t len)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < len; i++) {
		crc ^= (uint32_t)data[i] << 8;
		for (int b = 0; b < 8; b++)
			crc = crc & 0x8000 ? (crc << 1 ^ CRC_POLY) & 0xffff
					   : crc << 1;
	}
	return (uint16_t)crc;
}

static void put_zeroes(struct bit_writer *w, unsigned n)
{
	while (n-- > 0)
		bits_put(w, 1, 0);
}

static void put_exponents(struct bit_writer *w, const struct layout *l)
{
	for (unsigned ch = 0; ch < l->channels; ch++)
		bits_put(w, 6, 0); /* chbwcod */
	for (unsigned ch = 0; ch < l->channels; ch++) {
		bits_put(w, 4, QUIET);
		for (unsigned i = 0; i < GROUPS_D45; i++)
			bits_put(w, 7, FLAT);
		bits_put(w, 2, 0); /* gainrng */
	}
	if (!l->lfe)
		return;
	bits_put(w, 4, QUIET);
	for (unsigned i = 0; i < GROUPS_LFE; i++)
		bits_put(w, 7, FLAT);
}

/* --- AC-3 --- */

/* Writes bsi() of AC-3 (4.4.2), copied up to lfeon, without optional fields. */
static void put_bsi(struct bit_writer *w, const uint8_t *sample,
		    struct layout *l)
{
	struct bits r = { .data = sample, .len = AUDIO_HEAD, .pos = 40 };

	bits_put(w, 8, (uint32_t)bits_take(&r, 8)); /* bsid, bsmod */
	l->acmod = (unsigned)bits_take(&r, 3);
	bits_put(w, 3, l->acmod);
	if ((l->acmod & 1) && l->acmod != 1)
		bits_put(w, 2, (uint32_t)bits_take(&r, 2)); /* cmixlev */
	if (l->acmod & 4)
		bits_put(w, 2, (uint32_t)bits_take(&r, 2)); /* surmixlev */
	if (l->acmod == 2)
		bits_put(w, 2, (uint32_t)bits_take(&r, 2)); /* dsurmod */
	l->lfe = bits_take(&r, 1);
	bits_put(w, 1, l->lfe);
	l->channels = channels_of[l->acmod];
	for (int i = 0; i < (l->acmod == 0 ? 2 : 1); i++) {
		bits_put(w, 5, 31);      /* dialnorm */
		put_zeroes(w, 3);        /* compre, langcode, audprodie */
	}
	bits_put(w, 2, 1);               /* copyrightb, origbs */
	put_zeroes(w, 3);                /* timecod1e, timecod2e, addbsie */
}

static void put_block(struct bit_writer *w, const struct layout *l, bool first)
{
	put_zeroes(w, 2 * l->channels);        /* blksw, dithflag */
	put_zeroes(w, l->acmod == 0 ? 2 : 1);  /* dynrnge */
	bits_put(w, 1, first);                 /* cplstre */
	if (first)
		bits_put(w, 1, 0);             /* cplinu */
	if (l->acmod == 2) {
		bits_put(w, 1, first);         /* rematstr */
		put_zeroes(w, first ? 4 : 0);  /* rematflg */
	}
	for (unsigned ch = 0; ch < l->channels; ch++)
		bits_put(w, 2, first ? EXPONENTS_D45 : 0);
	if (l->lfe)
		bits_put(w, 1, first);
	if (first)
		put_exponents(w, l);
	bits_put(w, 1, first);                 /* baie */
	if (first) {
		bits_put(w, 2, 2);             /* sdcycod */
		bits_put(w, 2, 1);             /* fdcycod */
		bits_put(w, 2, 1);             /* sgaincod */
		bits_put(w, 2, 2);             /* dbpbcod */
		bits_put(w, 3, 7);             /* floorcod */
	}
	bits_put(w, 1, first);                 /* snroffste */
	if (first) {
		put_zeroes(w, 6);              /* csnroffst */
		for (unsigned i = 0; i < l->channels + l->lfe; i++) {
			bits_put(w, 4, 0);     /* fsnroffst */
			bits_put(w, 3, 4);     /* fgaincod */
		}
	}
	put_zeroes(w, 2);                      /* deltbaie, skiple */
}

static void make_ac3(const uint8_t *sample, struct silent *ret)
{
	struct bit_writer w = { .data = ret->frame, .size = ret->len };
	size_t words = ret->len / 2;
	/* bytes that the first CRC covers: 5/8 of the frame */
	size_t front = 2 * ((words >> 1) + (words >> 3));
	uint32_t crc;
	struct layout l;

	bits_put(&w, 32, 0x0b770000);
	bits_put(&w, 8, sample[4]); /* fscod, frmsizecod */
	put_bsi(&w, sample, &l);
	for (unsigned i = 0; i < 6; i++)
		put_block(&w, &l, i == 0);
	/* 5.1 channels need less than 600 bits; the shortest frame has 1,024 */
	assert(w.at + LAST_BITS <= ret->len * 8);
	/* divided by x^n: the checksum to write n bits before the end of the
	 * checked bits, so that their CRC is 0 */
	crc = crc_of(ret->frame + 4, front - 4);
	for (size_t n = 8 * front - 16; n > 0; n--)
		crc = (crc & 1 ? crc ^ CRC_POLY : crc) >> 1;
	ret->frame[2] = (uint8_t)(crc >> 8);
	ret->frame[3] = (uint8_t)crc;
	crc = crc_of(ret->frame + front, ret->len - front - 2);
	ret->frame[ret->len - 2] = (uint8_t)(crc >> 8);
	ret->frame[ret->len - 1] = (uint8_t)crc;
}

/* --- E-AC-3 --- */

/* Writes bsi() and audfrm() of E-AC-3 (E.1.2.2 and E.1.2.3). */
static void put_frame_head(struct bit_writer *w, const struct layout *l)
{
	bits_put(w, 5, 16);                   /* bsid */
	for (int i = 0; i < (l->acmod == 0 ? 2 : 1); i++) {
		bits_put(w, 5, 31);           /* dialnorm */
		bits_put(w, 1, 0);            /* compre */
	}
	put_zeroes(w, 2);                     /* mixmdate, infomdate */
	if (l->blocks != 6)
		bits_put(w, 1, 1);            /* convsync */
	bits_put(w, 1, 0);                    /* addbsie */

	if (l->blocks == 6)
		bits_put(w, 2, 2);            /* expstre, ahte */
	put_zeroes(w, 4);                     /* snroffststr, transproce,
						 blkswe */
	bits_put(w, 1, 1);                    /* dithflage */
	put_zeroes(w, 5);                     /* bamode, frmfgaincode, dbaflde,
						 skipflde, spxattene */
	if (l->acmod > 1)
		put_zeroes(w, l->blocks);     /* cplinu; cplstre */
	for (unsigned b = 0; b < l->blocks; b++)
		for (unsigned ch = 0; ch < l->channels; ch++)
			bits_put(w, 2, b == 0 ? EXPONENTS_D45 : 0);
	for (unsigned b = 0; l->lfe && b < l->blocks; b++)
		bits_put(w, 1, b == 0);
	if (l->blocks != 6)
		bits_put(w, 1, 0);            /* convexpstre */
	else
		put_zeroes(w, 5 * l->channels); /* convexpstr */
	put_zeroes(w, 10);                    /* frmcsnroffst, frmfsnroffst */
	if (l->blocks != 1)
		bits_put(w, 1, 0);            /* blkstrtinfoe */
}

static bool make_eac3(const uint8_t *sample, struct silent *ret)
{
	struct bit_writer w = { .data = ret->frame, .size = ret->len };
	struct bits r = { .data = sample, .len = AUDIO_HEAD, .pos = 16 };
	struct layout l;
	uint16_t crc;
	static const uint8_t blocks[4] = { 1, 2, 3, 6 };

	/* only an independent substream with substreamid 0, and no half sample
	 * rate, is supported */
	if (bits_take(&r, 2) == 1 || bits_take(&r, 3) != 0)
		return false;
	bits_skip(&r, 11);
	if (bits_take(&r, 2) == 3)
		return false;
	l.blocks = blocks[bits_take(&r, 2)];
	l.acmod = (unsigned)bits_take(&r, 3);
	l.lfe = bits_take(&r, 1);
	l.channels = channels_of[l.acmod];

	bits_put(&w, 16, 0x0b77);
	bits_put(&w, 24, (uint32_t)(sample[2] & 0x3f) << 16 | /* strmtyp 0 */
			 (uint32_t)sample[3] << 8 | sample[4]);
	put_frame_head(&w, &l);
	for (unsigned b = 0; b < l.blocks; b++) {
		put_zeroes(&w, l.channels);           /* dithflag */
		put_zeroes(&w, l.acmod == 0 ? 2 : 1); /* dynrnge */
		bits_put(&w, 1, 0);                   /* spxinu, spxstre */
		if (l.acmod == 2)                     /* rematflg, rematstr */
			put_zeroes(&w, b == 0 ? 4 : 1);
		if (b == 0)
			put_exponents(&w, &l);
		bits_put(&w, 1, 0);                   /* convsnroffste */
	}
	if (w.at + LAST_BITS > ret->len * 8)
		return false;
	crc = crc_of(ret->frame + 2, ret->len - 4);
	ret->frame[ret->len - 2] = (uint8_t)(crc >> 8);
	ret->frame[ret->len - 1] = (uint8_t)crc;
	return true;
}

bool silent_make_ac3(const uint8_t *sample, size_t len, struct silent *ret)
{
	struct audio_frame frame;

	if (len < AUDIO_HEAD || !audio_frame_parse(sample, &frame) ||
	    frame.len > sizeof ret->frame || frame.samples == 0)
		return false;
	memset(ret->frame, 0, sizeof ret->frame);
	ret->len = frame.len;
	ret->samples = frame.samples;
	ret->rate = frame.rate;
	if (frame.codec == AUDIO_EAC3)
		return make_eac3(sample, ret);
	make_ac3(sample, ret);
	return true;
}
