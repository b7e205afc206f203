/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/desc_edit.h"

#include "common/base/hex.h"
#include "proto/si/record.h"

#include <errno.h>
#include <string.h>

static const char *const tables[] = { "pmt", "sdt", "nit", "bat", NULL };
static const char *const actions[] = { "add", "replace", "remove", NULL };
static const char *const loops[] = { "transport", "network", NULL };

static int read_hex(const struct field *f, const char *key, const char *text,
		    void *s, struct errmsg *error)
{
	struct desc_edit *e = s;
	size_t n = strlen(text) / 2;

	(void)f, (void)key;
	if (strlen(text) % 2 != 0 || n < 2 || n > DESC_EDIT_BYTES ||
	    !hex_read(text, e->bytes, n))
		return errmsg_fail(error, -EINVAL, "is not a descriptor of 4 "
				   "to %d hexadecimal digits",
				   2 * DESC_EDIT_BYTES);
	if (e->bytes[1] != n - 2)
		return errmsg_fail(error, -EINVAL, "has %zu bytes after its "
				   "length byte, which is %u", n - 2,
				   e->bytes[1]);
	e->len = (uint16_t)n;
	return 0;
}

/* Reads the fields of a descriptor, as the analyzer shows them. */
static int read_fields(const struct field *f, const json_t *value, void *s,
		       struct errmsg *error)
{
	struct desc_edit *e = s;
	size_t len;

	(void)f;
	if (e->len > 0)
		return errmsg_fail(error, -EINVAL, "cannot be combined with hex"
				   );
	if (si_descriptor_encode(value, e->bytes, &len, error) < 0)
		return -EINVAL;
	/* the analyzer also shows broken descriptors; in a table they would
	 * make the descriptors behind them unreadable */
	if (len < 2 || e->bytes[1] + 2U != len)
		return errmsg_fail(error, -EINVAL, "has a number of bytes that "
				   "differs from its length");
	e->len = (uint16_t)len;
	return 0;
}

static int judge(const void *s, struct errmsg *error)
{
	const struct desc_edit *e = s;

	if (e->action == EDIT_REMOVE && desc_edit_tag(e) == 0)
		return errmsg_fail(error, -EINVAL, "tag: is missing");
	if (e->action != EDIT_REMOVE && e->len == 0)
		return errmsg_fail(error, -EINVAL, "descriptor: is missing");
	if (e->len > 0 && e->tag != 0 && e->tag != e->bytes[0])
		return errmsg_fail(error, -EINVAL, "tag: %u is not %u, the tag "
				   "of the descriptor", e->tag, e->bytes[0]);
	if (e->table != EDIT_PMT && e->pid != 0)
		return errmsg_fail(error, -EINVAL, "pid: only a PMT has "
				   "components");
	if ((e->table == EDIT_NIT || e->table == EDIT_BAT) && e->pnr != 0)
		return errmsg_fail(error, -EINVAL, "pnr: only PMT and SDT have "
				   "programs");
	if (e->table != EDIT_NIT && e->table != EDIT_BAT &&
	    e->loop != LOOP_TRANSPORT)
		return errmsg_fail(error, -EINVAL, "loop: only NIT and BAT "
				   "have the loop \"network\"");
	return 0;
}

static const struct field_hook hex_hook = { .schema = "string",
					    .read = read_hex };
static const struct field_hook fields_hook = { .schema = "object",
					       .read_json = read_fields };

#define AT(member) FIELD_AT(struct desc_edit, member)

static const struct field rows[] = {
	{ "table", AT(table), .choices = tables,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "Table with the descriptor: pmt, sdt, nit or bat." },
	{ "action", AT(action), .choices = actions, .flags = FIELD_OBSERVER,
	  .help = "add, replace those of the same tag, or remove." },
	{ "pnr", AT(pnr), .flags = FIELD_OBSERVER,
	  .help = "Program of the output; 0: all." },
	{ "pid", AT(pid), .max = 8190, .flags = FIELD_OBSERVER,
	  .help = "Component of the output; 0: the program itself." },
	{ "loop", AT(loop), .choices = loops, .flags = FIELD_OBSERVER,
	  .help = "Of a NIT or BAT: the loop of the transport stream, or "
		  "that of the network or bouquet." },
	{ "tag", AT(tag), .flags = FIELD_OBSERVER,
	  .help = "Tag of the descriptors to remove." },
	{ "hex", FIELD_BY_SPAN(&hex_hook, struct desc_edit, len, bytes),
	  .flags = FIELD_OBSERVER,
	  .help = "The descriptor to add, with its tag and length." },
	{ "descriptor",
	  FIELD_BY_SPAN(&fields_hook, struct desc_edit, len, bytes),
	  .flags = FIELD_ALIAS | FIELD_OBSERVER,
	  .help = "The fields of the descriptor to add, as the analyzer shows "
		  "them; in place of hex." },
};

const struct field_table desc_edit_fields =
	FIELD_TABLE(struct desc_edit, rows, .flags = FIELD_LOOSE,
		    .judge = judge);
