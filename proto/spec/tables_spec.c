/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/tables_spec.h"

#include "proto/spec/option_value.h"

#include <errno.h>
#include <string.h>

enum {
	TEXTCODE_UTF8 = 21,
	TEXTCODE_8859_MAX = 15,
};

const char *const table_origins[] = {
	[ORIGIN_PASS] = "pass",
	[ORIGIN_OWN] = "own",
	[ORIGIN_OFF] = "off",
	NULL,
};

const char *const clock_lost_words[] = {
	[CLOCK_KEEP] = "keep",
	[CLOCK_STOP] = "stop",
	[CLOCK_SOURCE] = "source",
	NULL,
};

const char *const si_profiles[] = {
	[SI_SATELLITE] = "satellite",
	[SI_CABLE] = "cable",
	[SI_TERRESTRIAL] = "terrestrial",
	NULL,
};

const char *const eit_other_words[] = {
	[EIT_OTHER_PASS] = "pass",
	[EIT_OTHER_PRESENT] = "present",
	[EIT_OTHER_ALL] = "all",
	NULL,
};

/* --- EIT and intervals --- */

uint16_t tables_spec_onid(const struct tables_spec *t, uint16_t sdt_onid)
{
	if (t->onid != 0)
		return t->onid;
	return sdt_onid != 0 ? sdt_onid : ONID_DEFAULT;
}

enum table_origin tables_spec_eit(const struct tables_spec *t, uint16_t pnr)
{
	for (size_t i = 0; i < t->n_services; i++)
		if (t->services[i].pnr == pnr && t->services[i].eit > 0)
			return (enum table_origin)(t->services[i].eit - 1);
	return t->eit;
}

bool tables_spec_has_eit(const struct tables_spec *t)
{
	bool any = t->eit == ORIGIN_OWN;

	for (size_t i = 0; i < t->n_services; i++)
		any |= t->services[i].eit == 1 + ORIGIN_OWN;
	return any;
}

_Static_assert((size_t)OWN_SERVICES_MAX >= SERVICES_MAX,
	       "each service may be another one");

struct own_services tables_spec_own_eits(const struct tables_spec *t)
{
	struct own_services s = { .all = t->eit == ORIGIN_OWN };

	for (size_t i = 0; i < t->n_services; i++) {
		uint16_t pnr = t->services[i].pnr;
		bool own = tables_spec_eit(t, pnr) == ORIGIN_OWN;

		/* of two entries with the same pnr the first one counts:
		 * tables_spec_eit() has returned it for both */
		if (own != own_services_has(&s, pnr))
			s.except[s.n_except++] = pnr;
	}
	return s;
}

static unsigned shorter(unsigned given, unsigned of_profile)
{
	return given > 0 && given < of_profile ? given : of_profile;
}

struct si_intervals tables_spec_intervals(const struct tables_spec *t)
{
	const struct si_intervals *i = &t->intervals;
	unsigned nit = i->nit != 0 ? i->nit : t->interval_ms;
	unsigned bat = i->bat != 0 ? i->bat : t->interval_ms;

	return (struct si_intervals){
		.nit = shorter(nit, 10000),
		.bat = shorter(bat, 10000),
		.sdt_other = shorter(i->sdt_other, 10000),
		.eit = shorter(i->eit, 2000),
		.eit_other = shorter(i->eit_other,
				     t->profile == SI_TERRESTRIAL ? 20000
								  : 10000),
		.schedule = shorter(i->schedule, 10000),
		.schedule_later = shorter(i->schedule_later, 30000),
		.tdt = shorter(i->tdt, 30000),
	};
}

unsigned tables_spec_near_days(const struct tables_spec *t)
{
	return t->profile == SI_TERRESTRIAL ? 1 : 8;
}

/* Reads a name of the tz database, which is a path below the folder of that
 * database. */
static int read_timezone(const struct field *f, const char *key,
			 const char *text, void *s, struct errmsg *error)
{
	size_t len = strlen(text);

	(void)key;
	if (len > TIMEZONE_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   TIMEZONE_MAX);
	if (text[0] == '/' || strstr(text, "..") != NULL ||
	    strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			 "0123456789/_+-") != len)
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is not a time "
				   "zone such as Europe/Berlin", text);
	memcpy((char *)s + f->offset, text, len + 1);
	return 0;
}

/* Reads a country code of ISO 3166-1 alpha-3. */
static int read_country(const struct field *f, const char *key,
			const char *text, void *s, struct errmsg *error)
{
	(void)key;
	if (strlen(text) != 3 ||
	    strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
		return errmsg_fail(error, -EINVAL, "\"%.16s\" is not a country "
				   "of three capital letters such as DEU",
				   text);
	memcpy((char *)s + f->offset, text, 4);
	return 0;
}

/* Reads the character table of names.  ISO 8859-12 does not exist. */
static int read_textcode(const struct field *f, const char *key,
			 const char *text, void *s, struct errmsg *error)
{
	unsigned n = 0;

	(void)key;
	if (option_number(text, strlen(text), 0, TEXTCODE_UTF8, &n,
			  error) < 0)
		return -EINVAL;
	if (n == 12 || (n > TEXTCODE_8859_MAX && n != TEXTCODE_UTF8))
		return errmsg_fail(error, -EINVAL,
				   "%u is not a code page: 0 is ISO 6937, 1 to "
				   "11 and 13 to 15 are ISO 8859, 21 is UTF-8",
				   n);
	((uint8_t *)s)[f->offset] = (uint8_t)n;
	return 0;
}

const struct field_hook timezone_hook = { .schema = "string",
					  .read = read_timezone };
const struct field_hook country_hook = { .schema = "string",
					 .read = read_country };
const struct field_hook textcode_hook = { .schema = "string",
					  .read = read_textcode };
const char textcode_schema[] =
	"{\"anyOf\": [{\"type\": \"null\"},"
	" {\"type\": \"string\", \"pattern\":"
	" \"^(0*([0-9]|1[01345]|21))?$\"},"
	" {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 21,"
	" \"not\": {\"enum\": [12, 16, 17, 18, 19, 20]}}]}";

/* --- nit_actual --- */

static const char *const types[] = { "", "S", "S2", "C", "T", NULL };
static const char *const modulations[] = { "AUTO", "QPSK", "PSK8", "QAM16",
					   "QAM32", "QAM64", "QAM128",
					   "QAM256", NULL };
static const char *const polarizations[] = { "H", "V", "L", "R", NULL };
static const char *const fecs[] = { "AUTO", "1/2", "2/3", "3/4", "5/6", "7/8",
				    "8/9", "3/5", "4/5", "9/10", NULL };
static const char *const rolloffs[] = { "35", "25", "20", NULL };
static const char *const guards[] = { "1/32", "1/16", "1/8", "1/4", NULL };
static const char *const modes[] = { "2K", "8K", "4K", NULL };
static const char *const hierarchies[] = { "NONE", "1", "2", "4", NULL };
static const char *const lcn_versions[] = { "eacem", "nordig-v1", NULL };

/* The modulations and code rates of each type: a bit for each position in
 * `modulations' and `fecs'. */
static const struct {
	unsigned modulations, fecs;
} allowed[] = {
	[DELIVERY_NONE] = { ~0u, ~0u },
	[DELIVERY_S] = { 1u << MODULATION_AUTO | 1u << MODULATION_QPSK |
			 1u << MODULATION_QAM16, ~0u },
	[DELIVERY_S2] = { 1u << MODULATION_AUTO | 1u << MODULATION_QPSK |
			  1u << MODULATION_PSK8 | 1u << MODULATION_QAM16,
			  ~0u },
	[DELIVERY_C] = { 1u << MODULATION_AUTO | 1u << MODULATION_QAM16 |
			 1u << MODULATION_QAM32 | 1u << MODULATION_QAM64 |
			 1u << MODULATION_QAM128 | 1u << MODULATION_QAM256,
			 ~0u },
	/* without AUTO, because the terrestrial_delivery_system_descriptor has
	 * no code for an unknown value */
	[DELIVERY_T] = { 1u << MODULATION_QPSK | 1u << MODULATION_QAM16 |
			 1u << MODULATION_QAM64, 0x3e },
};

bool position_parse(const char *text, unsigned *ret_tenths, bool *ret_east)
{
	unsigned tenths = 0, digits = 0;

	for (; *text >= '0' && *text <= '9' && digits < 3; text++, digits++)
		tenths = tenths * 10 + (unsigned)(*text - '0');
	tenths *= 10;
	if (*text == '.' && text[1] >= '0' && text[1] <= '9') {
		tenths += (unsigned)(text[1] - '0');
		text += 2;
	}
	if (digits == 0 || tenths > 1800 || (*text != 'E' && *text != 'W') ||
	    text[1] != '\0')
		return false;
	*ret_tenths = tenths;
	*ret_east = *text == 'E';
	return true;
}

/* Checks that the values which the delivery system needs are given, and that
 * its descriptor can hold all values. */
static int judge_delivery(const void *s, struct errmsg *error)
{
	const struct delivery_spec *d = s;
	bool is_satellite = d->type == DELIVERY_S || d->type == DELIVERY_S2;
	unsigned tenths;
	bool east;

	if (d->type == DELIVERY_NONE)
		return 0;
	if (d->frequency == 0)
		return errmsg_fail(error, -EINVAL, "frequency: is missing");
	if (!is_satellite && delivery_khz(d) > 2000000)
		return errmsg_fail(error, -EINVAL, "frequency: %u is not one "
				   "of a %s network, in MHz or kHz",
				   d->frequency, d->type == DELIVERY_C
				   ? "cable" : "terrestrial");
	if (d->type != DELIVERY_T && d->symbolrate == 0)
		return errmsg_fail(error, -EINVAL, "symbolrate: is missing");
	if (is_satellite && !position_parse(d->position, &tenths, &east))
		return errmsg_fail(error, -EINVAL, "position: \"%s\" is not "
				   "one such as 19.2E", d->position);
	if (!(allowed[d->type].modulations >> d->modulation & 1))
		return errmsg_fail(error, -EINVAL, "modulation: type %s has no "
				   "%s", types[d->type],
				   modulations[d->modulation]);
	if (!(allowed[d->type].fecs >> d->fec & 1))
		return errmsg_fail(error, -EINVAL, "fec: type %s has no %s",
				   types[d->type], fecs[d->fec]);
	if (d->bandwidth % 1000 != 0)
		return errmsg_fail(error, -EINVAL, "bandwidth: %u is not 5000, "
				   "6000, 7000 or 8000", d->bandwidth);
	return 0;
}

#define AT(member) FIELD_AT(struct delivery_spec, member), \
		   .flags = FIELD_OBSERVER

static const struct field delivery_rows[] = {
	{ "type", AT(type), .choices = types,
	  .help = "Delivery system: S, S2, C or T." },
	{ "frequency", AT(frequency), .max = 99999999,
	  .help = "Frequency in MHz; values from 100000 on are in kHz." },
	{ "symbolrate", AT(symbolrate), .max = 99999, .unit = "ksymbol/s",
	  .help = "Symbol rate of a satellite or cable." },
	{ "polarization", AT(polarization), .choices = polarizations,
	  .help = "Polarization of a satellite." },
	{ "position", AT(position),
	  .help = "Orbital position of a satellite, as 19.2E." },
	{ "fec", AT(fec), .choices = fecs,
	  .help = "Code rate." },
	{ "modulation", AT(modulation), .choices = modulations,
	  .help = "Modulation." },
	{ "rolloff", AT(rolloff), .choices = rolloffs,
	  .help = "Roll-off of type S2, in percent." },
	{ "bandwidth", AT(bandwidth), .min = 5000, .max = 8000,
	  .initial = 8000, .unit = "kHz",
	  .help = "Bandwidth of type T." },
	{ "guardinterval", AT(guard_interval), .choices = guards,
	  .help = "Guard interval of type T." },
	{ "transmitmode", AT(transmission_mode), .choices = modes,
	  .help = "Carriers of type T." },
	{ "hierarchy", AT(hierarchy), .choices = hierarchies,
	  .help = "Hierarchy of type T." },
	{ "lcn_version", AT(lcn), .choices = lcn_versions,
	  .help = "Form of the logical channel numbers." },
};

const struct field_table delivery_fields =
	FIELD_TABLE(struct delivery_spec, delivery_rows,
		    .flags = FIELD_LOOSE, .judge = judge_delivery);

#undef AT
#define AT(member) FIELD_AT(struct service_spec, member)

static const char *const service_eits[] = { "", "pass", "own", "off", NULL };

static const struct field service_rows[] = {
	{ "pnr", AT(pnr), .min = 1,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Number of the program in the output." },
	{ "lcn", AT(lcn), .max = LCN_MAX, .flags = FIELD_OBSERVER,
	  .help = "Logical channel number in the NIT." },
	{ "type", AT(type), .flags = FIELD_OBSERVER,
	  .help = "Type of the service in SDT, NIT and BAT; 0: that of "
		  "its source." },
	{ "eit", AT(eit), .choices = service_eits, .flags = FIELD_OBSERVER,
	  .help = "EIT of the service, in place of that of the stream." },
	{ "name", AT(name), .flags = FIELD_OBSERVER,
	  .help = "Name of the service in the SDT, also of other streams." },
	{ "provider", AT(provider), .flags = FIELD_OBSERVER,
	  .help = "Provider of the service in the SDT, also of other "
		  "streams." },
};

const struct field_table service_fields =
	FIELD_TABLE(struct service_spec, service_rows, .flags = FIELD_LOOSE);

#undef AT
#define AT(member) FIELD_AT(struct si_intervals, member), \
		   .min = SI_INTERVAL_MIN_MS, .unit = "ms", \
		   .flags = FIELD_OBSERVER

static const struct field interval_rows[] = {
	{ "nit", AT(nit), .max = 10000, .help = "Own NIT; 10 s at most." },
	{ "bat", AT(bat), .max = 10000, .help = "Own BAT; 10 s at most." },
	{ "sdt_other", AT(sdt_other), .max = 10000,
	  .help = "Own SDT other; 10 s at most." },
	{ "eit", AT(eit), .max = 2000,
	  .help = "Own EIT present/following; 2 s at most." },
	{ "eit_other", AT(eit_other), .max = 20000,
	  .help = "Own EIT present/following of other streams; 10 s at most, "
		  "terrestrial 20 s." },
	{ "schedule", AT(schedule), .max = 10000,
	  .help = "Own EIT schedule of the first days; 10 s at most." },
	{ "schedule_later", AT(schedule_later), .max = 30000,
	  .help = "Own EIT schedule of later days; 30 s at most." },
	{ "tdt", AT(tdt), .max = 30000,
	  .help = "Own TDT and TOT; 30 s at most." },
};

const struct field_table si_interval_fields =
	FIELD_TABLE(struct si_intervals, interval_rows, .flags = FIELD_LOOSE);
