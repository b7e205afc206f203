/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of an adapter that is a tuner: which device, and what it tunes.
 *
 * The values of words are those of linux/dvb/frontend.h.  Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/field.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum tuner_system {
	TUNER_ISDBT, /* first, because the list of words may end with other
		      * names for its first words only */
	TUNER_S,
	TUNER_S2,
	TUNER_T,
	TUNER_T2,
	TUNER_C,
	TUNER_C_A,
	TUNER_C_B,
	TUNER_C_C,
	TUNER_ATSC,
};

enum tuner_polarization {
	TUNER_V,
	TUNER_H,
	TUNER_L,
	TUNER_R,
};

enum tuner_diseqc_mode {
	DISEQC_COMMITTED,   /* 1.0: position 1 to 4 */
	DISEQC_UNCOMMITTED, /* 1.1: 1 to 16, or "16/4" with one of 1.0 */
	DISEQC_POSITIONER,  /* 1.2: a stored position, 1 to 255 */
	DISEQC_USALS,       /* a position of the orbit */
	DISEQC_BURST,       /* A or B */
	DISEQC_RAW,         /* commands in hex */
};

enum tuner_unicable {
	UNICABLE_AUTO, /* by the number of the user band */
	UNICABLE_50494,
	UNICABLE_50607,
};

enum tuner_ca_mode {
	CA_MODE_UPDATE, /* programs are added and updated one by one */
	CA_MODE_LIST,   /* each change sends the list of all programs */
};

enum {
	TUNER_DISEQC_MAX = 128,
	TUNER_MAC_MAX = 17,
	TUNER_PATH_MAX = 128,
	TUNER_ID_MAX = 64,
	TUNER_COMMANDS_MAX = 8, /* of DISEQC_RAW */
	TUNER_COMMAND_BYTES = 6,
	TUNER_NO_STREAM = -1,
	/* numbers of the kernel for the word "auto" */
	TUNER_AUTO_FEC = 9,
	TUNER_AUTO_MODULATION = 6,
	TUNER_AUTO_MODE = 2,
	TUNER_AUTO_GUARD = 4,
	TUNER_AUTO_HIERARCHY = 4,
	TUNER_AUTO_ROLLOFF = 3,
	TUNER_AUTO_PILOT = 2,
	TUNER_QPSK = 0,
	TUNER_VSB8 = 7,
	TUNER_PSK8 = 9,
	TUNER_AUTO_LAYER = -1, /* segments and interleaving */
	TUNER_LAYERS = 3,      /* of ISDB-T: A, B, C */
	TUNER_LAYER_MAX = 24,
};

/* A layer of ISDB-T. */
struct tuner_layer {
	int modulation, fec, segments, interleaving;
};

struct tuner_command {
	uint8_t bytes[TUNER_COMMAND_BYTES];
	uint8_t n;
};

/* How a CAM gets its programs. */
struct tuner_ca {
	unsigned delay_s; /* of the first CA PMT */
	unsigned limit;   /* programs of a CAM */
	unsigned mode;    /* enum tuner_ca_mode */
};

enum {
	TUNER_CA_DELAY_MAX_S = 300,
	TUNER_CA_LIMIT_MAX = 64,
	TUNER_CA_LIMIT = 8, /* the default */
};

extern const char *const tuner_ca_modes[];

/* Rows of the keys of the member ca. */
#define TUNER_CA_ROWS(STRUCT)                                              \
	{ "ca_pmt_delay", FIELD_AT(STRUCT, ca.delay_s),                    \
	  .max = TUNER_CA_DELAY_MAX_S, .unit = "s",                        \
	  .flags = FIELD_OBSERVER,                                         \
	  .help = "Time from the start of a CAM to its first program." },  \
	{ "ca_limit", FIELD_AT(STRUCT, ca.limit), .min = 1,                \
	  .max = TUNER_CA_LIMIT_MAX, .initial = TUNER_CA_LIMIT,            \
	  .flags = FIELD_OBSERVER,                                         \
	  .help = "Programs that a CAM can descramble at a time." },       \
	{ "ca_pmt_mode", FIELD_AT(STRUCT, ca.mode),                        \
	  .choices = tuner_ca_modes, .flags = FIELD_OBSERVER,              \
	  .help = "How a CAM gets changes: one by one, or as a list of "   \
		  "all programs." }

/* Keys as configured, then what they mean together. */
struct tuner_spec {
	unsigned system; /* enum tuner_system */
	int adapter, device;
	bool numbered; /* adapter was given */
	char mac[TUNER_MAC_MAX + 1]; /* of the adapter; "": any */
	char path[TUNER_PATH_MAX]; /* instead of adapter; "": none */
	double frequency; /* MHz; 0: missing */
	unsigned polarization, symbolrate, fec, fec_lp, modulation, rolloff,
		pilot;
	int64_t stream_id;
	unsigned lof1, lof2, slof; /* MHz; 0: not given */
	bool tone, lnb_sharing;
	char lnb_adapter[TUNER_ID_MAX + 1]; /* that feeds the LNB; "": none */
	unsigned diseqc_mode;
	char diseqc[TUNER_DISEQC_MAX];
	double latitude, longitude;
	unsigned uni_scr, uni_mode, uni_frequency;
	char uni_pos[4];
	int uni_pin;
	unsigned bandwidth, guardinterval, transmitmode, hierarchy;
	unsigned isdbt_layers, isdbt_partial;
	char isdbt_layer[TUNER_LAYERS][TUNER_LAYER_MAX];
	unsigned timeout_s;
	bool budget;
	struct tuner_ca ca;

	/* computed from the keys */
	bool satellite;
	bool high;             /* the upper band of the LNB: tone */
	bool inverted;         /* the LNB inverts the spectrum */
	uint32_t if_khz;       /* intermediate frequency of a satellite */
	uint32_t tune;         /* for the kernel: kHz of a satellite, or Hz */
	uint32_t bandwidth_hz; /* 0: the driver finds it */
	int stream;            /* ISI or PLP; TUNER_NO_STREAM */
	uint32_t pls;          /* index of the scrambling sequence; 0: none */
	int switch_1, switch_2; /* from 0, of 1.1 and 1.0; -1: none */
	int motor;             /* stored position; -1: none */
	double orbit;          /* of usals: degrees, east is positive */
	struct tuner_command commands[TUNER_COMMANDS_MAX];
	unsigned n_commands;
	unsigned uni_position; /* from 0 */
	struct tuner_layer layers[TUNER_LAYERS];
};

extern const struct field_table tuner_fields;

/* The link of a frontend in /sys, by numbers of its adapter and device. */
#define TUNER_LINK "/sys/class/dvb/dvb%d.frontend%d"
/* The network interface of an adapter, whose hardware address is `mac'. */
#define TUNER_INTERFACE "/sys/class/net/dvb%d_0"
enum { TUNER_ADAPTERS_MAX = 256 };

/* Does the link of a frontend in /sys point to a device at this hardware
 * path? */
bool tuner_link_is_at(const char *target, const char *path);

/* Is the adapter a tuner?  False: it is an address or a server. */
bool tuner_spec_is(const json_t *adapter);

/* Does the multiplex have the tables of ATSC?  The type of the adapter says so:
 * ATSC, or C/B, the cable of ATSC. */
bool tuner_spec_is_atsc(const json_t *adapter);

/* The keys that tuner_spec_parse() reads, in a new object. */
json_t *tuner_spec_keys(const json_t *adapter);

/* Reads and checks the keys of a tuner.  0; -EINVAL: a value is wrong;
 * -ENODATA: a key is missing.  error names the key, its value and what is
 * accepted. */
int tuner_spec_parse(const json_t *adapter, struct tuner_spec *ret,
		     struct errmsg *error) MUST_CHECK;
