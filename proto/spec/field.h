/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes the fields of an object in one table, and reads, checks, writes
 * and documents the object from that table.
 *
 * A row has the key, the type, the member of a struct, bounds, unit, default
 * and one sentence of help.  Messages between processes, options of addresses,
 * keys of streams and sections of the configuration are such tables.
 *
 *	#define AT(member) FIELD_AT(struct srt_spec, member)
 *	static const struct field rows[] = {
 *		{ "latency", AT(latency_ms), .max = 60000,
 *		  .initial = 120, .unit = "ms",
 *		  .help = "Delay of the receiver." },
 *		{ "passphrase", AT(passphrase), .min = 10,
 *		  .flags = FIELD_SECRET, .help = "Key of the encryption." },
 *	};
 *	const struct field_table srt_fields =
 *		FIELD_TABLE(struct srt_spec, rows);
 *
 * FIELD_AT() derives the type from the member.  A row without a member
 * (.type = FIELD_UINT) is checked and not stored.
 *
 * Tables are constants.  A struct that was read borrows its strings and JSON
 * values from the object that it was read from; a member that is an array
 * (char[], lists, structs) has a copy.
 *
 * Errors: -EINVAL with one sentence that begins with the field:
 * "inputs[2].port: 70000 is not between 1 and 65535".  A value of a secret
 * field is never repeated.  The struct is undefined after an error.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_writer;
struct field;
struct field_need;

enum field_type {
	FIELD_NONE,    /* known, and neither checked nor stored */
	FIELD_BOOL,    /* bool */
	FIELD_UINT,    /* unsigned of 8 to 64 bits, or an enum: see choices */
	FIELD_INT,     /* signed of 32 or 64 bits */
	FIELD_REAL,    /* double */
	FIELD_STRING,  /* const char *, borrowed; NULL: absent */
	FIELD_TEXT,    /* char[]; "": absent */
	FIELD_JSON,    /* const json_t *, borrowed: an object as `of' says */
	FIELD_OBJECT,  /* a struct as `of' says */
	FIELD_LIST,    /* an array of structs (of) or of single values (item) */
	FIELD_CUSTOM,  /* `hook' reads and writes it */
};

enum field_flag {
	FIELD_REQUIRED = 1 << 0, /* an object without it is an error */
	FIELD_MAYBE = 1 << 1,    /* may be absent from a FIELD_STRICT table */
	FIELD_SECRET = 1 << 2,   /* hidden from users: a password, a key */
	FIELD_OBSERVER = 1 << 3, /* visible to observers */
	FIELD_RESTART = 1 << 4,  /* takes effect at the next start */
	FIELD_NET = 1 << 5,      /* needs sluice-worker-net */
	FIELD_NEGATED = 1 << 6,  /* true makes the member false */
	FIELD_ALIAS = 1 << 7,    /* a second row of a member: read only */
	FIELD_GROUP = 1 << 8,    /* every key that begins so: "header." */
	FIELD_COMMAS = 1 << 9,   /* a list is the same as "item,item" */
	FIELD_LIST_OK = 1 << 10, /* an empty list is an empty object, too */
	FIELD_SPARE = 1 << 11,   /* omitted where the space is limited */
	FIELD_SETTING = 1 << 12, /* the settings may set it for all streams */
	FIELD_IDLE = 1 << 13,    /* known, and without effect */
	FIELD_INNER = 1 << 14,   /* for messages only; the API uses another */
	FIELD_EVERY = 1 << 15,   /* an option: each value counts if repeated */
	FIELD_ADDRESS = 1 << 16, /* an address: observers see it in part */
	FIELD_SHARED = 1 << 17,  /* other objects may use the value, too */
};

enum field_table_flag {
	/* A message: every row is required but FIELD_MAYBE, other keys are
	 * errors. */
	FIELD_STRICT = 1 << 0,
	/* User interfaces store it: numbers and booleans may be text, and
	 * null and "" are as if the key were absent. */
	FIELD_LOOSE = 1 << 1,
};

/* A value that needs code. */
struct field_hook {
	const char *schema; /* the type of the value in JSON: "string" */
	/* Reads text into the struct s; key is longer than that of the row in
	 * a FIELD_GROUP.  The sentence lacks the key. */
	int (*read)(const struct field *, const char *key, const char *text,
		    void *s, struct errmsg *error);
	/* Reads JSON; NULL: a scalar, or a list with FIELD_COMMAS, is read as
	 * text. */
	int (*read_json)(const struct field *, const json_t *value, void *s,
			 struct errmsg *error);
	/* The value of the struct s, a new reference; NULL: absent.  The
	 * function may be NULL: the row is not written. */
	json_t *(*format)(const struct field *, const void *s);
};

struct field {
	const char *key;
	enum field_type type;
	uint32_t size;   /* bytes of the member or item; 0: not stored */
	uint32_t offset; /* offset of the member in the struct */
	uint32_t count;  /* offset of the number of items, a size_t */
	uint32_t flags;  /* enum field_flag */
	/* Bounds of a number, of the bytes of a text or of the items of a list.
	 * max 0: what the member can hold (and min 0 of a FIELD_INT). */
	int64_t min, max;
	int64_t initial; /* the default of a number, a flag or a choice */
	const char *initial_text;
	/* Words, ended by NULL.  The value is the position of the word; words
	 * from position max (> 0) on are aliases of the first words. */
	const char *const *choices;
	const struct field_table *of;
	const struct field *item;
	const struct field_hook *hook;
	/* The field has no effect without the key needs, whose value must be
	 * needs_word, or with the key beside; NULL: no such key, any value.
	 * needs_or: other keys, each of which is as good as needs; beside_or:
	 * other keys, each of which is as bad as beside; idle_text: what the
	 * field does without needs, NULL: "does nothing". */
	const char *needs, *beside, *needs_word, *idle_text;
	const struct field_need *needs_or, *beside_or;
	uint32_t idle_in;  /* enum where (field_idle.h): no effect there */
	uint32_t needs_in; /* the same: needs counts only there; 0: anywhere */
	const char *unit; /* "ms" */
	const char *help; /* a sentence for the user */
	/* form: the type in field_form() where the row has none.  words: the
	 * values that a form offers, ended by NULL; a FIELD_UINT accepts no
	 * other, and other types are not compared with them. */
	const char *form;
	const char *const *words;
	/* Members of the JSON schema of the value, as a JSON object.  They
	 * describe the rules that code applies and the row does not have.
	 * NULL: the row has all rules. */
	const char *schema;
};

/* A key that a row names; a list ends with the key NULL. */
struct field_need {
	const char *key;
	const char *word; /* the value that it must have; NULL: any */
	/* The key is a list of objects, one of which must have the value as
	 * this member; NULL: the key itself has it. */
	const char *member;
};

struct field_table {
	const struct field *rows;
	size_t n;
	size_t size; /* bytes of the struct */
	unsigned flags;
	/* Checks what the fields mean together; NULL: nothing to check.  The
	 * sentence begins with the key: "port: is odd". */
	int (*judge)(const void *s, struct errmsg *error);
};

#define FIELD_TABLE(type_, rows_, ...) \
	{ .rows = (rows_), .n = ARRAY_LEN(rows_), .size = sizeof(type_), \
	  __VA_ARGS__ }

/* A table whose values no struct stores. */
#define FIELD_ROWS(rows_) { .rows = (rows_), .n = ARRAY_LEN(rows_) }

/* The type, size and offset of a member. */
#define FIELD_AT(type_, member) \
	.type = _Generic(((type_ *)0)->member, \
		bool: FIELD_BOOL, \
		unsigned char: FIELD_UINT, unsigned short: FIELD_UINT, \
		unsigned: FIELD_UINT, unsigned long: FIELD_UINT, \
		int: FIELD_INT, long: FIELD_INT, double: FIELD_REAL, \
		const char *: FIELD_STRING, char *: FIELD_TEXT, \
		const json_t *: FIELD_JSON, default: FIELD_CUSTOM), \
	.size = sizeof((type_ *)0)->member, .offset = offsetof(type_, member)

/* A struct in a struct, as another table says. */
#define FIELD_IN(type_, member, table) \
	.type = FIELD_OBJECT, .size = sizeof((type_ *)0)->member, \
	.offset = offsetof(type_, member), .of = (table)

/* A member that a hook reads; its default is zero. */
#define FIELD_BY(hook_, type_, member) \
	.type = FIELD_CUSTOM, .size = sizeof((type_ *)0)->member, \
	.offset = offsetof(type_, member), .hook = (hook_)

/* The members from first to last, which a hook reads. */
#define FIELD_BY_SPAN(hook_, type_, first, last) \
	.type = FIELD_CUSTOM, .hook = (hook_), \
	.offset = offsetof(type_, first), \
	.size = offsetof(type_, last) + sizeof((type_ *)0)->last - \
		offsetof(type_, first)

/* An array and the number of its items; needs .of or .item besides. */
#define FIELD_ITEMS(type_, list, n_) \
	.type = FIELD_LIST, .size = sizeof((type_ *)0)->list[0], \
	.offset = offsetof(type_, list), .count = offsetof(type_, n_), \
	.max = ARRAY_LEN(((type_ *)0)->list)

/* --- reading --- */

/* Sets the members that have a row to their defaults; other members of s keep
 * their values. */
void field_init(const struct field_table *, void *s);

/* Zeroes s and empties its lists.  The items of the lists keep their bytes. */
void field_clear(const struct field_table *, void *s);

/* Reads the keys of object (NULL: there are none) into ret; a member whose key
 * is absent gets its default.  0 or -EINVAL.  Stops at the first error; for a
 * FIELD_LOOSE table, a key with a wrong value counts as absent instead, and the
 * result is that of the first error. */
int field_read(const struct field_table *, const json_t *object, void *ret,
	       struct errmsg *error) MUST_CHECK;

/* Takes the text of an option ("key=text") into the struct s.  0 or -EINVAL.
 * key is that of the option; with FIELD_GROUP it begins with the key of the row
 * and is longer.  The sentence lacks the key: "70000 is not between 1 and
 * 65535". */
int field_read_text(const struct field *, const char *key, const char *text,
		    void *s, struct errmsg *error) MUST_CHECK;

/* Reports a finding about a field.  path: its place in the object, as in
 * "inputs[2].port"; text is the sentence, without the path. */
typedef void field_found_fn(const char *path, const char *text, void *arg);

/* Checks every field of object, reports all errors and returns their number.
 * Takes the values into s, which is NULL where no value is wanted and no row
 * has a hook. */
unsigned field_check(const struct field_table *, const json_t *object, void *s,
		     field_found_fn *found, void *arg);

/* Copies the strings that s borrows and takes a reference of its JSON values;
 * lists of single values stay borrowed.  Undo with field_drop(). */
void field_keep(const struct field_table *, void *s);

/* Frees what field_keep() made; the lists of s are empty afterwards. */
void field_drop(const struct field_table *, void *s);

/* Copies the members of `from', which borrows strings, to s, which owns its
 * strings.  The result is that of field_drop(), `=' and field_keep(), but an
 * equal text is not copied again, and only used items of lists are
 * copied.  Does not copy members without a row, and lists of pointers. */
void field_assign(const struct field_table *, void *s, const void *from);

/* --- keys --- */

/* The row of key, or NULL. */
const struct field *field_find(const struct field_table *, const char *key);

/* The key of n tables that was probably meant (at most two letters differ, and
 * not more than half as many as it has), or NULL. */
const char *field_nearest(const struct field_table *const *tables, size_t n,
			  const char *key);

/* Called for an unknown key; nearest: as of field_nearest(), or NULL. */
typedef void field_unknown_fn(const char *key, const char *nearest, void *arg);

/* Reports the keys of object that none of n tables has, but for keys that begin
 * with '_', which are remarks. */
void field_find_unknown(const struct field_table *const *tables, size_t n,
			const json_t *object, field_unknown_fn *unknown,
			void *arg);

/* --- writing --- */

/* Writes the members of s into the object that the caller has opened.  Leaves
 * out NULL strings and JSON values, and rows with a flag of skip. */
void field_write(const struct field_table *, const void *s, unsigned skip,
		 struct json_writer *);

/* Writes the members of s as field_write() does, into a new JSON object. */
json_t *field_format(const struct field_table *, const void *s,
		     unsigned skip);

/* The JSON schema of an object of this table, a new reference: type, bounds,
 * choices, default and help of each key; "unit", "secret", "restart" and
 * "deprecated" (no effect) are annotations. */
json_t *field_describe(const struct field_table *);

/* Widens that schema to every value that the reader accepts: numbers as text in
 * a FIELD_LOOSE table, other words for a choice, an empty list as an object. */
void field_widen(const struct field_table *, json_t *schema);

/*
 * What a form needs to know of each row, in the order of the table; a new
 * reference.
 *
 *	[{ "key": "latency", "type": "integer", "min": 0, "max": 60000,
 *	   "default": 120, "unit": "ms", "help": "Delay of the receiver." }]
 *
 * type: "boolean", "integer", "number", "text", "list", "object", "scalar" (a
 * number or a text) or "any".  A list has "item" with the type of an item, or
 * "fields"; an object may have "fields".  "choices" are the accepted words.
 * "needs" and "beside" are keys; "nit / bat": one of them is needed.  Flags are
 * true or absent: "required", "secret", "observer", "address", "restart",
 * "idle" (without effect), "prefix" (every key that begins so), "repeats" (an
 * option that may be given several times), "commas" (a list is one text with
 * commas).
 */
json_t *field_form(const struct field_table *);
