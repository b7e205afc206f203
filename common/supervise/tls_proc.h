/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the tls worker: gives it the certificate and the clients of the control
 * port that begin with a TLS handshake.  deliver passes it the viewers.
 *
 * The worker runs while a certificate is configured or being checked.  Its
 * crash closes the TLS connections only; new clients wait for the next worker.
 * The master opens the file of the key and does not read it, unless the
 * setting contains the key itself.
 *
 * Owns the worker and the waiting clients; borrows the loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "common/supervise/tls_judgement.h"

#include <jansson.h>
#include <stdint.h>

struct tls_proc;

enum {
	TLS_WAIT_MS = 10000, /* longest wait of a client for a worker */
	/* clients that wait; a further one replaces the oldest */
	TLS_WAITING_MAX = 128,
};

struct tls_proc *tls_proc_new(const struct service_config *);
/* NULL-safe; sets *p to NULL. */
void tls_proc_free(struct tls_proc **);

/* The worker, borrowed. */
struct service_proc *tls_proc_service(struct tls_proc *);

/* Writes the record for the next master, so that the worker continues with its
 * certificate. */
json_t *tls_proc_write(struct tls_proc *, struct handover *);
void tls_proc_adopt(struct tls_proc *, const json_t *record, struct handover *);

/* The settings crt_chain and crt_key (strings, referenced); NULL: no TLS.
 * Opens the files even if the settings are unchanged, because their content may
 * have changed.  A bad pair is logged, and the previous certificate stays. */
void tls_proc_set(struct tls_proc *, json_t *chain, json_t *key);

/* Takes the socket of a client that begins with a TLS handshake and returns
 * the socket of its plaintext (http_serve_tls_fn).  -ENOTSUP: no
 * certificate. */
int tls_proc_serve(int fd, void *tls_proc);

/* The argument of tls_judgement_new(), borrowed. */
struct tls_judgements *tls_proc_judgements(struct tls_proc *);

/* Why TLS is unavailable, or NULL: an invalid pair is no reason while the
 * previous certificate is in use. */
const char *tls_proc_absence(const struct tls_proc *);

/* True when a certificate is configured. */
bool tls_proc_is_on(const struct tls_proc *);

/* Sends the worker an end of a SEQPACKET pair from which it also takes
 * clients. */
void tls_proc_link(struct tls_proc *, int fd);

/* The certificate that is in use. */
struct tls_facts {
	char subject[256], issuer[256];
	char names[1024]; /* DNS names and IP addresses, separated by ", " */
	char key[64];     /* kind and bits of the key: "EC 256" */
	/* Unix time of the period in which the certificate is valid; end_s 0:
	 * there is none */
	int64_t begin_s, end_s;
};

/* The facts of the certificate in use, borrowed until the next one; NULL: none
 * is in use. */
const struct tls_facts *tls_proc_facts(const struct tls_proc *);

/* Why the configured certificate is not in use; NULL: no error is known. */
const char *tls_proc_error(const struct tls_proc *);
