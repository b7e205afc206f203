/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Certificates and keys that the tls worker is to judge before they are
 * configured.
 *
 * One that has no answer in time, or whose worker dies twice, ends without
 * one.  Owns the questions and their open files; borrows the loop and the
 * service, which it keeps wanted while there is a question.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "common/supervise/pem_source.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct ev_loop;
struct service_proc;
struct tls_judgement;
struct tls_judgements;

enum {
	TLS_JUDGE_MS = 5000,
	TLS_JUDGEMENTS_MAX = 8, /* at a time */
};

struct tls_judgements *tls_judgements_new(struct ev_loop *,
					  struct service_proc *,
					  uint32_t *last_seq);
/* NULL-safe; sets *j to NULL.  All must be over or cancelled. */
void tls_judgements_free(struct tls_judgements **);
bool tls_judgements_is_empty(const struct tls_judgements *);

/* The worker is there and can be asked; it is no more; it has said this. */
void tls_judgements_up(struct tls_judgements *);
void tls_judgements_down(struct tls_judgements *);
void tls_judgements_answer(struct tls_judgements *, const struct msg *);

/* The end of the question, from the loop.  0; -EINVAL: why says what is wrong,
 * beginning with the setting; another -errno: it could not be judged. */
typedef void tls_judgement_fn(int result, const struct errmsg *why, void *arg);

/* take: both files, also closed when it says NULL: too many at a time. */
struct tls_judgement *tls_judgement_new(struct tls_judgements *,
					struct pem_pair *take,
					tls_judgement_fn *done, void *arg);
/* NULL-safe; sets *j to NULL. */
void tls_judgement_cancel(struct tls_judgement **);
