/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes menus and questions of a module (EN 50221 8.6, high level MMI).
 * Pure. */
#pragma once

#include "common/base/util.h"
#include "worker/adapter/ci/ci_bytes.h"

enum {
	MMI_TEXT_MAX = 256, /* bytes of UTF-8 with NUL; a longer text is cut */
	MMI_ITEMS_MAX = 48, /* further items are only counted */
	MMI_ANSWER_MAX = 250,
};

enum ci_mmi_tag {
	MMI_CLOSE = 0x9f8800,
	MMI_DISPLAY_CONTROL = 0x9f8801,
	MMI_DISPLAY_REPLY = 0x9f8802,
	MMI_TEXT_LAST = 0x9f8803,
	MMI_TEXT_MORE = 0x9f8804,
	MMI_KEYPAD_CONTROL = 0x9f8805,
	MMI_ENQUIRY = 0x9f8807,
	MMI_ANSWER = 0x9f8808,
	MMI_MENU_LAST = 0x9f8809,
	MMI_MENU_MORE = 0x9f880a,
	MMI_MENU_ANSWER = 0x9f880b,
	MMI_LIST_LAST = 0x9f880c,
	MMI_LIST_MORE = 0x9f880d,
};

enum ci_mmi_kind {
	MMI_NONE,    /* nothing to answer: no dialogue, or no question in it
		      * yet */
	MMI_MENU,    /* the answer is the number of an item, or 0: back */
	MMI_LIST,    /* the answer is a confirmation */
	MMI_QUESTION, /* the answer is a text */
};

struct ci_mmi {
	enum ci_mmi_kind kind;
	bool complete;      /* all parts were received */
	bool blind;         /* the answer must not be shown */
	unsigned length;    /* expected characters of the answer; 0: any
			     * number */
	/* title of a menu or list, or text of a question */
	char title[MMI_TEXT_MAX];
	char subtitle[MMI_TEXT_MAX];
	char bottom[MMI_TEXT_MAX];
	size_t n;           /* number of entries in `items' */
	size_t more;        /* number of further items, which are not stored */
	char items[MMI_ITEMS_MAX][MMI_TEXT_MAX];
};

/* Decodes an object of the module into *m.  1: the dialogue is complete; 0:
 * more parts follow; -EBADMSG: the object is malformed, and *m is MMI_NONE;
 * -ENOTSUP: the object is not of the high level. */
int ci_mmi_take(struct ci_mmi *m, uint32_t tag, struct ci_bytes value);
