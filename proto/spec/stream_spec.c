/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/stream_spec.h"

#include "proto/spec/alarm.h"
#include "proto/spec/field_idle.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a version modulo 32; other programs store larger counters. */
static int read_version(const struct field *f, const char *key,
			const char *text, void *s, struct errmsg *error)
{
	unsigned n;
	int r = option_number(text, strlen(text), 0, INT32_MAX, &n, error);

	(void)key;
	if (r == 0)
		*((uint8_t *)s + f->offset) = (uint8_t)(n % TABLE_VERSIONS);
	return r;
}

static int read_maps(const struct field *f, const char *key, const char *text,
		     void *s, struct errmsg *error)
{
	(void)f, (void)key;
	return remux_maps_read(&((struct stream_spec *)s)->remux, text, error);
}

static int read_name(const struct field *f, const char *key, const char *text,
		     void *s, struct errmsg *error)
{
	size_t len = strlen(text);

	(void)key;
	if (len >= f->size)
		return errmsg_fail(error, -EINVAL, "is longer than %u bytes",
				   f->size - 1);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return errmsg_fail(error, -EINVAL,
					   "has a control byte at %zu", i);
	memcpy((char *)s + f->offset, text, len + 1);
	return 0;
}

static int read_hbbtv_url(const struct field *f, const char *key,
			  const char *text, void *s, struct errmsg *error)
{
	struct stream_spec *spec = s;
	size_t len = strlen(text);

	(void)f, (void)key;
	if (strncmp(text, "http://", 7) != 0 &&
	    strncmp(text, "https://", 8) != 0)
		return errmsg_fail(error, -EINVAL,
				   "\"%.64s\" is not http:// or https://",
				   text);
	if (len > HBBTV_URL_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   HBBTV_URL_MAX);
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return errmsg_fail(error, -EINVAL,
					   "has a byte at %zu that an URL "
					   "cannot have", i);
	memcpy(spec->remux.hbbtv_url, text, len + 1);
	return 0;
}

/* Reads the alarms with which an input is off air: "pcr_frozen, pts_frozen". */
static int read_backup_on(const struct field *f, const char *key,
			  const char *text, void *s, struct errmsg *error)
{
	const alarm_set all = ALARMS_ALL & ~ALARMS_OF_OUTPUTS &
			     ~ALARMS_OF_MASTER;
	struct stream_spec *spec = s;
	alarm_set set = 0;
	char name[32];

	(void)f, (void)key;
	for (size_t len; *text != '\0'; text += len) {
		text += strspn(text, " ,");
		len = strcspn(text, " ,");
		if (len == 0)
			break;
		(void)snprintf(name, sizeof name, "%.*s", (int)len, text);
		enum alarm_id id = alarm_find(name);

		if (id == ALARM_COUNT || !(all >> id & 1))
			return errmsg_fail(error, -EINVAL, "\"%s\" is not an "
					   "alarm of an input", name);
		set |= ALARM_BIT(id);
	}
	spec->backup_on = set;
	return 0;
}

/* Reads the components that are scrambled: "video, audio". */
static int read_components(const struct field *f, const char *key,
			   const char *text, void *s, struct errmsg *error)
{
	static const char *const names[CAS_COMPONENTS] = {
		[CAS_VIDEO] = "video",
		[CAS_AUDIO] = "audio",
		[CAS_SUBTITLE] = "subtitle",
		[CAS_TELETEXT] = "teletext",
		[CAS_OTHER] = "other",
	};
	unsigned set = 0;

	(void)f, (void)key;
	for (size_t len; *text != '\0'; text += len) {
		size_t i = 0;

		text += strspn(text, " ,");
		len = strcspn(text, " ,");
		if (len == 0)
			break;
		while (i < CAS_COMPONENTS && (strlen(names[i]) != len ||
					      strncmp(names[i], text, len)))
			i++;
		if (i == CAS_COMPONENTS)
			return errmsg_fail(error, -EINVAL, "\"%.32s\" is not "
					   "video, audio, subtitle, teletext "
					   "or other", text);
		set |= 1u << i;
	}
	((struct stream_spec *)s)->cas_components = set;
	return 0;
}

static int read_filler(const struct field *f, const char *key,
		       const char *text, void *s, struct errmsg *error)
{
	struct stream_spec *spec = s;
	const char *path = option_path(text);
	size_t len;

	(void)f, (void)key;
	if (strcmp(text, "true") == 0 || strcmp(text, "still") == 0) {
		spec->filler = FILLER_STILL;
		return 0;
	}
	if (strcmp(text, "false") == 0) {
		spec->filler = FILLER_NONE;
		return 0;
	}
	if (path == NULL)
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is not "
				   "\"still\" or the path of a file", text);
	len = strlen(path);
	if (len >= FILLER_PATH_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   FILLER_PATH_MAX - 1);
	memcpy(spec->filler_path, path, len + 1);
	spec->filler = FILLER_FILE;
	return 0;
}

static const char *const backup_types[] = {
	[BACKUP_ACTIVE] = "active",
	[BACKUP_STOP] = "stop",
	[BACKUP_PASSIVE] = "passive",
	[BACKUP_DISABLE] = "disable",
	NULL,
};

#define HOOK(name) \
	static const struct field_hook name##_hook = { \
		.schema = "string", .read = read_##name, \
	}
HOOK(maps);
HOOK(name);
HOOK(hbbtv_url);
HOOK(backup_on);
HOOK(components);
HOOK(filler);
static const struct field_hook version_hook = { .schema = "integer",
						.read = read_version };

static const char *const pid_modes[] = { "map", "keep", NULL };

#define AT(member) FIELD_AT(struct stream_spec, member)
#define BY(hook, member) FIELD_BY(&hook, struct stream_spec, member)
#define SPAN(hook, first, last) \
	FIELD_BY_SPAN(&hook, struct stream_spec, first, last)
#define DELAY(member) \
	FIELD_AT(struct stream_spec, member), .min = 0, \
	.max = BACKUP_DELAY_MAX_S, .initial = BACKUP_DELAY_DEFAULT, \
	.unit = "s"

static const struct field nit_other_item = {
	.type = FIELD_STRING, .size = sizeof(char *),
};

/* Items of needs_or and beside_or (field.h). */
#define IS(key_, word_) { .key = (key_), .word = (word_) }
#define OWN_EIT \
	IS("eit", "own"), { .key = "sdt", .word = "own", .member = "eit" }
#define OWN_EIT_OTHER IS("eit_other", "present"), IS("eit_other", "all")
static const struct field_need or_bat[] = { IS("bat", "own"), { 0 } };
static const struct field_need or_bat_or_eit[] = {
	IS("bat", "own"), OWN_EIT, { 0 },
};
static const struct field_need or_bat_or_eit_of_a_service[] = {
	IS("bat", "own"), { .key = "sdt", .member = "eit" }, { 0 },
};
static const struct field_need or_bat_or_others[] = {
	IS("bat", "own"), IS("sdt_other", NULL), OWN_EIT_OTHER, { 0 },
};
static const struct field_need or_eit_of_others[] = {
	{ .key = "sdt", .word = "own", .member = "eit" }, OWN_EIT_OTHER, { 0 },
};
static const struct field_need or_any_eit[] = {
	OWN_EIT, OWN_EIT_OTHER, { 0 },
};
static const struct field_need or_any_table[] = {
	IS("bat", "own"), IS("sdt_other", NULL), OWN_EIT, OWN_EIT_OTHER,
	IS("tdt", "own"), { 0 },
};
/* In a stream of one input the delays decide when the filler replaces the
 * input; with backup_type "stop" they decide when nothing is sent. */
static const struct field_need or_stop[] = { IS("backup_type", "stop"),
					     { 0 } };
#define SINGLE_NEEDS_FILLER \
	.needs = "filler", .needs_or = or_stop, .needs_in = WHERE_SINGLE
static const struct field_need beside_manual[] = {
	IS("backup_type", "disable"), { 0 },
};
static const struct field_need beside_no_return[] = {
	IS("backup_type", "passive"), IS("backup_type", "disable"), { 0 },
};
#define NEEDS_OWN(table, ...) \
	.needs = (table), .needs_word = "own", __VA_ARGS__
#define OWN_NIT_OR_BAT NEEDS_OWN("nit", .needs_or = or_bat)
static const struct field option_rows[] = {
	{ "map", SPAN(maps_hook, remux.n_maps, remux.maps),
	  .flags = FIELD_COMMAS | FIELD_OBSERVER, .idle_in = WHERE_MUX,
	  .help = "PIDs of the output: \"pmt=100, video=101\"." },
	{ "filter", BY(remux_pids_hook, remux.drop),
	  .flags = FIELD_COMMAS | FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "PIDs to drop, separated by commas." },
	{ "filter~", BY(remux_pids_hook, remux.keep),
	  .flags = FIELD_COMMAS | FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "PIDs to keep, separated by commas; others are dropped." },
	{ "set_pnr", AT(remux.set_pnr), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Number of the program in the output." },
	{ "set_tsid", AT(remux.set_tsid), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Identifier of the transport stream in the output." },
	{ "service_name", BY(name_hook, remux.service_name),
	  .flags = FIELD_OBSERVER,
	  .help = "Name of the service in the SDT." },
	{ "service_provider", BY(name_hook, remux.service_provider),
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Provider of the service in the SDT." },
	{ "service_type", AT(remux.service_type),
	  .flags = FIELD_OBSERVER,
	  .help = "Type of the service in the SDT; 0: as in the source." },
	{ "textcode", BY(textcode_hook, remux.textcode),
	  .schema = textcode_schema,
	  .flags = FIELD_OBSERVER,
	  .help = "Code page of texts: 0 ISO 6937, 1 to 11 and 13 to 15 ISO "
		  "8859, 21 UTF-8." },
	{ "hbbtv_url", BY(hbbtv_url_hook, remux.hbbtv_url),
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Address of the HbbTV application that the AIT names." },
	{ "descriptors", FIELD_ITEMS(struct stream_spec, remux.edits,
				     remux.n_edits),
	  .of = &desc_edit_fields, .flags = FIELD_OBSERVER,
	  .help = "Descriptors to add, replace or remove in PMT, SDT, NIT and "
		  "BAT." },
	{ "cue_pid", AT(remux.cue_pid), .min = 32, .max = 8190,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "PID of the splice commands (SCTE 35) of the command cue." },
	{ "backup_type", AT(backup), .choices = backup_types,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX,
	  .help = "Which inputs are open while another one is on air." },
	{ "backup_start_delay", DELAY(backup_start_delay_s),
	  .flags = FIELD_SETTING | FIELD_OBSERVER,
	  .idle_in = WHERE_MUX, SINGLE_NEEDS_FILLER,
	  .help = "Time without the active input until the next one is used." },
	{ "backup_return_delay", DELAY(backup_return_delay_s),
	  .flags = FIELD_SETTING | FIELD_OBSERVER,
	  .idle_in = WHERE_MUX | WHERE_SINGLE, .beside_or = beside_manual,
	  .help = "Time that an earlier input is on air before its return." },
	{ "backup_force_return", AT(backup_force_return), .initial = true,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX | WHERE_SINGLE, .beside_or = beside_no_return,
	  .help = "Whether the stream returns to an earlier input." },
	{ "backup_initial_delay", DELAY(backup_initial_delay_s),
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX, SINGLE_NEEDS_FILLER,
	  .help = "Time after the start until a backup may replace input 1." },
	{ "backup_damping", DELAY(backup_damping_s),
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_MUX | WHERE_SINGLE, .beside_or = beside_manual,
	  .help = "Half-life of the penalty of an input that fails often." },
	{ "backup_on", BY(backup_on_hook, backup_on),
	  .flags = FIELD_COMMAS | FIELD_OBSERVER,
	  .help = "Alarms with which an input is off air." },
	{ "cas_components", BY(components_hook, cas_components),
	  .flags = FIELD_COMMAS | FIELD_OBSERVER,
	  .needs = "cas_list",
	  .help = "What cas_list scrambles: video, audio, subtitle, "
		  "teletext, other; all if absent." },
	{ "filler", SPAN(filler_hook, filler, filler_path),
	  .flags = FIELD_OBSERVER,
	  .help = "Sent while no input is on air: \"still\" or the "
		  "path of a file." },
	{ "nit", AT(tables.nit), .choices = table_origins,
	  .flags = FIELD_OBSERVER,
	  .help = "NIT: that of the source, an own one, or none." },
	{ "network_id", AT(tables.network_id), .min = 1, .initial = 1,
	  .flags = FIELD_OBSERVER, .needs = "nit", .needs_word = "own",
	  .help = "Identifier of the network in the own NIT." },
	{ "network_name", BY(name_hook, tables.network_name),
	  .flags = FIELD_OBSERVER, .needs = "nit", .needs_word = "own",
	  .help = "Name of the network in the own NIT." },
	{ "onid", AT(tables.onid), .min = 1,
	  .flags = FIELD_OBSERVER | FIELD_SHARED,
	  NEEDS_OWN("nit", .needs_or = or_bat_or_eit),
	  .help = "Original network in own NIT; that of the SDT if absent." },
	{ "nit_actual",
	  FIELD_IN(struct stream_spec, tables.delivery, &delivery_fields),
	  .flags = FIELD_OBSERVER | FIELD_SHARED, OWN_NIT_OR_BAT,
	  .help = "Parameters of reception of the stream, for the own NIT." },
	{ "nit_other", FIELD_ITEMS(struct stream_spec, tables.others,
				   tables.n_others),
	  .item = &nit_other_item, .flags = FIELD_OBSERVER,
	  NEEDS_OWN("nit", .needs_or = or_bat_or_others),
	  .help = "Ids of other streams that the own NIT lists, too." },
	{ "sdt", FIELD_ITEMS(struct stream_spec, tables.services,
			     tables.n_services), .of = &service_fields,
	  .flags = FIELD_OBSERVER | FIELD_SHARED,
	  NEEDS_OWN("nit", .needs_or = or_bat_or_eit_of_a_service),
	  .help = "Services of the stream, for own NIT and EIT." },
	{ "private_data_specifier", AT(tables.private_data_specifier),
	  .flags = FIELD_OBSERVER | FIELD_SHARED, OWN_NIT_OR_BAT,
	  .help = "In front of the logical channel numbers; 0: that of "
		  "lcn_version." },
	{ "si", FIELD_ITEMS(struct stream_spec, tables.si, tables.n_si),
	  .of = &si_section_fields, .flags = FIELD_OBSERVER,
	  .help = "Sections that are sent as they are." },
	{ "si_interval", AT(tables.interval_ms), .min = SI_INTERVAL_MIN_MS,
	  .max = SI_INTERVAL_MAX_MS, .unit = "ms",
	  .flags = FIELD_OBSERVER,
	  OWN_NIT_OR_BAT,
	  .help = "Longest time between own NITs or BATs; 10 s if absent." },
	{ "si_profile", AT(tables.profile), .choices = si_profiles,
	  .flags = FIELD_OBSERVER,
	  NEEDS_OWN("nit", .needs_or = or_any_table),
	  .help = "Network for which own tables are repeated." },
	{ "si_intervals", FIELD_IN(struct stream_spec, tables.intervals,
				   &si_interval_fields),
	  .flags = FIELD_OBSERVER,
	  NEEDS_OWN("nit", .needs_or = or_any_table),
	  .help = "Shorter times than those of si_profile." },
	{ "sdt_other", AT(tables.sdt_other), .flags = FIELD_OBSERVER,
	  .needs = "nit_other", .idle_text = "only drops that of the source",
	  .help = "Whether an own SDT other lists the services of "
		  "nit_other." },
	{ "eit", AT(tables.eit), .choices = table_origins,
	  .flags = FIELD_OBSERVER,
	  .help = "EIT: that of the source, an own one from the guide, or "
		  "none." },
	{ "eit_other", AT(tables.eit_other), .choices = eit_other_words,
	  .flags = FIELD_OBSERVER,
	  .needs = "nit_other", .idle_text = "only drops those of the source",
	  .help = "EIT other: that of the source, or own ones of the events "
		  "of nit_other: present and following, or all." },
	{ "eit_rate", AT(tables.eit_rate_kbps), .min = EIT_RATE_MIN_KBPS,
	  .max = EIT_RATE_MAX_KBPS, .initial = EIT_RATE_KBPS,
	  .flags = FIELD_OBSERVER, .unit = "kbit/s",
	  NEEDS_OWN("eit", .needs_or = or_eit_of_others),
	  .help = "Highest rate of all own EIT; a low rate slows the "
		  "schedule." },
	{ "bat", AT(tables.bat), .choices = table_origins,
	  .flags = FIELD_OBSERVER,
	  .help = "BAT: those of the source, an own one, or none." },
	{ "bouquet_id", AT(tables.bouquet_id), .min = 1, .initial = 1,
	  .flags = FIELD_OBSERVER, .needs = "bat", .needs_word = "own",
	  .help = "Identifier of the bouquet in the own BAT." },
	{ "bouquet_name", BY(name_hook, tables.bouquet_name),
	  .flags = FIELD_OBSERVER, .needs = "bat", .needs_word = "own",
	  .help = "Name of the bouquet in the own BAT." },
	{ "tdt", AT(tables.tdt), .choices = table_origins,
	  .flags = FIELD_OBSERVER,
	  .help = "TDT and TOT: those of the source, own ones, or none." },
	{ "timezone", BY(timezone_hook, tables.timezone),
	  .flags = FIELD_OBSERVER, .needs = "tdt", .needs_word = "own",
	  .help = "Time zone of the own TOT, as Europe/Berlin." },
	{ "country", BY(country_hook, tables.country),
	  .flags = FIELD_OBSERVER,
	  NEEDS_OWN("tdt", .needs_or = or_any_eit),
	  .help = "Country of the own TOT and of ratings in own EIT, as DEU; "
		  "in the TOT that of the time zone if absent." },
	{ "offset", AT(tables.offset_min), .min = OFFSET_MIN_MIN,
	  .max = OFFSET_MAX_MIN, .initial = OFFSET_ABSENT, .unit = "min",
	  .flags = FIELD_OBSERVER, .needs = "tdt", .needs_word = "own",
	  .help = "Fixed offset of the own TOT, in place of the time zone." },
	{ "clock_lost", AT(tables.clock_lost), .choices = clock_lost_words,
	  .flags = FIELD_OBSERVER,
	  NEEDS_OWN("tdt", .needs_in = WHERE_SPTS | WHERE_RELAY),
	  .help = "Own TDT and TOT while the system clock is not "
		  "synchronised: kept, stopped, or those of the source." },
	{ "bitrate", AT(mux_kbps), .min = CBR_MIN_KBPS, .max = CBR_MAX_KBPS,
	  .flags = FIELD_OBSERVER, .unit = "kbit/s",
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "Constant rate of an mpts of several inputs." },
	{ "mux_delay", AT(mux_delay_ms), .min = MUX_DELAY_MIN_MS,
	  .max = MUX_DELAY_MAX_MS, .initial = MUX_DELAY_MS,
	  .flags = FIELD_OBSERVER, .unit = "ms",
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "Delay of the packets of an mpts, from receiving to "
		  "sending." },
	{ "pid_mode", AT(pid_mode), .choices = pid_modes,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "PIDs and service numbers of an mpts: those of the block "
		  "of each input, or as far as possible of the source." },
	{ "tsid", AT(tsid), .min = 1, .initial = 1,
	  .flags = FIELD_OBSERVER,
	  .idle_in = WHERE_SPTS | WHERE_RELAY,
	  .help = "Identifier of the transport stream of an mpts." },
	{ "cc_limit", AT(cc_limit), .max = CC_LIMIT_MAX,
	  .flags = FIELD_SETTING | FIELD_OBSERVER, .unit = "errors/s",
	  .help = "Continuity errors a second that take an input off air." },
};

#define VERSION(table, name) \
	{ #table "_version", BY(version_hook, table##_version), \
	  .flags = FIELD_OBSERVER, \
	  .help = "Where the version number of the " name " continues." }

static const struct field version_rows[] = {
	VERSION(pat, "PAT"), VERSION(pmt, "PMT"), VERSION(cat, "CAT"),
	VERSION(sdt, "SDT"), VERSION(nit, "NIT"),
};

const struct field_table stream_option_fields =
	FIELD_TABLE(struct stream_spec, option_rows, .flags = FIELD_LOOSE);
const struct field_table stream_version_fields =
	FIELD_TABLE(struct stream_spec, version_rows, .flags = FIELD_LOOSE);

void stream_spec_init(struct stream_spec *s)
{
	*s = (struct stream_spec){ 0 };
	field_init(&stream_option_fields, s);
}

int stream_spec_parse(const json_t *stream, struct stream_spec *ret,
		      struct errmsg *error)
{
	int r, versions;

	stream_spec_init(ret);
	r = field_read(&stream_option_fields, stream, ret, error);
	versions = field_read(&stream_version_fields, stream, ret,
			      r == 0 ? error : NULL);
	return r < 0 ? r : versions;
}

uint16_t stream_spec_tsid(const struct stream_spec *s)
{
	return s->mux_kbps != 0 ? s->tsid : s->remux.set_tsid;
}

bool stream_spec_service(const struct stream_spec *s, size_t place,
			 struct listed_service *ret)
{
	static const struct remux_options none;
	size_t n = s->tables.n_services;
	/* service_name and the like are the names of the only service */
	const struct remux_options *o = n <= 1 ? &s->remux : &none;
	const struct service_spec *e;

	if (place >= n && (n > 0 || place > 0 || o->set_pnr == 0))
		return false;
	*ret = (struct listed_service){
		.pnr = o->set_pnr,
		.type = o->service_type,
		.name = o->service_name,
		.provider = o->service_provider,
	};
	if (n > 0) {
		e = &s->tables.services[place];
		ret->pnr = e->pnr;
		ret->lcn = e->lcn;
		ret->type = e->type != 0 ? e->type : ret->type;
		ret->name = e->name[0] != '\0' ? e->name : ret->name;
		ret->provider = e->provider[0] != '\0' ? e->provider
							: ret->provider;
	}
	if (ret->type == 0)
		ret->type = SERVICE_TYPE_TV;
	return true;
}

bool stream_spec_has_clock(const json_t *stream)
{
	const char *tdt = json_string_value(json_object_get(stream, "tdt"));

	return tdt != NULL && strcmp(tdt, table_origins[ORIGIN_OWN]) == 0;
}

static void pick(json_t *into, const struct field_table *t,
		 const json_t *stream)
{
	for (size_t i = 0; i < t->n; i++) {
		json_t *value = json_object_get(stream, t->rows[i].key);

		if (value != NULL && !json_is_null(value) &&
		    json_object_set(into, t->rows[i].key, value) < 0)
			abort();
	}
}

json_t *stream_spec_pick(const json_t *stream)
{
	json_t *picked = json_object();

	if (picked == NULL)
		abort();
	pick(picked, &stream_option_fields, stream);
	pick(picked, &stream_version_fields, stream);
	return picked;
}

/* False for null and "", which count as if the key were absent. */
static bool is_given(const json_t *value)
{
	return value != NULL && !json_is_null(value) &&
	       (!json_is_string(value) || json_string_length(value) > 0);
}

void stream_spec_add_defaults(json_t *options, const json_t *settings)
{
	for (size_t i = 0; i < ARRAY_LEN(option_rows); i++) {
		const char *key = option_rows[i].key;
		json_t *value = json_object_get(settings, key);

		if (option_rows[i].flags & FIELD_SETTING && is_given(value) &&
		    !is_given(json_object_get(options, key)) &&
		    json_object_set(options, key, value) < 0)
			abort();
	}
}

bool stream_spec_is_same(const json_t *a, const json_t *b, unsigned where)
{
	for (size_t i = 0; i < ARRAY_LEN(option_rows); i++) {
		const struct field *f = &option_rows[i];
		const json_t *x = json_object_get(a, f->key);
		const json_t *y = json_object_get(b, f->key);

		if (x != y && !json_equal(x, y) &&
		    (!(f->flags & FIELD_SETTING) ||
		     !field_does_nothing(f, b, where)))
			return false;
	}
	return true;
}
