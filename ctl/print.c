/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/print.h"

#include "ctl/api_client.h"
#include "ctl/text.h"

void print_text(struct buf *text, FILE *to)
{
	if (buf_len(text) > 0)
		(void)fwrite(buf_head(text), 1, buf_len(text), to);
	buf_done(text);
}

void print_error(const json_t *reply, const char *key, const char *words)
{
	const char *error = api_text(reply, key);
	struct buf text = { 0 };

	if (error[0] == '\0')
		return;
	buf_printf(&text, "%s", words);
	text_plain(&text, error);
	buf_printf(&text, "\n");
	print_text(&text, stderr);
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

void print_warnings(const json_t *reply)
{
	struct buf text = { 0 };
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(reply, "warnings"), i, one) {
		buf_printf(&text, "sluicectl: warning: ");
		text_plain(&text, json_string_value(one));
		buf_printf(&text, "\n");
	}
	print_text(&text, stderr);
}
