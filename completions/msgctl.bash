# Completion of msgctl for bash. It needs no other package, and may be loaded twice.

__msgctl_complete() {
    # The words up to the cursor, without quotes and backslashes. Bash also splits words at = and :, and this joins them again.
    local rest=${COMP_LINE:0:COMP_POINT} typed=() piece plain index
    for ((index = 0; index <= COMP_CWORD; index++)); do
        [[ $index == 0 || $rest == [[:blank:]]* ]] && typed+=('')
        piece=${rest#"${rest%%[![:blank:]]*}"}
        ((index < COMP_CWORD)) && piece=${COMP_WORDS[index]}
        rest=${rest#*"$piece"}
        plain=${piece#[\"\']}
        plain=${plain%[\"\']}
        plain=${plain//\\/}
        typed[${#typed[@]} - 1]+=$plain
    done

    # The last line says whether files are completed too (:0) or not (:4).
    local out
    out=$(msgctl complete -- "${typed[@]:1}" 2>/dev/null)
    [[ $out == *:0 ]] || compopt +o default

    # Bash replaces the last piece, except a separator, and keeps what is before it.
    local word=${typed[${#typed[@]} - 1]} option='' candidate
    [[ -z ${plain//[=:]/} ]] && plain=''
    local kept=${word%"$plain"}
    # Of an option with =, only the value is completed.
    [[ $word == --*=* ]] && option=${word%%=*}=
    while IFS=$'\t' read -r candidate _; do
        [[ -n $candidate ]] || continue
        candidate=$option$candidate
        candidate=${candidate#"$kept"}
        # Within quotes, bash quotes blanks itself. Candidates have no other characters that need it.
        [[ $piece == [\"\']* ]] || candidate=${candidate// /\\ }
        COMPREPLY+=("$candidate")
    done <<< "${out%:*}"
}

complete -o default -F __msgctl_complete msgctl
