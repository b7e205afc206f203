/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/x509_text.h"

void x509_text_name(const X509_NAME *name, char *text, size_t size)
{
	BIO *bio = BIO_new(BIO_s_mem());
	int n = 0;

	if (bio != NULL &&
	    X509_NAME_print_ex(bio, name, 0,
			       XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) >= 0)
		n = BIO_read(bio, text, (int)size - 1);
	text[n > 0 ? n : 0] = '\0';
	BIO_free(bio);
}

time_t x509_text_time(const ASN1_TIME *time)
{
	struct tm tm;

	return time != NULL && ASN1_TIME_to_tm(time, &tm) == 1 ? timegm(&tm)
							       : 0;
}
