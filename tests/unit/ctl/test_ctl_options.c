/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ctl_options.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static int parse(struct options *o, struct errmsg *why, const char *a,
		 const char *b, const char *c, const char *d)
{
	static char *argv[6];
	const char *words[] = { "sluicectl", a, b, c, d };
	int argc = 0;

	for (size_t i = 0; i < 5 && words[i] != NULL; i++)
		argv[argc++] = (char *)words[i];
	argv[argc] = NULL;
	return options_parse(argc, argv, o, why);
}

Test(options, may_be_anywhere_among_the_words)
{
	struct options o;
	struct errmsg why;

	cr_assert_eq(parse(&o, &why, "stream", "--host=h", "ls", "-j"), 0);
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
	struct errmsg why;

	cr_assert_eq(parse(&o, &why, "x", "--", "-j", NULL), 0);
	cr_assert_eq(o.n_words, 2);
	cr_assert_str_eq(o.words[1], "-j");
	cr_assert_not(o.json);
}

Test(options, of_some_commands_are_noted_by_name)
{
	struct options o;
	struct errmsg why;

	cr_assert_eq(parse(&o, &why, "events", "-n", "3", "--scope=alarm"), 0);
	cr_assert_eq(o.given, OPTION_COUNT | OPTION_SCOPE);
	cr_assert_eq(o.count, 3);
	cr_assert_eq(o.n_scopes, 1);
	for (unsigned bit = OPTION_PASSWORD_FILE; bit <= OPTION_ONCE;
	     bit <<= 1)
		cr_assert_eq(strncmp(options_name(bit), "--", 2), 0);
	cr_assert_str_eq(options_name(OPTION_ONCE), "--once");
	cr_assert_str_eq(options_name(OPTION_COUNT), "--count");
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
		struct errmsg why = { 0 };

		cr_assert_eq(parse(&o, &why, cases[i].word, cases[i].value,
				   NULL, NULL), -EINVAL);
		cr_assert_str_eq(why.text, cases[i].want);
	}
}
