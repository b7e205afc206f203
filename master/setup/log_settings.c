/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/log_settings.h"

#include "master/setup/options.h"

#include <stdio.h>
#include <string.h>

enum { MIB = 1024 * 1024, SIZE_MAX_MIB = 1024 * 1024 };

void log_settings_start(const struct options *o, struct log_settings *ret)
{
	*ret = (struct log_settings){
		.debug = o->debug,
		.to_stdout = !o->no_stdout,
		.max_file_size = (uint64_t)LOG_FILE_SIZE_DEFAULT_MIB * MIB,
	};
	if (o->log_file != NULL)
		(void)snprintf(ret->filename, sizeof ret->filename, "%s",
			       o->log_file);
	if (o->syslog != NULL)
		(void)snprintf(ret->syslog, sizeof ret->syslog, "%s",
			       o->syslog);
}

static bool read_bool(const json_t *section, const char *key, bool start)
{
	const json_t *value = json_object_get(section, key);

	return json_is_boolean(value) ? json_is_true(value) : start;
}

/* Reads a text; one that is too long leaves the value as it is. */
static void read_text(const json_t *section, const char *key, char *text,
		      size_t size)
{
	const char *value = json_string_value(json_object_get(section, key));

	if (value != NULL && strlen(value) < size)
		(void)snprintf(text, size, "%s", value);
}

void log_settings_read(const json_t *section, const struct log_settings *start,
		       struct log_settings *ret)
{
	const json_t *size = json_object_get(section, "max_file_size");
	double mib = json_number_value(size);

	*ret = *start;
	ret->debug = read_bool(section, "debug", start->debug);
	ret->to_stdout = read_bool(section, "stdout", start->to_stdout);
	ret->api_access = read_bool(section, "api_access", start->api_access);
	read_text(section, "filename", ret->filename, sizeof ret->filename);
	read_text(section, "syslog", ret->syslog, sizeof ret->syslog);
	if (json_is_number(size))
		ret->max_file_size = (uint64_t)(MAX(0., MIN(mib, (double)
							SIZE_MAX_MIB)) * MIB);
}
