/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ca_list.h"

#include <string.h>

void ca_list_init(struct ca_list *l, unsigned limit, bool whole,
		  const struct ca_ids *ids)
{
	l->limit = MIN(limit, (unsigned)CA_PROGRAMS_MAX);
	l->whole = whole;
	l->ids = *ids;
	l->sent.n = l->batch = 0;
	l->settled = false;
}

static const struct ca_program *find(const struct ca_programs *in,
				     uint16_t number)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->list[i].number == number)
			return &in->list[i];
	return NULL;
}

static enum ca_pmt_kind judge(const struct ca_list *l,
			      const struct ca_program *p)
{
	return ca_pmt_judge(p->section, p->len, &l->ids);
}

static bool is_same(const struct ca_program *a, const struct ca_program *b)
{
	return a->len == b->len && memcmp(a->section, b->section, a->len) == 0;
}

static size_t write(const struct ca_list *l, const struct ca_program *p,
		    enum ca_command command, enum ca_list_management list,
		    uint8_t *to)
{
	size_t n = ca_pmt_make(p->section, p->len, &l->ids, command, to);

	/* only programs whose PMT was decoded are in the list, so n is not 0 */
	if (n > 0)
		ca_pmt_set_list(to, list);
	return n;
}

/* --- a whole list --- */

static size_t next_of_batch(struct ca_list *l, uint8_t *to)
{
	size_t i = l->batch++, last = l->sent.n - 1;
	enum ca_list_management list = last == 0  ? CA_LIST_ONLY
				       : i == 0    ? CA_LIST_FIRST
				       : i == last ? CA_LIST_LAST
						   : CA_LIST_MORE;

	return write(l, &l->sent.list[i], CA_DESCRAMBLE, list, to);
}

static bool is_wanted(const struct ca_list *l, const struct ca_programs *wanted,
		      const struct ca_program *sent)
{
	const struct ca_program *p = find(wanted, sent->number);

	return p != NULL && judge(l, p) == CA_PMT_KNOWN;
}

/* Chooses the programs of a new list.  The programs that the module already has
 * come first, so that the limit cuts off new programs only. */
static void choose(struct ca_list *l, const struct ca_programs *wanted)
{
	size_t n = 0;

	for (size_t i = 0; i < l->sent.n; i++)
		if (is_wanted(l, wanted, &l->sent.list[i]))
			l->sent.list[n++] = *find(wanted,
						  l->sent.list[i].number);
	l->sent.n = n;
	for (size_t i = 0; i < wanted->n && l->sent.n < l->limit; i++)
		if (find(&l->sent, wanted->list[i].number) == NULL &&
		    judge(l, &wanted->list[i]) == CA_PMT_KNOWN)
			l->sent.list[l->sent.n++] = wanted->list[i];
	l->batch = 0;
}

/* --- one by one --- */

static size_t deselect(struct ca_list *l, const struct ca_programs *wanted,
		       uint8_t *to)
{
	for (size_t i = 0; i < l->sent.n; i++) {
		struct ca_program *p = &l->sent.list[i];
		size_t n;

		if (is_wanted(l, wanted, p))
			continue;
		n = write(l, p, CA_NOT_SELECTED, CA_LIST_UPDATE, to);
		l->batch = --l->sent.n;
		memmove(p, p + 1, (l->sent.n - i) * sizeof *p);
		return n;
	}
	return 0;
}

static size_t update(struct ca_list *l, const struct ca_programs *wanted,
		     uint8_t *to)
{
	for (size_t i = 0; i < l->sent.n; i++) {
		const struct ca_program *p =
			find(wanted, l->sent.list[i].number);

		if (p == NULL || is_same(p, &l->sent.list[i]))
			continue;
		l->sent.list[i] = *p;
		return write(l, p, CA_DESCRAMBLE, CA_LIST_UPDATE, to);
	}
	return 0;
}

static size_t add(struct ca_list *l, const struct ca_programs *wanted,
		  uint8_t *to)
{
	for (size_t i = 0; i < wanted->n && l->sent.n < l->limit; i++) {
		const struct ca_program *p = &wanted->list[i];

		if (find(&l->sent, p->number) != NULL ||
		    judge(l, p) != CA_PMT_KNOWN)
			continue;
		l->sent.list[l->sent.n++] = *p;
		l->batch = l->sent.n;
		return write(l, p, CA_DESCRAMBLE, CA_LIST_ADD, to);
	}
	return 0;
}

/* Would a whole list that is sent now differ from the list of the module? */
static bool differs(const struct ca_list *l, const struct ca_programs *wanted)
{
	size_t n = 0;

	for (size_t i = 0; i < l->sent.n; i++) {
		const struct ca_program *p =
			find(wanted, l->sent.list[i].number);

		if (p == NULL || !is_same(p, &l->sent.list[i]))
			return true;
	}
	for (size_t i = 0; i < wanted->n; i++)
		n += judge(l, &wanted->list[i]) == CA_PMT_KNOWN;
	return MIN(n, (size_t)l->limit) != l->sent.n;
}

static bool wants_none(const struct ca_list *l,
		       const struct ca_programs *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (judge(l, &wanted->list[i]) == CA_PMT_KNOWN)
			return false;
	return true;
}

size_t ca_list_next(struct ca_list *l, const struct ca_programs *wanted,
		    uint8_t *to)
{
	size_t n = 0;

	/* a module waits until it has the last program of a list */
	if (l->batch < l->sent.n)
		return next_of_batch(l, to);
	if (l->settled && l->revision == wanted->revision)
		return 0;
	/* a list cannot be empty, so the last programs are deselected one by
	 * one */
	if (!l->whole || l->sent.n == 1 || wants_none(l, wanted))
		n = deselect(l, wanted, to);
	if (n == 0 && (l->sent.n == 0 || (l->whole && differs(l, wanted)))) {
		choose(l, wanted);
		if (l->sent.n > 0)
			return next_of_batch(l, to);
	}
	if (n == 0 && !l->whole)
		n = update(l, wanted, to);
	if (n == 0 && !l->whole)
		n = add(l, wanted, to);
	if (n == 0) {
		l->settled = true;
		l->revision = wanted->revision;
	}
	return n;
}

bool ca_list_has(const struct ca_list *l, uint16_t number)
{
	return find(&l->sent, number) != NULL;
}

enum ca_state ca_list_state(const struct ca_list *l, const struct ca_program *p)
{
	for (size_t i = 0; i < l->batch; i++)
		if (l->sent.list[i].number == p->number)
			return CA_STATE_SENT;
	if (p->len == 0)
		return CA_STATE_NO_PMT;
	switch (judge(l, p)) {
	case CA_PMT_KNOWN:
		return l->sent.n >= l->limit ? CA_STATE_OVER
					     : CA_STATE_WAITING;
	case CA_PMT_FOREIGN:
		return CA_STATE_FOREIGN;
	case CA_PMT_CLEAR:
		return CA_STATE_CLEAR;
	case CA_PMT_BROKEN:
		break;
	}
	return CA_STATE_NO_PMT;
}
