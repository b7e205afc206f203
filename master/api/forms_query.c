/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers GET api/forms. */
#include "master/api/command.h"
#include "master/config/forms.h"

static void forms_get(struct api *api, const char *id, enum status_span span,
		      struct reply *reply)
{
	(void)id, (void)span;
	/* key 0, because the tables are constants */
	if (!text_cache_reply(&api->forms, 0, 0, reply))
		text_cache_put(&api->forms, 0, forms_make(), reply);
}

const struct api_path forms_query_paths[] = {
	{ "api/forms", PATH_ALONE, OBSERVER_ALLOWED, .get = forms_get },
	{ 0 },
};
