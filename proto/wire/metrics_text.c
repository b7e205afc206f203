/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/metrics_text.h"

#include "common/base/buf.h"

#include <string.h>

void metrics_head(struct buf *to, const char *name, enum metric_kind kind,
		  const char *help)
{
	static const char *const kinds[] = {
		[METRIC_GAUGE] = "gauge",
		[METRIC_COUNTER] = "counter",
	};

	buf_printf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		   kinds[kind]);
}

void metrics_sample(struct buf *to, const char *name,
		    const struct metric_label *labels, double value)
{
	char before = '{';

	buf_append(to, name, strlen(name));
	for (; labels != NULL && labels->name != NULL; labels++) {
		const char *text = labels->value;

		buf_printf(to, "%c%s=\"", before, labels->name);
		/* a backslash precedes backslashes, quotation marks and line
		 * ends */
		while (*text != '\0') {
			size_t plain = strcspn(text, "\\\"\n");

			buf_append(to, text, plain);
			text += plain;
			if (*text != '\0') {
				buf_printf(to, "\\%c",
					   *text == '\n' ? 'n' : *text);
				text++;
			}
		}
		buf_append(to, "\"", 1);
		before = ',';
	}
	/* whole numbers up to 2^53 are exact */
	buf_printf(to, "%s %.16g\n", before == ',' ? "}" : "", value);
}
