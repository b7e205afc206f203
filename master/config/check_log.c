/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check_log.h"

#include "common/base/log.h"
#include "master/config/check.h"

static void log_found(enum check_severity severity, const char *path,
		      const char *text, void *arg)
{
	struct check_result *result = arg;

	if (severity == CHECK_WARNING)
		log_warning("config", "%s: %s", path, text);
	else
		log_error("config", "%s: %s", path, text);
	result->fatal |= severity == CHECK_FATAL;
}

struct check_result check_log(const json_t *document,
			      const struct sockaddr_any *control)
{
	struct check_result result = { 0 };

	result.faults = check_document(document, control, log_found, &result);
	return result;
}
