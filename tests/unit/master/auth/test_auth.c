/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions and tokens against a configuration that changes under them. */
#include "common/base/log.h"
#include "common/base/util.h"
#include "master/auth/auth.h"
#include "master/setup/state_path.h"
#include "master/config/config.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct world {
	struct ev_loop *loop;
	struct config *config;
	struct auth *auth;
	char log[4096];
} w;

static void note(enum log_level level, const char *component,
		 const char *text, void *arg)
{
	size_t len = strlen(w.log);

	(void)arg;
	if (level <= LOG_LEVEL_WARNING)
		(void)snprintf(w.log + len, sizeof w.log - len, "%s: %s\n",
			       component, text);
}

static void put(const char *login, bool enable, int type, const char *cipher)
{
	config_put_user(w.config, login,
			json_pack("{s:b, s:i, s:s}", "enable", enable, "type",
				  type, "cipher", cipher));
	auth_users_changed(w.auth);
}

static void open_world(void)
{
	struct errmsg why;

	log_open(note, NULL, LOG_LEVEL_DEBUG);
	w.loop = ev_loop_new(0);
	w.config = config_open(NULL, w.loop, &why);
	w.auth = auth_new(&(struct auth_config){ .loop = w.loop,
						 .config = w.config });
	put("anna", true, 1, "$y$a");
}

static void close_world(void)
{
	auth_free(&w.auth);
	config_close(&w.config);
	ev_loop_destroy(w.loop);
}

static bool enters(const char *id)
{
	struct caller c = { 0 };

	if (!auth_enter_session(w.auth, id, &c)) {
		cr_assert_eq(c.type, 0, "data about him remains");
		return false;
	}
	cr_expect_str_eq(c.login, "anna");
	cr_expect_str_eq(c.session, id);
	return true;
}

Test(auth, a_session_ends_with_its_user_or_role)
{
	struct caller caller;
	static const struct {
		bool enable;
		int type;
		const char *cipher;
		bool enters;    /* as it is now */
		bool enters_on; /* when all is as before again */
	} cases[] = {
		{ true, 2, "$y$a", true, true },
		{ true, 3, "$y$a", false, true },
		{ false, 1, "$y$a", false, false },
		{ true, 1, "$y$b", false, false },
	};

	open_world();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char id[SECRET_TEXT], token[SECRET_TEXT];

		auth_open_session(w.auth, "anna", false, id);
		auth_issue_token(w.auth, "anna", token);
		cr_expect(enters(id));
		put("anna", cases[i].enable, cases[i].type, cases[i].cipher);
		cr_expect_eq(enters(id), cases[i].enters, "%zu", i);
		put("anna", true, 1, "$y$a");
		cr_expect_eq(enters(id), cases[i].enters_on, "%zu", i);
		cr_expect_eq(auth_redeem_token(w.auth, token, &caller),
			     cases[i].enters_on, "%zu", i);
		cr_expect_not(auth_redeem_token(w.auth, token, &caller));
	}
	close_world();
}

Test(auth, a_change_applies_before_its_event)
{
	struct caller caller;
	char id[SECRET_TEXT], token[SECRET_TEXT];

	open_world();
	auth_open_session(w.auth, "anna", false, id);
	auth_issue_token(w.auth, "anna", token);
	config_remove_user(w.config, "anna");
	cr_expect_not(enters(id));
	cr_expect_not(auth_redeem_token(w.auth, token, &caller));
	close_world();
}

Test(auth, only_valid_logins_are_admitted)
{
	struct caller c = { 0 };
	char name[USER_LOGIN_MAX + 2];

	open_world();
	put("off", false, 1, "x");
	put("viewer", true, 3, "x");
	memset(name, 'n', sizeof name - 1);
	name[USER_LOGIN_MAX + 1] = '\0';
	put(name, true, 1, "x");
	cr_expect_eq(auth_enter(w.auth, "nobody", &c), ENTRY_DISABLED);
	cr_expect_eq(auth_enter(w.auth, "off", &c), ENTRY_DISABLED);
	cr_expect_eq(auth_enter(w.auth, "viewer", &c), ENTRY_REGULAR);
	cr_expect_eq(auth_enter(w.auth, name, &c), ENTRY_DISABLED, "too long");
	cr_expect_eq(auth_enter(w.auth, "anna", &c), ENTRY_YES);
	cr_expect_str_eq(c.login, "anna");
	cr_expect_eq(c.type, 1);
	close_world();
}

Test(auth, the_loss_of_the_last_control_user_is_logged)
{
	static const char line[] = "auth: no control user can log in";
	size_t n = 0;

	open_world();
	cr_expect_str_eq(w.log, "");
	put("olga", true, 2, "$y$o");
	put("anna", false, 1, "$y$a");
	put("anna", true, 2, "$y$a");
	put("anna", true, 1, "$y$a");
	put("anna", true, 1, "");
	for (const char *at = w.log; (at = strstr(at, line)) != NULL; at++)
		n++;
	cr_expect_eq(n, 2, "%s", w.log);
	w.log[0] = '\0';
	config_remove_user(w.config, "anna");
	config_remove_user(w.config, "olga");
	put("anna", true, 1, "$y$a");
	config_remove_user(w.config, "anna");
	auth_users_changed(w.auth);
	auth_users_changed(w.auth);
	cr_expect_str_eq(w.log, "auth: there is no user: no login is possible "
			 "until the service restarts (SIGUSR2), which creates "
			 "the user admin and prints its password\n");
	close_world();
}

Test(auth, without_logins_no_control_user_is_missed)
{
	open_world();
	auth_free(&w.auth);
	w.auth = auth_new(&(struct auth_config){ .loop = w.loop,
						 .config = w.config,
						 .no_login = true });
	put("anna", false, 1, "$y$a");
	cr_expect_str_eq(w.log, "");
	close_world();
}

Test(auth, a_failure_is_one_line_whatever_the_login)
{
	static const char *const cases[][2] = {
		{ "olga", "olga" },
		{ "a\nb", "a%0Ab" },
		{ "\xc2\x85x\xc3\xa4", "%C2%85x\xc3\xa4" },
		{ "x IP:1.2.3.4", "x%20IP%3A1.2.3.4" },
	};
	struct ip_address a;

	cr_assert_eq(ip_parse("::ffff:192.0.2.7", &a), 0);
	open_world();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char wanted[256];

		w.log[0] = '\0';
		auth_log_failure(w.auth, cases[i][0], &a);
		(void)snprintf(wanted, sizeof wanted,
			       "auth: [main] Authentication failed. Login:%s "
			       "IP:192.0.2.7\n", cases[i][1]);
		cr_expect_str_eq(w.log, wanted);
	}
	close_world();
}

Test(auth, failures_without_an_end_are_counted_not_logged)
{
	struct ip_address a;
	size_t lines = 0;

	cr_assert_eq(ip_parse("::1", &a), 0);
	open_world();
	for (size_t i = 0; i < 10000; i++) {
		w.log[0] = '\0';
		auth_log_failure(w.auth, "x", &a);
		lines += w.log[0] != '\0';
	}
	cr_expect_eq(lines, 100);
	close_world();
}

static void count_refusals(enum log_level level, const char *component,
			   const char *text, void *arg)
{
	size_t *n = arg;

	(void)level, (void)component;
	*n += strstr(text, " refused: ") != NULL;
}

Test(auth, refusals_without_an_end_are_counted_not_logged)
{
	struct caller caller = { .login = "olga" };
	size_t lines = 0;

	cr_assert_eq(ip_parse("::1", &caller.address), 0);
	open_world();
	log_open(count_refusals, &lines, LOG_LEVEL_DEBUG);
	for (size_t i = 0; i < 10000; i++)
		auth_log_refusal(w.auth, &caller, "api/log");
	cr_expect_eq(lines, 20, "%zu", lines);
	close_world();
}

Test(auth, finds_the_folder_of_sessions)
{
	static const struct {
		const char *config, *state, *path;
	} cases[] = {
		{ "/etc/s.json", NULL, "/etc/s.json.sessions" },
		{ "s.json", "", "s.json.sessions" },
		{ "s.json", "relative", "s.json.sessions" },
		{ "s.json", "/var/lib/s", "/var/lib/s/sessions.json" },
		{ "s.json", "/a:/b", "/a/sessions.json" },
		{ "s.json", "/a:/a-state", "/a-state/sessions.json" },
		{ "s.json", "/a-state:/b", "/a-state/sessions.json" },
		{ "s.json", "/a:/-state/b", "/a/sessions.json" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *path = state_path(cases[i].config, cases[i].state,
					"sessions");

		cr_expect_str_eq(path, cases[i].path);
		free(path);
	}
	cr_expect_null(state_path(NULL, "/var/lib/s", "sessions"));
}
