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
	FIELD_NONE,    /* known key; its value is neither checked nor stored */
	FIELD_BOOL,    /* bool */
	FIELD_UINT,    /* unsigned of 8 to 64 bits, or an enum: see choices */
	FIELD_INT,     /* signed of 32 or 64 bits */
	FIELD_REAL,    /* double */
	FIELD_STRING,  /* const char *, borrowed; NULL: absent */
	FIELD_TEXT,    /* char[]; "": absent */
	FIELD_JSON,    /* const json_t *, borrowed; `of': table of the object */
	FIELD_OBJECT,  /* a struct; `of': its table */
	FIELD_LIST,    /* an array of structs (`of') or of values (`item') */
	FIELD_CUSTOM,  /* `hook' reads and writes the value */
};

enum field_flag {
	FIELD_REQUIRED = 1 << 0, /* an object without the key is an error */
	FIELD_MAYBE = 1 << 1,    /* FIELD_STRICT: the key may be absent */
	FIELD_SECRET = 1 << 2,   /* hidden from users: a password, a key */
	FIELD_OBSERVER = 1 << 3, /* visible to observers */
	FIELD_RESTART = 1 << 4,  /* takes effect at the next start */
	FIELD_NET = 1 << 5,      /* needs sluice-worker-net */
	FIELD_NEGATED = 1 << 6,  /* the value true makes the member false */
	FIELD_ALIAS = 1 << 7,    /* another key of a member; never written */
	FIELD_GROUP = 1 << 8,    /* all keys with this begin, as "header." */
	FIELD_COMMAS = 1 << 9,   /* accepts a list for the text "item,item" */
	FIELD_LIST_OK = 1 << 10, /* accepts [] for an empty object */
	FIELD_SPARE = 1 << 11,   /* omitted from a message that is too long */
	FIELD_SETTING = 1 << 12, /* the settings may set it for all streams */
	FIELD_IDLE = 1 << 13,    /* the key is known and has no effect */
	FIELD_INNER = 1 << 14,   /* only in messages; the API omits it */
	FIELD_EVERY = 1 << 15,   /* an option: each value counts if repeated */
	FIELD_ADDRESS = 1 << 16, /* an address: observers see it in part */
	FIELD_SHARED = 1 << 17,  /* other objects may use the value, too */
};

enum field_table_flag {
	/* For messages: all keys without FIELD_MAYBE are required, and a key
	 * without a row is an error. */
	FIELD_STRICT = 1 << 0,
	/* For objects that user interfaces store: numbers and booleans may be
	 * text, and a key with the value null or "" counts as absent. */
	FIELD_LOOSE = 1 << 1,
};

/* Functions that read and write the value of a FIELD_CUSTOM. */
struct field_hook {
	const char *schema; /* JSON schema type of the value: "string"; NULL:
			     * any type */
	/* Reads text into the struct s.  key: the whole key of the option,
	 * which with FIELD_GROUP is longer than that of the row.  0, or -EINVAL
	 * with a sentence that lacks the key. */
	int (*read)(const struct field *, const char *key, const char *text,
		    void *s, struct errmsg *error);
	/* Reads a JSON value.  NULL: read() gets the value as text, if it is a
	 * scalar, or a list with FIELD_COMMAS. */
	int (*read_json)(const struct field *, const json_t *value, void *s,
			 struct errmsg *error);
	/* Returns the value in the struct s as a new reference; NULL: absent.
	 * If the function is NULL, the row is not written. */
	json_t *(*format)(const struct field *, const void *s);
};

struct field {
	const char *key;
	enum field_type type;
	uint32_t size;   /* bytes of the member; FIELD_LIST: of an item; 0: the
			  * value is not stored */
	uint32_t offset; /* offset of the member in the struct */
	uint32_t count;  /* FIELD_LIST: offset of the size_t with the number of
			  * items */
	uint32_t flags;  /* enum field_flag */
	/* Bounds of a number, of the bytes of a text or of the items of a list.
	 * max 0 with min 0 or above: the upper bound is what the member can
	 * hold; for a FIELD_INT with min 0 the lower bound is, too. */
	int64_t min, max;
	int64_t initial; /* the default of a number, a flag or a choice */
	const char *initial_text; /* the default of a text; NULL: none */
	/* The words of a choice, ended by NULL.  The member has the position of
	 * the word.  If max > 0, the words from position max on are aliases of
	 * the first words. */
	const char *const *choices;
	const struct field_table *of;
	const struct field *item;
	const struct field_hook *hook;
	/* needs: the field has an effect only if this key is set, to the value
	 * needs_word (NULL: to any value); NULL: it needs no key.
	 * beside: the field has no effect if this key is set; NULL: none.
	 * idle_text: says in remarks what the field does without needs; NULL:
	 * "does nothing". */
	const char *needs, *beside, *needs_word, *idle_text;
	/* Further keys, each an alternative to needs or to beside. */
	const struct field_need *needs_or, *beside_or;
	uint32_t idle_in;  /* bits of enum where (field_idle.h): places where
			    * the field has no effect */
	uint32_t needs_in; /* bits of enum where: places where needs applies;
			    * 0: everywhere */
	const char *unit; /* unit of the value, such as "ms" */
	const char *help; /* a sentence for the user */
	const char *form; /* type in field_form() of a FIELD_NONE or a
			   * FIELD_CUSTOM; NULL: that of the hook, or "any" */
	/* The values that a form offers, ended by NULL.  A FIELD_UINT or
	 * FIELD_INT accepts no other value; the other types accept any. */
	const char *const *words;
	/* Members of the JSON schema of the value, as a JSON object, for rules
	 * that are in code and not in the row; NULL: none. */
	const char *schema;
};

/* A key that another field needs, or with which the field has no effect.  A
 * list of keys ends with the key NULL. */
struct field_need {
	const char *key;
	const char *word; /* the value that the key must have; NULL: any */
	/* Not NULL: the key has a list of objects, and this member of an object
	 * must have the value.  NULL: the key itself must have it. */
	const char *member;
};

struct field_table {
	const struct field *rows;
	size_t n;
	size_t size; /* bytes of the struct */
	unsigned flags;
	/* Checks the fields of the struct s together; NULL: nothing to check.
	 * 0, or -EINVAL with a sentence that begins with a key: "port: is
	 * odd". */
	int (*judge)(const void *s, struct errmsg *error);
};

#define FIELD_TABLE(type_, rows_, ...) \
	{ .rows = (rows_), .n = ARRAY_LEN(rows_), .size = sizeof(type_), \
	  __VA_ARGS__ }

/* A table whose values no struct stores. */
#define FIELD_ROWS(rows_) { .rows = (rows_), .n = ARRAY_LEN(rows_) }

/* Members of a row (struct field): type, size and offset of this member. */
#define FIELD_AT(type_, member) \
	.type = _Generic(((type_ *)0)->member, \
		bool: FIELD_BOOL, \
		unsigned char: FIELD_UINT, unsigned short: FIELD_UINT, \
		unsigned: FIELD_UINT, unsigned long: FIELD_UINT, \
		int: FIELD_INT, long: FIELD_INT, double: FIELD_REAL, \
		const char *: FIELD_STRING, char *: FIELD_TEXT, \
		const json_t *: FIELD_JSON, default: FIELD_CUSTOM), \
	.size = sizeof((type_ *)0)->member, .offset = offsetof(type_, member)

/* A member that is a struct; the other table has its fields. */
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

/* A member that is an array, and the member n_ with the number of its items.
 * The row needs .of or .item besides. */
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
 * is absent gets its default.  0, or -EINVAL at the first error, which ends the
 * reading.  In a FIELD_LOOSE table a key with a wrong value counts as absent,
 * the other keys are read, and error has the first error. */
int field_read(const struct field_table *, const json_t *object, void *ret,
	       struct errmsg *error) MUST_CHECK;

/* Reads the text of an option ("key=text") into the struct s.  key: the whole
 * key of the option, which with FIELD_GROUP is longer than that of the row.  0,
 * or -EINVAL with a sentence that lacks the key: "70000 is not between 1 and
 * 65535". */
int field_read_text(const struct field *, const char *key, const char *text,
		    void *s, struct errmsg *error) MUST_CHECK;

/* Reports a finding about a field.  path: its place in the object, as in
 * "inputs[2].port"; text is the sentence, without the path. */
typedef void field_found_fn(const char *path, const char *text, void *arg);

/* Checks every field of object, reports all errors and returns their number.
 * Reads the values into s; s may be NULL if no row has a hook. */
unsigned field_check(const struct field_table *, const json_t *object, void *s,
		     field_found_fn *found, void *arg);

/* Copies the strings that s borrows and takes a reference of its JSON values;
 * lists of single values stay borrowed.  Undo with field_drop(). */
void field_keep(const struct field_table *, void *s);

/* Frees what field_keep() made; the lists of s are empty afterwards. */
void field_drop(const struct field_table *, void *s);

/* Copies the members of `from', which borrows its strings, to s, which owns its
 * strings.  The result is as after field_drop(s), *s = *from and field_keep(s),
 * but equal strings stay, and unused items of lists are not copied.  Members
 * without a row are not copied.  The tables must have no lists of pointers. */
void field_assign(const struct field_table *, void *s, const void *from);

/* --- keys --- */

/* The row of key, or NULL. */
const struct field *field_find(const struct field_table *, const char *key);

/* Returns the key of the n tables of which `key' is probably a misspelling
 * (typo_compare()), or NULL. */
const char *field_nearest(const struct field_table *const *tables, size_t n,
			  const char *key);

/* Called for an unknown key; nearest: result of field_nearest() for it. */
typedef void field_unknown_fn(const char *key, const char *nearest, void *arg);

/* Reports the keys of object that none of the n tables has.  Keys that begin
 * with '_' are remarks of the user and are not reported. */
void field_find_unknown(const struct field_table *const *tables, size_t n,
			const json_t *object, field_unknown_fn *unknown,
			void *arg);

/* --- writing --- */

/* Writes the members of s into the object that the caller has opened.  Omits
 * texts and JSON values that are absent, and rows with FIELD_ALIAS or with one
 * of the flags in skip. */
void field_write(const struct field_table *, const void *s, unsigned skip,
		 struct json_writer *);

/* Writes the members of s as field_write() does, into a new JSON object. */
json_t *field_format(const struct field_table *, const void *s,
		     unsigned skip);

/* The JSON schema of an object of this table, a new reference: type, bounds,
 * choices, default and help of each key; "unit", "secret", "restart" and
 * "deprecated" (no effect) are annotations. */
json_t *field_describe(const struct field_table *);

/* Widens the schema of field_describe() to every value that the reader accepts:
 * in a FIELD_LOOSE table numbers as text and aliases of choices, and with
 * FIELD_LIST_OK an empty list for an object. */
void field_widen(const struct field_table *, json_t *schema);

/*
 * Describes each row for a form of a user interface, in the order of the table;
 * a new reference.
 *
 *	[{ "key": "latency", "type": "integer", "min": 0, "max": 60000,
 *	   "default": 120, "unit": "ms", "help": "Delay of the receiver." }]
 *
 * type: "boolean", "integer", "number", "text", "list", "object", "scalar" (a
 * number or a text) or "any".  A list has "item" with the type of an item, or
 * "fields"; an object may have "fields".  "choices" are the accepted words.
 * "needs" and "beside" are keys; "nit / bat": one of these two is needed.
 * Flags are true or absent: "required", "secret", "observer", "address",
 * "restart", "idle" (without effect), "prefix" (the row is for all keys that
 * begin with "key"), "repeats" (an option that may be given several times),
 * "commas" (a list is one text with commas).
 */
json_t *field_form(const struct field_table *);
