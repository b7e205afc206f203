#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC1003,SC2016
# Tests contrib/lanes.sh with lanes of a makefile of its own, and
# contrib/progress.sh; prints TAP.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@"
set -uo pipefail
cd "${srcdir:-$(dirname "$0")/..}" || exit 99
unset MAKEFLAGS MFLAGS MAKELEVEL
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

# in_lanes COMMANDS: their output and status, as contrib/quickstart runs them
in_lanes() {
	status=0
	output=$(bash -c 'set -euo pipefail
		say() { printf "%s\n" "$*"; }
		die() { say "died: $*"; exit 1; }
		web=without dir=$1
		. contrib/lanes.sh
		. contrib/progress.sh
		'"$1" lanes "$tmp/b" 2>&1 </dev/null) || status=$?
}

# expect NAME STATUS PATTERN...: each pattern is in the output, or !PATTERN
# is not
expect() {
	local name=$1 wanted=$2 pattern wrong=''
	shift 2
	((status == wanted)) || wrong="status $status"
	for pattern in "$@"; do
		if [[ $pattern == !* ]]; then
			[[ $output != *"${pattern#!}"* ]] || wrong+=" $pattern"
		else
			[[ $output == *"$pattern"* ]] || wrong+=" no $pattern"
		fi
	done
	if [[ -z $wrong ]]; then
		echo "ok $((++n)) - $name"
	else
		echo "not ok $((++n)) - $name"
		printf '%s\n' "$wrong" "$output" | sed 's/^/# /'
	fi
}

# makefile RECIPE: what check-waiting does instead of its test
makefile() {
	rm -rf "$tmp/b"
	mkdir -p "$tmp"/b/tests/{unit,component,system,fuzz}
	printf '%s\n' 'lane_tests = tests/unit/u tests/component/c \' \
		'	tests/system/s.mjs tests/fuzz/f' \
		'check-computing:' \
		'	@for test in unit/u component/c fuzz/f; do \' \
		'		echo ":" >tests/$$test.trs; \' \
		'		echo "PASS: tests/$$test 1 x"; \' \
		'	done' \
		'check-waiting:' "	@$1" >"$tmp/b/Makefile"
}

run_both='forget_results "$dir"
	aside lane "$dir" computing 2 99
	lanes_ended "$!"
	aside lane "$dir" waiting 2 99
	lanes_ended "$!"
	judge "$dir" computing waiting
	echo "judged $(grep -c ^PASS: "$dir/check.log")"'
ran='echo : >tests/system/s.trs; echo'

# lists FIRST SECOND: two builds with these variables
lists() {
	rm -rf "$tmp"/b{1,2}
	mkdir "$tmp"/b{1,2}
	echo "$1" >"$tmp/b1/Makefile"
	echo "$2" >"$tmp/b2/Makefile"
	in_lanes 'judge_lists "${dir}1" "${dir}2"; echo judged'
}

echo 1..23
all='TESTS = tests/unit/u tests/system/s.mjs
optimized_tests = tests/unit/u'
lists "$all
lane_tests = tests/system/s.mjs" "$all
lane_tests = tests/unit/u"
expect "each test is in a lane of one of the builds" 0 judged !died
lists "$all
lane_tests = tests/system/s.mjs" "$all
lane_tests = tests/system/s.mjs"
expect "a test in no lane of any build ends the check" 1 \
	"no build runs these tests:"$'\n'"tests/unit/u" !system !judged
lists "$all tests/unit/gone
lane_tests = tests/system/s.mjs" "$all
lane_tests = tests/unit/u"
expect "a name in optimized_tests that is no test ends the check" 1 \
	"these are no tests" tests/unit/gone !tests/unit/u !judged
lists "$all
lane_tests = tests/system/s.mjs" '$(error x)'
expect "a list that make does not print ends the check" 1 \
	"make did not list TESTS" !judged
makefile "$ran PASS: tests/system/s.mjs 1 - x"
in_lanes "$run_both"
expect "each test that passed counts once" 0 "judged 4" !died

makefile "$ran 'FAIL: tests/system/s.mjs 1 - x'; false"
in_lanes "$run_both"
expect "a failed test is printed, and the check continues" 0 \
	"FAIL  1 - x" "judged 3" !died

makefile "printf '%s\\n' '    not ok 1 - before' '    ok 2 - between' \
'    not ok 3 - part' '      the reason' 'not ok 1 - x' '  outside' \
>tests/system/s.log; $ran 'FAIL: tests/system/s.mjs 1 - x'; false"
in_lanes "$run_both"
expect "a failed test is printed with the subtest that failed" 0 \
	"not ok 3 - part" "the reason" "outside" !between "!ok 1 - before" \
	"judged 3"

makefile "$ran 'make: no rule'; exit 3"
in_lanes "$run_both"
expect "an error of make without a failed test ends the check" 1 \
	"make check-waiting failed (2) and no test did" "make: no rule" !judged

# as many results as planned tests, but another one's
makefile "echo : >tests/system/other.trs; echo PASS: tests/system/s.mjs 1 - x"
in_lanes "$run_both"
expect "a planned test without a result ends the check" 1 "tests/system" \
	"died" !judged
in_lanes "missing \"\$dir\""
expect "the planned tests without a result are named" 0 "tests/system/s" \
	!tests/unit

makefile "$ran PASS: x; kill -KILL 0"
in_lanes "$run_both"
expect "a lane that was killed ends the check" 1 \
	"ended by signal 9" "check-waiting was killed" !judged

makefile 'kill -KILL $$PPID'
in_lanes "$run_both"
expect "a make that was killed ends the check" 1 \
	"make check-waiting failed (137)" !judged

makefile :
printf '%s\n' 'check-dvb:' "	@echo 'ok 1 - cam: a'; \\" \
	"	echo 'not ok 2 - cam: b'; echo '# the reason'; false" \
	>>"$tmp/b/Makefile"
mkdir "$tmp/b/tests/dvb"
in_lanes 'tuners "$dir"
	judge_tuners "$dir"
	echo "judged $(grep -c ^PASS: "$dir/check.log")"'
expect "a failure of the tuners has its log and its reason" 0 \
	"FAIL  2 - cam: b" "b/tests/dvb/check-dvb.log" "# the reason" \
	"judged 1" "!cam: a"

# Each test runs until five did at a time, and there are never more.  With two
# more places, five of a job server of three do.
five_at_a_time() {
	makefile '+$(MAKE) -s t1 t2 t3 t4'
	printf '%s\n' 't%:' '	@cd ..; mkdir running/$(B)$@; \' \
		'	until test "$$(ls running | wc -l)" -gt 4 || \' \
		'		test -e five; do sleep 0.05; done; : >five; \' \
		'	ls running | wc -l; rmdir running/$(B)$@' \
		>>"$tmp/b/Makefile"
	rm -rf "$tmp/c" "$tmp/five"
	cp -r "$tmp/b" "$tmp/c"
	mkdir -p "$tmp/running"
	in_lanes "$1"'
		export B=b
		aside lane "$dir" waiting shared 99
		first=$!
		B=c aside lane "${dir%b}c" waiting shared 99
		second=$!
		'"$2"'
		lanes_ended "$first" "$second"
		sort -n "$dir/waiting.log" "${dir%b}c/waiting.log" | uniq -c |
			sort -k 2n | tail -n 1 | sed "s/^.* /at most /"
		grep -hc . "$dir/waiting.log" "${dir%b}c/waiting.log"'
	expect "$3" 0 "at most 5"$'\n'4$'\n'4
}
five_at_a_time 'share_jobs 5' '' "two lanes share their jobs"
five_at_a_time 'share_jobs 3' '
	until [[ -d ${dir%b}running/bt1 ]]; do sleep 0.05; done
	more_jobs 2' "lanes have more jobs behind another"

# a test has a group of its own, and takes a moment to end
makefile "timeout 50 sh -c 'trap \"sleep 0.3; : >ended; exit\" TERM; \
: >began; while :; do sleep 0.1; done'"
in_lanes 'aside lane "$dir" waiting 2 99
	until [[ -f $dir/began ]]; do sleep 0.05; done
	stop_jobs
	[[ -f $dir/ended ]] || echo "the test goes on"'
expect "who stops the jobs waits until their tests have ended" 0 \
	"ending what runs" "!the test goes on"

rm "$tmp"/b/{began,ended}
in_lanes 'trap stop_jobs EXIT
	stop_on_signals
	aside lane "$dir" waiting 2 99
	lane=$!
	{ until [[ -f $dir/began ]]; do sleep 0.05; done; kill $$; } &
	lanes_ended "$lane"'
[[ -f $tmp/b/ended ]] || output+="the test goes on"
expect "a signal ends the wait for a lane, and its tests" 143 \
	"ending what runs" "!the test goes on"

in_lanes "grep -nE 'TEST_SUITE_LOG=(waiting|browsing|computing|.\*)\.log' \
	tests/local.mk || echo none"
expect "no log of a lane is one that automake removes" 0 none

in_lanes 'trap stop_reporter EXIT
	report() {
		local never
		exec {never}<> <(:)
		while ! read -rt 0.002 -u "$never"; do
			: "$(find . -maxdepth 0 | wc -l)"
		done
	}
	for ((i = 0; i < 200; i++)); do
		report &
		reporter=$!
		true | cat
		stop_reporter
	done'
[[ -z $output ]] || output="printed: $output"
expect "a reporter ends without a message, also while it begins" 0 "!printed"

# The results that a check has each minute, by the durations of its tests.
results=(13 36 83 109 200 329 447 572 685 807 859 883 912)

# replay TIMES: the minutes that are left, as the check prints them, and those
# that are left indeed on a machine that takes so many times as long
replay() {
	in_lanes "results=(${results[*]}) times=$1"'
		minutes=${#results[@]} since=0
		prior=$slowness
		for n in "${results[@]}"; do
			learn 1 "$n" 916 $((since += 60 * times))
			echo "$(minutes_left 1)" $((--minutes * times))
		done'
}

# far BEFORE AFTER RISE: prints the estimates that are so many minutes below or
# above those that are left, and those that rise by as many
far() {
	awk -v below="$1" -v above="$2" -v rise="$3" '
		$2 - $1 > below || $1 - $2 > above || NR > 1 &&
			$1 - last > rise { print NR ": " $0 }
		{ last = $1 }
		END { if (NR != 13) print NR " estimates" }
	' <<<"$output"
}

replay 1
wrong=$(far 5 2 4)
output+=${wrong:+$'\n'far: $wrong}
expect "the time left of a check is right from its first minute" 0 !far
# a machine that takes three times as long shows it as the check goes on
replay 3
wrong=$(far 44 3 10)
output+=${wrong:+$'\n'far: $wrong}
expect "on a slow machine the time left does not jump" 0 !far

printf '%s\n' 'lane_tests = tests/unit/u tests/system/s.mjs' \
	>"$tmp/b/Makefile"
: >"$tmp/b/tests/unit/u.trs"
in_lanes 'report_every=0.1
	report 1 "$dir" >"$dir/progress" &
	reporter=$!
	until [[ -s $dir/progress ]]; do sleep 0.05; done
	stop_reporter
	cat "$dir/progress"'
expect "a line of progress has tests and minutes" 0 \
	"1 of 2 tests done, about "

# A folder that vanishes while find reads it is an error of find.
in_lanes 'find() {
		command find "$@"
		echo "find failed" >&2
		return 1
	}
	report_every=0.1
	report 1 "$dir" >"$dir/progress" &
	reporter=$!
	until (($(wc -l <"$dir/progress") > 1)); do
		kill -0 "$reporter" || die "the reporter has ended"
		sleep 0.05
	done
	stop_reporter'
expect "a folder that vanishes ends no reporter, and is no message" 0 \
	"!find failed" "!died"
