/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/certificate_time.h"

#include "common/base/x509_text.h"
#include "common/supervise/tls_proc.h"

#include <openssl/pem.h>
#include <time.h>

enum { DAY_S = 24 * 3600, WARN_DAYS = 14 };

bool certificate_time_alarm(const struct tls_facts *f, int64_t now_s,
			    struct errmsg *ret)
{
	int64_t left_s = f != NULL ? f->end_s - now_s : INT64_MAX;
	time_t begin = f != NULL ? (time_t)f->begin_s : 0;
	char date[32] = "?";
	struct tm utc;

	if (begin > now_s) {
		if (gmtime_r(&begin, &utc) != NULL)
			(void)strftime(date, sizeof date, "%F %H:%M", &utc);
		errmsg_set(ret, "the certificate of %s is not valid "
			   "before %s UTC: clients that check it cannot "
			   "connect; check the clock", f->subject, date);
		return true;
	}
	if (left_s > (int64_t)WARN_DAYS * DAY_S)
		return false;
	if (left_s < 0)
		errmsg_set(ret, "the certificate of %s has expired: "
			   "clients that check it cannot connect; install a "
			   "new one", f->subject);
	else
		errmsg_set(ret, "the certificate of %s expires in %lld "
			   "days: install a new one", f->subject,
			   (long long)(left_s / DAY_S));
	return true;
}

bool certificate_time_alarm_of(int fd, int64_t now_s, struct errmsg *ret)
{
	struct tls_facts f = { .subject = "" };
	BIO *file = BIO_new_fd(fd, BIO_NOCLOSE);
	/* no passphrase, so that OpenSSL does not ask for one */
	char none[] = "";
	X509 *x = file != NULL ? PEM_read_bio_X509(file, NULL, NULL, none)
			       : NULL;
	bool found = false;

	if (x != NULL) {
		x509_text_name(X509_get_subject_name(x), f.subject,
			       sizeof f.subject);
		f.begin_s = x509_text_time(X509_get0_notBefore(x));
		f.end_s = x509_text_time(X509_get0_notAfter(x));
		found = certificate_time_alarm(&f, now_s, ret);
	}
	X509_free(x);
	BIO_free(file);
	return found;
}
