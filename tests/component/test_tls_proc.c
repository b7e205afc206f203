/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real tls worker, through the master's side of it. */
#include "common/supervise/tls_proc.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "tests/component/pem.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct bench {
	struct service_rig rig;
	struct tls_proc *tls;
};

static void setup(struct bench *b, const char *worker)
{
	struct service_config config;

	*b = (struct bench){ 0 };
	service_rig_init(&b->rig, worker);
	config = service_rig_config(&b->rig);
	b->tls = tls_proc_new(&config);
}

static void teardown(struct bench *b)
{
	service_rig_stop(&b->rig, tls_proc_service(b->tls));
	tls_proc_free(&b->tls);
	service_rig_done(&b->rig);
}

/* --- questions --- */

struct asked {
	unsigned done;
	int result;
	struct errmsg why;
};

static void on_judged(int result, const struct errmsg *why, void *arg)
{
	struct asked *a = arg;

	a->done++;
	a->result = result;
	a->why = *why;
}

static bool is_done(void *arg)
{
	return ((struct asked *)arg)->done > 0;
}

static struct tls_judgement *ask(struct bench *b, int chain, int key,
				 struct asked *a)
{
	char names[2][32];

	(void)snprintf(names[0], sizeof names[0], "/proc/self/fd/%d", chain);
	(void)snprintf(names[1], sizeof names[1], "/proc/self/fd/%d", key);
	*a = (struct asked){ 0 };
	return tls_judgement_new(tls_proc_judgements(b->tls), names[0],
				 names[1], on_judged, a);
}

static bool is_without_worker(void *arg)
{
	return service_proc_is_gone(tls_proc_service(
		((struct bench *)arg)->tls));
}

Test(tls_proc, a_worker_runs_while_a_check_needs_it,
     .timeout = 90)
{
	struct asked good, bad, cancelled;
	struct pem first, second;
	struct tls_judgement *j;
	struct bench b;

	setup(&b, "sluice-worker");
	pem_new(&first, "a.example", 30);
	pem_new(&second, "b.example", 30);
	cr_expect_eq(rig_count_children(), 0, "it runs before it is needed");
	cr_assert_not_null(ask(&b, first.chain, first.key, &good));
	j = ask(&b, first.chain, first.key, &cancelled);
	cr_assert_not_null(ask(&b, first.chain, second.key, &bad));
	tls_judgement_cancel(&j);
	cr_assert_null(j);
	rig_run_until(b.rig.loop, is_done, &bad, 10000, "an answer");
	cr_expect_eq(good.done, 1);
	cr_expect_eq(good.result, 0);
	cr_expect_eq(bad.result, -EINVAL);
	cr_expect_eq(strncmp(bad.why.text, "crt_key: is not", 15), 0, "%s",
		     bad.why.text);
	cr_expect_eq(cancelled.done, 0);
	rig_run_until(b.rig.loop, is_without_worker, &b, 10000, "gone again");
	pem_done(&first);
	pem_done(&second);
	teardown(&b);
}

static struct tls_judgement *ask_files(struct bench *b, const char *chain,
				       const char *key, struct asked *a)
{
	*a = (struct asked){ 0 };
	return tls_judgement_new(tls_proc_judgements(b->tls), chain, key,
				 on_judged, a);
}

Test(tls_proc, a_file_that_cannot_be_opened_is_named, .timeout = 90)
{
	struct asked missing, device;
	struct bench b;

	setup(&b, "sluice-worker");
	cr_assert_not_null(ask_files(&b, "/nowhere/a.pem", "-----BEGIN K",
				     &missing));
	cr_assert_not_null(ask_files(&b, "-----BEGIN C", "/dev/null",
				     &device));
	rig_run_until(b.rig.loop, is_done, &missing, 10000, "an answer");
	rig_run_until(b.rig.loop, is_done, &device, 10000, "an answer");
	cr_expect_eq(missing.result, -EINVAL);
	cr_expect_str_eq(missing.why.text, "crt_chain: /nowhere/a.pem: "
			 "No such file or directory");
	cr_expect_eq(device.result, -EINVAL);
	cr_expect_str_eq(device.why.text, "crt_key: /dev/null: not a regular "
			 "file");
	teardown(&b);
}

Test(tls_proc, without_a_worker_there_is_an_answer_in_time, .timeout = 90)
{
	struct asked asked[TLS_JUDGEMENTS_MAX], more;
	uint64_t begin = mono_ms();
	struct bench b;
	struct pem pem;

	setup(&b, "no-such-worker");
	pem_new(&pem, "a.example", 30);
	for (size_t i = 0; i < TLS_JUDGEMENTS_MAX; i++)
		cr_assert_not_null(ask(&b, pem.chain, pem.key, &asked[i]));
	cr_expect_null(ask(&b, pem.chain, pem.key, &more));
	rig_run_until(b.rig.loop, is_done, &asked[TLS_JUDGEMENTS_MAX - 1],
		      10000, "an answer");
	cr_expect_eq(asked[0].result, -ETIMEDOUT);
	cr_expect_geq(mono_ms() - begin, TLS_JUDGE_MS - 50);
	for (size_t i = 0; i < TLS_JUDGEMENTS_MAX; i++)
		cr_expect_eq(asked[i].done, 1);
	cr_expect_eq(more.done, 0);
	pem_done(&pem);
	teardown(&b);
}

/* --- clients --- */

/* A JSON string with the text of the file. */
static json_t *text_of(int fd)
{
	static char text[16384];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	cr_assert_gt(n, 0);
	text[n] = '\0';
	return json_string(text);
}

static void use(struct bench *b, const struct pem *pem)
{
	json_t *chain = text_of(pem->chain), *key = text_of(pem->key);

	tls_proc_set(b->tls, chain, key);
	json_decref(chain);
	json_decref(key);
}

struct client {
	int fd;
	int plain;
	SSL_CTX *ctx;
	SSL *ssl;
};

static void dial(struct bench *b, struct client *c)
{
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
				SOCK_NONBLOCK, 0, pair), 0);
	c->fd = pair[0];
	c->ctx = SSL_CTX_new(TLS_client_method());
	c->ssl = SSL_new(c->ctx);
	cr_assert_eq(SSL_set_fd(c->ssl, c->fd), 1);
	c->plain = tls_proc_serve(pair[1], b->tls);
	cr_assert_geq(c->plain, 0);
}

static void hang_up(struct client *c)
{
	SSL_free(c->ssl);
	SSL_CTX_free(c->ctx);
	fd_close(&c->fd);
	fd_close(&c->plain);
}

static bool is_connected(void *arg)
{
	return SSL_connect(((struct client *)arg)->ssl) == 1;
}

static bool is_closed(void *arg)
{
	char byte;

	return recv(((struct client *)arg)->plain, &byte, 1, 0) == 0;
}

Test(tls_proc, a_client_that_came_too_early_waits, .timeout = 90)
{
	struct client early = { .fd = -1 }, late, open;
	struct bench b;
	struct pem pem;
	int pair[2];

	setup(&b, "sluice-worker");
	pem_new(&pem, "a.example", 30);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	cr_assert_eq(tls_proc_serve(pair[1], b.tls), -ENOTSUP);
	fd_close(&pair[0]);
	fd_close(&pair[1]);

	use(&b, &pem);
	dial(&b, &early);
	rig_run_until(b.rig.loop, is_connected, &early, 10000, "a handshake");
	dial(&b, &open);
	rig_run_until(b.rig.loop, is_connected, &open, 10000, "a handshake");

	/* a worker that dies loses the certificate and clients that it had */
	cr_assert_eq(kill(rig_find_child("tls"), SIGSTOP), 0);
	dial(&b, &late);
	cr_assert_eq(kill(rig_find_child("tls"), SIGKILL), 0);
	rig_run_until(b.rig.loop, is_closed, &open, 10000, "the end of one");
	rig_run_until(b.rig.loop, is_closed, &late, 10000,
		      "the end of another");
	hang_up(&late);
	dial(&b, &late);
	rig_run_until(b.rig.loop, is_connected, &late, 10000, "a handshake");
	cr_expect_null(tls_proc_error(b.tls));
	hang_up(&early);
	hang_up(&open);
	hang_up(&late);
	pem_done(&pem);
	teardown(&b);
}

static bool has_error(void *arg)
{
	return tls_proc_error(((struct bench *)arg)->tls) != NULL;
}

static bool has_no_error(void *arg)
{
	return !has_error(arg);
}

Test(tls_proc, an_error_of_a_certificate_is_an_alarm, .timeout = 90)
{
	struct pem first, second, mixed;
	struct client c;
	struct bench b;

	setup(&b, "sluice-worker");
	pem_new(&first, "a.example", 30);
	pem_new(&second, "b.example", 30);
	use(&b, &first);
	dial(&b, &c);
	rig_run_until(b.rig.loop, is_connected, &c, 10000, "a handshake");
	hang_up(&c);
	mixed = (struct pem){ first.chain, second.key };
	use(&b, &mixed);
	rig_run_until(b.rig.loop, has_error, &b, 10000, "an alarm");
	cr_expect_not_null(strstr(tls_proc_error(b.tls),
				  "settings.crt_key: is not the key"), "%s",
			   tls_proc_error(b.tls));
	/* the one before continues */
	dial(&b, &c);
	rig_run_until(b.rig.loop, is_connected, &c, 10000, "a handshake");
	hang_up(&c);
	use(&b, &second);
	cr_expect_not_null(tls_proc_error(b.tls), "cleared before the check");
	rig_run_until(b.rig.loop, has_no_error, &b, 10000, "a valid pair");
	pem_done(&first);
	pem_done(&second);
	teardown(&b);
}

static bool has_facts(void *arg)
{
	return tls_proc_facts(((struct bench *)arg)->tls) != NULL;
}

static bool has_no_facts(void *arg)
{
	return !has_facts(arg);
}

Test(tls_proc, the_facts_are_those_of_the_certificate_in_use, .timeout = 90)
{
	struct pem first, second, mixed;
	struct bench b;

	setup(&b, "sluice-worker");
	pem_new(&first, "a.example", 30);
	pem_new(&second, "b.example", 30);
	mixed = (struct pem){ first.chain, second.key };
	use(&b, &first);
	rig_run_until(b.rig.loop, has_facts, &b, 10000, "facts");
	use(&b, &mixed);
	rig_run_until(b.rig.loop, has_error, &b, 10000, "an alarm");
	rig_run_until(b.rig.loop, has_facts, &b, 10000, "facts");
	cr_expect_not_null(strstr(tls_proc_facts(b.tls)->subject,
				  "a.example"));
	/* the next worker rejects the pair, and has no certificate */
	cr_assert_eq(kill(rig_find_child("tls"), SIGKILL), 0);
	rig_run_until(b.rig.loop, has_no_facts, &b, 10000, "no facts");
	rig_run_until(b.rig.loop, has_error, &b, 10000, "an alarm");
	cr_expect_null(tls_proc_facts(b.tls));
	use(&b, &second);
	rig_run_until(b.rig.loop, has_facts, &b, 10000, "facts");
	pem_done(&first);
	pem_done(&second);
	teardown(&b);
}

struct known {
	struct client *client; /* NULL: until another worker runs */
	struct bench *bench;
	pid_t pid; /* the former worker */
};

/* The facts are there at each moment. */
static bool is_known_and_ready(void *arg)
{
	const struct known *k = arg;
	const char *state;
	unsigned restarts;
	int pid;

	cr_assert(has_facts(k->bench), "an alarm would end and begin again");
	if (k->client != NULL)
		return is_connected(k->client);
	service_proc_get(tls_proc_service(k->bench->tls), &state, &pid,
			 &restarts);
	return pid > 0 && pid != k->pid;
}

Test(tls_proc, the_facts_continue_when_the_worker_is_replaced, .timeout = 90)
{
	struct pem pem;
	struct client c;
	struct bench b;
	struct known known = { .bench = &b };

	setup(&b, "sluice-worker");
	pem_new(&pem, "a.example", 30);
	use(&b, &pem);
	rig_run_until(b.rig.loop, has_facts, &b, 10000, "facts");
	known.pid = rig_find_child("tls");
	cr_assert_eq(kill(known.pid, SIGKILL), 0);
	rig_run_until(b.rig.loop, is_known_and_ready, &known, 10000,
		      "the next worker");
	dial(&b, &c);
	known.client = &c;
	rig_run_until(b.rig.loop, is_known_and_ready, &known, 10000,
		      "a handshake");
	hang_up(&c);
	pem_done(&pem);
	teardown(&b);
}

static bool has_second(void *arg)
{
	const struct tls_facts *f = tls_proc_facts(((struct bench *)arg)->tls);

	return f != NULL && strstr(f->subject, "b.example") != NULL;
}

static bool is_later(void *arg)
{
	return mono_ms() >= *(const uint64_t *)arg;
}

/* The answer to a pair comes after the next pair could not be opened. */
Test(tls_proc, an_answer_clears_no_error_of_a_later_pair, .timeout = 90)
{
	json_t *chain = json_string("/nowhere/a.pem");
	struct pem first, second;
	uint64_t sent_ms;
	struct bench b;
	pid_t pid;

	setup(&b, "sluice-worker");
	pem_new(&first, "a.example", 30);
	pem_new(&second, "b.example", 30);
	use(&b, &first);
	rig_run_until(b.rig.loop, has_facts, &b, 10000, "facts");
	pid = rig_find_child("tls");
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	use(&b, &second);
	/* has_second() below proves that it was sent */
	sent_ms = mono_ms() + 500;
	rig_run_until(b.rig.loop, is_later, &sent_ms, 10000, "the pair");
	tls_proc_set(b.tls, chain, chain);
	rig_run_until(b.rig.loop, has_error, &b, 10000, "an alarm");
	cr_assert_eq(kill(pid, SIGCONT), 0);
	rig_run_until(b.rig.loop, has_second, &b, 10000, "the answer");
	sent_ms = mono_ms() + 500;
	rig_run_until(b.rig.loop, is_later, &sent_ms, 10000, "the answer");
	cr_expect(has_error(&b), "cleared by the answer to an older pair");
	json_decref(chain);
	pem_done(&first);
	pem_done(&second);
	teardown(&b);
}

/* More than may wait: the client that has waited longest is closed. */
Test(tls_proc, the_number_of_waiting_clients_is_limited, .timeout = 90)
{
	static struct client clients[TLS_WAITING_MAX + 1];
	struct bench b;
	struct pem pem;

	setup(&b, "no-such-worker");
	pem_new(&pem, "a.example", 30);
	use(&b, &pem);
	for (size_t i = 0; i < TLS_WAITING_MAX; i++)
		dial(&b, &clients[i]);
	cr_expect_not(is_closed(&clients[0]));
	dial(&b, &clients[TLS_WAITING_MAX]);
	cr_expect(is_closed(&clients[0]));
	cr_expect_not(is_closed(&clients[1]));
	cr_expect_not(is_closed(&clients[TLS_WAITING_MAX]));
	pem_done(&pem);
	teardown(&b);
	for (size_t i = 0; i <= TLS_WAITING_MAX; i++) {
		cr_expect(is_closed(&clients[i]));
		hang_up(&clients[i]);
	}
}
