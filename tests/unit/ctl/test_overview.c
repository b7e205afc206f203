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

static void assert_fault(json_t *status, const char *wanted)
{
	json_t *answer = json_pack("{s:[o]}", "streams", status);
	struct overview o;
	char *fault;

	cr_assert_not_null(answer);
	setenv("TZ", "UTC", 1);
	overview_take(answer, &o);
	fault = row_fault(&o.rows[0]);
	cr_expect_str_eq(fault, wanted, "%s", fault);
	free(fault);
	overview_done(&o);
	json_decref(answer);
}

Test(overview, the_error_of_a_multiplex_on_air_names_its_input)
{
	assert_fault(json_pack("{s:s, s:s, s:b, s:b, s:i, s:i, s:s, s:s}",
			       "id", "m", "type", "mpts", "enable", 1, "onair",
			       1, "inputs", 3, "active_input", 2, "state",
			       "on air", "error", "no packets"),
		     "input 2: no packets");
	assert_fault(json_pack("{s:s, s:s, s:b, s:b, s:i, s:i, s:s, s:s}",
			       "id", "m", "type", "mpts", "enable", 1, "onair",
			       0, "inputs", 3, "active_input", 2, "state",
			       "OFF AIR", "error", "starting"),
		     "starting");
}

Test(overview, a_reason_has_its_own_time)
{
	assert_fault(json_pack("{s:s, s:b, s:s, s:I, s:I}", "id", "a",
			       "enable", 1, "error", "no packets",
			       "error_since", (json_int_t)1795701600,
			       "off_since", (json_int_t)1795701602),
		     "no packets (since 2026-11-26 14:00)");
	assert_fault(json_pack("{s:s, s:b, s:s, s:I, s:I}", "id", "a",
			       "enable", 1, "error", "no packets",
			       "error_since", (json_int_t)1795701600,
			       "off_since", (json_int_t)1795701720),
		     "no packets (since 2026-11-26 14:00; "
		     "off air since 2026-11-26 14:02)");
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
