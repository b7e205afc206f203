/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/fields.h"

static void read_list(const struct field *f, struct bits *b, json_t *object)
{
	json_t *list = si_put_list(object, f->name);

	while (!bits_end(b))
		fields_read(f->fields, b, si_add_object(list));
}

static void read_field(const struct field *f, struct bits *b, json_t *object)
{
	const char *word;
	struct bytes bytes;
	struct bits inner;
	json_t *list;

	switch (f->kind) {
	case FIELD_END:
		break;
	case FIELD_SKIP:
		bits_skip(b, f->n);
		break;
	case FIELD_UINT:
		si_put_uint(object, f->name, bits_take(b, f->n));
		break;
	case FIELD_FLAG:
		si_put_bool(object, f->name, bits_take(b, 1) != 0);
		break;
	case FIELD_BCD:
		si_put_uint(object, f->name,
			    si_bcd(bits_take(b, f->n), f->n));
		break;
	case FIELD_WORD:
		word = f->words[bits_take(b, f->n)];
		si_put_string(object, f->name, word ? word : "reserved");
		break;
	case FIELD_ASCII:
		si_put_ascii(object, f->name, bits_bytes(b, f->n));
		break;
	case FIELD_TEXT:
		si_put_text(object, f->name, bits_rest(b));
		break;
	case FIELD_TEXT8:
		si_put_text(object, f->name,
			    bits_bytes(b, (size_t)bits_take(b, 8)));
		break;
	case FIELD_HEX:
		if (!bits_end(b))
			si_put_hex(object, f->name, bits_rest(b));
		break;
	case FIELD_HEX8:
		si_put_hex(object, f->name,
			   bits_bytes(b, (size_t)bits_take(b, 8)));
		break;
	case FIELD_UINTS:
		list = si_put_list(object, f->name);
		while (!b->cut && bits_left(b) >= f->n)
			(void)json_array_append_new(
				list, json_integer((json_int_t)bits_take(
					      b, f->n)));
		break;
	case FIELD_LIST:
		read_list(f, b, object);
		break;
	case FIELD_LIST8:
		bytes = bits_bytes(b, (size_t)bits_take(b, 8));
		inner = bits_of(bytes.data, bytes.len);
		read_list(f, &inner, object);
		b->cut |= inner.cut;
		break;
	case FIELD_CALL:
		f->call(b, object);
		break;
	}
}

void fields_read(const struct field *f, struct bits *b, json_t *object)
{
	for (; f->kind != FIELD_END; f++)
		read_field(f, b, object);
}
