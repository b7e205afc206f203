/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/print.h"

void print_text(struct buf *text, FILE *to)
{
	if (buf_len(text) > 0)
		(void)fwrite(buf_head(text), 1, buf_len(text), to);
	buf_done(text);
}

void print_table(const struct ctl *ctl, const struct table *t)
{
	struct table_style style = { .colour = ctl->colour, .end = "\n" };
	struct buf text = { 0 };

	table_write(t, &style, &text);
	print_text(&text, stdout);
}
