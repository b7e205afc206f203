/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets the tls worker check a certificate and its key before the configuration
 * takes them.
 *
 * A check without an answer in time, or whose worker ended twice, fails with
 * -ETIMEDOUT.  Owns the checks and their open files.  Borrows the loop, the
 * helpers and the service of the tls worker, which it starts when a check needs
 * the worker.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct ev_loop;
struct helpers;
struct service_proc;
struct tls_judgement;
struct tls_judgements;

enum {
	TLS_JUDGE_MS = 5000,
	TLS_JUDGEMENTS_MAX = 8, /* checks in parallel */
};

struct tls_judgements *tls_judgements_new(struct ev_loop *,
					  struct service_proc *,
					  struct helpers *,
					  uint32_t *last_seq);
/* NULL-safe; sets *j to NULL.  All checks must have ended. */
void tls_judgements_free(struct tls_judgements **);
bool tls_judgements_is_empty(const struct tls_judgements *);

/* To be called by the owner of the tls worker: _up() after worker.hello,
 * _down() when the worker has ended, _answer() with each result of a check. */
void tls_judgements_up(struct tls_judgements *);
void tls_judgements_down(struct tls_judgements *);
void tls_judgements_answer(struct tls_judgements *, const struct msg *);

/* The end of the check, from the loop.  0: accepted.  -EINVAL: rejected, error
 * begins with the name of the setting.  Another -errno: not checked. */
typedef void tls_judgement_fn(int result, const struct errmsg *error,
			      void *arg);

/* Begins the check of a pair of settings.  NULL: too many checks run. */
struct tls_judgement *tls_judgement_new(struct tls_judgements *,
					const char *chain, const char *key,
					tls_judgement_fn *done, void *arg);
/* NULL-safe; sets *j to NULL. */
void tls_judgement_cancel(struct tls_judgement **);
