/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/ecm_table.h"

#include "common/base/alloc.h"
#include "common/base/units.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ecm of(unsigned n)
{
	return (struct ecm){ .sid = 1, .caid = 0x0b00, .len = 5,
			     .section = { 0x80, 0x70, 2, (uint8_t)(n >> 8),
					  (uint8_t)n } };
}

Test(ecm_table, an_ecm_is_found_by_all_of_its_content)
{
	struct ecm_table *t = xcalloc(1, sizeof *t);
	struct ecm a = of(1), other;
	struct ecm *e = ecm_table_add(t, &a, 0);

	cr_assert_eq(ecm_table_find(t, &a, 0), e);
	other = a, other.sid++;
	cr_assert_null(ecm_table_find(t, &other, 0));
	other = a, other.caid++;
	cr_assert_null(ecm_table_find(t, &other, 0));
	other = a, other.provider++;
	cr_assert_null(ecm_table_find(t, &other, 0));
	other = a, other.len--;
	cr_assert_null(ecm_table_find(t, &other, 0));
	other = a, other.section[0]++;
	cr_assert_null(ecm_table_find(t, &other, 0));
	free(t);
}

Test(ecm_table, answers_are_kept_for_their_time)
{
	struct ecm_table *t = xcalloc(1, sizeof *t);
	struct ecm a = of(1), b = of(2);
	struct ecm *found = ecm_table_add(t, &a, 0);
	struct ecm *refused = ecm_table_add(t, &b, 0);

	cr_assert_null(ecm_table_overdue(t, 8000, 7999 * MS));
	cr_assert_not_null(ecm_table_overdue(t, 8000, 8000 * MS));
	found->id = 7;
	cr_assert_eq(ecm_table_of_id(t, 7), found);
	found->state = ECM_FOUND;
	refused->state = ECM_REFUSED;
	cr_assert_null(ecm_table_of_id(t, 7));
	cr_assert_null(ecm_table_overdue(t, 8000, 9000 * MS));
	cr_assert_eq(ecm_table_find(t, &b, (ECM_REFUSED_MS - 1) * MS), refused);
	cr_assert_null(ecm_table_find(t, &b, ECM_REFUSED_MS * MS));
	cr_assert_eq(ecm_table_find(t, &a, (ECM_KEPT_MS - 1) * MS), found);
	cr_assert_null(ecm_table_find(t, &a, ECM_KEPT_MS * MS));
	free(t);
}

Test(ecm_table, control_words_are_wiped_when_their_time_ends)
{
	static const uint8_t none[ECM_WORDS];
	struct ecm_table *t = xcalloc(1, sizeof *t);
	struct ecm a = of(1), *e = ecm_table_add(t, &a, 0);

	memset(e->words, 0x5a, sizeof e->words);
	e->state = ECM_FOUND;
	ecm_table_expire(t, (ECM_KEPT_MS - 1) * MS);
	cr_assert_eq(ecm_table_find(t, &a, 0), e);
	cr_assert_eq(e->words[0], 0x5a);
	ecm_table_expire(t, ECM_KEPT_MS * MS);
	cr_assert_arr_eq(e->words, none, sizeof none);
	cr_assert_null(ecm_table_find(t, &a, 0));
	free(t);
}

Test(ecm_table, only_ecms_with_an_answer_give_their_place)
{
	struct ecm_table *t = xcalloc(1, sizeof *t);
	struct ecm *first = NULL, more = of(1000);

	for (unsigned i = 0; i < ECM_TABLE_SIZE; i++) {
		struct ecm a = of(i), *e = ecm_table_add(t, &a, i);

		cr_assert_not_null(e);
		if (i == 0)
			first = e;
	}
	cr_assert_null(ecm_table_add(t, &more, 1000));
	first->state = ECM_FOUND;
	cr_assert_eq(ecm_table_add(t, &more, 1000), first);
	cr_assert_eq(ecm_table_find(t, &more, 1000), first);
	free(t);
}

Test(ecm_table, a_request_counts_once_and_their_number_is_bounded)
{
	struct ecm_table *t = xcalloc(1, sizeof *t);
	struct ecm a = of(1), *e = ecm_table_add(t, &a, 0);
	char name[16], longer[ECM_STREAM_MAX + 2];

	for (size_t i = 0; i <= ECM_STREAM_MAX; i++)
		longer[i] = 'x';
	longer[ECM_STREAM_MAX + 1] = '\0';
	cr_assert_not(ecm_add_asker(e, longer, 1));
	for (unsigned i = 0; i < ECM_ASKERS_MAX; i++) {
		(void)snprintf(name, sizeof name, "s%u", i);
		cr_assert(ecm_add_asker(e, name, 1));
		cr_assert(ecm_add_asker(e, name, 1));
	}
	cr_assert_eq(e->n_askers, ECM_ASKERS_MAX);
	cr_assert_not(ecm_add_asker(e, "s0", 2));
	free(t);
}
