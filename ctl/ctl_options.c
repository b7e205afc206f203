/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ctl_options.h"

#include "common/base/address.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum {
	TIMEOUT_MAX_S = 3600,
	COUNT_MAX = 1000 * 1000 * 1000,
	/* for a long option getopt returns this plus the index of its row */
	FIRST_ROW = 256,
};

const char *const options_scopes[] = {
	"adapter_event", "adapter_status_update", "alarm", "cam_event",
	"cue_event", "epg_event", "log", "log_event", "post-output-group",
	"session_event", "set-adapter",
	"set-auth", "set-cas", "set-category", "set-config", "set-server",
	"set-settings", "set-softcam", "set-stream", "set-user",
	"softcam_event", "stream_event", "stream_image", "stream_switch",
	NULL,
};

/* The scopes that are x-reserved in doc/asyncapi.yaml. */
static const char *const reserved_scopes[] = {
	"sysinfo", NULL,
};

enum kind {
	GIVEN,  /* only sets its bit in `given' */
	FLAG,   /* sets a bool to true */
	TEXT,   /* value of a const char * */
	NUMBER, /* value of an unsigned, from 1 to max */
	SCOPE,  /* value is added to scopes */
};

#define AT(member) offsetof(struct options, member)
static const struct row {
	const char *name;
	char letter; /* letter of the option; 0: it has none */
	enum kind kind;
	size_t at;    /* offset of its member in struct options */
	unsigned bit; /* enum option_bit; 0: every command accepts it */
	unsigned max;
} rows[] = {
	{ "host", 'H', TEXT, AT(host), 0, 0 },
	{ "user", 'u', TEXT, AT(user), 0, 0 },
	{ "cacert", 0, TEXT, AT(cacert), 0, 0 },
	{ "insecure", 'k', FLAG, AT(insecure), 0, 0 },
	{ "config", 0, TEXT, AT(config), 0, 0 },
	{ "timeout", 0, NUMBER, AT(timeout_s), 0, TIMEOUT_MAX_S },
	{ "json", 'j', FLAG, AT(json), 0, 0 },
	{ "no-color", 0, FLAG, AT(no_color), 0, 0 },
	{ "help", 'h', FLAG, AT(help), 0, 0 },
	{ "version", 'V', FLAG, AT(version), 0, 0 },
	{ "password-file", 0, TEXT, AT(password_file), OPTION_PASSWORD_FILE,
	  0 },
	{ "remember", 0, GIVEN, 0, OPTION_REMEMBER, 0 },
	{ "sort", 0, TEXT, AT(sort), OPTION_SORT, 0 },
	{ "scope", 0, SCOPE, 0, OPTION_SCOPE, 0 },
	{ "stream", 0, TEXT, AT(stream), OPTION_STREAM, 0 },
	{ "count", 'n', NUMBER, AT(count), OPTION_COUNT, COUNT_MAX },
	{ "value", 0, TEXT, AT(value), OPTION_VALUE, 0 },
	{ "restart", 0, GIVEN, 0, OPTION_RESTART, 0 },
	{ "exit-code", 0, GIVEN, 0, OPTION_EXIT_CODE, 0 },
	{ "quiet", 'q', GIVEN, 0, OPTION_QUIET, 0 },
	{ "once", 0, GIVEN, 0, OPTION_ONCE, 0 },
	{ "interrupt", 0, GIVEN, 0, OPTION_INTERRUPT, 0 },
};

const char *options_name(unsigned bits)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (bits & rows[i].bit)
			return rows[i].name;
	return "";
}

static bool has_word(const char *const *words, const char *word)
{
	while (*words != NULL && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

/* Adds a scope.  Fails if the service does not send this scope: the command
 * would wait for its events without end. */
static int take_scope(struct options *o, struct errmsg *error)
{
	if (has_word(reserved_scopes, optarg))
		return errmsg_fail(error, -EINVAL, "--scope: this version of "
				   "Sluice sends no %s", optarg);
	if (!has_word(options_scopes, optarg))
		return errmsg_fail(error, -EINVAL, "--scope: \"%.64s\" is not "
				   "one of stream_event, stream_switch, alarm, "
				   "set-stream and the others of sluicectl(1)",
				   optarg);
	if (o->n_scopes == OPTION_SCOPES_MAX)
		return errmsg_fail(error, -EINVAL, "--scope: more than %d",
				   OPTION_SCOPES_MAX);
	o->scopes[o->n_scopes++] = optarg;
	return 0;
}

static int take(struct options *o, const struct row *row, struct errmsg *error)
{
	void *member = (char *)o + row->at;
	char name[32];
	uint64_t number;
	int r = 0;

	o->given |= row->bit;
	switch (row->kind) {
	case FLAG:
		*(bool *)member = true;
		break;
	case TEXT:
		*(const char **)member = optarg;
		break;
	case NUMBER:
		(void)snprintf(name, sizeof name, "--%s", row->name);
		r = address_number(name, optarg, 1, row->max, &number, error);
		if (r == 0)
			*(unsigned *)member = (unsigned)number;
		break;
	case SCOPE:
		r = take_scope(o, error);
		break;
	case GIVEN:
		break;
	}
	return r;
}

int options_parse(int argc, char **argv, struct options *ret,
		  struct errmsg *error)
{
	struct option words[ARRAY_LEN(rows) + 1] = { 0 };
	char letters[2 * ARRAY_LEN(rows) + 2] = ":";
	struct options o = { 0 };
	size_t n = 1;
	int found, r = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool has_value = rows[i].kind >= TEXT;

		words[i] = (struct option){ rows[i].name, has_value, NULL,
					    FIRST_ROW + (int)i };
		if (rows[i].letter == 0)
			continue;
		letters[n++] = rows[i].letter;
		if (has_value)
			letters[n++] = ':';
	}
	optind = 0; /* glibc: getopt starts anew */
	opterr = 0;
	while (r == 0 &&
	       (found = getopt_long(argc, argv, letters, words, NULL)) != -1) {
		char letter[] = { '-', (char)optopt, '\0' };
		/* optopt is a letter, or the value of a long option (FIRST_ROW
		 * and above, or 0) */
		bool is_letter = optopt > 0 && optopt < FIRST_ROW;
		const char *typed = is_letter ? letter : argv[optind - 1];
		size_t i = 0;

		if (found == ':' || found == '?') {
			r = errmsg_fail(error, -EINVAL,
					found == ':' ? "%s needs a value"
						     : "%s is not an option",
					typed);
			continue;
		}
		while (found != FIRST_ROW + (int)i && found != rows[i].letter)
			i++;
		r = take(&o, &rows[i], error);
	}
	if (r < 0)
		return r;
	o.words = argv + optind;
	o.n_words = (size_t)(argc - optind);
	*ret = o;
	return 0;
}
