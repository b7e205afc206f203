# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Runs tests in lanes side by side, ends them and judges them.  It is read by
# contrib/quickstart, which has die, say and $web.
# shellcheck disable=SC2154

groups=() # process groups in the background
stopped=0 # the status to exit with after a signal

# A trap that exits in a wait can make bash 5.2 abort ("longjmp causes
# uninitialized stack frame"): these set a variable.
stop_on_signals() {
	trap 'stopped=130' INT
	trap 'stopped=143' TERM
}

# Every wait of the shell calls it.
exit_if_stopped() {
	((stopped == 0)) || exit "$stopped"
}

# aside COMMAND...: runs it in the background; its PID is $!
aside() {
	set -m # a process group, which Ctrl-C does not reach and stop_jobs ends
	"$@" </dev/null &
	set +m
	groups+=($!)
}

# idly COMMAND...: runs it with what others leave of the cores
idly() {
	renice -n $(($(nice) + 9)) -p "$BASHPID" >/dev/null
	"$@"
}

# joined PID: waits for what aside began; false if that failed
joined() {
	local i never status=0
	# bash does not handle Ctrl-C while it waits for a group of its own
	exec {never}<> <(:) # a pipe that stays empty: read waits and times out
	while kill -0 "$1" 2>/dev/null; do
		read -rt 0.2 -u "$never" || true
		exit_if_stopped
	done
	exec {never}<&-
	wait "$1" || status=$?
	exit_if_stopped
	for i in "${!groups[@]}"; do
		[[ ${groups[i]} != "$1" ]] || unset "groups[i]"
	done
	((status <= 128)) ||
		say "a background job was ended by signal $((status - 128))"
	return "$status"
}

# lanes_ended PID...: waits for lanes; judge finds out how they ended
lanes_ended() {
	local pid
	for pid in "$@"; do
		joined "$pid" || true
	done
}

# processes: pid, state, parent and process group of each process
processes() {
	# some end before they are read
	{ cat /proc/[0-9]*/stat 2>/dev/null || true; } |
		sed -nE 's/^([0-9]+) \(.*\) ([A-Z] [0-9]+ [0-9]+) .*/\1 \2/p'
}

# groups_below PID...: the process groups of these processes and of those that
# descend from them.  Each test has a group of its own, because of `timeout'.
groups_below() {
	processes | awk -v roots="$*" '
		{ parent[$1] = $3; group[$1] = $4 }
		END {
			n = split(roots, root, " ")
			for (i = 1; i <= n; i++)
				is_root[root[i]]
			for (pid in parent) {
				p = pid
				while (!(p in is_root) && p in parent)
					p = parent[p]
				if (p in is_root && !(group[pid] in found)) {
					found[group[pid]]
					print group[pid]
				}
			}
		}
	'
}

# alive GROUP...: true while a process of these groups runs
alive() {
	processes | awk -v groups="$*" '
		BEGIN {
			n = split(groups, group, " ")
			for (i = 1; i <= n; i++)
				wanted[group[i]]
		}
		$2 != "Z" && $4 in wanted { found = 1 }
		END { exit !found }
	'
}

# signal NAME GROUP...
signal() {
	local name=$1 group
	shift
	for group in "$@"; do
		kill -s "$name" -- "-$group" 2>/dev/null || true
	done
}

# Ends what runs in the background with all that descends from it, and waits
# until it has ended.
stop_jobs() {
	local running i
	((${#groups[@]})) || return 0
	trap '' INT TERM
	say "ending what runs in the background"
	signal STOP "${groups[@]}" # no test starts from here on
	mapfile -t running < <(groups_below "${groups[@]}")
	running+=("${groups[@]}")
	signal TERM "${running[@]}"
	signal CONT "${running[@]}"
	for ((i = 0; i < 150; i++)); do
		alive "${running[@]}" || break
		sleep 0.1
	done
	signal KILL "${running[@]}"
	groups=()
}

# forget_results DIR...: removes what an earlier check left there
forget_results() {
	local dir
	for dir in "$@"; do
		find "$dir" -name '*.trs' -delete
		rm -f "$dir"/{waiting,browsing,computing}.{log,status}
	done
}

# share_jobs N: two lanes with "shared" jobs run N tests together.  This pipe is
# a job server of GNU make: each make runs one test, and one more for each byte
# that it takes from the pipe until that test ends.
share_jobs() {
	exec {shared_jobs}<> <(:)
	more_jobs $(($1 - 2))
}

# more_jobs N: the lanes of share_jobs run so many more tests
more_jobs() {
	printf "%$1s" '' | tr ' ' + >&"$shared_jobs"
}

# lane DIR NAME JOBS|shared LOAD: runs the tests of check-NAME (see
# tests/local.mk), and writes the output and the status of make beside each
# other.  Above the load average LOAD it runs one test at a time: tests have
# limits of time, and so many processes that wait for a core only make them
# later.
lane() {
	local status=0 at_once=(-j"$3") pipe=${shared_jobs-}
	if [[ $3 == shared ]]; then
		local -x MAKEFLAGS=" -j --jobserver-auth=$pipe,$pipe"
		at_once=()
	fi
	make -C "$1" -s -k -Otarget "${at_once[@]}" -l"$4" "check-$2" \
		>"$1/$2.log" 2>&1 || status=$?
	echo "$status" >"$1/$2.status"
}

# tuners DIR: make check-dvb as a lane, with results as automake prints them.
# The clock of its machine stands still while that does not run.
tuners() {
	local status=0 name=tests/dvb/check-dvb
	rm -f "$1/tuners.log"
	make -C "$1" -s check-dvb DVB_INSTALL=0 >"$1/$name.log" 2>&1 ||
		status=$?
	sed -nE -e "s,^1\\.\\.0 # SKIP,SKIP: $name # SKIP,p" \
		-e "s,^(Bail out.*),ERROR: $name \\1,p" \
		-e "s,^not ok ,FAIL: $name ,p" \
		-e "/# SKIP/s,^ok ,SKIP: $name ,p" \
		-e "s,^ok ,PASS: $name ,p" "$1/$name.log" >"$1/tuners.log"
	((status == 0)) || grep -qE '^(FAIL|ERROR)' "$1/tuners.log" ||
		echo "ERROR: $name - ended with $status" >>"$1/tuners.log"
}

# judge_tuners DIR: prints their failures, and adds their results to the others
judge_tuners() {
	[[ -e $1/tuners.log ]] || die "$1: check-dvb was killed"
	failures "$1" tuners.log | tee -a "$1/failed.txt"
	cat "$1/tuners.log" >>"$1/check.log"
}

# names_in DIR VARIABLE: the tests that a variable of make has, without suffix
names_in() {
	# shellcheck disable=SC2016  # make expands it
	printf '%s\n' 'include Makefile' \
		'names: ; @printf "%s\n" $(basename $('"$2"'))' |
		make -C "$1" -s -f - names
}

# planned_tests DIR: the tests of all lanes, without suffix
planned_tests() {
	names_in "$1" lane_tests
}

# names_in_all VARIABLE DIR...: those of all builds, sorted
names_in_all() {
	local variable=$1 dir names=''
	shift
	for dir in "$@"; do
		names+=$(names_in "$dir" "$variable")$'\n' || return
	done
	sort -u <<<"$names"
}

# judge_lists DIR...: ends the check if a test is in no lane of any build, or if
# optimized_tests has a name that is no test
judge_lists() {
	local tests planned optimized left
	tests=$(names_in_all TESTS "$@") || die "make did not list TESTS"
	planned=$(names_in_all lane_tests "$@") ||
		die "make did not list lane_tests"
	optimized=$(names_in_all optimized_tests "$@") ||
		die "make did not list optimized_tests"
	left=$(comm -23 <(echo "$tests") <(echo "$planned"))
	[[ -z $left ]] ||
		die "no build runs these tests:"$'\n'"$left"
	left=$(comm -23 <(echo "$optimized") <(echo "$tests"))
	[[ -z $left ]] ||
		die "optimized_tests in tests/local.mk: these are no tests:" \
			$'\n'"$left"
}

# missing DIR: the planned tests that have no result
missing() {
	local planned name
	planned=$(planned_tests "$1")
	for name in $planned; do
		[[ -s $1/$name.trs ]] || echo "$name"
	done
}

# judge_lane DIR NAME: ends the check if the lane did not run to its end, or
# failed for a reason that no test has
judge_lane() {
	local log=$1/$2.log status
	status=$(cat "$1/$2.status" 2>/dev/null) ||
		die "$1: check-$2 was killed (its log: $log)"
	((status != 0)) || return 0
	! grep -qE '^(FAIL|XPASS|ERROR): ' "$log" || return 0
	tail -n 40 "$log" >&2
	die "$1: make check-$2 failed ($status) and no test did" \
		"(full log: $log)"
}

# judge DIR LANE...: prints the names of failed tests; ends the check if a test
# did not run
judge() {
	local dir=$1 lane kind ran kinds=(unit component system)
	shift
	[[ $dir == build ]] || kinds+=(fuzz)
	[[ $dir != build || $web != with ]] || kinds+=(web)
	for lane in "$@"; do
		cat "$dir/$lane.log" || true # judge_lane has the reason
	done >"$dir/check.log" 2>/dev/null
	failures "$dir" | tee "$dir/failed.txt"
	for lane in "$@"; do
		judge_lane "$dir" "$lane"
	done
	for kind in "${kinds[@]}"; do
		ran=$(find "$dir/tests/$kind" -name '*.trs' -print -quit)
		[[ -n $ran ]] && continue
		tail -n 40 "$dir/check.log" >&2
		die "$dir: no test of tests/$kind ran" \
			"(full log: $dir/check.log)"
	done
	ran=$(missing "$dir")
	[[ -z $ran ]] ||
		die "$dir: these tests did not run (full log:" \
			"$dir/check.log):"$'\n'"$ran"
}

# failures DIR [RESULTS]: prints each failed test of the results (check.log)
# with the path and the tail of its log.  A test program that crashed is printed
# if none of its tests failed.
failures() {
	awk -v dir="$1" '
		function quoted(line) {
			return "      | " substr(line, 1, 200) "\n"
		}
		# Prints the lines behind a "not ok" and of its last subtest
		# that failed, or the end of the log.
		function print_log(log_file, name,    line, n, found, part,
				inner, tail, i) {
			while ((getline line <log_file) > 0) {
				if (line ~ /^ *not ok/ && index(line, name)) {
					found = 1
					printf "%s", part
				} else if (found && line ~ /^ *(not )?ok/)
					break
				else if (found && line !~ /^FAIL:/ && n++ < 16)
					printf "%s", quoted(line)
				if (line ~ /^(not )?ok/)
					part = ""
				if (line ~ /^ *(not )?ok/)
					inner = line ~ /^ +not ok/ ? 24 : 0
				if (inner == 24)
					part = ""
				if (inner-- > 0)
					part = part quoted(line)
				tail[i++ % 16] = line
			}
			close(log_file)
			for (n = i > 16 ? i - 16 : 0; !found && n < i; n++)
				printf "%s", quoted(tail[n % 16])
		}
		$1 !~ /^(FAIL|XPASS|ERROR):$/ { next }
		{
			file = $2
			sub(/\.(mjs|sh)$/, "", file)
			$2 = ""
			sub(/:/, "", $1)
			name = $0
			sub(/^[A-Z]+ +[0-9]+ *(- )?/, "", name)
			line = $0 "\n      " dir "/" file ".log"
		}
		$1 != "ERROR" {
			failed[file] = 1
			print "  " line
			print_log(dir "/" file ".log", name)
			next
		}
		{ errors[file] = line }
		END {
			for (file in errors) {
				if (file in failed)
					continue
				print "  " errors[file]
				print_log(dir "/" file ".log", "-")
			}
		}
	' "$1/${2:-check.log}"
}

# skips: prints the skipped tests by reason, each reason once
skips() {
	sed -nE 's/^SKIP: .* # SKIP *(.*)/\1/p; s/^SKIP: [^#]*$/&/p' \
		build/check.log build-asan/check.log | sort | uniq -c |
		sed -E 's/^ *([0-9]+) /  skipped \1: /'
}

passed() {
	cat build/check.log build-asan/check.log | grep -c '^PASS: ' || true
}
