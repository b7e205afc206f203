/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the file that an input of a multiplex has in its option absent, while
 * one of its services needs it.
 *
 * The file repeats, and its packets are due by its own clock.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct absent_file;
struct mux;

/* Makes the reader of the file at path, which is closed at first.  input: the
 * place of the input in the multiplex, from 0. */
struct absent_file *absent_file_new(struct mux *, size_t input,
				    const char *path);
/* NULL-safe; sets *f to NULL. */
void absent_file_free(struct absent_file **f);

/* Call before mux_turn().  Opens or closes the file, and reads it. */
void absent_file_turn(struct absent_file *, uint64_t now_ns);
void absent_file_second(struct absent_file *, uint64_t now_ns);
