/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/print.h"

#include "ctl/api_client.h"

void print_text(struct buf *text, FILE *to)
{
	if (buf_len(text) > 0)
		(void)fwrite(buf_head(text), 1, buf_len(text), to);
	buf_done(text);
}

enum ctl_exit print_answer(struct ctl *ctl, const char *path,
			   void (*show)(const struct ctl *,
					const json_t *answer))
{
	json_t *answer = NULL;
	enum ctl_exit code = api_get(ctl, path, &answer);

	if (code == CTL_OK && ctl->options.json)
		ctl_print_json(answer);
	else if (code == CTL_OK)
		show(ctl, answer);
	json_decref(answer);
	return code;
}

void print_table(const struct ctl *ctl, const struct table *t)
{
	struct table_style style = { .colour = ctl->colour, .end = "\n" };
	struct buf text = { 0 };

	table_write(t, &style, &text);
	print_text(&text, stdout);
}
