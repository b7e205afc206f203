/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the overview says, read again. */
#pragma once

#include "common/base/buf.h"
#include "master/status/status_stream.h"

#include <criterion/criterion.h>
#include <jansson.h>

/* Takes the text; a new reference. */
static inline json_t *overview_parse(struct buf *text)
{
	json_error_t why;
	json_t *value = json_loadb((const char *)buf_head(text), buf_len(text),
				   0, &why);

	cr_assert_not_null(value, "%s", why.text);
	buf_done(text);
	return value;
}

static inline json_t *overview_row(const struct status_stream *s,
				   const struct stream_proc_info *info)
{
	struct buf text = { 0 };

	status_stream_overview(s, info, NULL, &text);
	return overview_parse(&text);
}
