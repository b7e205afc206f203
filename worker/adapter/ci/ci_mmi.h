/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Menus and enquiries of a module (EN 50221 8.6, the high level).  Pure. */
#pragma once

#include "common/base/util.h"
#include "worker/adapter/ci/ci_bytes.h"

enum {
	MMI_TEXT_MAX = 256, /* UTF-8 with NUL; a longer text is cut */
	MMI_ITEMS_MAX = 48, /* further items are counted */
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
	MMI_NONE,    /* no dialogue, or the module has not asked yet */
	MMI_MENU,    /* wants the number of an item, or 0 */
	MMI_LIST,    /* wants to be confirmed */
	MMI_QUESTION, /* wants a text */
};

struct ci_mmi {
	enum ci_mmi_kind kind;
	bool complete;      /* no more of it follows */
	bool blind;         /* the answer is not to be shown */
	unsigned length;    /* of the answer that is expected; 0: any */
	char title[MMI_TEXT_MAX]; /* also the text of a question */
	char subtitle[MMI_TEXT_MAX];
	char bottom[MMI_TEXT_MAX];
	size_t n;           /* items in list */
	size_t more;        /* items beyond those */
	char items[MMI_ITEMS_MAX][MMI_TEXT_MAX];
};

/* Takes an object of the module into *m.  1: it is complete; 0: more of it
 * follows; -EBADMSG: it is malformed, and *m is MMI_NONE; -ENOTSUP: not an
 * object of the high level. */
int ci_mmi_take(struct ci_mmi *m, uint32_t tag, struct ci_bytes value);
