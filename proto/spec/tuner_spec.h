/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of an adapter that is a tuner: its device and its tuning.
 *
 * A member that is a choice has a value of an enum of this file, or one of
 * linux/dvb/frontend.h; bandwidth and isdbt_partial have the position of the
 * word.  Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/field.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum tuner_system {
	TUNER_ISDBT, /* first, because only the first words of a choice can
		      * have aliases: "ISDBT" */
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
	DISEQC_COMMITTED,   /* DiSEqC 1.0: switch position 1 to 4 */
	DISEQC_UNCOMMITTED, /* DiSEqC 1.1: switch position 1 to 16; "16/4" adds
			     * the position of a 1.0 switch behind it */
	DISEQC_POSITIONER,  /* DiSEqC 1.2: a stored dish position, 1 to 255 */
	DISEQC_USALS,       /* an orbital position, "19.2E" */
	DISEQC_BURST,       /* tone burst: A or B */
	DISEQC_RAW,         /* commands in hexadecimal digits */
};

enum tuner_unicable {
	UNICABLE_AUTO, /* EN 50607 from user band 9 on, else EN 50494 */
	UNICABLE_50494,
	UNICABLE_50607,
};

enum tuner_ca_mode {
	CA_MODE_UPDATE, /* the CAM gets a CA PMT for each changed program */
	CA_MODE_LIST,   /* at each change the CAM gets the CA PMTs of all
			 * programs again */
};

enum {
	TUNER_DISEQC_MAX = 128,
	TUNER_MAC_MAX = 17,
	TUNER_PATH_MAX = 128,
	TUNER_ID_MAX = 64,
	TUNER_COMMANDS_MAX = 8, /* commands of DISEQC_RAW */
	TUNER_COMMAND_BYTES = 6,
	TUNER_NO_STREAM = -1,
	/* values of linux/dvb/frontend.h for the word "AUTO" */
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
	TUNER_AUTO_LAYER = -1, /* "AUTO" for segments and interleaving */
	TUNER_LAYERS = 3,      /* layers of ISDB-T: A, B, C */
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
	unsigned delay_s; /* from the start of the CAM to its first CA PMT */
	unsigned limit;   /* programs that the CAM descrambles at a time */
	unsigned mode;    /* enum tuner_ca_mode */
};

enum {
	TUNER_CA_DELAY_MAX_S = 300,
	TUNER_CA_LIMIT_MAX = 64,
	TUNER_CA_LIMIT = 8, /* default of the limit */
};

extern const char *const tuner_ca_modes[];

/* The rows of the keys of a struct tuner_ca, the member ca of STRUCT. */
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

/* The keys as configured, and behind them the values computed from them. */
struct tuner_spec {
	unsigned system; /* enum tuner_system */
	int adapter, device;
	bool numbered; /* the key adapter is present */
	char mac[TUNER_MAC_MAX + 1]; /* hardware address of the adapter; "": the
				      * key is absent */
	char path[TUNER_PATH_MAX]; /* hardware path in /sys, in place of
				    * adapter; "": the key is absent */
	double frequency; /* MHz; 0: missing */
	unsigned polarization, symbolrate, fec, fec_lp, modulation, rolloff,
		pilot;
	int64_t stream_id;
	unsigned lof1, lof2, slof; /* MHz; 0: not given */
	bool tone, lnb_sharing;
	char lnb_adapter[TUNER_ID_MAX + 1]; /* id of the adapter that feeds the
					     * LNB; "": the key is absent */
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

	/* The members below are computed from the keys. */
	bool satellite;
	bool high;             /* upper band of the LNB, with a 22 kHz tone */
	bool inverted;         /* the LNB inverts the spectrum */
	uint32_t if_khz;       /* satellite: intermediate frequency */
	uint32_t tune;         /* frequency for the kernel: in kHz for a
				* satellite, otherwise in Hz */
	uint32_t bandwidth_hz; /* 0: the driver finds it */
	int stream;            /* ISI or PLP; or TUNER_NO_STREAM */
	uint32_t pls;          /* gold code of the scrambling sequence; 0: the
				* default sequence */
	/* positions of the switches of DiSEqC 1.1 and 1.0, from 0; -1: none */
	int switch_1, switch_2;
	int motor;             /* stored dish position; -1: none */
	double orbit;          /* usals: orbital position in degrees, east is
				* positive */
	struct tuner_command commands[TUNER_COMMANDS_MAX];
	unsigned n_commands;
	unsigned uni_position; /* satellite of unicable, from 0 */
	struct tuner_layer layers[TUNER_LAYERS];
};

extern const struct field_table tuner_fields;

/* The link of a frontend in /sys; arguments: number of its adapter, number of
 * its device. */
#define TUNER_LINK "/sys/class/dvb/dvb%d.frontend%d"
/* The network interface of an adapter, whose hardware address is `mac'. */
#define TUNER_INTERFACE "/sys/class/net/dvb%d_0"
enum { TUNER_ADAPTERS_MAX = 256 };

/* Does the link of a frontend in /sys point to a device at this hardware
 * path? */
bool tuner_link_is_at(const char *target, const char *path);

/* Is the adapter a tuner?  False: it has the key address or server. */
bool tuner_spec_is(const json_t *adapter);

/* Is the type of the adapter ATSC or C/B (ATSC cable), so that its multiplex
 * has tables of ATSC? */
bool tuner_spec_is_atsc(const json_t *adapter);

/* The keys that tuner_spec_parse() reads, in a new object. */
json_t *tuner_spec_keys(const json_t *adapter);

/* Reads and checks the keys of a tuner.  0; -EINVAL: a value is wrong;
 * -ENODATA: a key is missing.  error names the key, its value and what is
 * accepted. */
int tuner_spec_parse(const json_t *adapter, struct tuner_spec *ret,
		     struct errmsg *error) MUST_CHECK;
