/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of a stream object about own tables of service information, which
 * replace those of the source.  Plain data; with zeroed memory the tables of
 * the source pass.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/field.h"
#include "proto/spec/own_services.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TIMEZONE_MAX = 63, /* bytes of the name of a time zone */
	OFFSET_MIN_MIN = -720, /* bounds of offset, minutes */
	OFFSET_MAX_MIN = 780,
	OFFSET_ABSENT = 32767,
	NETWORK_NAME_MAX = 250, /* bytes of UTF-8 */
	SERVICES_MAX = 128,
	NIT_OTHER_MAX = 32,
	LCN_MAX = 999,
	ONID_DEFAULT = 1,
	SERVICE_NAME_MAX = 127, /* bytes of UTF-8 */
	SERVICE_PROVIDER_MAX = 63,
	EIT_SERVICES_MAX = 1000, /* services with own EIT in a stream */
	EIT_RATE_MIN_KBPS = 16,
	EIT_RATE_MAX_KBPS = 1000,
	EIT_RATE_KBPS = 700,
	/* A frequency of at least this number is in kHz, a lower one in MHz. */
	FREQUENCY_KHZ = 100000,
	POSITION_MAX = 6, /* bytes of an orbital position: "180.0W" */
	SI_INTERVAL_MIN_MS = 25,
	SI_INTERVAL_MAX_MS = 30000,
	SI_SECTIONS_MAX = 64,
	SI_SECTION_BYTES = 4096,
	SI_SECTION_INTERVAL_MAX_MS = 3600 * 1000,
	SI_PID_MIN = 16,
	SI_VERSION_ABSENT = 32,
	/* service_type (EN 300 468 table 89) */
	SERVICE_TYPE_TV = 1,
	SERVICE_TYPE_RADIO = 2,
};

/* Where a table of the output comes from. */
enum table_origin {
	ORIGIN_PASS, /* from the source */
	ORIGIN_OWN,  /* the stream makes it */
	ORIGIN_OFF,  /* the output has no such table */
};

/* The network for which tables are repeated (EN 300 468, TS 101 211 4.4). */
enum si_profile {
	SI_SATELLITE,
	SI_CABLE,
	SI_TERRESTRIAL,
};

/* The time in milliseconds in which each section of a table is sent once; 0:
 * that of the profile, or for NIT and BAT that of si_interval. */
struct si_intervals {
	unsigned nit, bat;
	unsigned sdt_other;
	unsigned eit, eit_other; /* present and following events */
	unsigned schedule, schedule_later; /* EIT schedule of the first days
					    * (tables_spec_near_days), and of
					    * later days */
	unsigned tdt;
};

/* What a stream with own TDT and TOT sends while the system clock is not
 * synchronised. */
enum clock_lost {
	CLOCK_KEEP,   /* its own TDT and TOT */
	CLOCK_STOP,   /* none */
	CLOCK_SOURCE, /* those of the source */
};

enum delivery_type {
	DELIVERY_NONE,
	DELIVERY_S,
	DELIVERY_S2,
	DELIVERY_C,
	DELIVERY_T,
};

enum modulation {
	MODULATION_AUTO,
	MODULATION_QPSK,
	MODULATION_PSK8,
	MODULATION_QAM16,
	MODULATION_QAM32,
	MODULATION_QAM64,
	MODULATION_QAM128,
	MODULATION_QAM256,
};

/* The form of the logical channel descriptor in the NIT. */
enum lcn_version { LCN_EACEM, LCN_NORDIG_V1 };

/* How receivers tune to the transport stream, for the NIT.  A member of type
 * unsigned that is a choice has the code of EN 300 468 6.2.13; fec has the code
 * of satellite and cable. */
struct delivery_spec {
	enum delivery_type type;
	unsigned frequency;  /* kHz or MHz, see FREQUENCY_KHZ */
	unsigned symbolrate; /* ksymbol/s */
	unsigned polarization;
	char position[POSITION_MAX + 1]; /* "19.2E" */
	unsigned fec;
	enum modulation modulation;
	unsigned rolloff;
	unsigned bandwidth; /* kHz */
	unsigned guard_interval, transmission_mode, hierarchy;
	enum lcn_version lcn;
};

/* A service of the output. */
struct service_spec {
	uint16_t pnr;
	uint16_t lcn;  /* logical channel number; 0: none */
	uint8_t type;  /* service_type; 0: that of the stream or the source */
	uint8_t eit;   /* 0: the key eit of the stream applies; otherwise
			* 1 + enum table_origin */
	/* Names in the SDT of the stream, and in the SDT other of other
	 * streams; "": those of the stream or the source. */
	char name[SERVICE_NAME_MAX + 1];
	char provider[SERVICE_PROVIDER_MAX + 1];
};

/* A section that an operator has written. */
struct si_section_spec {
	/* exactly one of hex and section is not NULL; borrowed from the
	 * JSON */
	const char *hex;
	const json_t *section; /* its fields, as in proto/si/record.h */
	uint16_t pid;
	unsigned interval_ms;
	uint8_t version; /* SI_VERSION_ABSENT: that of the section */
};

/* True if the entry gives the service a name, a provider or a type. */
static inline bool service_spec_is_named(const struct service_spec *s)
{
	return s->type != 0 || s->name[0] != '\0' || s->provider[0] != '\0';
}

struct tables_spec {
	size_t n_si;
	struct si_section_spec si[SI_SECTIONS_MAX];
	enum table_origin nit;
	uint16_t network_id;
	uint16_t onid; /* 0: that of tables_spec_onid() */
	char network_name[NETWORK_NAME_MAX + 1];
	uint32_t private_data_specifier; /* 0: that for delivery.lcn */
	struct delivery_spec delivery;
	size_t n_others;
	const char *others[NIT_OTHER_MAX]; /* ids of the streams in nit_other;
					    * borrowed from the JSON */
	size_t n_services;
	struct service_spec services[SERVICES_MAX];
	/* key si_interval: interval of NIT and BAT; 0: the key is absent */
	unsigned interval_ms;
	enum si_profile profile;
	struct si_intervals intervals;

	bool sdt_other; /* sends SDT other of the streams in nit_other */
	enum table_origin eit;
	enum eit_other eit_other;
	unsigned eit_rate_kbps; /* highest rate of all own EIT together */

	enum table_origin bat;
	uint16_t bouquet_id;
	char bouquet_name[NETWORK_NAME_MAX + 1];

	enum table_origin tdt; /* origin of TDT and TOT */
	char timezone[TIMEZONE_MAX + 1];
	char country[4]; /* "" or three capital letters */
	int offset_min; /* minutes; OFFSET_ABSENT: that of the time zone */
	enum clock_lost clock_lost;
};

/* Returns the original_network_id of the stream: the key onid; if it is absent,
 * sdt_onid, that of the SDT; if this is 0 (unknown), 1. */
uint16_t tables_spec_onid(const struct tables_spec *, uint16_t sdt_onid);

/* Where the EIT of a service of the output comes from. */
enum table_origin tables_spec_eit(const struct tables_spec *, uint16_t pnr);
/* True if any service of the stream has an own EIT. */
bool tables_spec_has_eit(const struct tables_spec *);

/* The services that have an own EIT. */
struct own_services tables_spec_own_eits(const struct tables_spec *);

/* Returns for each table the shorter one of the interval of the profile and
 * that of the keys. */
struct si_intervals tables_spec_intervals(const struct tables_spec *);
/* The number of days from today whose schedule is repeated at the interval
 * `schedule'; later days have `schedule_later'. */
unsigned tables_spec_near_days(const struct tables_spec *);

/* The words of these enumerations, such as "pass", "own", "off"; NULL ends each
 * list. */
extern const char *const table_origins[], *const clock_lost_words[];
extern const char *const si_profiles[], *const eit_other_words[];

/* The objects of nit_actual and sdt. */
extern const struct field_table delivery_fields, service_fields;
/* The objects of si_intervals and si. */
extern const struct field_table si_interval_fields;
extern const struct field_table si_section_fields;

/* Makes a section with its version and CRC_32.  0, or -EINVAL with a sentence
 * that begins with "hex: " or the path of a value in section. */
int si_section_read(const struct si_section_spec *,
		    uint8_t ret[SI_SECTION_BYTES], size_t *ret_len,
		    struct errmsg *error) MUST_CHECK;

/* Reads "19.2E" as tenths of a degree; false: the text is not a position. */
bool position_parse(const char *text, unsigned *ret_tenths, bool *ret_east);

/* The frequency in kHz. */
static inline unsigned delivery_khz(const struct delivery_spec *d)
{
	return d->frequency < FREQUENCY_KHZ ? d->frequency * 1000
					    : d->frequency;
}

extern const struct field_hook timezone_hook, country_hook;
/* Reads a code page, a number or its text, into a uint8_t.  textcode_schema is
 * the same rule as JSON schema. */
extern const struct field_hook textcode_hook;
extern const char textcode_schema[];
