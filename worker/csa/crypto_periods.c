/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/crypto_periods.h"

#include "common/base/units.h"

#include <string.h>

#define MAGIC UINT32_C(0x31505743) /* "CWP1" */

enum { NOW = 1 /* index of the word of the current period */ };

static uint16_t next_number(const struct crypto_periods *c)
{
	return (uint16_t)(c->cfg.memory->number + 1);
}

/* --- the memory --- */

static bool is_sound(const struct crypto_ecm *e)
{
	if (e->n > CRYPTO_ECM_PACKETS)
		return false;
	for (size_t i = 0; i < e->n; i++)
		if (!ts_sync_ok(e->packets + i * TS_PACKET))
			return false;
	return true;
}

/* Moves the ECMs that the last worker left to the indexes of their systems;
 * drops those of another period, and malformed ones. */
static void arrange(struct crypto_periods *c)
{
	struct crypto_memory *m = c->cfg.memory;
	struct crypto_ecm before[CRYPTO_SYSTEMS_MAX];

	memcpy(before, m->on_air, sizeof before);
	memset(m->on_air, 0, sizeof m->on_air);
	for (size_t i = 0; i < c->cfg.n; i++) {
		uint64_t system = c->cfg.systems[i].system;

		for (size_t k = 0; k < CRYPTO_SYSTEMS_MAX; k++)
			if (before[k].system == system &&
			    before[k].number == m->number &&
			    is_sound(&before[k]))
				m->on_air[i] = before[k];
		m->on_air[i].system = system;
	}
}

void crypto_init(struct crypto_periods *c, const struct crypto_config *cfg)
{
	struct crypto_memory *m = cfg->memory;

	*c = (struct crypto_periods){ .cfg = *cfg, .since_ns = cfg->now_ns,
				      .change_ns = UINT64_MAX,
				      .clear_ns = UINT64_MAX,
				      .scrambled_ns = UINT64_MAX };
	if (m->magic != MAGIC) {
		memset(m, 0, sizeof *m);
		for (size_t i = 0; i < CRYPTO_KEPT; i++)
			cfg->make_word(m->words[i], cfg->arg);
		m->magic = MAGIC;
	}
	arrange(c);
	for (size_t i = 0; i < CRYPTO_SYSTEMS_MAX; i++)
		c->systems[i].switch_ns = c->systems[i].stop_ns = UINT64_MAX;
}

/* --- the generators --- */

void crypto_set_terms(struct crypto_periods *c, size_t system,
		      const struct crypto_terms *terms)
{
	if (terms->up)
		c->systems[system].terms = *terms;
	else
		c->systems[system].terms.up = false;
}

void crypto_set_down(struct crypto_periods *c, size_t system)
{
	c->systems[system].terms.up = false;
	c->systems[system].asked = false;
}

bool crypto_ask(struct crypto_periods *c, size_t system, uint16_t *ret_number)
{
	struct crypto_system *s = &c->systems[system];
	bool lacks = c->cfg.memory->on_air[system].n == 0;

	if (!s->terms.up || s->asked || s->next.n > 0 ||
	    c->change_ns != UINT64_MAX)
		return false;
	s->asked = true;
	s->asked_number = lacks ? c->cfg.memory->number : next_number(c);
	*ret_number = s->asked_number;
	return true;
}

const uint8_t *crypto_words(const struct crypto_periods *c, uint16_t number)
{
	return c->cfg.memory->words[number == next_number(c)];
}

bool crypto_take_ecm(struct crypto_periods *c, size_t system, uint16_t number,
		     const uint8_t *packets, size_t n)
{
	struct crypto_system *s = &c->systems[system];
	bool now = number == c->cfg.memory->number;
	struct crypto_ecm *e = now ? &c->cfg.memory->on_air[system] : &s->next;

	if (!s->asked || s->asked_number != number || n == 0 ||
	    n > CRYPTO_ECM_PACKETS)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!ts_sync_ok(packets + i * TS_PACKET))
			return false;
	s->asked = false;
	e->system = c->cfg.systems[system].system;
	e->criteria = c->cfg.systems[system].criteria;
	e->number = number;
	memcpy(e->packets, packets, n * TS_PACKET);
	e->n = (uint16_t)n;
	s->news |= now;
	return true;
}

/* --- time --- */

unsigned crypto_period_ms(const struct crypto_periods *c)
{
	unsigned ms = c->cfg.period_ms;

	for (size_t i = 0; i < c->cfg.n; i++)
		ms = MAX(ms, c->systems[i].terms.period_ms);
	return ms;
}

/* The delay in ns, limited to half a period, because a longer one would last
 * until the next change. */
static int64_t bounded_ns(const struct crypto_periods *c, int ms)
{
	int most = (int)(crypto_period_ms(c) / 2);

	return (int64_t)MAX(MIN(ms, most), -most) * (int64_t)MS;
}

/* The delays of a system at the next change.  If its access criteria have
 * changed since the ECM on air was made, these are the delays for such a
 * change. */
static const struct crypto_delay *delay_of(const struct crypto_periods *c,
					   size_t system)
{
	const struct crypto_terms *t = &c->systems[system].terms;
	const struct crypto_ecm *e = &c->cfg.memory->on_air[system];

	return e->n > 0 && e->criteria != c->cfg.systems[system].criteria
		       ? &t->at_criteria
		       : &t->delay;
}

/* The time from the next change of the word to the begin of the new ECM's
 * broadcast, in ns; negative: before the change. */
static int64_t delay_ns(const struct crypto_periods *c, size_t system)
{
	const struct crypto_terms *t = &c->systems[system].terms;
	bool at_clear = c->mode == CRYPTO_CLEAR && t->transition;

	return bounded_ns(c, at_clear ? t->at_clear.start_ms
				      : delay_of(c, system)->start_ms);
}

/* The time from the next change of the word to the end of the old ECM's
 * broadcast, in ns; negative: before the change. */
static int64_t stop_ns(const struct crypto_periods *c, size_t system)
{
	return bounded_ns(c, delay_of(c, system)->stop_ms);
}

/* The time in ns before a change at which the first ECM must begin or end. */
static uint64_t ahead_ns(const struct crypto_periods *c)
{
	int64_t first = 0;

	for (size_t i = 0; i < c->cfg.n; i++)
		first = MIN(first, MIN(delay_ns(c, i), stop_ns(c, i)));
	return (uint64_t)-first;
}

static uint64_t due_ns(const struct crypto_periods *c)
{
	return c->since_ns + crypto_period_ms(c) * MS - ahead_ns(c);
}

/* The time since when an ECM of the system has been overdue; UINT64_MAX: no ECM
 * is overdue. */
static uint64_t late_since_ns(const struct crypto_periods *c, size_t system,
			      uint64_t now_ns)
{
	if (c->change_ns != UINT64_MAX)
		return UINT64_MAX;
	if (c->cfg.memory->on_air[system].n == 0)
		return c->since_ns;
	if (c->systems[system].next.n == 0 && now_ns >= due_ns(c))
		return due_ns(c);
	return UINT64_MAX;
}

unsigned crypto_late_s(const struct crypto_periods *c, size_t system,
		       uint64_t now_ns)
{
	uint64_t since_ns = late_since_ns(c, system, now_ns);

	return since_ns < now_ns ? (unsigned)((now_ns - since_ns) / SECOND_NS)
				 : 0;
}

static enum crypto_mode judge(const struct crypto_periods *c, uint64_t now_ns)
{
	bool keeps = false, clears = false;

	for (size_t i = 0; i < c->cfg.n; i++) {
		const struct crypto_system_config *s = &c->cfg.systems[i];
		uint64_t since_ns = late_since_ns(c, i, now_ns);
		enum crypto_mode mode = CRYPTO_SCRAMBLED;

		if (since_ns == UINT64_MAX)
			continue;
		if (now_ns >= since_ns + s->lost_after_s * SECOND_NS)
			mode = s->lost;
		if (mode == CRYPTO_STOPPED)
			return mode;
		keeps |= mode == CRYPTO_SCRAMBLED;
		clears |= mode == CRYPTO_CLEAR;
	}
	return clears && !keeps ? CRYPTO_CLEAR : CRYPTO_SCRAMBLED;
}

/* Plans the next change of the word, if it is time and each system has sent its
 * next ECM. */
static void plan(struct crypto_periods *c, uint64_t now_ns)
{
	if (c->cfg.n == 0 || now_ns < due_ns(c))
		return;
	for (size_t i = 0; i < c->cfg.n; i++)
		if (c->systems[i].next.n == 0)
			return;
	c->change_ns = MAX(due_ns(c), now_ns) + ahead_ns(c);
	for (size_t i = 0; i < c->cfg.n; i++) {
		struct crypto_system *s = &c->systems[i];

		s->switch_ns = c->change_ns + (uint64_t)delay_ns(c, i);
		s->stop_ns = c->change_ns + (uint64_t)stop_ns(c, i);
	}
	if (c->mode == CRYPTO_CLEAR)
		c->scrambled_ns = c->change_ns;
}

/* Puts the ECMs on air that are due; true: no system has a planned ECM left. */
static bool switch_ecms(struct crypto_periods *c, uint64_t now_ns)
{
	bool all = true;

	for (size_t i = 0; i < c->cfg.n; i++) {
		struct crypto_system *s = &c->systems[i];

		if (s->switch_ns != UINT64_MAX && now_ns >= s->switch_ns) {
			c->cfg.memory->on_air[i] = s->next;
			s->next.n = 0;
			s->switch_ns = s->stop_ns = UINT64_MAX;
			s->news = true;
		}
		all &= s->switch_ns == UINT64_MAX;
	}
	return all;
}

/* Returns the mode of the stream from now on.  Clear packets end only when the
 * ECMs that must precede scrambled packets are on air. */
static enum crypto_mode next_mode(struct crypto_periods *c, uint64_t now_ns)
{
	enum crypto_mode wanted = judge(c, now_ns);

	if (wanted == CRYPTO_CLEAR) {
		if (c->mode != CRYPTO_CLEAR)
			c->clear_ns = now_ns;
		c->scrambled_ns = UINT64_MAX;
	} else if (c->mode == CRYPTO_CLEAR && c->scrambled_ns == UINT64_MAX) {
		c->scrambled_ns = now_ns + ahead_ns(c);
	}
	if (wanted == CRYPTO_SCRAMBLED && c->mode == CRYPTO_CLEAR &&
	    now_ns < c->scrambled_ns)
		return CRYPTO_CLEAR;
	return wanted;
}

/* Do the delays of the system allow the broadcast of its ECM now? */
static bool is_broadcast(const struct crypto_periods *c, size_t system,
			 uint64_t now_ns)
{
	const struct crypto_system *s = &c->systems[system];
	const struct crypto_terms *t = &s->terms;
	uint64_t stop_ms = (uint64_t)MAX(t->at_clear.stop_ms, 0);

	if (now_ns >= s->stop_ns)
		return false;
	if (!t->transition || c->clear_ns == UINT64_MAX)
		return true;
	if (now_ns < c->clear_ns + stop_ms * MS)
		return true;
	return c->scrambled_ns != UINT64_MAX &&
	       now_ns >= c->scrambled_ns +
				 (uint64_t)bounded_ns(c, t->at_clear.start_ms);
}

bool crypto_turn(struct crypto_periods *c, uint64_t now_ns)
{
	struct crypto_memory *m = c->cfg.memory;
	enum crypto_mode before = c->mode;
	bool changed = false, all;

	if (c->change_ns == UINT64_MAX)
		plan(c, now_ns);
	if (c->change_ns != UINT64_MAX) {
		all = switch_ecms(c, now_ns);
		if (now_ns >= c->change_ns && c->since_ns != c->change_ns) {
			m->number = next_number(c);
			memmove(m->words[0], m->words[1],
				(CRYPTO_KEPT - 1) * sizeof m->words[0]);
			c->cfg.make_word(m->words[CRYPTO_KEPT - 1], c->cfg.arg);
			/* no packet needs the old word any more, but a request
			 * may contain it, so a random word replaces it */
			c->cfg.make_word(m->words[0], c->cfg.arg);
			c->since_ns = c->change_ns;
			changed = true;
		}
		if (all && c->since_ns == c->change_ns)
			c->change_ns = UINT64_MAX;
	}
	c->mode = next_mode(c, now_ns);
	for (size_t i = 0; i < c->cfg.n; i++) {
		struct crypto_system *s = &c->systems[i];
		bool hidden = !is_broadcast(c, i, now_ns);

		s->news |= hidden != s->hidden;
		s->hidden = hidden;
	}
	return changed || c->mode != before;
}

const uint8_t *crypto_word(const struct crypto_periods *c)
{
	return c->cfg.memory->words[NOW];
}

bool crypto_is_odd(const struct crypto_periods *c)
{
	return c->cfg.memory->number & 1;
}

enum crypto_mode crypto_mode(const struct crypto_periods *c)
{
	return c->mode;
}

bool crypto_take_news(struct crypto_periods *c, size_t system)
{
	bool news = c->systems[system].news;

	c->systems[system].news = false;
	return news;
}

struct ts_run crypto_on_air(const struct crypto_periods *c, size_t system)
{
	const struct crypto_ecm *e = &c->cfg.memory->on_air[system];

	return (struct ts_run){ e->packets,
				c->systems[system].hidden ? 0 : e->n };
}
