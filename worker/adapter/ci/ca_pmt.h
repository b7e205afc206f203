/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CA PMT: the part of the PMT that a module needs to descramble a program
 * (EN 50221 8.4.3.4).  Pure. */
#pragma once

#include "common/base/util.h"
#include "worker/ts/pmt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ca_list_management {
	CA_LIST_MORE,
	CA_LIST_FIRST,
	CA_LIST_LAST,
	CA_LIST_ONLY,
	CA_LIST_ADD,
	CA_LIST_UPDATE,
};

enum ca_command {
	CA_DESCRAMBLE = 1,
	CA_QUERY = 3,
	CA_NOT_SELECTED = 4,
};

enum {
	CA_PMT_MAX = 1536, /* the longest object that a PMT of 1,024 bytes
			    * makes */
	CA_PMT_SECTION_MAX = 1024,
	CA_IDS_MAX = 64,
	/* values of CA_enable in a ca_pmt_reply */
	CA_REPLY_POSSIBLE = 0x01,
	CA_REPLY_PURCHASE = 0x02,
	CA_REPLY_TECHNICAL = 0x03,
	CA_REPLY_NO_RIGHT = 0x71,
	CA_REPLY_FAILED = 0x73,
};

struct ca_ids {
	size_t n;
	uint16_t list[CA_IDS_MAX];
};

/* Which CA descriptors a PMT has, compared with the CAIDs of a module. */
enum ca_pmt_kind {
	CA_PMT_BROKEN,   /* the section is not a PMT */
	CA_PMT_CLEAR,    /* the PMT has no CA descriptor */
	CA_PMT_FOREIGN,  /* no CA descriptor has a CAID of the module */
	CA_PMT_KNOWN,
};
enum ca_pmt_kind ca_pmt_judge(const uint8_t *section, size_t len,
			      const struct ca_ids *);

/* Writes the body of a CA PMT into to (CA_PMT_MAX bytes) and returns its size;
 * 0: the section is not a PMT, or has more than CA_PMT_SECTION_MAX bytes.  Only
 * CA descriptors with these CAIDs are copied. */
size_t ca_pmt_make(const uint8_t *section, size_t len, const struct ca_ids *,
		   enum ca_command, uint8_t *to);

/* Sets the list management, which is the first byte of a CA PMT. */
static inline void ca_pmt_set_list(uint8_t *ca_pmt,
				   enum ca_list_management list)
{
	ca_pmt[0] = (uint8_t)list;
}

struct ca_reply {
	uint16_t program;
	bool has_answer;
	uint8_t answer; /* largest CA_enable of the program and its streams */
};

/* Decodes the body of a ca_pmt_reply.  0 or -EBADMSG. */
int ca_reply_decode(const uint8_t *data, size_t n,
		    struct ca_reply *ret) MUST_CHECK;
