#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The results of tests that end in every way; prints TAP.
set -u
output=$("${builddir:-.}/tests/criterion/sample" 2>/dev/null)
status=$?
n=0

# expect NAME PATTERN: a part of the output, or of a line of it
expect() {
	n=$((n + 1))
	if printf '%s\n' "$output" | grep -qE "$2"; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		printf '%s\n' "$output" | sed 's/^/# /'
	fi
}

echo 1..12
expect "the plan has each test" '^1\.\.10$'
expect "a test passes" '^ok [0-9]+ - sample::passes$'
expect "a test has its own process" '^ok [0-9]+ - sample::has_a_process'
expect "a failure fails the test" '^not ok [0-9]+ - sample::fails_twice$'
expect "the first failure has its text" '"b".*: first one$'
expect "the last failure has its place" 'sample.c:[0-9]+: : second$'
expect "a crash fails the test" '^not ok [0-9]+ - sample::crashes$'
expect "an early end fails the test" '^not ok [0-9]+ - sample::leaves$'
expect "a hang fails the test" '^not ok [0-9]+ - sample::hangs$'
expect "a skip has its reason" 'sample::is_skipped # SKIP no reason$'
expect "a signal and a status may be expected" \
	'^ok [0-9]+ - sample::ends_(by_its_signal|with_its_status)$'
expect "a missing signal fails the test" '^not ok [0-9]+ - sample::returns'
[ $status -eq 1 ] || echo "Bail out! status $status"
