/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/credentials.h"

#include "common/base/alloc.h"
#include "common/base/x509_text.h"
#include "worker/tls/context.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PRINTF_LIKE(3, 4) int
fail(struct credentials_error *e, const char *field, const char *format, ...)
{
	va_list args;

	e->field = field;
	va_start(args, format);
	(void)vsnprintf(e->error.text, sizeof e->error.text, format, args);
	va_end(args);
	return -EINVAL;
}

/* --- files --- */

struct text {
	char *data;
	size_t len;
};

static void text_done(struct text *t)
{
	if (t->data != NULL)
		OPENSSL_cleanse(t->data, CREDENTIALS_SIZE_MAX + 1);
	free(t->data);
	*t = (struct text){ 0 };
}

static int text_read(struct text *t, int fd, const char *field,
		     struct credentials_error *e)
{
	ssize_t n;

	*t = (struct text){ .data = xcalloc(1, CREDENTIALS_SIZE_MAX + 1) };
	do {
		n = pread(fd, t->data + t->len,
			  CREDENTIALS_SIZE_MAX + 1 - t->len, (off_t)t->len);
		if (n > 0)
			t->len += (size_t)n;
	} while ((n > 0 && t->len <= CREDENTIALS_SIZE_MAX) ||
		 (n < 0 && errno == EINTR));
	if (n < 0)
		return fail(e, field, "cannot be read: %s", strerror(errno));
	if (t->len > CREDENTIALS_SIZE_MAX)
		return fail(e, field, "is too long");
	return 0;
}

static BIO *open_text(const struct text *t)
{
	BIO *bio = BIO_new_mem_buf(t->data, (int)t->len);

	if (bio == NULL)
		abort();
	return bio;
}

/* --- chain --- */

/* True if the text has no further certificate. */
static bool is_end(void)
{
	unsigned long code = ERR_peek_last_error();

	return ERR_GET_LIB(code) == ERR_LIB_PEM &&
	       ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

static int add_chain(SSL_CTX *ctx, BIO *bio, struct credentials_error *e)
{
	X509 *next;

	for (unsigned n = 1;
	     (next = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL; n++) {
		if (n == CREDENTIALS_CHAIN_MAX) {
			X509_free(next);
			return fail(e, "crt_chain",
				    "contains too many certificates");
		}
		if (SSL_CTX_add0_chain_cert(ctx, next) != 1) {
			X509_free(next);
			return fail(e, "crt_chain",
				    "a certificate after the first one: %s",
				    tls_error());
		}
	}
	if (!is_end())
		return fail(e, "crt_chain", "a certificate after the first "
			    "one: %s",
			    tls_error());
	ERR_clear_error();
	return 0;
}

static int load_chain(SSL_CTX *ctx, const struct text *t,
		      struct credentials_error *e)
{
	BIO *bio = open_text(t);
	X509 *leaf;
	int err;

	ERR_clear_error();
	leaf = PEM_read_bio_X509_AUX(bio, NULL, NULL, NULL);
	if (leaf == NULL && is_end())
		err = fail(e, "crt_chain", "contains no certificate in PEM");
	else if (leaf == NULL || SSL_CTX_use_certificate(ctx, leaf) != 1)
		err = fail(e, "crt_chain", "the first certificate: %s",
			   tls_error());
	else
		err = add_chain(ctx, bio, e);
	X509_free(leaf);
	BIO_free(bio);
	return err;
}

/* --- key --- */

static int on_passphrase(char *text, int size, int writing, void *arg)
{
	bool *asked = arg;

	(void)text, (void)size, (void)writing;
	*asked = true;
	return -1;
}

static int load_key(SSL_CTX *ctx, const struct text *t,
		    struct credentials_error *e)
{
	BIO *bio = open_text(t);
	STACK_OF(X509) *chain = NULL;
	bool asked = false, is_of_further = false;
	EVP_PKEY *key;
	int err = 0;

	ERR_clear_error();
	key = PEM_read_bio_PrivateKey(bio, NULL, on_passphrase, &asked);
	ERR_clear_error();
	BIO_free(bio);
	if (key == NULL)
		return fail(e, "crt_key", "%s",
			    asked ? "is encrypted: a key without a passphrase "
				    "is needed"
				  : "contains no private key in PEM");
	(void)SSL_CTX_get0_chain_certs(ctx, &chain);
	for (int i = 0; i < sk_X509_num(chain); i++)
		is_of_further |= X509_check_private_key(
					 sk_X509_value(chain, i), key) == 1;
	ERR_clear_error();
	if (X509_check_private_key(SSL_CTX_get0_certificate(ctx), key) == 1) {
		if (SSL_CTX_use_PrivateKey(ctx, key) != 1 ||
		    SSL_CTX_check_private_key(ctx) != 1)
			err = fail(e, "crt_key", "cannot be used: %s",
				   tls_error());
	} else if (is_of_further) {
		err = fail(e, "crt_chain", "starts with a certificate that "
			   "does not match crt_key: put the certificate of "
			   "the server first");
	} else {
		err = fail(e, "crt_key", "is not the key of the first "
			   "certificate in crt_chain");
	}
	ERR_clear_error();
	EVP_PKEY_free(key);
	return err;
}

int credentials_load(SSL_CTX *ctx, int chain_fd, int key_fd,
		     struct credentials_error *ret)
{
	struct text chain = { 0 }, key = { 0 };
	int err = text_read(&chain, chain_fd, "crt_chain", ret);

	if (err == 0)
		err = text_read(&key, key_fd, "crt_key", ret);
	if (err == 0)
		err = load_chain(ctx, &chain, ret);
	if (err == 0)
		err = load_key(ctx, &key, ret);
	text_done(&chain);
	text_done(&key);
	return err;
}

/* --- properties --- */

time_t credentials_end(const SSL_CTX *ctx)
{
	return x509_text_time(
		X509_get0_notAfter(SSL_CTX_get0_certificate(ctx)));
}

time_t credentials_begin(const SSL_CTX *ctx)
{
	return x509_text_time(
		X509_get0_notBefore(SSL_CTX_get0_certificate(ctx)));
}

void credentials_subject(const SSL_CTX *ctx, char *text, size_t size)
{
	x509_text_name(X509_get_subject_name(SSL_CTX_get0_certificate(ctx)),
		       text, size);
}

void credentials_issuer(const SSL_CTX *ctx, char *text, size_t size)
{
	x509_text_name(X509_get_issuer_name(SSL_CTX_get0_certificate(ctx)),
		       text, size);
}

/* Writes a DNS name or an IP address of 4 or 16 bytes.  False: the name is of
 * another kind, or malformed. */
static bool format_name(const GENERAL_NAME *name, char *text, size_t size)
{
	const unsigned char *data;
	const ASN1_STRING *value;
	int kind, len;

	value = GENERAL_NAME_get0_value(name, &kind);
	if (value == NULL || (kind != GEN_DNS && kind != GEN_IPADD))
		return false;
	data = ASN1_STRING_get0_data(value);
	len = ASN1_STRING_length(value);
	if (kind == GEN_IPADD)
		return (len == 4 || len == 16) &&
		       inet_ntop(len == 4 ? AF_INET : AF_INET6, data, text,
				 (socklen_t)size) != NULL;
	for (int i = 0; i < len; i++)
		if (data[i] <= ' ' || data[i] > '~')
			return false;
	return len > 0 && snprintf(text, size, "%.*s", len,
				   (const char *)data) < (int)size;
}

void credentials_names(const SSL_CTX *ctx, char *text, size_t size)
{
	GENERAL_NAMES *names = X509_get_ext_d2i(
		SSL_CTX_get0_certificate(ctx), NID_subject_alt_name, NULL,
		NULL);
	char name[256];
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
		if (!format_name(sk_GENERAL_NAME_value(names, i), name,
				 sizeof name) ||
		    len + strlen(name) + 3 > size)
			continue;
		len += (size_t)snprintf(text + len, size - len, "%s%s",
					len > 0 ? ", " : "", name);
	}
	GENERAL_NAMES_free(names);
}

void credentials_key(const SSL_CTX *ctx, char *text, size_t size)
{
	const EVP_PKEY *key = X509_get0_pubkey(SSL_CTX_get0_certificate(ctx));
	const char *kind = key != NULL ? EVP_PKEY_get0_type_name(key) : NULL;

	(void)snprintf(text, size, "%s %d", kind != NULL ? kind : "unknown",
		       key != NULL ? EVP_PKEY_get_bits(key) : 0);
}
