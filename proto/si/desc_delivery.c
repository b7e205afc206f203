/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delivery system descriptors (EN 300 468 6.2.13).
 *
 * `frequency' is in MHz without decimals and `symbolrate' in ksymbol/s, as the
 * keys of an adapter; `frequency_khz' is the frequency in whole kHz.
 */
#include "proto/si/desc_tables.h"
#include "proto/si/json.h"

#include <stdio.h>
#include <string.h>

static const char *const fec_inner[16] = {
	"undefined", "1/2", "2/3", "3/4", "5/6", "7/8", "8/9", "3/5", "4/5",
	"9/10", NULL, NULL, NULL, NULL, NULL, "none",
};

static const char *const polarization[4] = { "H", "V", "L", "R" };

static const char *const rolloff[4] = { "35", "25", "20" };

static const char *const satellite_modulation[4] = {
	"AUTO", "QPSK", "PSK8", "QAM16",
};

static const char *const cable_modulation[256] = {
	"undefined", "QAM16", "QAM32", "QAM64", "QAM128", "QAM256",
};

/* Reads or writes a frequency of 32 bits, whose unit in the descriptor is
 * down / up kHz.  bcd: its bits are decimal digits. */
static void run_khz(struct codec *c, unsigned up, unsigned down, bool bcd)
{
	uint64_t khz = codec_has(c, "frequency_khz") ||
				       !codec_has(c, "frequency")
			       ? codec_given(c, "frequency_khz", 99999999)
			       : 1000 * codec_given(c, "frequency", 99999);
	uint64_t units = khz * up / down, most = bcd ? 99999999 : UINT32_MAX;

	if (units > most)
		codec_fault(c, "frequency_khz", "%llu is not one that the "
			    "table can carry", (unsigned long long)khz);
	units = codec_bits(c, 32, bcd ? si_to_bcd(units) : units);
	if (c->encode)
		return;
	if (bcd)
		units = si_bcd(units, 32);
	khz = units * down / up;
	codec_shown(c, "frequency", (int64_t)(khz / 1000));
	codec_shown(c, "frequency_khz", (int64_t)khz);
}

/* The frequency of a satellite is BCD in units of 10 kHz. */
static void run_satellite_frequency(struct codec *c)
{
	run_khz(c, 1, 10, true);
}

/* The frequency of cable is BCD in units of 100 Hz. */
static void run_cable_frequency(struct codec *c)
{
	run_khz(c, 10, 1, true);
}

/* The terrestrial frequency is binary in units of 10 Hz. */
static void run_terrestrial_frequency(struct codec *c)
{
	run_khz(c, 100, 1, false);
}

/* A symbol rate is BCD in units of 100 symbol/s. */
static void run_symbolrate(struct codec *c)
{
	uint64_t rate = codec_given(c, "symbolrate", 999999);
	uint64_t bits = codec_bits(c, 28, si_to_bcd(rate * 10));

	codec_shown(c, "symbolrate", (int64_t)(si_bcd(bits, 28) / 10));
}

/* Reads or writes an orbital position, in JSON "19.2E": BCD in tenths of a
 * degree, then a bit that is 1 for east. */
static void run_position(struct codec *c)
{
	const char *text = codec_given_text(c, "orbital_position");
	unsigned degrees = 0, tenth = 0;
	char side = 0, end = 0;
	uint64_t bits;
	bool east;

	if (c->encode &&
	    (sscanf(text, "%3u.%1u%c%c", &degrees, &tenth, &side, &end) != 3 ||
	     degrees > 180 || (side != 'E' && side != 'W')))
		codec_fault(c, "orbital_position", "\"%.40s\" is not a "
			    "position such as \"19.2E\"", text);
	bits = codec_bits(c, 16, si_to_bcd(degrees * 10 + tenth));
	east = codec_bits(c, 1, side == 'E') != 0;
	if (c->encode)
		return;
	bits = si_bcd(bits, 16);
	(void)json_object_set_new(
		c->object, "orbital_position",
		json_sprintf("%u.%u%c", (unsigned)(bits / 10),
			     (unsigned)(bits % 10), east ? 'E' : 'W'));
}

/* Reads or writes the type, and the roll-off, which only S2 has. */
static void run_satellite_type(struct codec *c)
{
	bool given = codec_has(c, "rolloff");
	const char *type = codec_given_text(c, "type");
	const char *factor = given ? codec_given_text(c, "rolloff") : "";
	uint64_t at = 0;
	bool is_s2;

	while (given && at < 2 && strcmp(rolloff[at], factor) != 0)
		at++;
	at = codec_bits(c, 2, at);
	is_s2 = codec_bits(c, 1, strcmp(type, "S2") == 0) != 0;
	if (c->encode)
		return;
	si_put_string(c->object, "type", is_s2 ? "S2" : "S");
	if (is_s2 && rolloff[at] != NULL)
		si_put_string(c->object, "rolloff", rolloff[at]);
}

const struct si_field desc_satellite[] = {
	CALL(run_satellite_frequency), CALL(run_position),
	WORD("polarization", 2, polarization), CALL(run_satellite_type),
	WORD("modulation", 2, satellite_modulation), CALL(run_symbolrate),
	WORD("fec", 4, fec_inner), END
};

static const char *const fec_outer[16] = {
	"undefined", "none", "RS(204/188)",
};

const struct si_field desc_cable[] = {
	CALL(run_cable_frequency), ONES(12), WORD("fec_outer", 4, fec_outer),
	WORD("modulation", 8, cable_modulation), CALL(run_symbolrate),
	WORD("fec", 4, fec_inner), END
};

static const char *const bandwidth[8] = { "8000", "7000", "6000", "5000" };

static const char *const constellation[4] = { "QPSK", "QAM16", "QAM64" };

static const char *const hierarchy[8] = {
	"none", "1", "2", "4", "none", "1", "2", "4",
};

static const char *const code_rate[8] = {
	"1/2", "2/3", "3/4", "5/6", "7/8",
};

static const char *const guard_interval[4] = {
	"1/32", "1/16", "1/8", "1/4",
};

static const char *const transmission_mode[4] = { "2K", "8K", "4K" };

const struct si_field desc_terrestrial[] = {
	CALL(run_terrestrial_frequency), WORD("bandwidth", 3, bandwidth),
	FLAG("high_priority"), FLAG("no_time_slicing"), FLAG("no_mpe_fec"),
	ONES(2), WORD("modulation", 2, constellation),
	WORD("hierarchy", 3, hierarchy), WORD("fec", 3, code_rate),
	WORD("fec_low_priority", 3, code_rate),
	WORD("guardinterval", 2, guard_interval),
	WORD("transmitmode", 2, transmission_mode), FLAG("other_frequencies"),
	ONES(32), END
};

static void run_s2_options(struct codec *c)
{
	bool has_scrambling = codec_bits(c, 1, codec_has(
					       c, "scrambling_sequence")) != 0;
	bool has_stream = codec_bits(c, 1, codec_has(c, "stream_id")) != 0;

	(void)codec_flag(c, "backwards_compatible");
	codec_reserved(c, 5);
	if (has_scrambling) {
		codec_reserved(c, 6);
		(void)codec_uint(c, "scrambling_sequence", 18);
	}
	if (has_stream)
		(void)codec_uint(c, "stream_id", 8);
}

const struct si_field desc_s2_satellite[] = { CALL(run_s2_options), END };

static const char *const siso_miso[4] = { "SISO", "MISO" };

static const char *const t2_bandwidth[16] = {
	"8000", "7000", "6000", "5000", "10000", "1712",
};

static const char *const t2_guard_interval[8] = {
	"1/32", "1/16", "1/8", "1/4", "1/128", "19/128", "19/256",
};

static const char *const t2_mode[8] = {
	"2K", "8K", "4K", "1K", "16K", "32K",
};

static void run_transposer(struct codec *c)
{
	uint64_t khz = codec_given(c, "frequency_khz", UINT32_MAX / 100);
	uint64_t units = codec_bits(c, 32, khz * 100);

	codec_shown(c, "frequency_khz", (int64_t)(units / 100));
}

/* Reads or writes the frequencies of a cell.  many: all to the end of the
 * scope; false: exactly one. */
static void run_frequencies(struct codec *c, bool many)
{
	const char *key = "frequencies_khz";
	const json_t *given = codec_given_list(c, key);
	json_t *list = c->encode ? NULL : si_put_list(c->object, key);
	uint64_t khz = 0;
	size_t i = 0;

	while (c->encode ? i < json_array_size(given)
			 : bits_left(&c->in) >= 32 && (many || i == 0)) {
		if (c->encode)
			khz = (uint64_t)json_integer_value(
				json_array_get(given, i));
		if (khz > UINT32_MAX / 100)
			codec_fault(c, key, "item %zu is not a frequency", i);
		i++;
		khz = codec_bits(c, 32, khz * 100) / 100;
		if (list != NULL)
			(void)json_array_append_new(
				list, json_integer((json_int_t)khz));
		if (codec_stopped(c))
			break;
	}
	if (c->encode && !many && i != 1)
		codec_fault(c, key, "has %zu items instead of 1", i);
}

static void run_cell(struct codec *c, const void *slices)
{
	static const struct si_field subcell[] = {
		UINT("cell_id_extension", 8), CALL(run_transposer), END
	};
	static const struct si_field subcells[] = {
		LIST8("subcells", subcell), END
	};
	struct codec_scope scope;

	(void)codec_uint(c, "cell_id", 16);
	if (*(const bool *)slices) {
		scope = codec_begin(c, 8);
		run_frequencies(c, true);
		codec_end(c, &scope, "frequencies_khz");
	} else {
		c->in.cut |= !c->encode && bits_left(&c->in) < 32;
		run_frequencies(c, false);
	}
	fields_run(c, subcells);
}

/* Reads or writes the fields behind T2_system_id, which may all be missing (EN
 * 300 468 6.4.6.3). */
static void run_t2_system(struct codec *c)
{
	static const struct si_field system[] = {
		WORD("siso_miso", 2, siso_miso),
		WORD("bandwidth", 4, t2_bandwidth), ONES(2),
		WORD("guardinterval", 3, t2_guard_interval),
		WORD("transmitmode", 3, t2_mode),
		FLAG("other_frequencies"), END
	};
	bool slices;

	if (!codec_more(c, "siso_miso"))
		return;
	fields_run(c, system);
	slices = codec_flag(c, "time_frequency_slicing");
	codec_list(c, "cells", run_cell, &slices);
}

const struct si_field desc_t2[] = {
	UINT("plp_id", 8), UINT("t2_system_id", 16), CALL(run_t2_system), END
};
