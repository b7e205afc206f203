/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sluicectl: the command-line client of the control interface. */
#include "config.h"
#include "common/base/typo.h"
#include "ctl/client.h"
#include "ctl/commands.h"
#include "ctl/keyring.h"
#include "proto/wire/json_text.h"

#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
	const char *name; /* "login", "stream ls" */
	const char *args; /* its arguments, as the help shows them */
	const char *help;
	command_fn *run; /* NULL: the help */
	unsigned takes; /* bits of enum option_bit: options it accepts */
	unsigned min, max; /* number of words behind the name */
};

enum { MANY = 1000 }; /* bound of a list of words */

static const struct command commands[] = {
	{ "login", "", "log in and store the session", run_login,
	  OPTION_PASSWORD_FILE | OPTION_REMEMBER, 0, 0 },
	{ "logout", "", "end the session", run_logout, 0, 0, 0 },
	{ "whoami", "", "the login and its role", run_whoami, 0, 0, 0 },
	{ "status", "", "an overview of service and streams", run_status, 0, 0,
	  0 },
	{ "top", "", "all streams, live", run_top, OPTION_SORT | OPTION_ONCE, 0,
	  0 },
	{ "stream ls", "", "all streams", run_stream_ls,
	  OPTION_SORT | OPTION_QUIET, 0, 0 },
	{ "stream show", "STREAM", "a stream: inputs, outputs, errors",
	  run_stream_show, 0, 1, 1 },
	{ "stream analysis", "STREAM", "measurements of its packets",
	  run_stream_analysis, 0, 1, 1 },
	{ "stream toggle", "STREAM...", "enable or disable a stream",
	  run_stream_toggle, 0, 1, MANY },
	{ "stream restart", "STREAM...", "replace the process of a stream",
	  run_stream_restart, 0, 1, MANY },
	{ "stream switch", "STREAM [INPUT]", "switch to another input",
	  run_stream_switch, 0, 1, 2 },
	{ "announcements", "", "SAP announcements on the network",
	  run_announcements, 0, 0, 0 },
	{ "satip", "", "SAT>IP servers on the network", run_satip, 0, 0, 0 },
	{ "network", "", "multicast queriers of the inputs", run_network, 0, 0,
	  0 },
	{ "session ls", "", "viewers", run_session_ls,
	  OPTION_SORT | OPTION_STREAM, 0, 0 },
	{ "session kick", "CLIENT...", "end the connection of a viewer",
	  run_session_kick, 0, 1, MANY },
	{ "config get", "[PATH]", "print the configuration or a part",
	  run_config_get, 0, 0, 1 },
	{ "config set", "PATH [FILE]", "set a part from a file or stdin",
	  run_config_set, OPTION_VALUE | OPTION_RESTART, 1, 2 },
	{ "config unset", "PATH", "remove a part", run_config_unset,
	  OPTION_RESTART, 1, 1 },
	{ "config diff", "FILE [FILE]", "compare with a file", run_config_diff,
	  OPTION_EXIT_CODE, 1, 2 },
	{ "events", "", "print events as they arrive", run_events,
	  OPTION_SCOPE | OPTION_STREAM | OPTION_COUNT, 0, 0 },
	{ "reload", "", "read the configuration file again", run_reload, 0, 0,
	  0 },
	{ "restart", "", "replace the control process", run_restart,
	  OPTION_INTERRUPT, 0, 0 },
	{ "help", "[COMMAND]", "this help, or that of a command", NULL, 0, 0,
	  2 },
};

static const char help_options[] =
	"\n"
	"  -H, --host HOST       host, host:port, http(s)://..., or a section\n"
	"                        of the settings file; else $SLUICE_URL, else\n"
	"                        http://127.0.0.1:8000\n"
	"  -u, --user LOGIN      login; default: the last one\n"
	"      --cacert FILE     authority of the service's certificate\n"
	"  -k, --insecure        do not verify the certificate\n"
	"      --timeout S       time limit of a reply (30)\n"
	"      --config FILE     the settings file\n"
	"  -j, --json            print JSON\n"
	"      --no-color        no colours; also if $NO_COLOR is set\n"
	"  -V, --version, -h, --help\n"
	"\n"
	"login:   --password-file FILE (-: stdin), --remember (30 days)\n"
	"top:     --sort id|name|state|rate|cc|viewers, --once\n"
	"stream ls:  --sort, -q (only id and name)\n"
	"session ls: --sort id|stream|addr|uptime, --stream STREAM\n"
	"config:  set --value JSON, set|unset --restart, diff --exit-code\n"
	"restart: --interrupt (all streams, for another protocol)\n"
	"events:  --scope SCOPE, --stream STREAM, -n, --count N\n"
	"\n"
	"Exit codes: 0 success, 1 refused, 2 wrong usage, 3 no connection,\n"
	"4 login needed or refused, 5 config diff --exit-code differs.\n";

enum ctl_exit ctl_fail(struct ctl *ctl, enum ctl_exit code,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(ctl->error.text, sizeof ctl->error.text, format, args);
	va_end(args);
	return code;
}

void ctl_print_json(const json_t *value)
{
	(void)json_dumpf(value, stdout,
			 JSON_INDENT(2) | JSON_ENCODE_ANY |
				 json_text_flags(value));
	(void)putchar('\n');
}

/* Does the name of the command begin with this noun? */
static bool is_of(const struct command *c, const char *noun)
{
	size_t len = strlen(noun);

	return strncmp(c->name, noun, len) == 0 &&
	       (c->name[len] == ' ' || c->name[len] == '\0');
}

/* Prints the commands whose first word is noun; NULL: all commands. */
static void print_commands(FILE *out, const char *noun)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const struct command *c = &commands[i];
		char left[64];

		if (noun != NULL && !is_of(c, noun))
			continue;
		(void)snprintf(left, sizeof left, "%s %s", c->name, c->args);
		(void)fprintf(out, "  %-30s%s\n", left, c->help);
	}
}

static bool is_noun(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (is_of(&commands[i], word))
			return true;
	return false;
}

/* Returns the command with whose name the words begin; *ret_words is the number
 * of words of the name.  NULL: no command. */
static const struct command *look_up(char *const *words, size_t n,
				     unsigned *ret_words)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const char *name = commands[i].name;
		const char *space = strchr(name, ' ');
		size_t first = space ? (size_t)(space - name) : strlen(name);

		*ret_words = space != NULL ? 2 : 1;
		if (n >= *ret_words && strlen(words[0]) == first &&
		    strncmp(words[0], name, first) == 0 &&
		    (space == NULL || strcmp(words[1], space + 1) == 0))
			return &commands[i];
	}
	return NULL;
}

/* second: the second word of the command, or NULL */
static enum ctl_exit fail_unknown(struct ctl *ctl, const char *first,
				  const char *second)
{
	char name[128];
	struct typo typo = { .word = name };

	(void)snprintf(name, sizeof name, "%.63s%s%.63s", first,
		       second != NULL ? " " : "",
		       second != NULL ? second : "");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		typo_compare(&typo, commands[i].name);
	if (typo.nearest == NULL)
		return ctl_fail(ctl, CTL_USAGE, "\"%s\" is not a command",
				name);
	return ctl_fail(ctl, CTL_USAGE, "\"%s\" is not a command; is it "
			"\"%s\"?", name, typo.nearest);
}

static enum ctl_exit run_help(struct ctl *ctl)
{
	const struct options *o = &ctl->options;
	bool named = o->n_words > 0 && strcmp(o->words[0], "help") == 0;
	const char *noun = o->n_words > named ? o->words[named] : NULL;
	unsigned words;
	int used = 0;

	if (named && o->n_words > 2 &&
	    (look_up(o->words + 1, o->n_words - 1, &words) == NULL ||
	     words < 2))
		return fail_unknown(ctl, o->words[1], o->words[2]);
	if (noun != NULL && !is_noun(noun))
		return fail_unknown(ctl, noun, NULL);
	(void)puts("usage: sluicectl [OPTION...] COMMAND\n");
	print_commands(stdout, noun);
	if (noun != NULL && strcmp(noun, "events") == 0) {
		(void)fputs("\nscopes:", stdout);
		for (size_t i = 0; options_scopes[i] != NULL; i++) {
			int len = (int)strlen(options_scopes[i]) + 1;

			/* at most 80 columns */
			if (used + len > 70)
				(void)fputs("\n       ", stdout);
			used = used + len > 70 ? len : used + len;
			(void)printf(" %s", options_scopes[i]);
		}
		(void)putchar('\n');
	}
	(void)fputs(help_options, stdout);
	return CTL_OK;
}

static const struct command *find(struct ctl *ctl, unsigned *ret_words)
{
	const struct options *o = &ctl->options;
	const struct command *c = look_up(o->words, o->n_words, ret_words);

	if (c != NULL)
		return c;
	if (o->n_words == 0)
		(void)ctl_fail(ctl, CTL_USAGE, "no command given");
	else if (o->n_words == 1 && is_noun(o->words[0]))
		(void)ctl_fail(ctl, CTL_USAGE, "%s: needs a second word, see "
					       "sluicectl --help",
			       o->words[0]);
	else
		(void)fail_unknown(ctl, o->words[0],
				   o->n_words > 1 ? o->words[1] : NULL);
	return NULL;
}

/* Runs a command with the stored session. */
static enum ctl_exit run(struct ctl *ctl, const struct command *c,
			 char **args, size_t n)
{
	char *session = NULL, *login = NULL;
	enum ctl_exit code;

	if (settings_load(&ctl->options, &ctl->settings, &ctl->error) < 0)
		return CTL_USAGE;
	if (keyring_find(ctl->settings.url, ctl->settings.user, &session,
			 &login, &ctl->error) < 0) {
		settings_done(&ctl->settings);
		return CTL_AUTH;
	}
	if (ctl->settings.user == NULL)
		ctl->settings.user = login;
	else
		free(login);
	ctl->client = client_new(&ctl->settings);
	client_set_session(ctl->client, session);
	free(session);
	code = c->run(ctl, args, n);
	client_free(&ctl->client);
	settings_done(&ctl->settings);
	return code;
}

static enum ctl_exit act(struct ctl *ctl, bool *ret_known)
{
	const struct options *o = &ctl->options;
	unsigned words, other;
	size_t n;
	const struct command *c = find(ctl, &words);

	*ret_known = c != NULL;
	if (o->help)
		return run_help(ctl);
	if (c == NULL)
		return CTL_USAGE;
	other = o->given & ~c->takes;
	if (other != 0)
		return ctl_fail(ctl, CTL_USAGE, "%s does not take --%s",
				c->name, options_name(other));
	n = o->n_words - words;
	if (n < c->min || n > c->max)
		return ctl_fail(ctl, CTL_USAGE, "usage: sluicectl %s%s%s",
				c->name, c->args[0] != '\0' ? " " : "",
				c->args);
	if (c->run == NULL)
		return run_help(ctl);
	return run(ctl, c, o->words + words, n);
}

/* Prints the error, if there is one; with --json also as JSON.  known: false if
 * the command does not exist: then also prints the commands with the same first
 * word. */
static void report(const struct ctl *ctl, enum ctl_exit code, bool known)
{
	json_t *error;

	if (ctl->error.text[0] == '\0')
		return;
	(void)fprintf(stderr, "sluicectl: %s\n", ctl->error.text);
	if (!known && ctl->options.n_words > 0)
		print_commands(stderr, ctl->options.words[0]);
	if (code == CTL_USAGE)
		(void)fputs("Try 'sluicectl --help'.\n", stderr);
	if (!ctl->options.json)
		return;
	error = json_pack("{s:s%, s:i}", "error", ctl->error.text,
			  strlen(ctl->error.text), "code", (int)code);
	if (error != NULL)
		ctl_print_json(error);
	json_decref(error);
}

int main(int argc, char **argv)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	struct ctl ctl = { 0 };
	enum ctl_exit code;
	bool known;

	(void)signal(SIGPIPE, SIG_IGN);
	/* character widths must not depend on the language of the user */
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		(void)setlocale(LC_CTYPE, "");
	if (options_parse(argc, argv, &ctl.options, &ctl.error) < 0) {
		report(&ctl, CTL_USAGE, true);
		return CTL_USAGE;
	}
	if (ctl.options.version && !ctl.options.help) {
		(void)puts("sluicectl " PACKAGE_VERSION);
		return CTL_OK;
	}
	ctl.colour = isatty(STDOUT_FILENO) && !ctl.options.no_color &&
		     !ctl.options.json && (no == NULL || no[0] == '\0') &&
		     term != NULL && strcmp(term, "dumb") != 0;
	code = act(&ctl, &known);
	if (code != CTL_OK)
		report(&ctl, code, known);
	if (fflush(stdout) != 0 || ferror(stdout))
		return code != CTL_OK ? (int)code : CTL_REFUSED;
	return (int)code;
}
