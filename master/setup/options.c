/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/options.h"

#include "config.h"
#include "common/supervise/trial.h"
#include "master/auth/first_start.h"
#include "master/config/check.h"
#include "master/config/check_file.h"
#include "master/config/describe.h"
#include "master/config/effective.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>

enum {
	OPTION_NO_WEB_AUTH = 256,
	OPTION_WEB_DIR,
	OPTION_RESET_PASSWORD,
	OPTION_DEBUG,
	OPTION_LOG,
	OPTION_NO_STDOUT,
	OPTION_SYSLOG,
	OPTION_DESCRIBE,
	OPTION_SCHEMA,
	OPTION_REQUIRE_SANDBOX,
	OPTION_USER,
	OPTION_ALLOW_PATH,
	OPTION_TRIAL,
	OPTION_STRICT,
	OPTION_SECRETS,
};

static const char help[] =
	"usage: sluice [-c FILE] [-p PORT] [--no-web-auth]\n"
	"       sluice -t [--strict] -c FILE\n"
	"       sluice -T [--secrets] -c FILE\n"
	"       sluice --reset-password LOGIN -c FILE\n"
	"       sluice --describe | --schema\n"
	"\n"
	"  -c, --config FILE    the configuration: read at start, saved here\n"
	"  -p, --port PORT      control port; wins over settings.control_port\n"
	"      --no-web-auth    no login: every client has full access\n"
	"      --web-dir FOLDER serve the files of the web interface from the\n"
	"                       folder, for their development\n"
	"      --reset-password LOGIN\n"
	"                       give the user a new password and print it\n"
	"      --debug          log more; this and the next three apply if\n"
	"                       the section `log' does not have the key\n"
	"      --log FILE       log to the file\n"
	"      --no-stdout      log nothing to standard error\n"
	"      --syslog IDENT   log to the system's log under this name\n"
	"      --allow-path FOLDER\n"
	"                       clients of the API may write logs and\n"
	"                       recordings below the folder; may be repeated\n"
	"      --require-sandbox\n"
	"                       do not start on a kernel that cannot confine\n"
	"                       workers\n"
	"      --user NAME      started by root, run as this user; the\n"
	"                       default is sluice\n"
	"  -t, --check          judge the configuration, name every error\n"
	"      --strict         with -t: a warning is an error, too\n"
	"  -T, --effective      as -t; print the configuration with defaults\n"
	"      --secrets        with -T: print passwords and keys, too\n"
	"      --describe       print every option of the configuration as "
        "JSON\n"
	"      --schema         print the JSON schema of the configuration\n"
	"  -V, --version        print the version\n"
	"  -h, --help           print this text\n";

static const struct option long_options[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "port", required_argument, NULL, 'p' },
	{ "no-web-auth", no_argument, NULL, OPTION_NO_WEB_AUTH },
	{ "web-dir", required_argument, NULL, OPTION_WEB_DIR },
	{ "reset-password", required_argument, NULL, OPTION_RESET_PASSWORD },
	{ "debug", no_argument, NULL, OPTION_DEBUG },
	{ "log", required_argument, NULL, OPTION_LOG },
	{ "no-stdout", no_argument, NULL, OPTION_NO_STDOUT },
	{ "syslog", required_argument, NULL, OPTION_SYSLOG },
	{ "require-sandbox", no_argument, NULL, OPTION_REQUIRE_SANDBOX },
	{ "user", required_argument, NULL, OPTION_USER },
	{ "allow-path", required_argument, NULL, OPTION_ALLOW_PATH },
	{ &TRIAL_OPTION[2], no_argument, NULL, OPTION_TRIAL },
	{ "check", no_argument, NULL, 't' },
	{ "strict", no_argument, NULL, OPTION_STRICT },
	{ "effective", no_argument, NULL, 'T' },
	{ "secrets", no_argument, NULL, OPTION_SECRETS },
	{ "describe", no_argument, NULL, OPTION_DESCRIBE },
	{ "schema", no_argument, NULL, OPTION_SCHEMA },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

enum verdict {
	GO_ON, CHECK_ONLY, RESET_ONLY, DESCRIBE, PRINT_SCHEMA, PRINT_VERSION,
	PRINT_HELP, WRONG
};

/* Options that do something else than to run the service. */
struct instead {
	bool check;
	bool strict;       /* -t: a warning is an error */
	bool effective;    /* -T: checks and prints the document */
	bool secrets;      /* -T also prints secrets */
	const char *reset; /* login for a new password; NULL: none */
};

static enum verdict fail(const char *text)
{
	(void)fprintf(stderr, "sluice: %s\nTry 'sluice --help'.\n", text);
	return WRONG;
}

/* Takes one option.  GO_ON: it only sets a member. */
static enum verdict take_option(struct options *o, int letter,
				struct instead *instead)
{
	struct sockaddr_any any;
	struct errmsg error;

	switch (letter) {
	case 'c':
		if (optarg[0] == '\0')
			return fail("-c: the file has no name");
		o->config_path = optarg;
		return GO_ON;
	case 'p':
		o->port = optarg;
		if (check_control_port(optarg, &any, &error) == 0)
			return GO_ON;
		errmsg_prefix(&error, "-p: ");
		return fail(error.text);
	case OPTION_DEBUG:
		o->debug = true;
		return GO_ON;
	case OPTION_LOG:
		o->log_file = optarg;
		return GO_ON;
	case OPTION_NO_STDOUT:
		o->no_stdout = true;
		return GO_ON;
	case OPTION_SYSLOG:
		o->syslog = optarg;
		return GO_ON;
	case OPTION_NO_WEB_AUTH:
		o->no_web_auth = true;
		return GO_ON;
	case OPTION_WEB_DIR:
		o->web_dir = optarg;
		return GO_ON;
	case OPTION_USER:
		o->user = optarg;
		return GO_ON;
	case OPTION_ALLOW_PATH:
		if (o->n_allow_paths == OPTIONS_ALLOW_PATHS_MAX)
			return fail("--allow-path: is given too often: one may "
				    "have several folders, with colons between "
				    "them");
		o->allow_paths[o->n_allow_paths++] = optarg;
		return GO_ON;
	case OPTION_REQUIRE_SANDBOX:
		o->require_sandbox = true;
		return GO_ON;
	/* not in the help, because only the service uses it */
	case OPTION_TRIAL:
		o->trial = true;
		return GO_ON;
	case OPTION_RESET_PASSWORD:
		instead->reset = optarg;
		return GO_ON;
	case 't':
		instead->check = true;
		return GO_ON;
	case OPTION_STRICT:
		instead->strict = true;
		return GO_ON;
	case 'T':
		instead->check = instead->effective = true;
		return GO_ON;
	case OPTION_SECRETS:
		instead->secrets = true;
		return GO_ON;
	case OPTION_DESCRIBE:
		return DESCRIBE;
	case OPTION_SCHEMA:
		return PRINT_SCHEMA;
	case 'V':
		return PRINT_VERSION;
	case 'h':
		return PRINT_HELP;
	default:
		/* getopt_long() has printed the option */
		(void)fputs("Try 'sluice --help'.\n", stderr);
		return WRONG;
	}
}

static enum verdict take_all(int argc, char **argv, struct options *o,
			     struct instead *instead)
{
	enum verdict v = GO_ON;
	int letter;

	optind = 1;
	while (v == GO_ON && (letter = getopt_long(argc, argv, "c:p:tTVh",
						   long_options, NULL)) != -1)
		v = take_option(o, letter, instead);
	if (v != GO_ON)
		return v;
	if (optind < argc)
		return fail("an argument without an option is not possible");
	if (instead->strict && !instead->check)
		return fail("--strict needs -t");
	if (instead->secrets && !instead->effective)
		return fail("--secrets needs -T");
	if (!instead->check && instead->reset == NULL)
		return GO_ON;
	if (o->config_path == NULL)
		return fail(instead->check ? "-t and -T need -c FILE"
					   : "--reset-password needs -c FILE");
	return instead->check ? CHECK_ONLY : RESET_ONLY;
}

static int print_json(json_t *take_value)
{
	int code = OPTIONS_EXIT_OK;

	if (json_dumpf(take_value, stdout, JSON_INDENT(2)) != 0 ||
	    putchar('\n') == EOF || fflush(stdout) != 0) {
		perror("sluice: standard output");
		code = OPTIONS_EXIT_OUTPUT;
	}
	json_decref(take_value);
	return code;
}

static int print_effective(const struct options *o, json_t *take_document,
			   bool secrets)
{
	json_t *log = json_object(), *set = json_pack("{s:O}", "log", log);
	json_t *document, *hidden;

	if (o->debug)
		(void)json_object_set_new(log, "debug", json_true());
	if (o->no_stdout)
		(void)json_object_set_new(log, "stdout", json_false());
	if (o->log_file != NULL)
		(void)json_object_set_new(log, "filename",
					  json_string(o->log_file));
	if (o->syslog != NULL)
		(void)json_object_set_new(log, "syslog",
					  json_string(o->syslog));
	document = effective_document(take_document, set);
	if (o->port != NULL)
		(void)json_object_set_new(
			json_object_get(document, "settings"), "control_port",
			json_string(o->port));
	json_decref(log);
	json_decref(set);
	json_decref(take_document);
	if (secrets)
		return print_json(document);
	hidden = effective_hide(document);
	json_decref(document);
	return print_json(hidden);
}

static int check(const struct options *o, const struct instead *instead)
{
	json_t *document = NULL;
	unsigned flags = (instead->strict ? CHECK_FILE_STRICT : 0) |
			 (o->no_web_auth ? CHECK_FILE_NO_LOGIN : 0);
	int code = check_file(o->config_path, o->port, flags, stderr,
			      instead->effective ? &document : NULL);

	if (document != NULL && print_effective(o, document,
						instead->secrets) != 0)
		return OPTIONS_EXIT_OUTPUT;
	return code;
}

bool options_parse(int argc, char **argv, struct options *ret, int *ret_exit)
{
	struct instead instead = { 0 };
	struct options o = { .argv = argv };

	*ret_exit = OPTIONS_EXIT_OK;
	switch (take_all(argc, argv, &o, &instead)) {
	case GO_ON:
		*ret = o;
		return true;
	case CHECK_ONLY:
		*ret_exit = check(&o, &instead);
		return false;
	case RESET_ONLY:
		*ret_exit = reset_password(o.config_path, instead.reset);
		return false;
	case DESCRIBE:
		*ret_exit = print_json(config_describe());
		return false;
	case PRINT_SCHEMA:
		*ret_exit = print_json(config_schema());
		return false;
	case PRINT_VERSION:
		(void)puts("sluice " PACKAGE_VERSION);
		return false;
	case PRINT_HELP:
		(void)fputs(help, stdout);
		return false;
	case WRONG:
		break;
	}
	*ret_exit = OPTIONS_EXIT_USAGE;
	return false;
}

int options_control_address(const struct options *o,
			    const json_t *control_port,
			    struct sockaddr_any *ret, struct errmsg *error)
{
	struct sockaddr_any any;
	int r;

	if (control_port == NULL)
		r = sockaddr_parse("0.0.0.0", CONTROL_PORT_DEFAULT, &any);
	else
		r = check_control_port_value(control_port, &any, error);
	if (r < 0) {
		errmsg_prefix(error, "settings.control_port: ");
		return r;
	}
	if (o->port != NULL)
		r = check_control_port(o->port, &any, error);
	if (r == 0)
		*ret = any;
	return r;
}
