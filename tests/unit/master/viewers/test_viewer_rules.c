/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "master/viewers/viewer_rules.h"
#include "master/config/viewer_settings.h"

#include <criterion/criterion.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 1700000000 };

static json_t *parse(const char *text)
{
	char *copy = xstrdup(text);
	json_error_t error;
	json_t *value;

	for (char *c = copy; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	value = json_loads(copy, JSON_DECODE_ANY, &error);
	cr_assert_not_null(value, "%s: %s", error.text, copy);
	free(copy);
	return value;
}

static const char configuration[] =
	"{'auth': {'enable': true, 'http_ip_deny': ['10.6.0.0/16',"
	"'2001:db8:bad::/48', 'junk'], 'http_ip_allow': ['10.0.0.0/8',"
	"'192.0.2.7'], 'http_token_deny': ['gone', 'tok-denied'],"
	"'securetoken': 's3cret' },"
	"'users': {"
	"'anna': {'enable': true, 'type': 3, 'token': 'tok-anna',"
	" 'cipher': '$y$anna'},"
	"'off': {'enable': false, 'type': 3, 'token': 'tok-off'},"
	"'home': {'enable': true, 'type': 3, 'token': 'tok-home',"
	" 'ip': '198.51.100.4'},"
	"'net': {'enable': true, 'type': 3, 'token': 'tok-net',"
	" 'ip': '198.51.100.0/24'},"
	"'badip': {'enable': true, 'type': 3, 'token': 'tok-badip',"
	" 'ip': 'somewhere'},"
	"'old': {'enable': true, 'type': 3, 'token': 'tok-old',"
	" 'expire': 1700000000},"
	"'paid': {'enable': true, 'type': 3, 'token': 'tok-paid',"
	" 'expire': 1700000001, 'conlimit': '2'},"
	"'sport': {'enable': true, 'type': 3, 'token': 'tok-sport',"
	" 'packages': ['Sport', 'Kids']},"
	"'news': {'enable': true, 'type': 3, 'token': 'tok-news',"
	" 'packages': ['News']},"
	"'all': {'enable': true, 'type': 3, 'token': 'tok-all',"
	" 'packages': ['ALL']},"
	"'free': {'enable': true, 'type': 3, 'token': 'tok-free',"
	" 'packages': []},"
	"'odd': {'enable': true, 'type': 3, 'token': 'tok-odd',"
	" 'packages': 'News'},"
	"'many': {'enable': true, 'type': 3, 'token': 'tok-many',"
	" 'conlimit': 'many'},"
	"'denied': {'enable': true, 'type': 3, 'token': 'tok-denied'},"
	"'twin': {'enable': true, 'type': 3, 'token': 'tok-anna'},"
	"'empty': {'enable': true, 'type': 3, 'token': ''}}}";

static struct world {
	json_t *document, *stream;
	struct viewer_rules *rules;
} w;

static void open_world(void)
{
	w.document = parse(configuration);
	w.stream = parse("{'id': 'a001', 'groups': {'News': 'Local',"
			 "'Kids': ''}}");
	w.rules = viewer_rules_new();
	viewer_rules_read(w.rules, w.document);
}

static void close_world(void)
{
	viewer_rules_free(&w.rules);
	json_decref(w.document);
	json_decref(w.stream);
}

static void set_auth(const char *key, json_t *value)
{
	(void)json_object_set_new(json_object_get(w.document, "auth"), key,
				  value);
	viewer_rules_read(w.rules, w.document);
}

/* The decision about a query from an address, "login" or the reason. */
static enum viewer_answer judge(const char *address, const char *query,
				struct viewer_verdict *v)
{
	static struct viewer_credential credential;
	bool ok = viewer_credential_read(query, &credential);
	struct viewer_question q = {
		.document = w.document,
		.stream_id = "a001",
		.stream = w.stream,
		.credential = ok ? &credential : NULL,
		.now_s = NOW,
	};

	cr_assert_eq(ip_parse(address, &q.address), 0);
	viewer_rules_judge(w.rules, &q, v);
	return v->answer;
}

static void expect(const char *address, const char *query,
		   enum viewer_answer answer, const char *text)
{
	struct viewer_verdict v;

	cr_expect_eq(judge(address, query, &v), answer, "%s ?%s: %d %s",
		     address, query, (int)v.answer, v.reason);
	cr_expect_str_eq(v.answer == VIEWER_DENIED ? v.reason : v.login, text,
			 "%s ?%s", address, query);
}

Test(viewer_rules, decide_in_their_order)
{
	static const char other[] = "198.51.100.9";

	open_world();
	/* addresses come first, the denied ones before the allowed ones */
	expect("10.6.1.1", "token=tok-anna", VIEWER_DENIED,
	       "the address is in http_ip_deny");
	expect("2001:db8:bad::1", "token=tok-anna", VIEWER_DENIED,
	       "the address is in http_ip_deny");
	expect("10.7.1.1", "", VIEWER_ALLOWED, "");
	expect("::ffff:192.0.2.7", "token=gone", VIEWER_ALLOWED, "");
	/* then tokens that are denied, also one that a user has */
	expect(other, "token=gone", VIEWER_DENIED,
	       "the token is in http_token_deny");
	expect(other, "token=tok-denied", VIEWER_DENIED,
	       "the token is in http_token_deny");
	expect(other, "token=g%6fne", VIEWER_DENIED,
	       "the token is in http_token_deny");
	/* then the user */
	expect(other, "token=tok-anna", VIEWER_ALLOWED, "anna");
	expect(other, "x=1&token=tok-anna&y", VIEWER_ALLOWED, "anna");
	expect(other, "token=tok-off", VIEWER_DENIED, "the user is disabled");
	expect("198.51.100.4", "token=tok-home", VIEWER_ALLOWED, "home");
	expect(other, "token=tok-home", VIEWER_DENIED,
	       "the user may not watch from this address");
	expect(other, "token=tok-net", VIEWER_ALLOWED, "net");
	expect(other, "token=tok-badip", VIEWER_DENIED,
	       "the user may not watch from this address");
	expect(other, "token=tok-old", VIEWER_DENIED,
	       "the access of the user has expired");
	expect(other, "token=tok-paid", VIEWER_ALLOWED, "paid");
	/* a category counts if the stream has a group in it */
	expect(other, "token=tok-sport", VIEWER_DENIED,
	       "the stream is in no package of the user");
	expect(other, "token=tok-news", VIEWER_ALLOWED, "news");
	expect(other, "token=tok-all", VIEWER_ALLOWED, "all");
	expect(other, "token=tok-free", VIEWER_ALLOWED, "free");
	expect(other, "token=tok-odd", VIEWER_DENIED,
	       "the stream is in no package of the user");
	expect(other, "token=tok-many", VIEWER_DENIED,
	       "conlimit of the user is not a number from 0 on");
	/* then nothing */
	expect(other, "token=unknown", VIEWER_DENIED, "the token is unknown");
	expect(other, "", VIEWER_DENIED, "the request has no token");
	expect(other, "token=", VIEWER_DENIED, "the request has no token");
	/* a backend would come last, and cannot overrule a user */
	set_auth("backend", json_string("http://127.0.0.1:1/x"));
	expect(other, "token=unknown", VIEWER_NEEDS_BACKEND, "");
	expect(other, "", VIEWER_NEEDS_BACKEND, "");
	expect(other, "token=tok-old", VIEWER_DENIED,
	       "the access of the user has expired");
	expect(other, "token=gone", VIEWER_DENIED,
	       "the token is in http_token_deny");
	close_world();
}

Test(viewer_rules, understand_a_query_in_one_way_only)
{
	static const char *const bad[] = {
		"token=tok-anna&token=gone", "token=tok-anna&%74oken=gone",
		"token=%zz", "token=a%00b", "token=%ff", "auth=anna",
		"auth=:x", "auth=a:b&auth=c:d",
	};
	char text[400] = "token=";

	open_world();
	set_auth("backend", json_string("http://127.0.0.1:1/x"));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		expect("198.51.100.9", bad[i], VIEWER_DENIED,
		       "token or auth is malformed");
	memset(text + 6, 'x', VIEWER_TOKEN_MAX);
	expect("198.51.100.9", text, VIEWER_NEEDS_BACKEND, "");
	strcat(text, "x");
	expect("198.51.100.9", text, VIEWER_DENIED,
	       "token or auth is malformed");
	close_world();
}

Test(viewer_rules, check_a_password_before_the_user)
{
	struct viewer_credential c;
	struct viewer_question q = { .stream_id = "a001", .credential = &c,
				     .password_right = true, .now_s = NOW };
	struct viewer_verdict v;

	open_world();
	expect("198.51.100.9", "auth=anna:pw", VIEWER_NEEDS_PASSWORD, "anna");
	expect("198.51.100.9", "auth=off:pw", VIEWER_NEEDS_PASSWORD, "off");
	/* as long as a known login takes, if no backend knows more */
	expect("198.51.100.9", "auth=nobody:pw", VIEWER_NEEDS_PASSWORD,
	       "nobody");
	q.document = w.document;
	q.stream = w.stream;
	cr_assert(viewer_credential_read("auth=off:a:b", &c));
	cr_expect_str_eq(c.password, "a:b");
	viewer_rules_judge(w.rules, &q, &v);
	cr_expect_eq((int)v.answer, (int)VIEWER_DENIED);
	cr_assert(viewer_credential_read("auth=anna:pw", &c));
	viewer_rules_judge(w.rules, &q, &v);
	cr_expect_eq((int)v.answer, (int)VIEWER_ALLOWED);
	cr_expect_str_eq(v.login, "anna");
	set_auth("ministra", json_string("http://127.0.0.1:1"));
	expect("198.51.100.9", "auth=nobody:pw", VIEWER_NEEDS_BACKEND, "");
	close_world();
}

Test(viewer_rules, report_limits_and_the_end)
{
	struct viewer_verdict v;

	open_world();
	(void)judge("198.51.100.9", "token=tok-paid", &v);
	cr_expect_eq(v.limit, 2u);
	cr_expect_eq(v.until_s, NOW + 1);
	(void)judge("198.51.100.9", "token=tok-anna", &v);
	cr_expect_eq(v.limit, 0u);
	cr_expect_eq(v.until_s, 0);
	close_world();
}

static void sign(const char *text, const char *rest, char token[200])
{
	unsigned char hash[SHA_DIGEST_LENGTH];

	SHA1((const unsigned char *)text, strlen(text), hash);
	for (size_t i = 0; i < sizeof hash; i++)
		(void)sprintf(token + 2 * i, "%02x", hash[i]);
	strcat(token, rest);
}

static void expect_secure(const char *signed_text, const char *rest,
			  enum viewer_answer answer, const char *reason)
{
	char token[200], query[256];

	sign(signed_text, rest, token);
	(void)snprintf(query, sizeof query, "token=%s", token);
	expect("198.51.100.9", query, answer, reason);
}

Test(viewer_rules, check_secure_tokens)
{
	struct viewer_verdict v;
	char token[200], query[256];

	open_world();
	expect_secure("a001198.51.100.916999999001700000100s3cretSALT",
		      "-SALT-1700000100-1699999900", VIEWER_ALLOWED, "");
	/* of another stream, address, secret, salt or end */
	expect_secure("a002198.51.100.916999999001700000100s3cretSALT",
		      "-SALT-1700000100-1699999900", VIEWER_DENIED,
		      "the secure token does not match the viewer, the stream "
		      "or securetoken");
	expect_secure("a001198.51.100.816999999001700000100s3cretSALT",
		      "-SALT-1700000100-1699999900", VIEWER_DENIED,
		      "the secure token does not match the viewer, the stream "
		      "or securetoken");
	expect_secure("a001198.51.100.916999999001700000100secretSALT",
		      "-SALT-1700000100-1699999900", VIEWER_DENIED,
		      "the secure token does not match the viewer, the stream "
		      "or securetoken");
	expect_secure("a001198.51.100.916999999001700000100s3cretSALT",
		      "-SALT-1700000999-1699999900", VIEWER_DENIED,
		      "the secure token does not match the viewer, the stream "
		      "or securetoken");
	/* the clocks may differ by half a minute */
	expect_secure("a001198.51.100.916999999001699999971s3cretx",
		      "-x-1699999971-1699999900", VIEWER_ALLOWED, "");
	expect_secure("a001198.51.100.916999999001699999970s3cretx",
		      "-x-1699999970-1699999900", VIEWER_DENIED,
		      "the secure token has expired");
	expect_secure("a001198.51.100.917000000301700000100s3cretx",
		      "-x-1700000100-1700000030", VIEWER_ALLOWED, "");
	expect_secure("a001198.51.100.917000000311700000100s3cretx",
		      "-x-1700000100-1700000031", VIEWER_DENIED,
		      "the secure token is not valid yet");
	/* another form is another kind of token */
	expect_secure("a001", "-x-1700000100", VIEWER_DENIED,
		      "the token is unknown");
	expect_secure("a001", "--1700000100-1", VIEWER_DENIED,
		      "the token is unknown");
	expect_secure("a001", "-x-17000001000000-1", VIEWER_DENIED,
		      "the token is unknown");
	expect_secure("a001", "-x-1e9-1", VIEWER_DENIED,
		      "the token is unknown");
	/* nor one whose texts were cut elsewhere: the hash is the same */
	expect_secure("a001198.51.100.917641299991764133599s3cretSALT",
		      "-SALT-991764133599-17641299", VIEWER_DENIED,
		      "the token is unknown");
	expect_secure("a001198.51.100.91699999900170000010012SALT",
		      "-SALT-170000010012-1699999900", VIEWER_DENIED,
		      "the token is unknown");
	expect_secure("a001198.51.100.916999999001700000100s3cretSALT",
		      "-SALT-1700000100-91699999900", VIEWER_DENIED,
		      "the token is unknown");
	expect_secure("a001198.51.100.917000001001700000100s3cretSALT",
		      "-SALT-1700000100-1700000100", VIEWER_DENIED,
		      "the token is unknown");
	/* a forged one never reaches a backend, which may be unreachable */
	set_auth("backend", json_string("http://127.0.0.1:1/x"));
	expect_secure("a", "-x-1700000100-1699999900", VIEWER_DENIED,
		      "the secure token does not match the viewer, the stream "
		      "or securetoken");
	/* a number is as good as its text */
	set_auth("securetoken", json_integer(42));
	sign("a001198.51.100.91699999900170000010042s",
	     "-s-1700000100-1699999900", token);
	(void)snprintf(query, sizeof query, "token=%s", token);
	cr_expect_eq((int)judge("198.51.100.9", query, &v),
		     (int)VIEWER_ALLOWED);
	cr_expect_eq(v.until_s, 1700000130);
	close_world();
}

Test(viewer_rules, follow_a_change_of_one_user)
{
	json_t *anna = parse("{'enable': true, 'type': 3, 'token': 'new'}");

	open_world();
	(void)json_object_set(json_object_get(w.document, "users"), "anna",
			      anna);
	viewer_rules_read_user(w.rules, "anna", anna);
	expect("198.51.100.9", "token=new", VIEWER_ALLOWED, "anna");
	/* of two users with one token the first one counts */
	expect("198.51.100.9", "token=tok-anna", VIEWER_ALLOWED, "twin");
	(void)json_object_del(json_object_get(w.document, "users"), "anna");
	viewer_rules_read_user(w.rules, "anna", NULL);
	expect("198.51.100.9", "token=new", VIEWER_DENIED,
	       "the token is unknown");
	json_decref(anna);
	close_world();
}

Test(viewer_rules, allow_everybody_only_if_authorization_is_off)
{
	struct viewer_rules *fresh = viewer_rules_new();
	json_t *values[] = { json_true(), json_string("no"), json_integer(0) };

	cr_expect(viewer_rules_enabled(fresh), "closed before it has read");
	viewer_rules_free(&fresh);
	open_world();
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		set_auth("enable", values[i]);
		expect("198.51.100.9", "", VIEWER_DENIED,
		       "the request has no token");
	}
	set_auth("enable", json_false());
	expect("10.6.1.1", "token=gone", VIEWER_ALLOWED, "");
	set_auth("enable", json_null());
	expect("10.6.1.1", "token=gone", VIEWER_ALLOWED, "");
	close_world();
}

Test(viewer_rules, find_the_url_of_the_backend)
{
	static const struct {
		const char *auth, *url; /* NULL: an error */
	} cases[] = {
		{ "{}", "" },
		{ "{'backend': ''}", "" },
		{ "{'backend': 'http://a/b?c=d'}", "http://a/b?c=d" },
		{ "{'backend': {'format': 'http', 'host': 'h', 'port': 80}}",
		  "http://h:80" },
		{ "{'backend': {'format': 'https', 'host': 'h/x',"
		  " 'port': ''}}", "https://h/x" },
		{ "{'backend': 'a/b'}", NULL },
		{ "{'backend': 'file:///etc/passwd'}", NULL },
		{ "{'backend': 'http://a b'}", NULL },
		{ "{'backend': 'http://'}", NULL },
		{ "{'backend': 7}", NULL },
		{ "{'backend': {'host': 'h'}}", NULL },
		{ "{'ministra': 'http://m'}",
		  "http://m/server/api/chk_flussonic_tmp_link.php" },
		{ "{'ministra': 'http://m/'}",
		  "http://m/server/api/chk_flussonic_tmp_link.php" },
		{ "{'iptvportal': 'http://i', 'smarty': 'http://s'}",
		  "http://i/auth/arescrypt/" },
		{ "{'smarty': 'http://s:9'}",
		  "http://s:9/tvmiddleware/api/streamservice/token/check/" },
		{ "{'backend': 'http://b', 'smarty': 'http://s'}",
		  "http://b" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *auth = parse(cases[i].auth);
		char url[VIEWER_URL_MAX];
		struct errmsg error;
		int r = viewer_backend_url(auth, url, &error);

		cr_expect_eq(r == 0, cases[i].url != NULL, "%s",
			     cases[i].auth);
		if (r == 0)
			cr_expect_str_eq(url, cases[i].url);
		json_decref(auth);
	}
}

/* The target is 1 ms for each decision; the bound leaves room for sanitizers
 * and a busy machine. */
Test(viewer_rules, take_microseconds_with_many_users)
{
	enum { USERS = 10000, DECISIONS = 2000 };
	json_t *users, *deny = json_array();
	uint64_t began;
	char text[64];

	open_world();
	users = json_object_get(w.document, "users");
	for (unsigned i = 0; i < USERS; i++) {
		(void)snprintf(text, sizeof text, "token-%u", i);
		(void)json_object_set_new(
			users, text, json_pack("{s:b, s:s}", "enable", 1,
					       "token", text));
		(void)snprintf(text, sizeof text, "11.%u.%u.0/24", i >> 8,
			       i & 255);
		(void)json_array_append_new(deny, json_string(text));
	}
	set_auth("http_ip_deny", deny);
	began = mono_cost_ns();
	for (unsigned i = 0; i < DECISIONS; i++) {
		(void)snprintf(text, sizeof text, "token=token-%u",
			       i * 7 % USERS);
		expect("198.51.100.9", text, VIEWER_ALLOWED, text + 6);
	}
	cr_expect_lt(mono_cost_ns() - began, DECISIONS * UINT64_C(1000000));
	close_world();
}
