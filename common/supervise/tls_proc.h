/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TLS at the control port and for viewers: the worker that speaks it, the
 * certificate that it shows, the clients of the control port that are handed
 * to it.  Viewers come to it from deliver.
 *
 * The worker runs while a certificate is configured, or one is to be judged.
 * Its crash closes the TLS connections and nothing else; who comes while there
 * is none waits a few seconds.  The master knows of the key what the settings
 * say: a file it opens and does not read, or the text itself.
 *
 * Owns the worker and the clients that wait; borrows the loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_proc.h"
#include "common/supervise/tls_judgement.h"

#include <jansson.h>

struct tls_proc;

enum {
	TLS_WAIT_MS = 10000,   /* for a worker */
	TLS_WAITING_MAX = 128, /* above it the one that waits longest goes */
};

struct tls_proc *tls_proc_new(const struct service_config *);
/* NULL-safe; sets *p to NULL. */
void tls_proc_free(struct tls_proc **);

/* The worker, borrowed. */
struct service_proc *tls_proc_service(struct tls_proc *);

/* From master to master: the worker goes on, and is told the certificate. */
json_t *tls_proc_write(struct tls_proc *, struct handover *);
void tls_proc_adopt(struct tls_proc *, const json_t *record, struct handover *);

/* The settings crt_chain and crt_key (strings; references are taken, not
 * copies); NULL for no TLS.  Files are opened anew, also when nothing was
 * changed.  A pair that is no good is logged, and the one before it stays. */
void tls_proc_set(struct tls_proc *, json_t *chain, json_t *key);

/* Takes a client's socket that begins with a TLS handshake: where its plaintext
 * is (http_serve_tls_fn).  -ENOTSUP without a certificate. */
int tls_proc_serve(int fd, void *tls_proc);

/* For tls_judgement_new(). */
struct tls_judgements *tls_proc_judgements(struct tls_proc *);

/* Why nobody is served by TLS at all, or NULL. */
const char *tls_proc_absence(const struct tls_proc *);

/* Is a certificate configured? */
bool tls_proc_is_on(const struct tls_proc *);

/* The worker is to take clients from this end of a SEQPACKET pair, too. */
void tls_proc_link(struct tls_proc *, int fd);

/* Why clients see another certificate than the configured one, or none; NULL
 * when all is well. */
const char *tls_proc_error(const struct tls_proc *);
