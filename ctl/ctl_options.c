/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ctl_options.h"

#include "common/base/address.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

enum { TIMEOUT_MAX_S = 3600, COUNT_MAX = 1000 * 1000 * 1000 };

/* Return values of getopt for options without a letter. */
enum {
	WORD_CACERT = 256,
	WORD_CONFIG,
	WORD_TIMEOUT,
	WORD_NO_COLOR,
	WORD_FIRST_BIT, /* options of commands: this plus the bit number */
};

enum {
	WORD_PASSWORD_FILE = WORD_FIRST_BIT,
	WORD_REMEMBER,
	WORD_SORT,
	WORD_SCOPE,
	WORD_STREAM,
	WORD_COUNT,
	WORD_VALUE,
	WORD_RESTART,
	WORD_EXIT_CODE,
	WORD_QUIET,
	WORD_ONCE,
};

static const struct option words[] = {
	{ "host", required_argument, NULL, 'H' },
	{ "user", required_argument, NULL, 'u' },
	{ "cacert", required_argument, NULL, WORD_CACERT },
	{ "insecure", no_argument, NULL, 'k' },
	{ "config", required_argument, NULL, WORD_CONFIG },
	{ "timeout", required_argument, NULL, WORD_TIMEOUT },
	{ "json", no_argument, NULL, 'j' },
	{ "no-color", no_argument, NULL, WORD_NO_COLOR },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "password-file", required_argument, NULL, WORD_PASSWORD_FILE },
	{ "remember", no_argument, NULL, WORD_REMEMBER },
	{ "sort", required_argument, NULL, WORD_SORT },
	{ "scope", required_argument, NULL, WORD_SCOPE },
	{ "stream", required_argument, NULL, WORD_STREAM },
	{ "count", required_argument, NULL, WORD_COUNT },
	{ "value", required_argument, NULL, WORD_VALUE },
	{ "restart", no_argument, NULL, WORD_RESTART },
	{ "exit-code", no_argument, NULL, WORD_EXIT_CODE },
	{ "quiet", no_argument, NULL, WORD_QUIET },
	{ "once", no_argument, NULL, WORD_ONCE },
	{ NULL, 0, NULL, 0 },
};

const char *options_name(unsigned bits)
{
	static const char *const names[] = {
		"--password-file", "--remember",  "--sort",
		"--scope",         "--stream",    "--count",
		"--value",         "--restart",   "--exit-code",
		"--quiet",         "--once",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (bits & 1U << i)
			return names[i];
	return "";
}

static int take_number(const char *name, unsigned max, unsigned *ret,
		       struct errmsg *error)
{
	uint64_t number;
	int r = address_number(name, optarg, 1, max, &number, error);

	if (r == 0)
		*ret = (unsigned)number;
	return r;
}

/* Waiting for a scope that does not exist would never end. */
static bool is_scope(const char *text)
{
	static const char *const scopes[] = {
		"adapter_event", "adapter_status_update", "alarm",
		"log_event", "post-output-group", "set-adapter", "set-auth",
		"set-cas", "set-category", "set-config", "set-server",
		"set-settings", "set-softcam", "set-stream", "set-user",
		"softcam_event", "stream_event", "stream_image",
		"stream_switch", "sysinfo",
	};

	for (size_t i = 0; i < ARRAY_LEN(scopes); i++)
		if (strcmp(scopes[i], text) == 0)
			return true;
	return false;
}

static int take_scope(struct options *o, struct errmsg *error)
{
	if (!is_scope(optarg))
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

/* Stores an option that only some commands accept. */
static int take_own(struct options *o, int word, struct errmsg *error)
{
	o->given |= 1U << (word - WORD_FIRST_BIT);
	switch (word) {
	case WORD_PASSWORD_FILE:
		o->password_file = optarg;
		return 0;
	case WORD_SORT:
		o->sort = optarg;
		return 0;
	case WORD_SCOPE:
		return take_scope(o, error);
	case WORD_STREAM:
		o->stream = optarg;
		return 0;
	case WORD_COUNT:
		return take_number("--count", COUNT_MAX, &o->count, error);
	case WORD_VALUE:
		o->value = optarg;
		return 0;
	default:
		return 0;
	}
}

static int take(struct options *o, int word, const char *typed,
		struct errmsg *error)
{
	switch (word) {
	case 'H':
		o->host = optarg;
		return 0;
	case 'u':
		o->user = optarg;
		return 0;
	case 'k':
		o->insecure = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	case 'V':
		o->version = true;
		return 0;
	case 'q':
		return take_own(o, WORD_QUIET, error);
	case 'n':
		return take_own(o, WORD_COUNT, error);
	case WORD_CACERT:
		o->cacert = optarg;
		return 0;
	case WORD_CONFIG:
		o->config = optarg;
		return 0;
	case WORD_TIMEOUT:
		return take_number("--timeout", TIMEOUT_MAX_S, &o->timeout_s,
				   error);
	case WORD_NO_COLOR:
		o->no_color = true;
		return 0;
	case ':':
		return errmsg_fail(error, -EINVAL, "%s needs a value", typed);
	case '?':
		return errmsg_fail(error, -EINVAL, "%s is not an option",
		                   typed);
	default:
		return take_own(o, word, error);
	}
}

int options_parse(int argc, char **argv, struct options *ret,
		  struct errmsg *error)
{
	struct options o = { 0 };
	int word, r = 0;

	optind = 0; /* restart the scan (GNU) */
	opterr = 0;
	while (r == 0 && (word = getopt_long(argc, argv, ":H:u:kjhVqn:",
					     words, NULL)) != -1) {
		char letter[] = { '-', (char)optopt, '\0' };
		/* optopt distinguishes letters from words */
		bool short_one = optopt > 0 && optopt < WORD_CACERT &&
				 strncmp(argv[optind - 1], "--", 2) != 0;

		r = take(&o, word, short_one ? letter : argv[optind - 1],
			 error);
	}
	if (r < 0)
		return r;
	o.words = argv + optind;
	o.n_words = (size_t)(argc - optind);
	*ret = o;
	return 0;
}
