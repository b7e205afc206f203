/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates and keys for tests, made on the spot, in memfds. */
#pragma once

struct pem {
	int chain; /* one certificate, self-signed */
	int key;
};

/* EC P-256; valid from an hour ago for days (which may be negative). */
void pem_new(struct pem *, const char *name, int days);
void pem_done(struct pem *);

/* A memfd with this text. */
int pem_text(const char *text);
/* The same texts concatenated. */
int pem_join(int first, int second);
