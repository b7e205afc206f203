/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check_log.h"

#include "common/base/log.h"
#include "master/config/check.h"
#include "master/config/findings.h"
#include "master/config/place_names.h"
#include "master/config/unknown_keys.h"
#include "master/config/write_paths.h"

#include <stdlib.h>

struct look {
	const json_t *document;
	struct check_result result;
};

static void log_found(enum check_severity severity, const char *path,
		      const char *text, void *arg)
{
	struct look *l = arg;
	char *place = place_names_add(l->document, path);
	char *sentence = place_names_add(l->document, text);

	/* place "": the document itself */
	const char *colon = place[0] != '\0' ? ": " : "";

	if (severity == CHECK_WARNING)
		log_warning("config", "%s%s%s", place, colon, sentence);
	else
		log_error("config", "%s%s%s", place, colon, sentence);
	if (severity != CHECK_WARNING && l->result.first.text[0] == '\0')
		errmsg_set(&l->result.first, "%s%s%s", place, colon, sentence);
	l->result.fatal |= severity == CHECK_FATAL;
	free(place);
	free(sentence);
}

struct check_result check_log(const json_t *document,
			      const struct sockaddr_any *control,
			      const struct write_paths *own)
{
	struct look l = { .document = document };
	struct findings found = { 0 };

	l.result.faults = check_document(document, control, findings_add,
					 &found);
	/* streams that cannot run are logged elsewhere */
	unknown_keys_find(document, findings_add, &found);
	write_paths_find_all_own(own, document, findings_add, &found);
	findings_report(&found, log_found, &l);
	findings_done(&found);
	return l.result;
}
