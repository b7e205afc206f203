/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The key of BISS mode 1 (EBU Tech 3292): a session word that both ends know.
 * The control word made of it is the even and the odd one.
 *
 * A key has 12 hexadecimal digits, the session word, or 16, the control word.
 * Bytes 4 and 8 of a control word are the checksums of the three bytes before
 * them.  The value 0 stands for the checksum.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum { BISS_KEY = 8 /* bytes of a key */ };

struct biss_spec {
	bool given;
	uint8_t key[BISS_KEY];
	bool no_checksum; /* all 64 bits belong to the key: no checksums */
};

extern const struct field_hook biss_hook; /* reads a struct biss_spec */

/* Checks the checksums of the key and computes omitted ones.  0, or -EINVAL
 * with a sentence that begins with the option and does not contain the key. */
int biss_finish(struct biss_spec *, struct errmsg *error) MUST_CHECK;
