/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens the certificate and the key of the settings for the tls worker: a file,
 * or PEM text in the setting itself.  The master never reads the file.
 *
 * "/dev/stdin" is the standard input of the master, if it is a file.  The
 * program that starts the service has opened it, so the user of the service
 * needs no right to open the file by its name.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <string.h>

enum {
	PEM_THREADS_MAX = 16,
	PEM_STDIN_MAX = 1 << 20, /* bytes */
};

struct helper_call;
struct helpers;

struct pem_pair {
	int chain;
	int key;
};

/* True for PEM text, false for a file name. */
static inline bool pem_source_is_text(const char *value)
{
	return strstr(value, "-----BEGIN ") != NULL;
}

/* True for the standard input of the process. */
bool pem_source_is_stdin(const char *value);

/* Opens a file, or a memfd with PEM text.  Returns the descriptor,
 * close-on-exec, or -errno with error: "/etc/x.pem: No such file or
 * directory". */
int pem_source_open(const char *value, struct errmsg *error) MUST_CHECK;

/* Opens both settings.  0, or -errno with error, which begins with the name of
 * the setting: "crt_key: …".  After an error neither is open. */
int pem_pair_open(const char *chain, const char *key, struct pem_pair *ret,
		  struct errmsg *error) MUST_CHECK;
void pem_pair_close(struct pem_pair *);

/* Called from the loop.  result 0: take has the open pair, whose descriptors
 * belong to the callee.  Otherwise result and error are those of
 * pem_pair_open(). */
typedef void pem_opened_fn(int result, const struct pem_pair *take,
			   const struct errmsg *error, void *arg);

/* Opens both settings in a helper thread, because a mount may not answer.  done
 * is called later, never inside. */
struct helper_call *pem_opening_new(struct helpers *, const char *chain,
				    const char *key, pem_opened_fn *done,
				    void *arg);
