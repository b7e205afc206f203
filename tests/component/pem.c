/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/component/pem.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT_MAX = 65536 };

static int open_memory(const char *text, size_t len)
{
	int fd = memfd_create("pem", MFD_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	return fd;
}

int pem_text(const char *text)
{
	return open_memory(text, strlen(text));
}

int pem_join(int first, int second)
{
	char text[2 * TEXT_MAX];
	ssize_t a = pread(first, text, TEXT_MAX, 0);
	ssize_t b = pread(second, text + a, TEXT_MAX, 0);

	cr_assert(a > 0 && b > 0);
	return open_memory(text, (size_t)(a + b));
}

static int from_bio(BIO *bio)
{
	char *text;
	long len = BIO_get_mem_data(bio, &text);
	int fd = open_memory(text, (size_t)len);

	BIO_free(bio);
	return fd;
}

static X509 *make(EVP_PKEY *key, const char *name, int days)
{
	const unsigned char *cn = (const unsigned char *)name;
	X509 *x = X509_new();
	X509_NAME *subject = X509_get_subject_name(x);

	cr_assert_eq(X509_set_version(x, 2), 1);
	cr_assert_eq(ASN1_INTEGER_set(X509_get_serialNumber(x), 1), 1);
	cr_assert_not_null(X509_gmtime_adj(X509_getm_notBefore(x), -3600));
	cr_assert_not_null(X509_gmtime_adj(X509_getm_notAfter(x),
					   86400L * days));
	cr_assert_eq(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
						cn, -1, -1, 0), 1);
	cr_assert_eq(X509_set_issuer_name(x, subject), 1);
	cr_assert_eq(X509_set_pubkey(x, key), 1);
	cr_assert_gt(X509_sign(x, key, EVP_sha256()), 0);
	return x;
}

void pem_new(struct pem *p, const char *name, int days)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	BIO *chain_bio = BIO_new(BIO_s_mem()), *key_bio = BIO_new(BIO_s_mem());
	X509 *x;

	cr_assert_not_null(key);
	x = make(key, name, days);
	cr_assert_eq(PEM_write_bio_X509(chain_bio, x), 1);
	cr_assert_eq(PEM_write_bio_PrivateKey(key_bio, key, NULL, NULL, 0,
					      NULL, NULL), 1);
	p->chain = from_bio(chain_bio);
	p->key = from_bio(key_bio);
	X509_free(x);
	EVP_PKEY_free(key);
}

void pem_done(struct pem *p)
{
	fd_close(&p->chain);
	fd_close(&p->key);
}
