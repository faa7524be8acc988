# Completion of msgctl for fish.

function __msgctl_complete
    # The words up to the cursor, without quotes and backslashes.
    set -l typed (commandline -opc)
    set -l word (commandline -ct)
    set word (string unescape -- $word; or string replace -r '^["\']' '' -- $word)
    set -l lines (msgctl complete -- $typed[2..-1] "$word" 2>/dev/null)

    # Of an option with =, only the value is completed.
    set -l option (string match -r -- '^--[^=]*=' "$word")
    # The last line says whether files are completed too (:0) or not (:4).
    if test "$lines[-1]" = :0
        set lines (__fish_complete_path (string replace -- "$option" '' "$word")) :0
    end
    for line in $lines[1..-2]
        printf '%s\n' "$option$line"
    end
end

# Replaces the completions of a script that was loaded before.
complete -c msgctl -e
complete -c msgctl -f -a '(__msgctl_complete)'
