/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/fields.h"

/* Reads or writes a field behind a length of one byte. */
static void run_counted(struct codec *c, const struct si_field *f)
{
	struct codec_scope scope = codec_begin(c, 8);

	if (f->kind == SI_TEXT8)
		codec_text(c, f->name);
	else if (f->kind == SI_HEX8)
		codec_hex(c, f->name);
	else
		codec_list(c, f->name, fields_run, f->fields);
	codec_end(c, &scope, f->name);
}

static void run_field(struct codec *c, const struct si_field *f)
{
	switch (f->kind) {
	case SI_END:
		break;
	case SI_ONES:
		codec_reserved(c, f->n);
		break;
	case SI_ZEROS:
		(void)codec_bits(c, f->n, 0);
		break;
	case SI_UINT:
		(void)codec_uint(c, f->name, f->n);
		break;
	case SI_FLAG:
		(void)codec_flag(c, f->name);
		break;
	case SI_WORD:
		codec_word(c, f->name, f->n, f->words);
		break;
	case SI_ASCII:
		codec_ascii(c, f->name, f->n);
		break;
	case SI_TEXT:
		codec_text(c, f->name);
		break;
	case SI_HEX:
		if (codec_more(c, f->name))
			codec_hex(c, f->name);
		break;
	case SI_TEXT8:
	case SI_HEX8:
	case SI_LIST8:
		run_counted(c, f);
		break;
	case SI_UINTS:
		codec_uints(c, f->name, f->n);
		break;
	case SI_LIST:
		codec_list(c, f->name, fields_run, f->fields);
		break;
	case SI_CALL:
		f->call(c);
		break;
	}
}

void fields_run(struct codec *c, const void *fields)
{
	for (const struct si_field *f = fields; f->kind != SI_END; f++)
		run_field(c, f);
}
