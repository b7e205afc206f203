/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ctl.h"
#include "ctl/overview.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* That of the program is beside its main(). */
enum ctl_exit ctl_fail(struct ctl *ctl, enum ctl_exit code,
		       const char *format, ...)
{
	(void)ctl, (void)format;
	return code;
}

/* Reasons of outputs and inputs are a sentence each. */
Test(overview, a_row_has_all_faults_whole)
{
	char reason[201] = "";
	json_t *answer;
	struct overview o;
	char *fault;

	(void)memset(reason, 'x', sizeof reason - 1);
	answer = json_pack("{s:[{s:s, s:b, s:[{s:i, s:s}], s:[{s:i, s:s}]}]}",
			   "streams", "id", "a", "enable", 1, "output_faults",
			   "position", 2, "fault", reason, "input_faults",
			   "position", 3, "fault", reason);
	cr_assert_not_null(answer);
	overview_take(answer, &o);
	fault = row_fault(&o.rows[0]);
	cr_assert_not_null(fault);
	cr_expect_eq(strncmp(fault, "output 2: xx", 12), 0, "%s", fault);
	cr_expect_not_null(strstr(fault, "x; input 3: x"), "%s", fault);
	cr_expect_eq(strlen(fault), 2 * 210 + 1, "%zu", strlen(fault));
	free(fault);
	overview_done(&o);
	json_decref(answer);
}

Test(overview, a_row_without_a_fault_has_no_text)
{
	json_t *answer = json_pack("{s:[{s:s, s:b}]}", "streams", "id", "a",
				   "enable", 1);
	struct overview o;

	overview_take(answer, &o);
	cr_expect_null(row_fault(&o.rows[0]));
	overview_done(&o);
	json_decref(answer);
}
