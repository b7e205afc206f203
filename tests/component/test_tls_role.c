/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real worker in the role `tls`: a client at one end, the plaintext at the
 * other. */
#include "common/base/fd.h"
#include "tests/component/pem.h"
#include "tests/component/worker_rig.h"

#include <errno.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	BUFFER = 16384, /* of each socket, so that little fills them */
};

struct bench {
	struct worker_rig rig;
	struct msg_tls_status status;
	bool ok; /* the last result */
	char field[32];
	char why[256];
	uint32_t seq;
	SSL_CTX *client;
};

static void hear(const struct msg *m, void *arg)
{
	struct bench *b = arg;

	if (m->type == MSG_TLS_STATUS)
		b->status = m->tls_status;
	if (m->type != MSG_TLS_RESULT)
		return;
	cr_assert_eq(m->seq, b->seq);
	b->ok = m->tls_result.ok;
	(void)snprintf(b->field, sizeof b->field, "%s", m->tls_result.field);
	(void)snprintf(b->why, sizeof b->why, "%s", m->tls_result.error);
}

static void setup(struct bench *b)
{
	*b = (struct bench){ 0 };
	(void)signal(SIGPIPE, SIG_IGN);
	b->client = SSL_CTX_new(TLS_client_method());
	/* the cipher list of TLS 1.1 is empty in security level 2 */
	SSL_CTX_set_security_level(b->client, 0);
	worker_rig_init(&b->rig, "sluice-worker-tls", "tls", hear, b);
	RIG_UNTIL(&b->rig, b->rig.n[MSG_WORKER_READY] == 1);
	cr_assert_eq(b->rig.first, MSG_WORKER_HELLO);
}

static void teardown(struct bench *b)
{
	int status = worker_rig_done(&b->rig);

	SSL_CTX_free(b->client);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x",
		  (unsigned)status);
}

static bool certify(struct bench *b, bool use, int chain, int key)
{
	struct msg m = { .type = MSG_TLS_CERTIFICATE,
			 .seq = ++b->seq,
			 .tls_certificate = { use } };
	unsigned before = b->rig.n[MSG_TLS_RESULT];
	int fds[] = { chain, key };

	cr_assert_eq(channel_send(b->rig.channel, &m, fds, 2), 0);
	RIG_UNTIL(&b->rig, b->rig.n[MSG_TLS_RESULT] > before);
	return b->ok;
}

/* --- a client and its plaintext --- */

struct link {
	int fd;    /* the client's */
	int plain; /* the master's end */
	SSL *ssl;
};

static void set_patience(int fd)
{
	struct timeval patience = { .tv_sec = RIG_PATIENCE_MS / 1000 };
	int size = BUFFER;

	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
				sizeof patience), 0);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size),
		     0);
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size),
		     0);
}

/* A TCP connection over the loopback; the end that was accepted. */
static int connect_tcp(int *ret_client)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof in;
	int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int accepted;

	set_patience(door);
	cr_assert_eq(bind(door, (struct sockaddr *)&in, len), 0);
	cr_assert_eq(listen(door, 1), 0);
	cr_assert_eq(getsockname(door, (struct sockaddr *)&in, &len), 0);
	*ret_client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	set_patience(*ret_client);
	cr_assert_eq(connect(*ret_client, (struct sockaddr *)&in, len), 0);
	accepted = accept4(door, NULL, NULL, SOCK_CLOEXEC);
	cr_assert_geq(accepted, 0);
	fd_close(&door);
	return accepted;
}

/* The worker has it; no byte was sent. */
static struct link serve(struct bench *b)
{
	struct msg m = { .type = MSG_TLS_SERVE };
	struct link l = { 0 };
	int fds[2], pair[2];

	fds[0] = connect_tcp(&l.fd);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair),
		     0);
	set_patience(pair[0]);
	set_patience(pair[1]);
	l.plain = pair[0];
	fds[1] = pair[1];
	cr_assert_eq(channel_send(b->rig.channel, &m, fds, 2), 0);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
	return l;
}

static bool shake(struct bench *b, struct link *l)
{
	l->ssl = SSL_new(b->client);
	cr_assert_eq(SSL_set_fd(l->ssl, l->fd), 1);
	ERR_clear_error();
	return SSL_connect(l->ssl) == 1;
}

static struct link dial(struct bench *b)
{
	struct link l = serve(b);

	cr_assert(shake(b, &l), "%s",
		  ERR_reason_error_string(ERR_get_error()));
	return l;
}

static void hang_up(struct link *l)
{
	SSL_free(l->ssl);
	fd_close(&l->fd);
	fd_close(&l->plain);
}

static void expect_passing(struct link *l, const char *up, const char *down)
{
	char text[256] = "";

	cr_assert_eq(SSL_write(l->ssl, up, (int)strlen(up)),
		     (int)strlen(up));
	cr_assert_eq(recv(l->plain, text, sizeof text, 0),
		     (ssize_t)strlen(up));
	cr_assert_eq(memcmp(text, up, strlen(up)), 0);
	cr_assert_eq(send(l->plain, down, strlen(down), 0),
		     (ssize_t)strlen(down));
	cr_assert_eq(SSL_read(l->ssl, text, sizeof text), (int)strlen(down));
	cr_assert_eq(memcmp(text, down, strlen(down)), 0);
}

static bool is_closed(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, 0);

	return n == 0 || (n < 0 && errno == ECONNRESET);
}

/* --- its purpose --- */

Test(tls_role, passes_plaintext_in_both_directions, .timeout = 90)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };
	struct bench b;
	struct pem pem;
	struct link l;

	setup(&b);
	pem_new(&pem, "a.example", 30);
	cr_assert(certify(&b, true, pem.chain, pem.key), "%s", b.why);
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		SSL_CTX_set_min_proto_version(b.client, versions[i]);
		SSL_CTX_set_max_proto_version(b.client, versions[i]);
		l = dial(&b);
		cr_expect_eq(SSL_version(l.ssl), versions[i]);
		expect_passing(&l, "question", "answer");
		hang_up(&l);
	}
	RIG_UNTIL(&b.rig, b.status.handshakes == 2 &&
				  b.status.connections == 0);
	cr_expect_eq(b.status.failed, 0);
	pem_done(&pem);
	teardown(&b);
}

Test(tls_role, rejects_old_versions_and_other_protocols, .timeout = 90)
{
	struct bench b;
	struct pem pem;
	struct link l;

	setup(&b);
	pem_new(&pem, "a.example", 30);
	cr_assert(certify(&b, true, pem.chain, pem.key), "%s", b.why);

	SSL_CTX_set_min_proto_version(b.client, TLS1_VERSION);
	SSL_CTX_set_max_proto_version(b.client, TLS1_1_VERSION);
	l = serve(&b);
	cr_expect_not(shake(&b, &l));
	cr_expect(is_closed(l.plain));
	hang_up(&l);

	SSL_CTX_set_max_proto_version(b.client, 0);
	cr_assert_eq(SSL_CTX_set_alpn_protos(b.client,
					     (const uint8_t *)"\2h2", 3), 0);
	l = serve(&b);
	cr_expect_not(shake(&b, &l));
	hang_up(&l);

	l = serve(&b);
	cr_assert_eq(send(l.fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
	cr_expect(is_closed(l.plain));
	hang_up(&l);

	cr_assert_eq(SSL_CTX_set_alpn_protos(
			     b.client, (const uint8_t *)"\2h2\x08http/1.1",
			     12), 0);
	l = dial(&b);
	{
		const unsigned char *chosen;
		unsigned int len;

		SSL_get0_alpn_selected(l.ssl, &chosen, &len);
		cr_expect_eq(len, 8);
		cr_expect_eq(memcmp(chosen, "http/1.1", 8), 0);
	}
	expect_passing(&l, "a", "b");
	hang_up(&l);
	/* a status may have been sent between one and the next */
	RIG_UNTIL(&b.rig, b.status.handshakes > 0 && b.status.failed == 3);
	cr_expect_eq(b.status.handshakes, 1);
	pem_done(&pem);
	teardown(&b);
}

Test(tls_role, checks_a_pair_and_names_the_error, .timeout = 90)
{
	enum { GOOD_CHAIN, GOOD_KEY, OTHER_KEY, EMPTY, WORDS, CUT, WRONG_ORDER,
	       ENCRYPTED, TOO_LONG, FILES };
	static const struct {
		int chain, key;
		const char *field, *why;
	} cases[] = {
		{ EMPTY, GOOD_KEY, "crt_chain", "no certificate" },
		{ WORDS, GOOD_KEY, "crt_chain", "no certificate" },
		{ GOOD_KEY, GOOD_KEY, "crt_chain", "no certificate" },
		{ CUT, GOOD_KEY, "crt_chain", "first certificate: " },
		{ TOO_LONG, GOOD_KEY, "crt_chain", "too long" },
		{ GOOD_CHAIN, EMPTY, "crt_key", "no private key" },
		{ GOOD_CHAIN, GOOD_CHAIN, "crt_key", "no private key" },
		{ GOOD_CHAIN, OTHER_KEY, "crt_key", "is not the key of" },
		{ GOOD_CHAIN, ENCRYPTED, "crt_key", "is encrypted" },
		{ GOOD_CHAIN, TOO_LONG, "crt_key", "too long" },
		{ WRONG_ORDER, GOOD_KEY, "crt_chain", "of the server first" },
	};
	static char words[300 * 1024];
	/* its content does not matter: the passphrase is unknown */
	static const char encrypted[] =
		"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
		"MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhfI/uWxQq8\n"
		"xwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEH1eVMWH0TIY\n"
		"g0Sn9wnyfHUEQMnqcW6HGLSiSWCPaLx0YOmoYcMZ8mzXhYqHFYd0lfN7\n"
		"B9BPhMxmVPkFYQ3vR0IXQz0cYS9bBBYHJj1w0iw6rw4=\n"
		"-----END ENCRYPTED PRIVATE KEY-----\n";
	int files[FILES];
	struct bench b;
	struct pem good, other;
	struct link l;

	setup(&b);
	pem_new(&good, "a.example", 30);
	pem_new(&other, "b.example", 30);
	memset(words, 'x', sizeof words - 1);
	files[GOOD_CHAIN] = good.chain;
	files[GOOD_KEY] = good.key;
	files[OTHER_KEY] = other.key;
	files[EMPTY] = pem_text("");
	files[WORDS] = pem_text("not PEM at all\n");
	files[CUT] = pem_text("-----BEGIN CERTIFICATE-----\nMIIB\n"
			      "-----END CERTIFICATE-----\n");
	files[WRONG_ORDER] = pem_join(other.chain, good.chain);
	files[ENCRYPTED] = pem_text(encrypted);
	files[TOO_LONG] = pem_text(words);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cr_expect_not(certify(&b, true, files[cases[i].chain],
				      files[cases[i].key]), "case %zu", i);
		cr_expect_str_eq(b.field, cases[i].field, "case %zu: %s", i,
				 b.why);
		cr_expect_not_null(strstr(b.why, cases[i].why), "case %zu: %s",
				   i, b.why);
	}
	/* a pair that was only checked is not used: without one there is no TLS
	 * */
	cr_expect(certify(&b, false, good.chain, good.key), "%s", b.why);
	l = serve(&b);
	cr_expect(is_closed(l.plain));
	hang_up(&l);
	/* a certificate and its key may be in one file, twice */
	fd_close(&files[WORDS]);
	files[WORDS] = pem_join(good.key, good.chain);
	cr_expect(certify(&b, true, files[WORDS], files[WORDS]), "%s", b.why);
	l = dial(&b);
	hang_up(&l);
	for (size_t i = EMPTY; i < FILES; i++)
		fd_close(&files[i]);
	pem_done(&good);
	pem_done(&other);
	teardown(&b);
}

/* The subject of the certificate that the client received. */
static void expect_name(struct link *l, const char *name)
{
	X509 *x = SSL_get1_peer_certificate(l->ssl);
	char text[64] = "";

	X509_NAME_get_text_by_NID(X509_get_subject_name(x), NID_commonName,
				  text, sizeof text);
	cr_expect_str_eq(text, name);
	X509_free(x);
}

Test(tls_role, a_new_certificate_applies_to_new_connections, .timeout = 90)
{
	struct pem first, second;
	struct link before, after;
	struct bench b;

	setup(&b);
	pem_new(&first, "first.example", 30);
	pem_new(&second, "second.example", 30);
	cr_assert(certify(&b, true, first.chain, first.key), "%s", b.why);
	before = dial(&b);
	expect_name(&before, "first.example");
	cr_assert(certify(&b, true, second.chain, second.key), "%s", b.why);
	after = dial(&b);
	expect_name(&after, "second.example");
	expect_passing(&before, "still", "here");
	expect_passing(&after, "new", "too");
	hang_up(&after);
	/* a bad one leaves the good one where it is */
	cr_assert_not(certify(&b, true, first.chain, second.key));
	after = dial(&b);
	expect_name(&after, "second.example");
	expect_passing(&before, "and", "still");
	hang_up(&after);
	hang_up(&before);
	pem_done(&first);
	pem_done(&second);
	teardown(&b);
}

Test(tls_role, reports_a_certificate_that_has_expired, .timeout = 90)
{
	struct bench b;
	struct pem pem;

	setup(&b);
	pem_new(&pem, "a.example", 0);
	cr_assert(certify(&b, true, pem.chain, pem.key), "%s", b.why);
	RIG_UNTIL(&b.rig, strstr(b.rig.log, "certificate expires on") ||
				  strstr(b.rig.log, "certificate expired on"));
	pem_done(&pem);
	teardown(&b);
}

/* Resumes the session of the connection before? */
static bool resumes(struct bench *b, SSL_SESSION **session)
{
	struct link l = serve(b);
	bool is;

	l.ssl = SSL_new(b->client);
	cr_assert_eq(SSL_set_fd(l.ssl, l.fd), 1);
	if (*session != NULL)
		cr_assert_eq(SSL_set_session(l.ssl, *session), 1);
	cr_assert_eq(SSL_connect(l.ssl), 1);
	is = SSL_session_reused(l.ssl) == 1;
	/* the ticket comes with the first bytes */
	expect_passing(&l, "a", "b");
	SSL_SESSION_free(*session);
	*session = SSL_get1_session(l.ssl);
	(void)SSL_shutdown(l.ssl);
	hang_up(&l);
	return is;
}

Test(tls_role, a_session_is_resumed_until_the_certificate_changes,
     .timeout = 90)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };
	struct pem first, second;
	struct bench b;

	setup(&b);
	pem_new(&first, "first.example", 30);
	pem_new(&second, "second.example", 30);
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		SSL_SESSION *session = NULL;

		cr_assert(certify(&b, true, first.chain, first.key));
		SSL_CTX_set_min_proto_version(b.client, versions[i]);
		SSL_CTX_set_max_proto_version(b.client, versions[i]);
		cr_expect_not(resumes(&b, &session));
		cr_expect(resumes(&b, &session), "version %zu", i);
		/* the same one again, as after a reload */
		cr_assert(certify(&b, true, first.chain, first.key));
		cr_expect(resumes(&b, &session), "version %zu", i);
		cr_assert(certify(&b, true, second.chain, second.key));
		cr_expect_not(resumes(&b, &session), "version %zu", i);
		SSL_SESSION_free(session);
	}
	pem_done(&first);
	pem_done(&second);
	teardown(&b);
}

/* --- ends --- */

Test(tls_role, each_direction_ends_separately, .timeout = 90)
{
	static char answer[200 * 1000];
	struct bench b;
	struct pem pem;
	struct link l;
	size_t got = 0;
	char byte;
	pid_t writer;
	int n;

	setup(&b);
	pem_new(&pem, "a.example", 30);
	cr_assert(certify(&b, true, pem.chain, pem.key));
	l = dial(&b);
	cr_assert_eq(SSL_write(l.ssl, "x", 1), 1);
	cr_assert_eq(SSL_shutdown(l.ssl), 0);
	cr_assert_eq(recv(l.plain, &byte, 1, 0), 1);
	cr_assert_eq(recv(l.plain, &byte, 1, 0), 0);
	/* more than all buffers hold: it has to flow */
	memset(answer, 'y', sizeof answer);
	writer = fork();
	if (writer == 0) {
		ssize_t sent = send(l.plain, answer, sizeof answer,
				    MSG_WAITALL);

		_exit(sent == (ssize_t)sizeof answer ? 0 : 1);
	}
	fd_close(&l.plain);
	while ((n = SSL_read(l.ssl, answer, sizeof answer)) > 0)
		got += (size_t)n;
	cr_expect_eq(got, sizeof answer);
	cr_expect_eq(SSL_get_error(l.ssl, n), SSL_ERROR_ZERO_RETURN);
	cr_assert_eq(waitpid(writer, &n, 0), writer);
	cr_expect_eq(n, 0);
	RIG_UNTIL(&b.rig, b.rig.n[MSG_TLS_STATUS] > 1 &&
				  b.status.connections == 0);
	hang_up(&l);
	pem_done(&pem);
	teardown(&b);
}

Test(tls_role, the_end_of_the_master_reaches_the_client_after_its_data,
     .timeout = 90)
{
	struct bench b;
	struct pem pem;
	struct link l;
	char text[16];
	int n;

	setup(&b);
	pem_new(&pem, "a.example", 30);
	cr_assert(certify(&b, true, pem.chain, pem.key));
	l = dial(&b);
	cr_assert_eq(send(l.plain, "bye", 3, 0), 3);
	/* unread data makes its close a reset */
	cr_assert_eq(SSL_write(l.ssl, "unheard", 7), 7);
	cr_assert_eq(recv(l.plain, text, 1, MSG_PEEK), 1);
	fd_close(&l.plain);
	cr_expect_eq(SSL_read(l.ssl, text, sizeof text), 3);
	n = SSL_read(l.ssl, text, sizeof text);
	cr_expect_eq(n, 0);
	cr_expect_eq(SSL_get_error(l.ssl, n), SSL_ERROR_ZERO_RETURN);
	hang_up(&l);
	pem_done(&pem);
	teardown(&b);
}

/* Writes until the socket is full; returns the number of bytes. */
static size_t fill(struct bench *b, int fd, ssize_t (*put)(void *, const char *,
							   size_t), void *arg)
{
	static const char block[4096];
	size_t total = 0;
	unsigned idle = 0;

	cr_assert_eq(fd_set_nonblock(fd), 0);
	while (idle < 20) {
		ssize_t n = put(arg, block, sizeof block);

		idle = n > 0 ? 0 : idle + 1;
		total += n > 0 ? (size_t)n : 0;
		if (n <= 0)
			(void)poll(NULL, 0, 10);
		ev_run(b->rig.loop, EVRUN_NOWAIT);
		cr_assert_lt(total, 4U << 20, "somebody swallows it all");
	}
	return total;
}

static ssize_t put_tls(void *arg, const char *data, size_t len)
{
	ERR_clear_error();
	return SSL_write(arg, data, (int)len);
}

static ssize_t put_plain(void *arg, const char *data, size_t len)
{
	return send(*(int *)arg, data, len, MSG_NOSIGNAL);
}

Test(tls_role, a_client_that_does_not_read_is_not_read_from, .timeout = 90)
{
	struct bench b;
	struct pem pem;
	struct link l;
	size_t total, got = 0;
	static char text[65536];

	setup(&b);
	pem_new(&pem, "a.example", 30);
	cr_assert(certify(&b, true, pem.chain, pem.key));

	l = dial(&b);
	SSL_set_mode(l.ssl, SSL_MODE_ENABLE_PARTIAL_WRITE |
				    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	total = fill(&b, l.fd, put_tls, l.ssl);
	cr_assert_gt(total, 0);
	while (got < total) {
		ssize_t n = recv(l.plain, text, sizeof text, 0);

		cr_assert_gt(n, 0);
		got += (size_t)n;
		/* a record that was begun is finished */
		(void)SSL_write(l.ssl, text, 0);
	}
	hang_up(&l);

	l = dial(&b);
	total = fill(&b, l.plain, put_plain, &l.plain);
	for (got = 0; got < total;) {
		int n = SSL_read(l.ssl, text, sizeof text);

		cr_assert_gt(n, 0);
		got += (size_t)n;
	}
	cr_assert_eq(got, total);
	hang_up(&l);
	pem_done(&pem);
	teardown(&b);
}
