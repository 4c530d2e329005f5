extension CompletionScript {
    /// For bash 3.2 and newer, without the package bash-completion.
    static let bash = #"""
        # Completion of PROGRAM in bash. Put it where bash-completion looks, or into ~/.bashrc:
        #   source <(PROGRAM completion bash)

        # A word without its quotes, as the program gets it.
        __PROGRAM_plain() {
            case $1 in
                \"*) plain=${1#\"} plain=${plain%\"} ;;
                \'*) plain=${1#\'} plain=${plain%\'} ;;
                *) plain=${1//\\/} ;;
            esac
        }

        _PROGRAM() {
            COMPREPLY=()
            local rest=$COMP_LINE word plain kind
            local -a words
            words=()
            # Bash takes words apart at = and : (COMP_WORDBREAKS). What has no space between it is one.
            for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
                local next=${rest#"${rest%%[![:space:]]*}"}
                if [[ $next == "$rest" && ${#words[@]} -gt 0 ]]; then
                    words[${#words[@]}-1]+=$word
                else
                    words+=("$word")
                fi
                rest=${next#"$word"}
            done
            local index
            for index in "${!words[@]}"; do
                __PROGRAM_plain "${words[index]}"
                words[index]=$plain
            done

            # What bash regards as the word, which is all that it replaces.
            local typed=${words[${#words[@]}-1]} shown=${COMP_WORDS[COMP_CWORD]}
            [[ $shown == [=:] ]] && shown=
            local isQuoted=
            [[ $shown == [\"\']* ]] && isQuoted=1
            __PROGRAM_plain "$shown"
            shown=$plain
            local before=${typed%"$shown"}

            {
                read -r kind
                case $kind in
                    file | folder)
                        local action=file
                        [[ $kind == folder ]] && action=directory
                        local option=
                        [[ $typed == --*=* ]] && option=${typed%%=*}=
                        while read -r word; do
                            word=$option$word
                            COMPREPLY+=("${word#"$before"}")
                        done < <(compgen -A $action -- "${typed#"$option"}")
                        compopt -o filenames 2>/dev/null
                        ;;
                    *)
                        while IFS=$'\t' read -r word _; do
                            [[ $word == "$typed"* ]] || continue
                            [[ $word == *= ]] && compopt -o nospace 2>/dev/null
                            word=${word#"$before"}
                            [[ $isQuoted ]] || printf -v word %q "$word"
                            COMPREPLY+=("$word")
                        done
                        ;;
                esac
            } < <(command PROGRAM QUERY -- "${words[@]:1}" 2>/dev/null)
        }

        complete -F _PROGRAM PROGRAM

        """#
}
