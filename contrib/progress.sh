# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# The progress of a check and the time that is left.  contrib/quickstart reads
# it, which has say and planned_tests.
# shellcheck disable=SC2034

# The parts of a check and the seconds that each takes on two cores: the
# programs of build, and the tests of both builds.
part_kinds=(files tests)
part_seconds=(90 800)
short_part=60
# How many tests are done when so much of the time of their part has passed,
# both in thousandths: the longest tests start first.
done_shares=(0 10 30 50 100 150 200 300 400 500 600 700 800 900 1000)
time_shares=(0 50 100 150 250 310 350 420 490 560 620 680 740 820 1000)
# A time is no sign of the speed before it exceeds that of so many more results.
late_results=4
# The speed of a machine counts half as soon as it was measured for so long.
trust_seconds=150
slowness=100 # percent of part_seconds that this machine takes
prior=100    # that at the beginning of the part
measured=100 # percent of its seconds that the part takes
passed=0     # seconds of the part that have passed on two idle cores
report_every=15
reporter='' # PID

# time_share PART DONE ALL: the share of its time after which so many of all
# files or tests are done
time_share() {
	local share=$(($3 > 0 ? $2 * 1000 / $3 : 0)) i=1
	((share < 1000)) || share=1000
	if [[ ${part_kinds[$1]} == files ]]; then
		echo "$share"
		return
	fi
	while ((share > done_shares[i])); do
		((++i))
	done
	echo $((time_shares[i] - (time_shares[i] - time_shares[i - 1]) *
		(done_shares[i] - share) /
		(done_shares[i] - done_shares[i - 1])))
}

# learn PART DONE ALL SECONDS: sets passed, measured and slowness from what is
# done of a part after these seconds
learn() {
	local seconds=${part_seconds[$1]} next
	passed=$((seconds * $(time_share "$1" "$2" "$3") / 1000))
	((seconds >= short_part)) || return 0
	next=$((seconds *
		$(time_share "$1" $(($2 + late_results)) "$3") / 1000))
	((passed >= $4 * 100 / prior)) || passed=$(($4 * 100 / prior))
	((passed <= next)) || passed=$next
	measured=$(($4 * 100 / (passed ? passed : 1)))
	slowness=$((($4 * 100 + trust_seconds * prior) /
		(passed + trust_seconds)))
	# files may be from an earlier build
	[[ ${part_kinds[$1]} == tests ]] || ((slowness >= prior)) ||
		slowness=$prior
}

# minutes_left PART: for the rest of this part and the parts behind it
minutes_left() {
	local part=$1 left=$((part_seconds[$1] - passed))
	while ((++part < ${#part_seconds[@]})); do
		((left += part_seconds[part]))
	done
	echo $(((left * slowness / 100 + 59) / 60))
}

# count_files FOLDER... TEST...: how many find prints; it fails if a test of the
# check removes a folder meanwhile
count_files() {
	{ find "$@" 2>/dev/null || true; } | wc -l
}

# planned_in DIR...: how many tests all lanes have
planned_in() {
	local dir
	for dir in "$@"; do
		planned_tests "$dir"
	done | wc -w
}

# report PART DIR...: prints a line of progress every 15 s until it is killed
report() {
	local part=$1 begin=$SECONDS never state n all=''
	local folders=(common proto worker master ctl)
	shift
	exec {never}<> <(:) # a pipe that stays empty: read waits and times out
	while ! read -rt "$report_every" -u "$never"; do
		if [[ ${part_kinds[part]} == files ]]; then
			n=$(count_files "$@" -name '*.o')
			all=$(count_files "${folders[@]}" -name '*.c')
			state="$n files compiled"
		else
			[[ -n $all ]] || all=$(planned_in "$@")
			n=$(count_files "$@" -name '*.trs')
			state="$n of $all tests done"
		fi
		learn "$part" "$n" "$all" $((SECONDS - begin))
		say "$state, about $(minutes_left "$part") minutes left"
	done
}

# SIGTERM makes bash 5.2 print "wait_for: No record of process" at times if it
# comes while a shell begins whose parent has a trap for EXIT.
stop_reporter() {
	[[ -n $reporter ]] || return 0
	kill -KILL "$reporter" 2>/dev/null || true
	wait "$reporter" 2>/dev/null || true
	reporter=''
}

# reporting PART DIRS COMMAND...: runs the command and reports its progress in
# these folders
reporting() {
	local part=$1 begin=$SECONDS dirs
	read -ra dirs <<<"$2"
	shift 2
	prior=$slowness
	report "$part" "${dirs[@]}" &
	reporter=$!
	"$@"
	stop_reporter
	learn "$part" 1 1 $((SECONDS - begin))
}
