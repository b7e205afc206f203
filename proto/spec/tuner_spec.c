/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/tuner_spec.h"

#include "proto/spec/field_idle.h"
#include "proto/spec/tuner_isdbt.h"
#include "proto/spec/tuner_sat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	GHZ_MHZ = 1000,
	SATELLITE_MAX_MHZ = 100000, /* a larger frequency is in kHz */
	OTHER_MAX_MHZ = 2000,       /* a larger frequency is in kHz or Hz */
	ISDBT_BANDWIDTH_KHZ = 6000,
	SYMBOLRATE_MIN = 1000,
	CABLE_SYMBOLRATE_MAX = 10000,
	PLP_MAX = 255,
};

/* If the row of a list has .max, the words of the list from this position on
 * are aliases of its first words. */
static const char *const systems[] = {
	"ISDB-T", "S", "S2", "T", "T2", "C", "C/A", "C/B", "C/C", "ATSC",
	"ISDBT", NULL,
};
static const char *const polarizations[] = {
	"V", "H", "L", "R", "v", "h", "l", "r", NULL,
};
static const char *const rates[] = {
	"NONE", "1/2", "2/3", "3/4", "4/5", "5/6", "6/7", "7/8", "8/9", "AUTO",
	"3/5", "9/10", "2/5", NULL,
};
static const char *const modulations[] = {
	"QPSK",   "QAM16", "QAM32", "QAM64",  "QAM128", "QAM256", "AUTO",
	"VSB8",   "VSB16", "PSK8",  "APSK16", "APSK32",
	"4PSK",   "16QAM", "32QAM", "64QAM",  "128QAM", "256QAM", "auto",
	"8VSB",   "16VSB", "8PSK",  "16APSK", "32APSK", NULL,
};
static const char *const rolloffs[] = {
	"35", "20", "25", "AUTO", "0.35", "0.20", "0.25", "auto", NULL,
};
static const char *const pilots[] = {
	"ON", "OFF", "AUTO", "on", "off", "auto", NULL,
};
static const char *const diseqc_modes[] = {
	"1.0", "1.1", "1.2", "usals", "toneburst", "cmd", NULL,
};
static const char *const unicable_modes[] = {
	"AUTO", "EN50494", "EN50607", NULL,
};
static const char *const bandwidths[] = {
	"AUTO", "1712", "5000", "6000", "7000", "8000", "10000", NULL,
};
static const char *const guards[] = {
	"1/32", "1/16", "1/8", "1/4", "AUTO", "1/128", "19/128", "19/256",
	NULL,
};
static const char *const modes[] = {
	"2K", "8K", "AUTO", "4K", "1K", "16K", "32K", NULL,
};
/* The position of a word is the value for the kernel: a bit for each layer. */
static const char *const layers[] = {
	"AUTO", "A", "B", "AB", "C", "AC", "BC", "ABC", NULL,
};
static const char *const partials[] = { "AUTO", "OFF", "ON", NULL };
const char *const tuner_ca_modes[] = { "update", "list", NULL };
static const char *const hierarchies[] = {
	"NONE", "1", "2", "4", "AUTO", NULL,
};

/* --- keys with code --- */

static int read_real(const json_t *value, double *ret, struct errmsg *error)
{
	const char *text = json_string_value(value);
	char *end = NULL;
	double n;

	if (json_is_number(value)) {
		*ret = json_number_value(value);
		return 0;
	}
	n = text != NULL ? strtod(text, &end) : 0;
	if (text == NULL || strspn(text, "0123456789.-") != strlen(text) ||
	    end == text || *end != '\0')
		return errmsg_fail(error, -EINVAL, "\"%.32s\" is not a number",
				   text != NULL ? text : "");
	*ret = n;
	return 0;
}

static int read_number(const struct field *f, const json_t *value, void *s,
		       struct errmsg *error)
{
	const char *text = json_string_value(value);

	if (text != NULL && text[0] == '\0')
		return 0;
	return read_real(value, (double *)(void *)((char *)s + f->offset),
			 error);
}

static const struct field_hook number_hook = {
	.schema = "number", .read_json = read_number,
};

static int read_short(const struct field *f, const char *key, const char *text,
		      void *s, struct errmsg *error)
{
	(void)key;
	if (strlen(text) >= f->size)
		return errmsg_fail(error, -EINVAL, "has more than %u "
				   "characters", f->size - 1);
	memcpy((char *)s + f->offset, text, strlen(text) + 1);
	return 0;
}

/* For a text that user interfaces may also store as a number. */
static const struct field_hook short_hook = {
	.schema = "string", .read = read_short,
};

#define AT(member) FIELD_AT(struct tuner_spec, member)
#define BY(hook, member) FIELD_BY(&(hook), struct tuner_spec, member)
static const struct field rows[] = {
	{ "type", AT(system), .choices = systems, .max = 10,
	  .initial = TUNER_S2, .flags = FIELD_OBSERVER,
	  .help = "Delivery system." },
	{ "adapter", AT(adapter), .max = 255, .initial = -1,
	  .flags = FIELD_OBSERVER,
	  .help = "Number of the adapter." },
	{ "device", AT(device), .max = 255, .flags = FIELD_OBSERVER,
	  .help = "Number of the frontend." },
	{ "path", AT(path), .flags = FIELD_OBSERVER,
	  .help = "Place of the hardware as in /sys, such as usb1/1-3, instead "
		  "of the number of the adapter." },
	{ "mac", AT(mac), .flags = FIELD_OBSERVER,
	  .help = "Hardware address of the adapter, instead of its number: "
		  "that of its interface dvbN_0." },
	{ "frequency", BY(number_hook, frequency), .form = "number",
	  .flags = FIELD_OBSERVER, .unit = "MHz",
	  .help = "Frequency of the transponder or channel; kHz and Hz are "
		  "recognized." },
	{ "polarization", AT(polarization), .choices = polarizations, .max = 4,
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Polarization; L and R are "
	  "circular." },
	{ "symbolrate", AT(symbolrate), .max = 67500, .unit = "kBd",
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_TERRESTRIAL,
	  .help = "Symbol rate." },
	{ "modulation", AT(modulation), .choices = modulations, .max = 12,
	  .initial = TUNER_AUTO_MODULATION, .flags = FIELD_OBSERVER,
	  .help = "Modulation; AUTO is PSK8 for S2." },
	{ "fec", AT(fec), .choices = rates, .initial = TUNER_AUTO_FEC,
	  .flags = FIELD_OBSERVER,
	  .help = "Code rate; for T that of high priority." },
	{ "fec_lp", AT(fec_lp), .choices = rates, .initial = TUNER_AUTO_FEC,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Code rate of low priority, for T." },
	{ "rolloff", AT(rolloff), .choices = rolloffs, .max = 4,
	  .initial = TUNER_AUTO_ROLLOFF, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Roll-off in percent." },
	{ "pilot", AT(pilot), .choices = pilots, .max = 3,
	  .initial = TUNER_AUTO_PILOT, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Pilots of S2." },
	{ "stream_id", AT(stream_id), .min = -1, .max = INT32_MAX,
	  .initial = -1, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_CABLE,
	  .help = "PLP of T2; of S2 (mode << 26) + (code << 8) + ISI, with "
		  "mode 0 root, 1 gold." },
	{ "lof1", AT(lof1), .max = 30000, .unit = "MHz",
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Local oscillator of the lower band of the LNB." },
	{ "lof2", AT(lof2), .max = 30000, .unit = "MHz",
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Local oscillator of the upper band of the LNB." },
	{ "slof", AT(slof), .max = 30000, .unit = "MHz",
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "First frequency of the upper "
	  "band." },
	{ "tone", AT(tone), .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "The 22 kHz tone is always on." },
	{ "lnb_sharing", AT(lnb_sharing), .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Another tuner feeds and switches the LNB." },
	{ "lnb_adapter", AT(lnb_adapter), .needs = "lnb_sharing",
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Id of the adapter that feeds the LNB." },
	{ "diseqc_mode", AT(diseqc_mode), .choices = diseqc_modes,
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Kind of the value in diseqc." },
	{ "diseqc", BY(short_hook, diseqc), .form = "text",
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Switch position, dish position or commands." },
	{ "latitude", BY(number_hook, latitude), .form = "number",
	  .unit = "degrees", .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Latitude of the dish for usals; south is negative." },
	{ "longitude", BY(number_hook, longitude), .form = "number",
	  .unit = "degrees", .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "Longitude of the dish for usals; west is negative." },
	{ "uni_scr", AT(uni_scr), .max = 32, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .help = "User band of unicable, from 1; 0: no unicable." },
	{ "uni_mode", AT(uni_mode), .choices = unicable_modes,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .needs = "uni_scr",
	  .help = "Standard of unicable; AUTO: EN50607 from user band 9 on." },
	{ "uni_pos", BY(short_hook, uni_pos), .form = "text",
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .needs = "uni_scr",
	  .help = "Satellite of unicable: A, B, or 1 to 64 with EN50607." },
	{ "uni_frequency", AT(uni_frequency), .max = 2150, .unit = "MHz",
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .needs = "uni_scr",
	  .help = "Frequency of the user band." },
	{ "uni_pin", AT(uni_pin), .min = -1, .max = 255, .initial = -1,
	  .idle_in = WHERE_TERRESTRIAL | WHERE_CABLE,
	  .needs = "uni_scr",
	  .help = "PIN of the user band; -1: it has none." },
	{ "bandwidth", AT(bandwidth), .choices = bandwidths, .initial = 5,
	  .unit = "kHz", .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Bandwidth of the channel." },
	{ "guardinterval", AT(guardinterval), .choices = guards,
	  .initial = TUNER_AUTO_GUARD, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Guard interval." },
	{ "transmitmode", AT(transmitmode), .choices = modes,
	  .initial = TUNER_AUTO_MODE, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Transmission mode." },
	{ "hierarchy", AT(hierarchy), .choices = hierarchies,
	  .initial = TUNER_AUTO_HIERARCHY, .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Hierarchy." },
	{ "isdbt_layers", AT(isdbt_layers), .choices = layers,
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Layers of ISDB-T that are "
	  "received; AUTO: all." },
	{ "isdbt_partial", AT(isdbt_partial), .choices = partials,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Partial reception of ISDB-T: layer A has the segment in the "
		  "middle." },
	{ "isdbt_layer_a", BY(short_hook, isdbt_layer[0]), .form = "text",
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Layer A: modulation, code rate, segments, time "
		  "interleaving, such as QPSK,2/3,1,2." },
	{ "isdbt_layer_b", BY(short_hook, isdbt_layer[1]), .form = "text",
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Layer B, as layer A." },
	{ "isdbt_layer_c", BY(short_hook, isdbt_layer[2]), .form = "text",
	  .flags = FIELD_OBSERVER, .idle_in = WHERE_SATELLITE | WHERE_CABLE,
	  .help = "Layer C, as layer A." },
	{ "timeout", AT(timeout_s), .max = 3600, .initial = 120, .unit = "s",
	  .flags = FIELD_OBSERVER,
	  .help = "Time without packets after which the tuner starts again; 0: "
		  "never." },
	{ "budget", AT(budget), .initial = 1, .flags = FIELD_OBSERVER,
	  .help = "Receives the whole multiplex, not only its programs." },
	TUNER_CA_ROWS(struct tuner_spec),
};

const struct field_table tuner_fields =
	FIELD_TABLE(struct tuner_spec, rows, .flags = FIELD_LOOSE);

/* --- the keys together --- */

static int missing(const char *key, struct errmsg *error)
{
	return errmsg_fail(error, -ENODATA, "%s: is missing", key);
}

static int judge_frequency(struct tuner_spec *s, struct errmsg *error)
{
	double most = s->satellite ? SATELLITE_MAX_MHZ : OTHER_MAX_MHZ;
	double given = s->frequency;

	if (given == 0)
		return missing("frequency", error);
	for (int i = 0; i < 2 && s->frequency >= most; i++)
		s->frequency /= GHZ_MHZ;
	if (s->frequency < 1 || s->frequency >= most)
		return errmsg_fail(error, -EINVAL, "frequency: %g is not a "
				   "frequency from 1 to %g MHz", given, most);
	s->tune = (uint32_t)(s->frequency * 1000000 + 0.5);
	return 0;
}

/* The modulations that a system accepts.  In `accepted' each letter stands for
 * a value of the kernel: `a' for 0 (QPSK), `b' for 1 and so on. */
static const struct {
	const char *accepted;
	const char *names;    /* for the error */
	unsigned automatic;   /* the modulation that AUTO stands for */
} system_modulations[] = {
	[TUNER_ISDBT] = { "abdg", "QPSK, QAM16, QAM64 or AUTO",
			  TUNER_AUTO_MODULATION },
	[TUNER_S] = { "ag", "QPSK", TUNER_QPSK },
	[TUNER_S2] = { "agjkl", "QPSK, PSK8, APSK16 or APSK32", TUNER_PSK8 },
	[TUNER_T] = { "abdg", "QPSK, QAM16, QAM64 or AUTO",
		      TUNER_AUTO_MODULATION },
	[TUNER_T2] = { "abdfg", "QPSK, QAM16, QAM64, QAM256 or AUTO",
		       TUNER_AUTO_MODULATION },
	[TUNER_C] = { "bcdefg", "QAM16 to QAM256 or AUTO",
		      TUNER_AUTO_MODULATION },
	[TUNER_C_A] = { "bcdefg", "QAM16 to QAM256 or AUTO",
			TUNER_AUTO_MODULATION },
	[TUNER_C_B] = { "dfg", "QAM64, QAM256 or AUTO",
			TUNER_AUTO_MODULATION },
	[TUNER_C_C] = { "bcdefg", "QAM16 to QAM256 or AUTO",
			TUNER_AUTO_MODULATION },
	[TUNER_ATSC] = { "dfghi", "VSB8, VSB16, QAM64 or QAM256", TUNER_VSB8 },
};

static int judge_modulation(struct tuner_spec *s, struct errmsg *error)
{
	if (strchr(system_modulations[s->system].accepted,
		   (int)s->modulation + 'a') == NULL)
		return errmsg_fail(error, -EINVAL, "modulation: %s is not %s, "
				   "as type %s has", modulations[s->modulation],
				   system_modulations[s->system].names,
				   systems[s->system]);
	if (s->modulation == TUNER_AUTO_MODULATION)
		s->modulation = system_modulations[s->system].automatic;
	return 0;
}

static int judge_symbolrate(struct tuner_spec *s, struct errmsg *error)
{
	bool cable = s->system == TUNER_C || s->system == TUNER_C_A ||
		     s->system == TUNER_C_C;
	unsigned most = cable ? CABLE_SYMBOLRATE_MAX : 67500;

	if (!s->satellite && !cable)
		return 0;
	if (s->symbolrate == 0)
		return missing("symbolrate", error);
	/* the bounds are in kBd: a value in Bd is rejected */
	if (s->symbolrate < SYMBOLRATE_MIN || s->symbolrate > most)
		return errmsg_fail(error, -EINVAL, "symbolrate: %u is not from "
				   "%d to %u kBd", s->symbolrate,
				   SYMBOLRATE_MIN, most);
	return 0;
}

static int judge_channel(struct tuner_spec *s, struct errmsg *error)
{
	unsigned khz = (unsigned)strtoul(bandwidths[s->bandwidth], NULL, 10);

	s->bandwidth_hz = khz * 1000; /* AUTO gives 0 */
	if (s->system != TUNER_T2 || s->stream_id < 0)
		return 0;
	if (s->stream_id > PLP_MAX)
		return errmsg_fail(error, -EINVAL, "stream_id: %lld is not the "
				   "number of a PLP, 0 to %d",
				   (long long)s->stream_id, PLP_MAX);
	s->stream = (int)s->stream_id;
	return 0;
}

static int judge_device(struct tuner_spec *s, struct errmsg *error)
{
	for (size_t i = 0; s->mac[i] != '\0'; i++)
		if (i % 3 == 2 ? s->mac[i] != ':'
			       : strchr("0123456789abcdefABCDEF",
					s->mac[i]) == NULL)
			return errmsg_fail(error, -EINVAL, "mac: \"%s\" is not "
					   "a hardware address as "
					   "00:11:22:33:44:55", s->mac);
	if (s->mac[0] != '\0' && strlen(s->mac) != TUNER_MAC_MAX)
		return errmsg_fail(error, -EINVAL, "mac: \"%s\" is not 17 "
				   "characters long", s->mac);
	s->numbered = s->adapter >= 0;
	s->adapter = s->adapter < 0 ? 0 : s->adapter;
	return 0;
}

bool tuner_link_is_at(const char *target, const char *path)
{
	size_t len = strlen(path);

	for (; (target = strchr(target, '/')) != NULL; target++)
		if (strncmp(target + 1, path, len) == 0 &&
		    target[1 + len] == '/')
			return true;
	return false;
}

bool tuner_spec_is(const json_t *adapter)
{
	return json_object_get(adapter, "address") == NULL &&
	       json_object_get(adapter, "server") == NULL;
}

bool tuner_spec_is_atsc(const json_t *adapter)
{
	const char *type = json_string_value(json_object_get(adapter, "type"));

	return type != NULL &&
	       (strcmp(type, "ATSC") == 0 || strcmp(type, "C/B") == 0);
}

json_t *tuner_spec_keys(const json_t *adapter)
{
	json_t *copy = json_object();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_t *value = json_object_get(adapter, rows[i].key);

		if (value != NULL)
			(void)json_object_set(copy, rows[i].key, value);
	}
	return copy;
}

int tuner_spec_parse(const json_t *adapter, struct tuner_spec *ret,
		     struct errmsg *error)
{
	struct tuner_spec s;
	int r;

	/* zeroes the padding, too: adapters compare two specs byte by byte */
	memset(&s, 0, sizeof s);
	r = field_read(&tuner_fields, adapter, &s, error);
	s.satellite = s.system == TUNER_S || s.system == TUNER_S2;
	s.stream = TUNER_NO_STREAM;
	s.switch_1 = s.switch_2 = s.motor = -1;
	if (s.system == TUNER_ISDBT &&
	    json_object_get(adapter, "bandwidth") == NULL)
		s.bandwidth = 3; /* "6000" */
	if (r == 0)
		r = judge_device(&s, error);
	if (r == 0)
		r = judge_modulation(&s, error);
	if (r == 0)
		r = judge_frequency(&s, error);
	if (r == 0)
		r = judge_symbolrate(&s, error);
	if (r == 0)
		r = s.satellite ? tuner_sat_judge(&s, error)
				: judge_channel(&s, error);
	if (r == 0)
		r = tuner_isdbt_judge(&s, error);
	if (r == 0 && s.satellite &&
	    json_object_get(adapter, "polarization") == NULL &&
	    !s.lnb_sharing)
		r = missing("polarization", error);
	if (r == 0)
		*ret = s;
	return r;
}
