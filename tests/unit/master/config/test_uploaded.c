/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/uploaded.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static void count(int result, const struct errmsg *error, void *arg)
{
	(void)result, (void)error;
	++*(int *)arg;
}

/* Is the document known? */
static bool knows(const struct uploaded *u, const json_t *document)
{
	char digest[SECRET_TEXT];

	loadable_digest(document, digest);
	return strcmp(u->digest, digest) == 0;
}

Test(uploaded, a_document_is_known_from_the_end_of_its_write_on)
{
	json_t *a = json_pack("{s:i}", "a", 1), *b = json_pack("{s:i}", "b", 1);
	struct errmsg none = { 0 };
	struct uploaded u = { 0 };
	struct uploaded_write *first, *second;
	int done = 0;

	first = uploaded_begin(&u, a, count, &done);
	cr_expect_not(knows(&u, a));
	uploaded_end(0, &none, first);
	cr_expect_eq(done, 1);
	cr_expect(knows(&u, a));
	/* the file is as it was */
	uploaded_end(-ENOSPC, &none, uploaded_begin(&u, b, count, &done));
	cr_expect(knows(&u, a));
	uploaded_end(-ENOSPC, &none, uploaded_begin(&u, NULL, count, &done));
	cr_expect(knows(&u, a));
	/* one behind the other */
	first = uploaded_begin(&u, b, count, &done);
	second = uploaded_begin(&u, NULL, count, &done);
	uploaded_end(0, &none, first);
	cr_expect(knows(&u, b));
	uploaded_end(0, &none, second);
	cr_expect_str_eq(u.digest, "");
	json_decref(a);
	json_decref(b);
}

Test(uploaded, a_change_during_the_write_replaces_it)
{
	json_t *a = json_pack("{s:i}", "a", 1);
	struct errmsg none = { 0 };
	struct uploaded u = { 0 };
	struct uploaded_write *write;
	int done = 0;

	write = uploaded_begin(&u, a, count, &done);
	uploaded_forget(&u);
	uploaded_end(0, &none, write);
	cr_expect_eq(done, 1);
	cr_expect_str_eq(u.digest, "");
	json_decref(a);
}
