# bash completion for msgctl

# Define shell completion directives
ShellCompDirectiveError=1
ShellCompDirectiveNoSpace=2
ShellCompDirectiveNoFileComp=4
ShellCompDirectiveFilterFileExt=8
ShellCompDirectiveFilterDirs=16
ShellCompDirectiveKeepOrder=32

# Without the package bash-completion. Bash splits words at = and :, and this joins them again.
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    local word last=-1
    words=()
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if ((last >= 0)) && [[ $word == [=:]* || ${words[last]} == *[=:] ]]; then
            words[last]+=$word
        else
            words[++last]=$word
        fi
    done
    cword=$last cur=${words[last]} prev=
}

# Sets typed to the words without quotes and backslashes.
__msgctl_unquote() {
    local word
    for word; do
        word=${word#[\"\']}
        word=${word%[\"\']}
        typed+=("${word//\\/}")
    done
}

# Function to debug completion
__msgctl_debug() {
    if [[ -n ${BASH_COMP_DEBUG_FILE:-} ]]; then
        echo "$*" >> "${BASH_COMP_DEBUG_FILE}"
    fi
}

# Function to handle completions
__msgctl_complete() {
    local cur prev words cword
    _get_comp_words_by_ref -n "=:" cur prev words cword

    local out directive
    
    local typed=()
    __msgctl_unquote "${words[@]:1:cword}"
    out=$(msgctl complete -- "${typed[@]}" 2>/dev/null)
    
    # Extract directive if present
    directive=0
    if [[ "$out" == *:* ]]; then
        directive=${out##*:}
        out=${out%:*}
    fi
    
    # Process completions based on directive
    if [[ $((directive & $ShellCompDirectiveError)) -ne 0 ]]; then
        # Error, no completion
        return
    fi
    
    # Apply directives
    if [[ $((directive & $ShellCompDirectiveNoSpace)) -ne 0 ]]; then
        compopt -o nospace
    fi
    if [[ $((directive & $ShellCompDirectiveKeepOrder)) -ne 0 ]]; then
        compopt -o nosort
    fi
    if [[ $((directive & $ShellCompDirectiveNoFileComp)) -ne 0 ]]; then
        compopt +o default
    fi
    
    # Handle file extension filtering
    if [[ $((directive & $ShellCompDirectiveFilterFileExt)) -ne 0 ]]; then
        local filter=""
        for ext in $out; do
            filter="$filter|$ext"
        done
        filter="\.($filter)"
        compopt -o filenames
        COMPREPLY=( $(compgen -f -X "!$filter" -- "$cur") )
        return
    fi
    
    # Handle directory filtering
    if [[ $((directive & $ShellCompDirectiveFilterDirs)) -ne 0 ]]; then
        compopt -o dirnames
        COMPREPLY=( $(compgen -d -- "$cur") )
        return
    fi
    
    # Of an option with =, only the value is completed.
    local word=${typed[${#typed[@]} - 1]} candidate
    [[ $word == --*=* ]] && word=${word#*=}
    # Bash keeps what is before the last = or :.
    local kept=${word%"${word##*[=:]}"}
    while IFS=$'\t' read -r candidate _; do
        [[ -n $candidate && $candidate == "$word"* ]] || continue
        candidate=${candidate#"$kept"}
        # Within quotes, bash quotes the blanks itself.
        [[ $cur == [\"\']* ]] || candidate=${candidate// /\\ }
        COMPREPLY+=("$candidate")
    done <<< "$out"
}

# Register completion function
complete -o default -F __msgctl_complete msgctl
