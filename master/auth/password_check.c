/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/auth/password_check.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/account/lockout.h"
#include "common/account/user.h"
#include "common/account/password_cache.h"
#include "common/loop/timer.h"
#include "master/config/config.h"
#include "common/supervise/auth_proc.h"

#include <assert.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/* For unknown logins: takes as long to check as a real hash; no password is
 * right. */
static const char dummy_hash[] =
	"$y$j9T$MVl4UtgO2C9SzDG7iA1mX/$"
	"Or.u2ju9HBUlWbynPr6OP.NXwMJ7.inLotlryHP6kS0";

struct gate_wait {
	TAILQ_ENTRY(gate_wait) link;
	struct check *check;
	gate_done_fn *done;
	void *arg;
};

struct check {
	TAILQ_ENTRY(check) link;
	struct gate *gate;
	enum gate_door door;
	struct verified_key key;
	struct ip_address address;
	char *login;
	char *password;
	/* stored hash when the check was made; "": none */
	char *cipher;
	struct auth_job *job; /* NULL: the check waits in the queue */
	ev_timer deadline;
	TAILQ_HEAD(, gate_wait) waits; /* requests that wait for the result */
};

struct gate {
	struct gate_config cfg;
	struct lockout *lockout;
	struct verified *verified;
	/* wrong passwords of the last minute: all, and those whose check ended
	 * when no request waited for the answer */
	struct verified *wrong, *unheard;
	TAILQ_HEAD(, check) checks; /* in order of arrival */
	size_t n_checks[GATE_DOORS];
};

_Static_assert((int)GATE_DOORS == (int)LOCKOUT_DOORS, "logins each");

static void pump(struct gate *g);

struct gate *gate_new(const struct gate_config *cfg)
{
	struct gate *g = xcalloc(1, sizeof *g);

	g->cfg = *cfg;
	g->lockout = lockout_new();
	g->verified = verified_new();
	g->wrong = verified_new();
	g->unheard = verified_new();
	TAILQ_INIT(&g->checks);
	return g;
}

static bool is_same_address(const struct ip_address *a,
			    const struct ip_address *b)
{
	return memcmp(a->bytes, b->bytes, IP_BYTES) == 0;
}

/* Returns the stored hash of the login; "": every password is wrong. */
static const char *cipher_of(const struct gate *g, const char *login)
{
	struct user u;

	if (!user_find(config_document(g->cfg.config), login, &u) ||
	    user_cipher(&u) != CIPHER_CRYPT)
		return "";
	return u.cipher;
}

static struct verified_key key_of(const struct gate *g,
				  const struct gate_question *q)
{
	struct ip_address client = ip_client(q->address);
	char address[IP_TEXT_MAX];
	struct credential_text text = { q->login, q->password,
					cipher_of(g, q->login), address };

	ip_format(&client, address);
	return verified_key(g->verified, &text);
}

/* Remembers that this user may log in from this address even while the login is
 * locked; only for users who may log in. */
static void keep_place(struct gate *g, const struct lockout_try *t)
{
	struct user u;

	if (user_find(config_document(g->cfg.config), t->login, &u) &&
	    user_may_enter(&u))
		lockout_keep(g->lockout, t);
}

void gate_keep(struct gate *g, const char *login,
	       const struct ip_address *address)
{
	lockout_keep(g->lockout, &(struct lockout_try){ address, login,
							GATE_CONTROL });
}

bool gate_knows(struct gate *g, const struct gate_question *q,
		enum gate_answer *ret)
{
	const struct lockout_try t = { q->address, q->login, q->door };
	struct verified_key key = key_of(g, q);
	bool viewer = q->door == GATE_VIEWERS;
	uint64_t now = mono_ms();

	if (lockout_is_locked(g->lockout, &t, now)) {
		/* a wrong password of a player counted when it was checked:
		 * verified_has_there() would count it again as a guess */
		*ret = viewer && !verified_has(g->wrong, &key, now) &&
		       verified_has_there(g->verified, &key, now)
			       ? GATE_RIGHT : GATE_LOCKED;
		return true;
	}
	if (verified_has(g->verified, &key, now)) {
		/* a remembered success does not reset the failures of other
		 * clients */
		verified_use(g->verified, &key, now);
		keep_place(g, &t);
		*ret = GATE_RIGHT;
		return true;
	}
	if (!verified_has(viewer ? g->wrong : g->unheard, &key, now))
		return false;
	*ret = GATE_WRONG;
	return true;
}

/* --- a check --- */

static void check_free(struct check *c)
{
	assert(TAILQ_EMPTY(&c->waits));
	ev_timer_stop(c->gate->cfg.loop, &c->deadline);
	auth_job_cancel(&c->job);
	explicit_bzero(c->password, strlen(c->password));
	free(c->password);
	free(c->login);
	free(c->cipher);
	free(c);
}

/* Removes a check from the gate, so that no other request joins it. */
static void check_leave(struct check *c)
{
	TAILQ_REMOVE(&c->gate->checks, c, link);
	c->gate->n_checks[c->door]--;
	ev_timer_stop(c->gate->cfg.loop, &c->deadline);
}

/* Calls done of all requests of a check.  A callback may call gate_ask() and
 * gate_forget(), also for this check. */
static void answer_all(struct check *c, enum gate_answer answer)
{
	struct gate_wait *w;

	while ((w = TAILQ_FIRST(&c->waits)) != NULL) {
		struct gate_wait copy = *w;

		TAILQ_REMOVE(&c->waits, w, link);
		free(w);
		copy.done(answer, copy.arg);
	}
}

static void check_end(struct check *c, enum gate_answer answer)
{
	check_leave(c);
	answer_all(c, answer);
	check_free(c);
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct check *c = container_of(t, struct check, deadline);

	(void)loop, (void)revents;
	if (c->job == NULL)
		check_end(c, GATE_BUSY);
	else
		/* the check continues: a failure still counts, and later
		 * requests may join it */
		answer_all(c, GATE_BUSY);
}

static struct lockout_try try_of(const struct check *c)
{
	return (struct lockout_try){ &c->address, c->login, c->door };
}

/* Counts a failure; logs if it locks the address, the login, or both.  The line
 * does not name the login, because a user may have typed the password in its
 * place, and such lines are not limited. */
static void fail(const struct check *c, uint64_t now)
{
	struct lockout_try t = try_of(c);
	const char *door = c->door == GATE_VIEWERS ? " for viewers" : "";
	unsigned locked = lockout_fail(c->gate->lockout, &t, now);
	char text[IP_TEXT_MAX];

	if (locked & LOCKOUT_ADDRESS) {
		ip_format(&c->address, text);
		log_warning("auth", "%s is locked for a minute%s: %d wrong "
			    "passwords", text, door, (int)LOCKOUT_FAILURES);
	}
	if (locked & LOCKOUT_LOGIN)
		log_warning("auth", "a login is locked for a minute%s: %d "
				    "wrong passwords from several addresses; "
				    "it can still log in from addresses that "
				    "it used before", door,
			    (int)LOCKOUT_LOGIN_FAILURES);
}

static enum gate_answer judge(struct check *c, enum auth_outcome outcome)
{
	struct gate *g = c->gate;
	struct lockout_try t = try_of(c);
	uint64_t now = mono_ms();

	if (outcome == AUTH_UNAVAILABLE)
		return GATE_BUSY;
	if (outcome == AUTH_OK && c->cipher[0] != '\0') {
		/* the password was changed meanwhile: wrong, but not a guess */
		if (strcmp(c->cipher, cipher_of(g, c->login)) != 0)
			return GATE_WRONG;
		lockout_succeed(g->lockout, &t);
		keep_place(g, &t);
		verified_add(g->verified, &c->key, now);
		return GATE_RIGHT;
	}
	fail(c, now);
	verified_add(g->wrong, &c->key, now);
	if (TAILQ_EMPTY(&c->waits))
		verified_add(g->unheard, &c->key, now);
	return GATE_WRONG;
}

static void on_job_done(enum auth_outcome outcome, const char *hash,
			void *arg)
{
	struct check *c = arg;
	struct gate *g = c->gate;

	(void)hash;
	c->job = NULL;
	check_end(c, judge(c, outcome));
	pump(g);
}

static void check_await(struct check *c)
{
	timer_start(c->gate->cfg.loop, &c->deadline, GATE_DEADLINE_MS / 1e3);
}

static struct check *check_new(struct gate *g, const struct gate_question *q,
			       const struct verified_key *key)
{
	struct check *c = xcalloc(1, sizeof *c);

	c->gate = g;
	c->door = q->door;
	c->key = *key;
	c->address = ip_client(q->address);
	c->login = xstrdup(q->login);
	c->password = xstrdup(q->password);
	c->cipher = xstrdup(cipher_of(g, q->login));
	TAILQ_INIT(&c->waits);
	ev_init(&c->deadline, on_deadline);
	check_await(c);
	TAILQ_INSERT_TAIL(&g->checks, c, link);
	g->n_checks[c->door]++;
	return c;
}

/* Starts a check, unless its address or login already has as many checks in
 * progress as may fail before it is locked. */
static void try_begin(struct check *self, uint64_t now)
{
	const struct gate *g = self->gate;
	struct lockout_try t = try_of(self);
	const struct check *c;
	unsigned of_address = 0, of_login = 0;

	if (self->job != NULL)
		return;
	TAILQ_FOREACH(c, &g->checks, link) {
		if (c->job == NULL)
			continue;
		of_address += c->door == self->door &&
			      is_same_address(&c->address, &self->address);
		of_login += c->door == self->door &&
			    strcmp(c->login, self->login) == 0;
	}
	if (of_address >= lockout_room(g->lockout, &t, now) ||
	    of_login >= lockout_login_room(g->lockout, &t, now))
		return;
	self->job = auth_job_new(g->cfg.proc, &(struct auth_job_config){
		.password = self->password,
		.hash = self->cipher[0] != '\0' ? self->cipher : dummy_hash,
		.urgent = self->door == GATE_CONTROL,
		.on_done = on_job_done,
		.arg = self,
	});
}

/* Ends the waiting checks whose address or login was locked meanwhile, and
 * starts the others that may start. */
static void pump(struct gate *g)
{
	uint64_t now = mono_ms();
	struct check *c;

	do {
		TAILQ_FOREACH(c, &g->checks, link) {
			struct lockout_try t = try_of(c);

			if (c->job == NULL &&
			    lockout_is_locked(g->lockout, &t, now))
				break;
		}
		/* searches again, because the end of a check may add and remove
		 * others */
		if (c != NULL)
			check_end(c, GATE_LOCKED);
	} while (c != NULL);
	TAILQ_FOREACH(c, &g->checks, link)
		try_begin(c, now);
}

void gate_free(struct gate **gp)
{
	struct gate *g = *gp;
	struct check *c;

	*gp = NULL;
	if (g == NULL)
		return;
	while ((c = TAILQ_FIRST(&g->checks)) != NULL) {
		check_leave(c);
		check_free(c);
	}
	lockout_free(&g->lockout);
	verified_free(&g->verified);
	verified_free(&g->wrong);
	verified_free(&g->unheard);
	free(g);
}

struct gate_wait *gate_ask(struct gate *g, const struct gate_question *q,
			   gate_done_fn *done, void *arg)
{
	struct verified_key key = key_of(g, q);
	struct ip_address address = ip_client(q->address);
	struct check *c = NULL, *other;
	struct gate_wait *w;
	size_t n = 0; /* number of checks of this address by this door */

	TAILQ_FOREACH(other, &g->checks, link) {
		if (other->door != q->door ||
		    !is_same_address(&other->address, &address))
			continue;
		n++;
		if (verified_key_equal(&other->key, &key))
			/* the running check also answers this question */
			c = other;
	}
	if (c == NULL && (g->n_checks[q->door] >= GATE_CHECKS_MAX ||
			  n >= GATE_CHECKS_PER_ADDRESS_MAX))
		return NULL;
	if (c == NULL)
		c = check_new(g, q, &key);
	else if (!ev_is_active(&c->deadline))
		check_await(c);
	w = xcalloc(1, sizeof *w);
	w->check = c;
	w->done = done;
	w->arg = arg;
	TAILQ_INSERT_TAIL(&c->waits, w, link);
	/* done is only called from the loop, because a job ends there */
	try_begin(c, mono_ms());
	return w;
}

void gate_forget(struct gate_wait **wp)
{
	struct gate_wait *w = *wp;
	struct check *c;

	*wp = NULL;
	if (w == NULL)
		return;
	c = w->check;
	TAILQ_REMOVE(&c->waits, w, link);
	free(w);
	/* frees the check: no request waits, no job runs, and it is not being
	 * answered */
	if (TAILQ_EMPTY(&c->waits) && c->job == NULL &&
	    ev_is_active(&c->deadline)) {
		check_leave(c);
		check_free(c);
	}
}
