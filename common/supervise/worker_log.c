/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/worker_log.h"

#include "common/base/log.h"
#include "common/base/mono.h"

#include <stdio.h>
#include <string.h>

void worker_log_pass(struct ratelimit *limit, const char *role,
		     const char *name, const struct msg_worker_log *line)
{
	char text[1024];
	unsigned suppressed;

	if (!ratelimit_pass(limit, mono_ms(), &suppressed))
		return;
	if (suppressed > 0)
		log_warning(name, "%u log lines dropped: too many in 10 s",
			    suppressed);
	/* the name contains the role */
	if (strcmp(line->component, role) == 0)
		(void)snprintf(text, sizeof text, "%s", line->text);
	else
		(void)snprintf(text, sizeof text, "%s: %s", line->component,
			       line->text);
	switch (line->level) {
	case LOG_LEVEL_ERROR:
		log_error(name, "%s", text);
		break;
	case LOG_LEVEL_WARNING:
		log_warning(name, "%s", text);
		break;
	case LOG_LEVEL_INFO:
		log_info(name, "%s", text);
		break;
	case LOG_LEVEL_DEBUG:
		log_debug(name, "%s", text);
		break;
	}
}
