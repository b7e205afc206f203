/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gate: its jobs, their order, and the answers to clients. */
#include "tests/unit/master/auth/gate_scene.h"

Test(gate, a_right_password_is_remembered_until_it_changes)
{
	struct asked a;

	open_world();
	cr_expect_eq(knows("anna", "pw", HERE), -1);
	(void)ask("anna", "pw", HERE, &a);
	cr_assert_eq(w.n, 1u);
	cr_expect_str_eq(w.jobs[0]->password, "pw");
	cr_expect_str_eq(w.jobs[0]->hash, "$y$anna");
	answer(0, AUTH_OK);
	cr_expect_eq(a.answer, GATE_RIGHT);
	cr_expect_eq(knows("anna", "pw", "192.0.2.2"), GATE_RIGHT);
	cr_expect_eq(knows("anna", "pw2", HERE), -1);
	put("anna", "$y$other");
	cr_expect_eq(knows("anna", "pw", HERE), -1);
	close_world();
}

/* Guesses lock the login, from addresses that stay open themselves. */
static void lock_login(const char *login)
{
	for (unsigned i = 0; i < 20; i++) {
		struct asked a;
		char from[32];

		(void)snprintf(from, sizeof from, "198.51.%u.%u",
			       (unsigned char)login[0], i / 4);
		(void)ask(login, "guess", from, &a);
		cr_assert_eq(w.n, 1u);
		answer(0, AUTH_WRONG);
	}
}

Test(gate, a_locked_login_enters_from_its_addresses, .timeout = 30)
{
	static const char *const logins[] = { "anna", "vera" };
	static const char there[] = "192.0.2.2", elsewhere[] = "192.0.2.3";

	open_world();
	/* a viewer cannot enter at all */
	config_put_user(w.config, "vera",
			json_pack("{s:b, s:i, s:s}", "enable", 1, "type", 3,
				  "cipher", "$y$vera"));
	for (size_t i = 0; i < ARRAY_LEN(logins); i++) {
		bool enters = i == 0;
		struct asked a;

		(void)ask(logins[i], "pw", HERE, &a);
		answer(0, AUTH_OK);
		/* without a check */
		cr_expect_eq(knows(logins[i], "pw", there), GATE_RIGHT);
		lock_login(logins[i]);
		cr_expect_eq(knows(logins[i], "px", HERE),
			     enters ? -1 : GATE_LOCKED);
		cr_expect_eq(knows(logins[i], "px", there),
			     enters ? -1 : GATE_LOCKED);
		cr_expect_eq(knows(logins[i], "px", elsewhere), GATE_LOCKED);
	}
	close_world();
}

static const char *const guesses[5] = { "a", "b", "c", "d", "e" };

/* Five guesses of one login, which are checked. */
static void lock_address(const char *from, const char *login)
{
	struct asked a;

	for (size_t i = 0; i < ARRAY_LEN(guesses); i++) {
		(void)ask(login, guesses[i], from, &a);
		answer(0, AUTH_WRONG);
	}
}

static unsigned of_addresses, of_logins; /* lines about locks */

static void count_locks(enum log_level level, const char *component,
			const char *text, void *arg)
{
	(void)level, (void)component, (void)arg;
	if (strstr(text, "is locked for a minute") == NULL)
		return;
	if (strncmp(text, "a login ", 8) == 0)
		of_logins++;
	else
		of_addresses++;
}

Test(gate, a_failure_that_locks_address_and_login_logs_both)
{
	open_world();
	log_open(count_locks, NULL, LOG_LEVEL_INFO);
	for (unsigned i = 0; i < 4; i++) {
		char from[32];

		(void)snprintf(from, sizeof from, "198.51.100.%u", i);
		cr_expect_eq(of_logins, 0u);
		lock_address(from, "anna");
	}
	cr_expect_eq(of_addresses, 4u);
	cr_expect_eq(of_logins, 1u);
	close_world();
}

/* A viewer, which cannot enter at all. */
static void put_vera(void)
{
	config_put_user(w.config, "vera",
			json_pack("{s:b, s:i, s:s}", "enable", 1, "type", 3,
				  "cipher", "$y$vera"));
}

/* Many viewers may be behind one address. */
Test(gate, a_locked_address_knows_the_passwords_that_were_right_there)
{
	static const char there[] = "192.0.2.2";
	struct asked a;

	open_world();
	w.door = GATE_VIEWERS;
	put("bert", "$y$bert");
	(void)ask("anna", "pw", HERE, &a);
	answer(0, AUTH_OK);
	lock_address(HERE, "anna");
	lock_address(there, "bert");
	cr_expect_eq(knows("anna", "pw", HERE), GATE_RIGHT);
	cr_expect_eq(knows("bert", "pw", HERE), GATE_LOCKED);
	cr_expect_eq(knows("anna", "pw", there), GATE_LOCKED,
		     "it was not used there");
	cr_expect_eq(knows("anna", "pw", "192.0.2.3"), GATE_RIGHT);
	/* that opens the address to no other */
	cr_expect_eq(knows("bert", "pw", HERE), GATE_LOCKED);
	put("anna", "$y$other");
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	close_world();
}

Test(gate, a_locked_address_answers_few_guesses)
{
	struct asked a;

	open_world();
	w.door = GATE_VIEWERS;
	(void)ask("anna", "pw", HERE, &a);
	answer(0, AUTH_OK);
	lock_address(HERE, "bert");
	for (size_t i = 0; i < ARRAY_LEN(guesses); i++) {
		cr_expect_eq(knows("anna", "pw", HERE), GATE_RIGHT);
		cr_expect_eq(knows("anna", guesses[i], HERE), GATE_LOCKED);
	}
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED,
		     "the sixth guess finds it");
	close_world();
}

/* A place and a password that was right there open it to no user. */
Test(gate, five_guesses_of_users_lock_the_address_for_every_password)
{
	static const char *const logins[] = { "anna", "bert" };
	struct asked a;

	open_world();
	put("bert", "$y$bert");
	for (size_t i = 0; i < ARRAY_LEN(logins); i++) {
		(void)ask(logins[i], "pw", HERE, &a);
		answer(0, AUTH_OK);
	}
	for (size_t i = 0; i < ARRAY_LEN(guesses); i++) {
		(void)ask(logins[i % 2], guesses[i], HERE, &a);
		cr_assert_eq(w.n, 1u);
		answer(0, AUTH_WRONG);
	}
	for (size_t i = 0; i < ARRAY_LEN(logins); i++)
		cr_expect_eq(knows(logins[i], "pw", HERE), GATE_LOCKED);
	cr_expect_eq(knows("anna", "pw", "192.0.2.2"), GATE_RIGHT);
	close_world();
}

/* The attack: viewers behind the address of the operator guess on and on. */
Test(gate, guesses_of_viewers_lock_no_user_out)
{
	struct asked a[8], own;

	open_world();
	w.door = GATE_VIEWERS;
	lock_address(HERE, "anna");
	w.door = GATE_CONTROL;
	cr_expect_eq(knows("anna", "pw", HERE), -1);
	close_world();

	/* its checks do not wait for those of viewers */
	open_world();
	w.door = GATE_VIEWERS;
	for (size_t i = 0; i < ARRAY_LEN(a); i++)
		(void)ask("bert", &"abcdefgh"[i], HERE, &a[i]);
	cr_assert_eq(w.n, 5u);
	w.door = GATE_CONTROL;
	(void)ask("anna", "pw", HERE, &own);
	cr_assert_eq(w.n, 6u);
	answer(5, AUTH_OK);
	cr_expect_eq(own.answer, GATE_RIGHT);
	while (w.n > 0)
		answer(0, AUTH_WRONG);
	close_world();
}

/* A restart of the service forgets the places, not the sessions. */
Test(gate, a_session_gives_its_login_a_place)
{
	struct ip_address here;

	open_world();
	cr_assert_eq(ip_parse(HERE, &here), 0);
	gate_keep(w.gate, "anna", &here);
	lock_login("anna");
	cr_expect_eq(knows("anna", "pw", HERE), -1);
	cr_expect_eq(knows("anna", "pw", "192.0.2.2"), GATE_LOCKED);
	close_world();
}

/* Two players: one has the password of today, the other an old one. */
Test(gate, a_wrong_password_that_is_repeated_under_a_lock_is_one_guess)
{
	struct asked a;

	open_world();
	w.door = GATE_VIEWERS;
	/* the address is locked, and the old one was checked there before */
	(void)ask("anna", "pw", HERE, &a);
	answer(0, AUTH_OK);
	lock_address(HERE, "anna");
	for (unsigned i = 0; i < 10; i++)
		cr_expect_eq(knows("anna", guesses[i % 5], HERE), GATE_LOCKED);
	for (unsigned i = 0; i < 10; i++)
		cr_expect_eq(knows("anna", "old", HERE), GATE_LOCKED);
	cr_expect_eq(knows("anna", "pw", HERE), GATE_RIGHT);
	/* the login is locked */
	put_vera();
	(void)ask("vera", "pw", "192.0.2.2", &a);
	answer(0, AUTH_OK);
	lock_login("vera");
	for (unsigned i = 0; i < 10; i++)
		cr_expect_eq(knows("vera", "old", "192.0.2.2"), GATE_LOCKED);
	cr_expect_eq(knows("vera", "pw", "192.0.2.2"), GATE_RIGHT);
	close_world();
}

/* A player does so, and many viewers may be behind its address. */
Test(gate, a_wrong_password_that_a_player_repeats_counts_once)
{
	struct asked a;

	open_world();
	w.door = GATE_VIEWERS;
	(void)ask("anna", "old", HERE, &a);
	answer(0, AUTH_WRONG);
	for (unsigned i = 0; i < 10; i++)
		cr_expect_eq(knows("anna", "old", HERE), GATE_WRONG);
	cr_expect_eq(knows("anna", "pw", HERE), -1, "it is not locked");
	/* it may be the new password */
	put("anna", "$y$other");
	cr_expect_eq(knows("anna", "old", HERE), -1);
	/* a user counts its failures */
	w.door = GATE_CONTROL;
	put("anna", "$y$anna");
	for (unsigned i = 0; i < 5; i++) {
		cr_expect_eq(knows("anna", "old", HERE), -1);
		(void)ask("anna", "old", HERE, &a);
		answer(0, AUTH_WRONG);
	}
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	close_world();
}

Test(gate, an_unknown_login_is_checked_all_the_same)
{
	static const char *const logins[] = { "nobody", "old", "" };

	open_world();
	for (size_t i = 0; i < ARRAY_LEN(logins); i++) {
		struct asked a;

		(void)ask(logins[i], "pw", HERE, &a);
		cr_assert_eq(w.n, 1u);
		cr_expect_eq(strncmp(w.jobs[0]->hash, "$y$j9T$", 7), 0);
		/* whatever the worker's answer about the stand-in */
		answer(0, i == 0 ? AUTH_OK : AUTH_WRONG);
		cr_expect_eq(a.answer, GATE_WRONG, "%s", logins[i]);
	}
	close_world();
}

Test(gate, equal_questions_are_one_check)
{
	struct asked same[3], other, elsewhere;

	open_world();
	for (size_t i = 0; i < 3; i++)
		(void)ask("anna", "pw", HERE, &same[i]);
	(void)ask("anna", "px", HERE, &other);
	(void)ask("anna", "pw", "192.0.2.2", &elsewhere);
	cr_expect_eq(w.n, 3u);
	answer(0, AUTH_WRONG);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(same[i].answer, GATE_WRONG);
	cr_expect_eq(other.answer, -1);
	cr_expect_eq(elsewhere.answer, -1);
	answer(0, AUTH_WRONG);
	answer(0, AUTH_WRONG);
	close_world();
}

Test(gate, no_more_at_a_time_than_may_fail)
{
	struct asked a[8];

	open_world();
	ask_many(a, 8);
	for (size_t i = 0; i < 8; i++)
		cr_assert_not_null(a[i].wait);
	cr_expect_eq(w.n, 5u);
	for (size_t i = 0; i < 4; i++) {
		answer(0, AUTH_WRONG);
		cr_expect_eq(w.n, 4u - i, "none may follow");
	}
	cr_expect_eq(a[5].answer, -1);
	answer(0, AUTH_WRONG);
	for (size_t i = 0; i < 8; i++)
		cr_expect_eq(a[i].answer, i < 5 ? GATE_WRONG : GATE_LOCKED,
			     "%zu", i);
	cr_expect_eq(w.n, 0u);
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	cr_expect_eq(knows("anna", "pw", "192.0.2.2"), -1);
	close_world();
}

Test(gate, a_guess_counts_at_its_door)
{
	struct asked a[14];

	open_world();
	for (size_t i = 0; i < ARRAY_LEN(a); i++) {
		char password[8];

		(void)snprintf(password, sizeof password, "p%zu", i);
		w.door = i % 2 ? GATE_CONTROL : GATE_VIEWERS;
		(void)ask(i < 3 ? "vera" : "anna", password, HERE, &a[i]);
	}
	cr_assert_eq(w.n, 10u, "%zu at a time", w.n);
	for (size_t i = 0; i < 10; i++)
		cr_expect_eq(w.jobs[i]->cfg.urgent, i % 2 == 1,
			     "viewers delay no login");
	while (w.n > 0)
		answer(0, AUTH_WRONG);
	for (size_t i = 0; i < ARRAY_LEN(a); i++)
		cr_expect_eq(a[i].answer, i < 10 ? GATE_WRONG : GATE_LOCKED,
			     "%zu", i);
	for (w.door = 0; w.door < GATE_DOORS; w.door++)
		cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	close_world();
}

/* The attack: viewers guess the password of a user without an end. */
Test(gate, a_login_is_locked_at_the_door_where_it_was_guessed)
{
	struct asked a, b;

	open_world();
	w.door = GATE_VIEWERS;
	lock_login("anna");
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	w.door = GATE_CONTROL;
	cr_expect_eq(knows("anna", "pw", HERE), -1);
	put_vera();
	lock_login("vera");
	/* the check of one door is no answer at the other */
	w.door = GATE_VIEWERS;
	(void)ask("vera", "pw", HERE, &a);
	w.door = GATE_CONTROL;
	(void)ask("vera", "pw", HERE, &b);
	cr_assert_eq(w.n, 1u);
	answer(0, AUTH_OK);
	cr_expect_eq(a.answer, GATE_RIGHT);
	cr_expect_eq(b.answer, GATE_LOCKED);
	close_world();
}

/* The attack: a client of the login, behind the same address, repeats its
 * requests with Basic. */
Test(gate, a_remembered_password_forgives_no_guess)
{
	struct asked a;

	open_world();
	(void)ask("anna", "pw", HERE, &a);
	answer(0, AUTH_OK);
	for (size_t i = 0; i < ARRAY_LEN(guesses); i++) {
		cr_expect_eq(knows("anna", "pw", HERE), GATE_RIGHT);
		(void)ask("anna", guesses[i], HERE, &a);
		answer(0, AUTH_WRONG);
	}
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	close_world();
}

Test(gate, a_success_answers_waiting_clients)
{
	struct asked a[6];

	open_world();
	ask_many(a, 6);
	answer(0, AUTH_WRONG);
	cr_expect_eq(w.n, 4u);
	answer(0, AUTH_OK);
	cr_expect_eq(w.n, 4u, "the sixth is under way");
	cr_expect_str_eq(w.jobs[3]->password, "p5");
	while (w.n > 0)
		answer(0, AUTH_WRONG);
	close_world();
}

Test(gate, a_client_that_disconnects_gets_no_answer_but_counts)
{
	struct asked a[6];

	open_world();
	ask_many(a, 6);
	for (size_t i = 6; i > 0; i--)
		gate_forget(&a[i - 1].wait);
	/* the sixth had not begun: it never will */
	cr_expect_eq(w.n, 5u);
	while (w.n > 0)
		answer(0, AUTH_WRONG);
	for (size_t i = 0; i < 6; i++)
		cr_expect_eq(a[i].answer, -1);
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	close_world();
}

Test(gate, a_guess_counts_once_if_its_answer_came_too_late)
{
	struct asked a[2];

	open_world();
	ask_many(a, 2);
	gate_forget(&a[0].wait);
	while (w.n > 0)
		answer(0, AUTH_WRONG);
	for (size_t i = 0; i < 5; i++)
		cr_expect_eq(knows("anna", "p0", HERE), GATE_WRONG);
	cr_expect_eq(a[1].answer, GATE_WRONG);
	cr_expect_eq(knows("anna", "p1", HERE), -1, "another guess");
	close_world();
}

Test(gate, a_password_that_changed_meanwhile_is_wrong_and_no_guess)
{
	struct asked a;

	open_world();
	for (size_t i = 0; i < 6; i++) {
		put("anna", "$y$one");
		(void)ask("anna", "pw", HERE, &a);
		put("anna", "$y$two");
		answer(0, AUTH_OK);
		cr_expect_eq(a.answer, GATE_WRONG);
	}
	cr_expect_eq(knows("anna", "pw", HERE), -1);
	close_world();
}

Test(gate, a_check_without_a_result_is_no_failure)
{
	struct asked a;

	open_world();
	for (size_t i = 0; i < 10; i++) {
		(void)ask("anna", "pw", HERE, &a);
		answer(0, AUTH_UNAVAILABLE);
		cr_expect_eq(a.answer, GATE_BUSY);
	}
	cr_expect_eq(knows("anna", "pw", HERE), -1);
	close_world();
}

Test(gate, the_number_that_waits_is_bounded)
{
	struct asked a[GATE_CHECKS_MAX + 1];

	open_world();
	ask_many(a, GATE_CHECKS_PER_ADDRESS_MAX + 1);
	for (size_t i = 0; i < GATE_CHECKS_PER_ADDRESS_MAX + 1; i++)
		cr_expect_eq(a[i].wait == NULL,
			     i == GATE_CHECKS_PER_ADDRESS_MAX);
	for (size_t i = GATE_CHECKS_PER_ADDRESS_MAX; i < GATE_CHECKS_MAX + 1;
	     i++) {
		char from[32];

		(void)snprintf(from, sizeof from, "198.51.100.%zu", i);
		(void)ask("anna", "pw", from, &a[i]);
		cr_expect_eq(a[i].wait == NULL, i == GATE_CHECKS_MAX, "%zu",
			     i);
	}
	for (size_t i = 0; i < GATE_CHECKS_MAX; i++)
		gate_forget(&a[i].wait);
	close_world();
}

/* Guesses of viewers cannot keep users of the control interface out. */
Test(gate, each_door_has_places_of_its_own)
{
	enum { EACH = GATE_CHECKS_PER_ADDRESS_MAX };
	struct asked a[GATE_CHECKS_MAX], b[EACH + 1];

	open_world();
	w.door = GATE_VIEWERS;
	for (size_t i = 0; i < GATE_CHECKS_MAX; i++) {
		char from[32];

		(void)snprintf(from, sizeof from, "192.0.2.%zu", i / EACH);
		(void)ask("vera", &"aaaaaaaa"[i % EACH], from, &a[i]);
		cr_assert_not_null(a[i].wait, "%zu", i);
	}
	(void)ask("anna", "pw", "192.0.2.200", &b[0]);
	cr_expect_null(b[0].wait);
	w.door = GATE_CONTROL;
	ask_many(b, EACH + 1);
	for (size_t i = 0; i < EACH + 1; i++)
		cr_expect_eq(b[i].wait == NULL, i == EACH, "%zu", i);
	for (size_t i = 0; i < GATE_CHECKS_MAX; i++)
		gate_forget(&a[i].wait);
	for (size_t i = 0; i < EACH; i++)
		gate_forget(&b[i].wait);
	close_world();
}

static void on_timeout(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)t, (void)revents;
	ev_break(loop, EVBREAK_ALL);
}

static void run_past_deadline(void)
{
	ev_timer stop;

	ev_timer_init(&stop, on_timeout, GATE_DEADLINE_MS / 1e3 + 0.3, 0.);
	ev_timer_start(w.loop, &stop);
	ev_run(w.loop, 0);
}

Test(gate, a_client_that_waits_too_long_gets_an_error, .timeout = 90)
{
	struct asked a[6];

	open_world();
	ask_many(a, 6);
	run_past_deadline();
	for (size_t i = 0; i < 6; i++)
		cr_expect_eq(a[i].answer, GATE_BUSY, "%zu", i);
	/* a check under way still counts */
	cr_expect_eq(w.n, 5u);
	while (w.n > 0)
		answer(0, AUTH_WRONG);
	cr_expect_eq(knows("anna", "pw", HERE), GATE_LOCKED);
	close_world();
}

/* Without this no client would enter where a hash takes longer than that. */
Test(gate, a_repeated_request_joins_the_check_under_way, .timeout = 90)
{
	struct asked a;

	open_world();
	(void)ask("anna", "pw", HERE, &a);
	run_past_deadline();
	cr_expect_eq(a.answer, GATE_BUSY);
	(void)ask("anna", "pw", HERE, &a);
	run_past_deadline();
	cr_expect_eq(a.answer, GATE_BUSY);
	cr_expect_eq(w.n, 1u);
	(void)ask("anna", "pw", HERE, &a);
	answer(0, AUTH_OK);
	cr_expect_eq(a.answer, GATE_RIGHT);
	cr_expect_eq(knows("anna", "pw", HERE), GATE_RIGHT);
	close_world();
}
