/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_mmi.h"

#include "proto/si/text.h"

#include <errno.h>

enum {
	BLIND = 0x01,
	ANY_LENGTH = 0xff,
};

static void fail(struct ci_mmi *m)
{
	m->kind = MMI_NONE;
	m->complete = m->blind = false;
	m->length = 0;
	m->n = m->more = 0;
}

static int take_question(struct ci_mmi *m, struct ci_bytes value)
{
	if (value.n < 2) {
		fail(m);
		return -EBADMSG;
	}
	fail(m);
	m->kind = MMI_QUESTION;
	m->complete = true;
	m->blind = value.data[0] & BLIND;
	m->length = value.data[1] == ANY_LENGTH ? 0 : value.data[1];
	m->subtitle[0] = m->bottom[0] = '\0';
	(void)text_decode(value.data + 2, value.n - 2, m->title,
			  sizeof m->title);
	return 1;
}

/* Takes a text: any number of text_more and one text_last.  False: it is
 * malformed. */
static bool take_text(struct ci_bytes *from, char *to)
{
	size_t len = 0;
	uint32_t tag;

	to[0] = '\0';
	do {
		struct ci_bytes text;

		if (!ci_take_object(from, CI_APDU_TAG, &tag, &text) ||
		    (tag != MMI_TEXT_LAST && tag != MMI_TEXT_MORE))
			return false;
		len += text_decode(text.data, text.n, to + len,
				   MMI_TEXT_MAX - len);
	} while (tag == MMI_TEXT_MORE);
	return true;
}

static bool take_items(struct ci_mmi *m, struct ci_bytes *value)
{
	char unused[MMI_TEXT_MAX];

	/* The announced number of items is not used: it may count the items of
	 * all parts, or be unknown. */
	while (value->n > 0) {
		bool fits = m->n < MMI_ITEMS_MAX;

		if (!take_text(value, fits ? m->items[m->n] : unused))
			return false;
		if (fits)
			m->n++;
		else
			m->more++;
	}
	return true;
}

static int take_menu(struct ci_mmi *m, enum ci_mmi_kind kind, bool last,
		     struct ci_bytes value)
{
	/* after a complete menu, another one begins */
	if (m->kind != kind || m->complete)
		fail(m);
	m->kind = kind;
	m->complete = last;
	if (value.n < 1) {
		fail(m);
		return -EBADMSG;
	}
	value.data++;
	value.n--;
	if (!take_text(&value, m->title) || !take_text(&value, m->subtitle) ||
	    !take_text(&value, m->bottom) || !take_items(m, &value)) {
		fail(m);
		return -EBADMSG;
	}
	return last;
}

int ci_mmi_take(struct ci_mmi *m, uint32_t tag, struct ci_bytes value)
{
	switch (tag) {
	case MMI_ENQUIRY:
		return take_question(m, value);
	case MMI_MENU_LAST:
	case MMI_MENU_MORE:
		return take_menu(m, MMI_MENU, tag == MMI_MENU_LAST, value);
	case MMI_LIST_LAST:
	case MMI_LIST_MORE:
		return take_menu(m, MMI_LIST, tag == MMI_LIST_LAST, value);
	default:
		return -ENOTSUP;
	}
}
