extension CompletionScript {
    /// For bash 3.2 and newer, without the package bash-completion.
    ///
    /// What is offered comes from other machines, and bash runs what it puts into a line as it stands there. So the
    /// script reads the line as bash does, and writes each word so that it means itself in the quotes it stands in.
    static let bash = #"""
        # Completion of PROGRAM in bash. Put it where bash-completion looks, or into ~/.bashrc:
        #   source <(PROGRAM completion bash)

        # Takes a line apart: its words as the program gets them into words, how the last one is written into raw,
        # and what is open at its end (nothing, ' or " or $') into quote. Where nobody can know what the last word
        # comes to, as it holds a variable, unclear is set.
        __PROGRAM_split() {
            local line=$1 char next plain=
            local -i at
            words=() raw= quote= unclear=
            for ((at = 0; at < ${#line}; at++)); do
                char=${line:at:1} next=${line:at+1:1}
                if [[ -z $quote && $char == [[:space:]] ]]; then
                    [[ $raw ]] && words+=("$plain")
                    plain= raw= unclear=
                    continue
                fi
                raw+=$char
                case $quote:$char in
                    \':\' | \":\" | \$\':\') quote= ;;
                    \$\':\\)
                        case $next in
                            [\\\'\"]) plain+=$next raw+=$next at+=1 ;;
                            0)
                                case ${line:at+1:3} in
                                    041) plain+='!' ;;
                                    047) plain+=\' ;;
                                    *) unclear=1 ;;
                                esac
                                raw+=${line:at+1:3} at+=3
                                ;;
                            ?) unclear=1 raw+=$next at+=1 ;;
                        esac
                        ;;
                    \":\\)
                        case $next in
                            [\\\"\$\`]) plain+=$next raw+=$next at+=1 ;;
                            ?) plain+=$char ;;
                        esac
                        ;;
                    \":[\$\`] | :\`) unclear=1 plain+=$char ;;
                    :\\) plain+=$next raw+=$next at+=1 ;;
                    :[\'\"]) quote=$char ;;
                    :\$)
                        if [[ $next == \' ]]; then
                            quote=$char$next raw+=$next at+=1
                        else
                            unclear=1 plain+=$char
                        fi
                        ;;
                    *) plain+=$char ;;
                esac
            done
            words+=("$plain")
        }

        # Writes $2 into word so that it means itself in the quotes $1, which it opens and closes anew: readline puts
        # no second one beside them. Nothing may be left to the history either, which knows ! in double quotes.
        __PROGRAM_quote() {
            local char
            local -i at
            if [[ -z $1 ]]; then
                printf -v word %q "$2"
                [[ $word == \$\'* ]] || return 0
                __PROGRAM_quote "$'" "$2"
                word=\$$word
                return
            fi
            word=
            for ((at = 0; at < ${#2}; at++)); do
                char=${2:at:1}
                case $1:$char in
                    \':\') word+=\'\\\'\' ;;
                    \":!) word+=\"\\!\" ;;
                    \":[\"\\\$\`]) word+=\\$char ;;
                    \$\':\\) word+=\\\\ ;;
                    \$\':\') word+=\\047 ;;
                    \$\':!) word+=\\041 ;;
                    *) word+=$char ;;
                esac
            done
            char=${1: -1}
            word=$char$word$char
        }

        _PROGRAM() {
            COMPREPLY=()
            local raw quote unclear kind word
            local -a words
            __PROGRAM_split "${COMP_LINE:0:COMP_POINT}"
            [[ $unclear ]] && return
            local typed=${words[${#words[@]}-1]} opened=$quote
            local -a asked
            asked=("${words[@]:1}")

            # What bash replaces is the end of the word, behind an open quote or one of COMP_WORDBREAKS. What is
            # before that stays.
            [[ $raw == *"$2" ]] || return
            __PROGRAM_split "${raw%"$2"}"
            [[ $quote == "$opened" ]] || return
            [[ -z $opened || ${raw: -1} == "${opened: -1}" ]] || return
            local before=${words[0]}

            {
                read -r kind
                case $kind in
                    file | folder)
                        local action=file
                        [[ $kind == folder ]] && action=directory
                        local option=
                        [[ $typed == --*=* ]] && option=${typed%%=*}=
                        while IFS= read -r word; do
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
                            [[ $word ]] || continue
                            __PROGRAM_quote "$opened" "$word"
                            COMPREPLY+=("$word")
                        done
                        ;;
                esac
            } < <(command PROGRAM QUERY -- "${asked[@]}" 2>/dev/null)
        }

        complete -F _PROGRAM PROGRAM

        """#
}
