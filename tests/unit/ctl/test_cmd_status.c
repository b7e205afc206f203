/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/cmd_status.h"
#include "ctl/ctl.h"

#include <criterion/criterion.h>
#include <string.h>

/* Those of the program are beside its main(). */
void ctl_print_json(const json_t *value)
{
	(void)value;
}

enum ctl_exit ctl_fail(struct ctl *ctl, enum ctl_exit code,
		       const char *format, ...)
{
	(void)ctl, (void)format;
	return code;
}

/* The service counts 100 % for each core. */
static void assert_cpu(int cores, int system, int service, const char *wanted)
{
	struct status_counts counts = { 0 };
	struct buf text = { 0 };
	json_t *answer = json_pack("{s:{s:i, s:i, s:i}}", "system",
				   "cpu_cores", cores, "sys_cpu_usage", system,
				   "app_cpu_usage", service);

	cr_assert_not_null(answer);
	status_head(answer, &counts, &text, "\n");
	buf_printf(&text, "%c", '\0');
	cr_expect_not_null(strstr((const char *)buf_head(&text), wanted),
			   "%s: %s", wanted, (const char *)buf_head(&text));
	buf_done(&text);
	json_decref(answer);
}

Test(cmd_status, prints_cpu_as_part_of_the_whole_machine)
{
	assert_cpu(4, 360, 107,
		   "\ncpu of 4 cores: 90 % in use, 27 % by the service;");
	assert_cpu(2, 200, 199,
		   "\ncpu of 2 cores: 100 % in use, 100 % by the service;");
	assert_cpu(1, 40, 30,
		   "\ncpu of 1 core: 40 % in use, 30 % by the service;");
}
