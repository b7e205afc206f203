/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of one type of address, as a table, and its reader.
 *
 * 0, or -EINVAL with why, which names the option.
 */
#pragma once

#include "common/base/address.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/io_spec.h"

enum io_option_form {
	IO_TEXT,    /* char[max + 1]; min to max bytes */
	IO_FLAG,    /* bool */
	IO_NO_FLAG, /* bool, which it makes false */
	IO_NUMBER,  /* unsigned; min to max */
	IO_WORD,    /* unsigned: which of the reader's words, up to max; further
		     * ones are other names of the same */
	IO_GROUP,   /* all that begin with the key; read elsewhere */
	IO_IGNORED, /* known, and read elsewhere or without a meaning to us */
};

struct io_option {
	const char *key; /* NULL ends a table */
	enum io_option_form form;
	size_t offset; /* into the spec */
	uint64_t min, max;
};

/* An option that does nothing without another one, or beside it. */
struct io_need {
	const char *key; /* NULL ends a table */
	const char *other;
	bool beside;
};

struct io_reader {
	const struct io_option *options; /* of the type; may be NULL */
	const struct io_need *needs;     /* may be NULL */
	const char *const *idle;         /* known, and do nothing; or NULL */
	const struct io_option *general; /* of all types; may be NULL */
	const struct io_need *general_needs; /* may be NULL */
	const char *const *words;        /* of IO_WORD; a NULL ends them */
	void *spec;
	struct remux_options *remux; /* NULL: an output has none */
	io_remark_fn *remark;
	void *arg;
};

/* Other programs' spelling, "key=value&…" behind a '?', is read like what is
 * behind a '#'. */
int io_query_read(const char *query, const struct io_reader *,
		  struct errmsg *why) MUST_CHECK;

int io_options_read(const struct address *, const struct io_reader *,
		    struct errmsg *why) MUST_CHECK;
