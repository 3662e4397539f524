# Reads ctest's LastTest.log and says which tests were skipped, as a whole or in part, and why.
#   5/57 Test: NAME                  begins a test
#   FILE:LINE: Skipped               of GoogleTest; the next line is the reason
#   skipped: REASON                  of a script
/^[0-9]+\/[0-9]+ Test: / { test = $3 }
is_reason { note($0); is_reason = 0 }
/: Skipped$/ { is_reason = 1 }
sub(/^skipped: /, "") { note($0) }

function note(reason) {
  if (reason == "left to ./test --all") {
    left_out++
  } else if (!count[test, reason]++) {
    order[++rows] = test SUBSEP reason
  }
}

END {
  if (rows > 0) print "\nSkipped here, with the reason:"
  for (i = 1; i <= rows; i++) {
    split(order[i], part, SUBSEP)
    printf "  %s: %s (%d %s)\n", part[1], part[2], count[order[i]], count[order[i]] == 1 ? "case" : "cases"
  }
  if (left_out > 0) printf "\n%d cases of the above tests were left to ./test --all.\n", left_out
}
