/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/stream_spec.h"

#include "proto/spec/alarm.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* the longest text that has a meaning: a list of PIDs */
	TEXT_MAX = 4096,
	TEXTCODE_UTF8 = 21,
	TEXTCODE_8859_MAX = 15,
};

static const char *const keys[] = {
	"map", "filter", "filter~", "set_pnr", "set_tsid", "service_name",
	"service_provider", "service_type", "textcode", "hbbtv_url",
	"backup_type", "backup_start_delay", "backup_return_delay",
	"backup_force_return", "backup_initial_delay", "backup_damping",
	"backup_on", "filler", "cc_limit", "pat_version", "pmt_version",
	"cat_version", "sdt_version", "nit_version",
};

/* The counters of versions stand at the end. */
enum { N_OPTION_KEYS = ARRAY_LEN(keys) - 5 };

typedef int read_fn(struct stream_spec *, const char *text,
		    struct errmsg *why);

static int read_id(const char *text, uint16_t *ret, struct errmsg *why)
{
	unsigned n;
	int r = option_number(text, strlen(text), 1, UINT16_MAX, &n, why);

	if (r == 0)
		*ret = (uint16_t)n;
	return r;
}

static int read_delay(const char *text, int *ret, struct errmsg *why)
{
	unsigned n;
	int r = option_number(text, strlen(text), 0, BACKUP_DELAY_MAX_S, &n,
			      why);

	if (r == 0)
		*ret = (int)n;
	return r;
}

static int read_byte(const char *text, unsigned max, uint8_t *ret,
		     struct errmsg *why)
{
	unsigned n;
	int r = option_number(text, strlen(text), 0, max, &n, why);

	if (r == 0)
		*ret = (uint8_t)n;
	return r;
}

/* The counters of a configuration are modulo 32; others may not be. */
static int read_version(const char *text, uint8_t *ret, struct errmsg *why)
{
	unsigned n;
	int r = option_number(text, strlen(text), 0, INT32_MAX, &n, why);

	if (r == 0)
		*ret = (uint8_t)(n % TABLE_VERSIONS);
	return r;
}

static int read_name(const char *text, char ret[SERVICE_TEXT_MAX + 1],
		     struct errmsg *why)
{
	size_t len = strlen(text);

	if (len > SERVICE_TEXT_MAX)
		return errmsg_fail(why, -EINVAL, "is longer than %d bytes",
				   SERVICE_TEXT_MAX);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return errmsg_fail(why, -EINVAL,
					   "has a control byte at %zu", i);
	memcpy(ret, text, len + 1);
	return 0;
}

static int read_map(struct stream_spec *s, const char *text,
		    struct errmsg *why)
{
	return remux_maps_read(&s->remux, text, why);
}

static int read_filter(struct stream_spec *s, const char *text,
		       struct errmsg *why)
{
	return pid_set_read(&s->remux.drop, text, why);
}

static int read_keep(struct stream_spec *s, const char *text,
		     struct errmsg *why)
{
	return pid_set_read(&s->remux.keep, text, why);
}

static int read_set_pnr(struct stream_spec *s, const char *text,
			struct errmsg *why)
{
	return read_id(text, &s->remux.set_pnr, why);
}

static int read_set_tsid(struct stream_spec *s, const char *text,
			 struct errmsg *why)
{
	return read_id(text, &s->remux.set_tsid, why);
}

static int read_service_name(struct stream_spec *s, const char *text,
			     struct errmsg *why)
{
	return read_name(text, s->remux.service_name, why);
}

static int read_service_provider(struct stream_spec *s, const char *text,
				 struct errmsg *why)
{
	return read_name(text, s->remux.service_provider, why);
}

static int read_service_type(struct stream_spec *s, const char *text,
			     struct errmsg *why)
{
	return read_byte(text, UINT8_MAX, &s->remux.service_type, why);
}

/* ISO 8859-12 does not exist. */
static int read_textcode(struct stream_spec *s, const char *text,
			 struct errmsg *why)
{
	uint8_t n = 0;

	if (read_byte(text, TEXTCODE_UTF8, &n, why) < 0)
		return -EINVAL;
	if (n == 12 || (n > TEXTCODE_8859_MAX && n != TEXTCODE_UTF8))
		return errmsg_fail(why, -EINVAL,
				   "%u is not a code page: 0 is ISO 6937, 1 "
				   "to 15 is ISO 8859, 21 is UTF-8", n);
	s->remux.textcode = n;
	return 0;
}

static int read_hbbtv_url(struct stream_spec *s, const char *text,
			  struct errmsg *why)
{
	size_t len = strlen(text);

	if (strncmp(text, "http://", 7) != 0 &&
	    strncmp(text, "https://", 8) != 0)
		return errmsg_fail(why, -EINVAL,
				   "\"%.64s\" is not http:// or https://",
				   text);
	if (len > HBBTV_URL_MAX)
		return errmsg_fail(why, -EINVAL, "is longer than %d bytes",
				   HBBTV_URL_MAX);
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return errmsg_fail(why, -EINVAL,
					   "has a byte at %zu that an URL "
					   "cannot have", i);
	memcpy(s->remux.hbbtv_url, text, len + 1);
	return 0;
}

static int read_backup_type(struct stream_spec *s, const char *text,
			    struct errmsg *why)
{
	static const char *const words[] = {
		[BACKUP_ACTIVE] = "active",
		[BACKUP_STOP] = "stop",
		[BACKUP_PASSIVE] = "passive",
		[BACKUP_DISABLE] = "disable",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(words[i], text) != 0)
			continue;
		s->backup = (enum backup_type)i;
		return 0;
	}
	return errmsg_fail(why, -EINVAL, "\"%.32s\" is not active, stop, "
			   "passive or disable", text);
}

static int read_start_delay(struct stream_spec *s, const char *text,
			    struct errmsg *why)
{
	return read_delay(text, &s->backup_start_delay_s, why);
}

static int read_return_delay(struct stream_spec *s, const char *text,
			     struct errmsg *why)
{
	return read_delay(text, &s->backup_return_delay_s, why);
}

static int read_initial_delay(struct stream_spec *s, const char *text,
			      struct errmsg *why)
{
	return read_delay(text, &s->backup_initial_delay_s, why);
}

static int read_damping(struct stream_spec *s, const char *text,
			struct errmsg *why)
{
	return read_delay(text, &s->backup_damping_s, why);
}

static int read_force_return(struct stream_spec *s, const char *text,
			     struct errmsg *why)
{
	return option_flag(text, &s->backup_force_return, why);
}

/* "pcr_frozen, pts_frozen" */
static int read_backup_on(struct stream_spec *s, const char *text,
			  struct errmsg *why)
{
	const uint32_t all = ALARMS_ALL & ~ALARMS_OF_OUTPUTS &
			     ~ALARMS_OF_MASTER;
	uint32_t set = 0;
	char name[32];

	for (size_t len; *text != '\0'; text += len) {
		text += strspn(text, " ,");
		len = strcspn(text, " ,");
		if (len == 0)
			break;
		(void)snprintf(name, sizeof name, "%.*s", (int)len, text);
		enum alarm_id id = alarm_find(name);

		if (id == ALARM_COUNT || !(all >> id & 1))
			return errmsg_fail(why, -EINVAL, "\"%s\" is not an "
					   "alarm of an input", name);
		set |= UINT32_C(1) << id;
	}
	s->backup_on = set;
	return 0;
}

static int read_filler(struct stream_spec *s, const char *text,
		       struct errmsg *why)
{
	const char *path = text;
	size_t len;

	if (strcmp(text, "true") == 0 || strcmp(text, "still") == 0) {
		s->filler = FILLER_STILL;
		return 0;
	}
	if (strcmp(text, "false") == 0) {
		s->filler = FILLER_NONE;
		return 0;
	}
	if (strncmp(text, "file://", 7) == 0)
		path += 7;
	len = strlen(path);
	if (path[0] != '/')
		return errmsg_fail(why, -EINVAL, "\"%.64s\" is not \"still\" "
				   "or the path of a file", text);
	if (len >= FILLER_PATH_MAX)
		return errmsg_fail(why, -EINVAL, "is longer than %d bytes",
				   FILLER_PATH_MAX - 1);
	memcpy(s->filler_path, path, len + 1);
	s->filler = FILLER_FILE;
	return 0;
}

static int read_cc_limit(struct stream_spec *s, const char *text,
			 struct errmsg *why)
{
	return option_number(text, strlen(text), 0, CC_LIMIT_MAX, &s->cc_limit,
			     why);
}

static int read_pat_version(struct stream_spec *s, const char *text,
			    struct errmsg *why)
{
	return read_version(text, &s->pat_version, why);
}

static int read_pmt_version(struct stream_spec *s, const char *text,
			    struct errmsg *why)
{
	return read_version(text, &s->pmt_version, why);
}

static int read_cat_version(struct stream_spec *s, const char *text,
			    struct errmsg *why)
{
	return read_version(text, &s->cat_version, why);
}

static int read_sdt_version(struct stream_spec *s, const char *text,
			    struct errmsg *why)
{
	return read_version(text, &s->sdt_version, why);
}

static int read_nit_version(struct stream_spec *s, const char *text,
			    struct errmsg *why)
{
	return read_version(text, &s->nit_version, why);
}

static read_fn *const readers[] = {
	read_map, read_filter, read_keep, read_set_pnr, read_set_tsid,
	read_service_name, read_service_provider, read_service_type,
	read_textcode, read_hbbtv_url, read_backup_type, read_start_delay,
	read_return_delay, read_force_return, read_initial_delay, read_damping,
	read_backup_on, read_filler, read_cc_limit, read_pat_version,
	read_pmt_version, read_cat_version, read_sdt_version,
	read_nit_version,
};

_Static_assert(ARRAY_LEN(readers) == ARRAY_LEN(keys), "a key without reader");

size_t stream_spec_keys(const char *const **ret)
{
	*ret = keys;
	return N_OPTION_KEYS;
}

void stream_spec_init(struct stream_spec *s)
{
	*s = (struct stream_spec){
		.backup_start_delay_s = BACKUP_DELAY_DEFAULT,
		.backup_return_delay_s = BACKUP_DELAY_DEFAULT,
		.backup_initial_delay_s = BACKUP_DELAY_DEFAULT,
		.backup_damping_s = BACKUP_DELAY_DEFAULT,
		.backup_force_return = true,
	};
}

/* The value as text; false when it is none that can be written so. */
static bool format_value(const json_t *value, char text[TEXT_MAX])
{
	int len = 0;

	if (json_is_integer(value))
		len = snprintf(text, TEXT_MAX, "%lld",
			       (long long)json_integer_value(value));
	else if (json_is_boolean(value))
		len = snprintf(text, TEXT_MAX, "%s",
			       json_is_true(value) ? "true" : "false");
	else if (json_is_string(value) &&
		 json_string_length(value) == strlen(json_string_value(value)))
		len = snprintf(text, TEXT_MAX, "%s", json_string_value(value));
	else
		return false;
	return len < TEXT_MAX;
}

/* A list is the same as its items with commas between them. */
static bool format_list(const json_t *list, char text[TEXT_MAX])
{
	char item_text[TEXT_MAX];
	const json_t *item;
	size_t i, len = 0;

	text[0] = '\0';
	json_array_foreach((json_t *)list, i, item) {
		if (!format_value(item, item_text) ||
		    len + strlen(item_text) + 2 > TEXT_MAX)
			return false;
		len += (size_t)snprintf(text + len, TEXT_MAX - len, "%s%s",
					i > 0 ? "," : "", item_text);
	}
	return true;
}

static bool takes_lists(read_fn *reader)
{
	return reader == read_map || reader == read_filter ||
	       reader == read_keep;
}

static int read_with(struct stream_spec *s, read_fn *reader,
		     const json_t *value, struct errmsg *why)
{
	char text[TEXT_MAX];
	bool ok;

	if (value == NULL || json_is_null(value))
		return 0;
	if (json_is_array(value) && takes_lists(reader))
		ok = format_list(value, text);
	else
		ok = format_value(value, text);
	if (!ok)
		return errmsg_fail(why, -EINVAL,
				   "is not text or a number, or too long");
	if (text[0] == '\0')
		return 0;
	return reader(s, text, why);
}

int stream_spec_read(struct stream_spec *s, const char *key,
		     const json_t *value, struct errmsg *why)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(keys[i], key) == 0)
			return read_with(s, readers[i], value, why);
	return errmsg_fail(why, -EINVAL, "is not read");
}

int stream_spec_parse(const json_t *stream, struct stream_spec *ret,
		      struct errmsg *why)
{
	int first = 0;

	stream_spec_init(ret);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		int r = read_with(ret, readers[i],
				  json_object_get(stream, keys[i]),
				  first == 0 ? why : NULL);

		if (r < 0 && first == 0) {
			errmsg_prefix(why, "%s: ", keys[i]);
			first = r;
		}
	}
	return first;
}

json_t *stream_spec_pick(const json_t *stream)
{
	json_t *picked = json_object();

	if (picked == NULL)
		abort();
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *value = json_object_get(stream, keys[i]);

		if (value != NULL && !json_is_null(value) &&
		    json_object_set(picked, keys[i], value) < 0)
			abort();
	}
	return picked;
}

size_t stream_spec_default_keys(const char *const **ret)
{
	static const char *const of_settings[] = {
		"backup_start_delay", "backup_return_delay", "cc_limit",
	};

	*ret = of_settings;
	return ARRAY_LEN(of_settings);
}

/* As read_with(): null and "" are as if it were absent. */
static bool is_given(const json_t *value)
{
	return value != NULL && !json_is_null(value) &&
	       (!json_is_string(value) || json_string_length(value) > 0);
}

void stream_spec_add_defaults(json_t *options, const json_t *settings)
{
	const char *const *names;
	size_t n = stream_spec_default_keys(&names);

	for (size_t i = 0; i < n; i++) {
		json_t *value = json_object_get(settings, names[i]);

		if (is_given(value) &&
		    !is_given(json_object_get(options, names[i])) &&
		    json_object_set(options, names[i], value) < 0)
			abort();
	}
}

bool stream_spec_is_same(const json_t *a, const json_t *b)
{
	for (size_t i = 0; i < N_OPTION_KEYS; i++) {
		const json_t *x = json_object_get(a, keys[i]);
		const json_t *y = json_object_get(b, keys[i]);

		if ((x == NULL) != (y == NULL) ||
		    (x != NULL && !json_equal(x, y)))
			return false;
	}
	return true;
}
