/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ctl_options.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(struct options *o, struct errmsg *error, const char *a,
		 const char *b, const char *c, const char *d)
{
	static char *argv[6];
	const char *words[] = { "sluicectl", a, b, c, d };
	int argc = 0;

	for (size_t i = 0; i < 5 && words[i] != NULL; i++)
		argv[argc++] = (char *)words[i];
	argv[argc] = NULL;
	return options_parse(argc, argv, o, error);
}

Test(options, may_be_anywhere_among_the_words)
{
	struct options o;
	struct errmsg error;

	cr_assert_eq(parse(&o, &error, "stream", "--host=h", "ls", "-j"), 0);
	cr_assert_eq(o.n_words, 2);
	cr_assert_str_eq(o.words[0], "stream");
	cr_assert_str_eq(o.words[1], "ls");
	cr_assert_str_eq(o.host, "h");
	cr_assert(o.json);
	cr_assert_eq(o.given, 0);
}

Test(options, end_at_two_dashes)
{
	struct options o;
	struct errmsg error;

	cr_assert_eq(parse(&o, &error, "x", "--", "-j", NULL), 0);
	cr_assert_eq(o.n_words, 2);
	cr_assert_str_eq(o.words[1], "-j");
	cr_assert_not(o.json);
}

Test(options, of_some_commands_are_noted_by_name)
{
	struct options o;
	struct errmsg error;

	cr_assert_eq(parse(&o, &error, "events", "-n", "3", "--scope=alarm"),
	             0);
	cr_assert_eq(o.given, OPTION_COUNT | OPTION_SCOPE);
	cr_assert_eq(o.count, 3);
	cr_assert_eq(o.n_scopes, 1);
	for (unsigned bit = OPTION_PASSWORD_FILE; bit <= OPTION_ONCE;
	     bit <<= 1)
		cr_assert_str_not_empty(options_name(bit));
	cr_assert_str_eq(options_name(OPTION_ONCE), "once");
	cr_assert_str_eq(options_name(OPTION_COUNT), "count");
}

Test(options, take_all_scopes_at_once)
{
	char words[2 * OPTION_SCOPES_MAX][32], *argv[2 * OPTION_SCOPES_MAX];
	struct options o;
	struct errmsg error;
	int argc = 2;

	argv[0] = "sluicectl";
	argv[1] = "events";
	for (size_t i = 0; options_scopes[i] != NULL; i++) {
		argv[argc] = words[argc];
		(void)snprintf(words[argc++], sizeof words[0], "--scope=%s",
			       options_scopes[i]);
	}
	argv[argc] = NULL;
	cr_assert_eq(options_parse(argc, argv, &o, &error), 0, "%s",
		     error.text);
	cr_assert_eq(o.n_scopes, (size_t)argc - 2);
}

Test(options, are_rejected_with_the_word_that_was_typed)
{
	static const struct {
		const char *word, *value, *want;
	} cases[] = {
		{ "--nope", NULL, "--nope is not an option" },
		{ "-x", NULL, "-x is not an option" },
		{ "-jx", NULL, "-x is not an option" },
		{ "--host", NULL, "--host needs a value" },
		{ "-H", NULL, "-H needs a value" },
		{ "--json=1", NULL, "--json=1 is not an option" },
		{ "--timeout", "0", "--timeout: 0 is not between 1 and 3600" },
		{ "--count", "x", "--count: \"x\" is not a number" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct options o;
		struct errmsg error = { 0 };

		cr_assert_eq(parse(&o, &error, cases[i].word, cases[i].value,
				   NULL, NULL), -EINVAL);
		cr_assert_str_eq(error.text, cases[i].want);
	}
}

/* The text of a file of the tree; free() it. */
static char *read_page(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096], *text = NULL;
	size_t room = 0;
	FILE *f;

	(void)snprintf(path, sizeof path, "%s/%s",
		       srcdir != NULL ? srcdir : ".", name);
	f = fopen(path, "r");
	cr_assert_not_null(f, "%s", path);
	cr_assert_gt(getdelim(&text, &room, '\0', f), 0);
	(void)fclose(f);
	return text;
}

Test(options, the_completion_and_the_manual_have_the_scopes)
{
	char *script = read_page("contrib/completion/sluicectl");
	char *manual = read_page("doc/sluicectl.1");
	char *list = strstr(script, "--scope)"), *end, *word, *rest;
	size_t n = 0, known = 0;

	cr_assert_not_null(list);
	list = strchr(list, '\'');
	cr_assert_not_null(list);
	end = strchr(++list, '\'');
	cr_assert_not_null(end);
	*end = '\0';
	for (word = strtok_r(list, " \t\n", &rest); word != NULL;
	     word = strtok_r(NULL, " \t\n", &rest), n++)
		for (size_t i = 0; options_scopes[i] != NULL; i++)
			known += strcmp(word, options_scopes[i]) == 0;
	cr_assert_eq(known, n, "the completion has a scope that is none");
	for (n = 0; options_scopes[n] != NULL; n++)
		cr_expect(strstr(manual, options_scopes[n]), "%s",
			  options_scopes[n]);
	cr_assert_eq(known, n, "the completion lacks a scope");
	free(script);
	free(manual);
}
