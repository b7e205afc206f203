/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delivery system descriptors (EN 300 468 6.2.13).
 *
 * `frequency` is in MHz and `symbolrate` in ksymbol/s, as the options of an
 * adapter are; `frequency_khz` is exact.
 */
#include "worker/si/desc_tables.h"

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

static void put_khz(json_t *object, uint64_t khz)
{
	si_put_uint(object, "frequency", khz / 1000);
	si_put_uint(object, "frequency_khz", khz);
}

/* BCD, units of 10 kHz */
static void read_satellite_frequency(struct bits *b, json_t *object)
{
	put_khz(object, si_bcd(bits_take(b, 32), 32) * 10);
}

/* BCD, units of 100 Hz */
static void read_cable_frequency(struct bits *b, json_t *object)
{
	put_khz(object, si_bcd(bits_take(b, 32), 32) / 10);
}

/* binary, units of 10 Hz */
static void read_terrestrial_frequency(struct bits *b, json_t *object)
{
	put_khz(object, bits_take(b, 32) / 100);
}

/* BCD, units of 100 symbol/s */
static void read_symbolrate(struct bits *b, json_t *object)
{
	si_put_uint(object, "symbolrate",
		    si_bcd(bits_take(b, 28), 28) / 10);
}

/* "19.2E": BCD, units of a tenth of a degree, then east or west */
static void read_position(struct bits *b, json_t *object)
{
	uint64_t tenths = si_bcd(bits_take(b, 16), 16);
	bool east = bits_take(b, 1) != 0;

	(void)json_object_set_new(
		object, "orbital_position",
		json_sprintf("%u.%u%c", (unsigned)(tenths / 10),
			     (unsigned)(tenths % 10), east ? 'E' : 'W'));
}

/* The type and its roll-off, which only S2 has. */
static void read_satellite_type(struct bits *b, json_t *object)
{
	unsigned factor = (unsigned)bits_take(b, 2);
	bool is_s2 = bits_take(b, 1) != 0;

	si_put_string(object, "type", is_s2 ? "S2" : "S");
	if (is_s2 && rolloff[factor] != NULL)
		si_put_string(object, "rolloff", rolloff[factor]);
}

const struct field desc_satellite[] = {
	CALL(read_satellite_frequency), CALL(read_position),
	WORD("polarization", 2, polarization), CALL(read_satellite_type),
	WORD("modulation", 2, satellite_modulation), CALL(read_symbolrate),
	WORD("fec", 4, fec_inner), END
};

static const char *const fec_outer[16] = {
	"undefined", "none", "RS(204/188)",
};

const struct field desc_cable[] = {
	CALL(read_cable_frequency), SKIP(12), WORD("fec_outer", 4, fec_outer),
	WORD("modulation", 8, cable_modulation), CALL(read_symbolrate),
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

const struct field desc_terrestrial[] = {
	CALL(read_terrestrial_frequency), WORD("bandwidth", 3, bandwidth),
	FLAG("high_priority"), FLAG("no_time_slicing"), FLAG("no_mpe_fec"),
	SKIP(2), WORD("modulation", 2, constellation),
	WORD("hierarchy", 3, hierarchy), WORD("fec", 3, code_rate),
	WORD("fec_low_priority", 3, code_rate),
	WORD("guardinterval", 2, guard_interval),
	WORD("transmitmode", 2, transmission_mode), FLAG("other_frequencies"),
	SKIP(32), END
};

static void read_s2_options(struct bits *b, json_t *object)
{
	bool has_scrambling = bits_take(b, 1) != 0;
	bool has_stream = bits_take(b, 1) != 0;
	bool backward = bits_take(b, 1) != 0;

	bits_skip(b, 5);
	si_put_bool(object, "backwards_compatible", backward);
	if (has_scrambling) {
		bits_skip(b, 6);
		si_put_uint(object, "scrambling_sequence",
			    bits_take(b, 18));
	}
	if (has_stream)
		si_put_uint(object, "stream_id", bits_take(b, 8));
}

const struct field desc_s2_satellite[] = { CALL(read_s2_options), END };

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

static void read_transposer(struct bits *b, json_t *object)
{
	si_put_uint(object, "frequency_khz", bits_take(b, 32) / 100);
}

/* EN 300 468 6.4.6.3: all fields behind the T2 system id may be missing */
static void read_t2_system(struct bits *b, json_t *object)
{
	static const struct field system[] = {
		WORD("siso_miso", 2, siso_miso),
		WORD("bandwidth", 4, t2_bandwidth), SKIP(2),
		WORD("guardinterval", 3, t2_guard_interval),
		WORD("transmitmode", 3, t2_mode),
		FLAG("other_frequencies"), END
	};
	static const struct field subcell[] = {
		UINT("cell_id_extension", 8), CALL(read_transposer), END
	};
	static const struct field subcells[] = {
		LIST8("subcells", subcell), END
	};

	if (bits_end(b))
		return;
	fields_read(system, b, object);

	bool slices = bits_take(b, 1) != 0;
	json_t *cells = si_put_list(object, "cells");

	si_put_bool(object, "time_frequency_slicing", slices);
	while (!bits_end(b)) {
		json_t *cell = si_add_object(cells), *list;
		struct bytes bytes;
		struct bits inner;

		si_put_uint(cell, "cell_id", bits_take(b, 16));
		list = si_put_list(cell, "frequencies_khz");
		bytes = bits_bytes(b, slices ? (size_t)bits_take(b, 8) : 4);
		inner = bits_of(bytes.data, bytes.len);
		while (bits_left(&inner) >= 32)
			(void)json_array_append_new(
				list, json_integer((json_int_t)bits_take(
							   &inner, 32) /
						   100));
		fields_read(subcells, b, cell);
	}
}

const struct field desc_t2[] = {
	UINT("plp_id", 8), UINT("t2_system_id", 16), CALL(read_t2_system), END
};
