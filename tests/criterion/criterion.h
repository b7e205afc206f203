/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of Criterion's interface that the tests use.  For each test its
 * library starts a program with twenty libraries, which takes longer than most
 * tests.  Here a test is a forked process: runner.c.
 */
#pragma once
#pragma GCC system_header /* comparisons in its macros give no warnings */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test; without a name it has the defaults of a suite. */
struct cr_test {
	const char *suite;
	const char *name;
	void (*run)(void);
	void (*init)(void); /* the suite's is called first */
	void (*fini)(void); /* the suite's is called last */
	int signal; /* that ends the test; 0: none */
	int exit_code; /* 0: the test returns */
	unsigned timeout; /* seconds; 0: none */
	struct cr_test *next;
};

void cr_add(struct cr_test *);
void cr_fail(const char *place, const char *text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void cr_end(void) __attribute__((noreturn));
void cr_skip_test(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

#define CR_ADD(Test, ...)                                          \
	__attribute__((constructor)) static void Test##_add(void)  \
	{                                                          \
		static struct cr_test test = { __VA_ARGS__ };      \
		cr_add(&test);                                     \
	}

#define Test(Suite, Name, ...)                                     \
	static void Suite##_##Name##_run(void);                    \
	CR_ADD(Suite##_##Name, .suite = #Suite, .name = #Name,     \
	       .run = Suite##_##Name##_run, __VA_ARGS__)           \
	static void Suite##_##Name##_run(void)

#define TestSuite(Suite, ...) \
	CR_ADD(Suite##_suite, .suite = #Suite, __VA_ARGS__) struct cr_test

#define CR_TEXT(x) #x
#define CR_LINE(x) CR_TEXT(x)
#define CR_FAIL(Text, ...) \
	cr_fail(__FILE__ ":" CR_LINE(__LINE__), Text, " " __VA_ARGS__)

/* The rest of the arguments is a format of printf and its arguments. */
#define cr_expect(Is, ...) ((Is) ? (void)0 : CR_FAIL(#Is, __VA_ARGS__))
#define cr_assert(Is, ...) \
	((Is) ? (void)0 : (CR_FAIL(#Is, __VA_ARGS__), cr_end()))
#define cr_assert_fail(...) (CR_FAIL("", __VA_ARGS__), cr_end())

#define CR_SAME(A, B) (strcmp(A, B) == 0)
#define CR_EQUAL(A, B, Size) (memcmp(A, B, Size) == 0)

#define cr_assert_not(Is, ...) cr_assert(!(Is), __VA_ARGS__)
#define cr_assert_null(P, ...) cr_assert((P) == NULL, __VA_ARGS__)
#define cr_assert_not_null(P, ...) cr_assert((P) != NULL, __VA_ARGS__)
#define cr_assert_eq(A, B, ...) cr_assert((A) == (B), __VA_ARGS__)
#define cr_assert_neq(A, B, ...) cr_assert((A) != (B), __VA_ARGS__)
#define cr_assert_lt(A, B, ...) cr_assert((A) < (B), __VA_ARGS__)
#define cr_assert_leq(A, B, ...) cr_assert((A) <= (B), __VA_ARGS__)
#define cr_assert_gt(A, B, ...) cr_assert((A) > (B), __VA_ARGS__)
#define cr_assert_geq(A, B, ...) cr_assert((A) >= (B), __VA_ARGS__)
#define cr_assert_float_eq(A, B, Off, ...) \
	cr_assert((A) - (B) <= (Off) && (B) - (A) <= (Off), __VA_ARGS__)
#define cr_assert_str_eq(A, B, ...) cr_assert(CR_SAME(A, B), __VA_ARGS__)
#define cr_assert_str_neq(A, B, ...) cr_assert(!CR_SAME(A, B), __VA_ARGS__)
#define cr_assert_str_empty(A, ...) cr_assert(*(A) == '\0', __VA_ARGS__)
#define cr_assert_str_not_empty(A, ...) cr_assert(*(A) != '\0', __VA_ARGS__)
#define cr_assert_arr_eq(A, B, Size, ...) \
	cr_assert(CR_EQUAL(A, B, Size), __VA_ARGS__)
#define cr_assert_arr_neq(A, B, Size, ...) \
	cr_assert(!CR_EQUAL(A, B, Size), __VA_ARGS__)

#define cr_expect_not(Is, ...) cr_expect(!(Is), __VA_ARGS__)
#define cr_expect_null(P, ...) cr_expect((P) == NULL, __VA_ARGS__)
#define cr_expect_not_null(P, ...) cr_expect((P) != NULL, __VA_ARGS__)
#define cr_expect_eq(A, B, ...) cr_expect((A) == (B), __VA_ARGS__)
#define cr_expect_neq(A, B, ...) cr_expect((A) != (B), __VA_ARGS__)
#define cr_expect_lt(A, B, ...) cr_expect((A) < (B), __VA_ARGS__)
#define cr_expect_leq(A, B, ...) cr_expect((A) <= (B), __VA_ARGS__)
#define cr_expect_gt(A, B, ...) cr_expect((A) > (B), __VA_ARGS__)
#define cr_expect_geq(A, B, ...) cr_expect((A) >= (B), __VA_ARGS__)
#define cr_expect_str_eq(A, B, ...) cr_expect(CR_SAME(A, B), __VA_ARGS__)
#define cr_expect_str_neq(A, B, ...) cr_expect(!CR_SAME(A, B), __VA_ARGS__)
#define cr_expect_str_empty(A, ...) cr_expect(*(A) == '\0', __VA_ARGS__)
#define cr_expect_arr_eq(A, B, Size, ...) \
	cr_expect(CR_EQUAL(A, B, Size), __VA_ARGS__)
#define cr_expect_arr_neq(A, B, Size, ...) \
	cr_expect(!CR_EQUAL(A, B, Size), __VA_ARGS__)
