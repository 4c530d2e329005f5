/// A script that teaches a shell to complete a program's words. The script doesn't contain the words. It asks
/// the program for them at each press of Tab, so it is never out of date.
package enum CompletionScript {
    /// The hidden command that scripts call. The words between the program's name and the cursor follow it.
    /// The program prints a `CompletionAnswer`.
    package static let query = "complete"

    /// Returns the script for a program of this name.
    package static func text(for shell: Shell, program: String) -> String {
        let template =
            switch shell {
            case .bash: bash
            case .zsh: zsh
            case .fish: fish
            }
        return template.split(separator: "PROGRAM", omittingEmptySubsequences: false).joined(
            separator: program
        )
        .split(separator: "QUERY", omittingEmptySubsequences: false).joined(separator: query)
    }
}

/// A shell for which there is a completion script.
package enum Shell: String, CaseIterable, Hashable, Sendable {
    case bash, zsh, fish
}

// In the bash script, `_PROGRAM` calls `__PROGRAM_split` twice. The first call parses the line up to the
// cursor. The second call parses only the part of the last word that bash keeps. If a quote is open at the
// cursor, this part must end with that opening quote; otherwise it must end outside quotes. If it doesn't,
// the script offers nothing.
//
// In `$'…'`, `__PROGRAM_split` knows only the two octal escapes that `__PROGRAM_quote` writes.
extension CompletionScript {
    /// The script for bash 3.2 and newer, without the package bash-completion.
    ///
    /// Offered words may have come from other machines, and bash runs what it inserts into a line. So the
    /// script parses the line as bash does, and quotes each word to fit the quotes around the cursor.
    static let bash = #"""
        # Completion of PROGRAM in bash. Put it where bash-completion looks, or into ~/.bashrc:
        #   source <(PROGRAM completion bash)

        # Splits the line $1. Sets words to its words, as the program gets them, and raw to the last word as it is
        # written. Sets quote to the quote that is still open at the end (nothing, ' or " or $'). Sets unclear if
        # the last word's value can't be known, for example because it contains a variable.
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

        # Sets word to $2, quoted for the quotes $1, which may be none. Bash then reads it as exactly $2. The word
        # includes the opening and the closing quote; readline doesn't add them again. ! is escaped too, unless the
        # quotes protect it, because the history would replace it even in double quotes.
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

            # Bash replaces only $2, the end of the word: the part after an open quote or after a character of
            # COMP_WORDBREAKS. The part before it stays, and is removed from each offer.
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
                        # The program orders them, from bash 4.4 on.
                        compopt -o nosort 2>/dev/null
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

extension CompletionScript {
    /// The script for zsh, as a file `_PROGRAM` in a folder of `fpath`, or sourced after `compinit`.
    static let zsh = #"""
        #compdef PROGRAM
        # Completion of PROGRAM in zsh. Put it as _PROGRAM into a folder of $fpath, or into ~/.zshrc after compinit:
        #   source <(PROGRAM completion zsh)

        _PROGRAM() {
            local line word
            local -a answer closed open
            answer=("${(@f)$(command PROGRAM QUERY -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            case $answer[1] in
                file) compset -P '--*='; _files ;;
                folder) compset -P '--*='; _files -/ ;;
                *)
                    for line in "${(@)answer[2,-1]}"; do
                        word=${line%%$'\t'*}
                        [[ -n $word ]] || continue
                        line="${${word//\\/\\\\}//:/\\:}:${${line#$word}#$'\t'}"
                        if [[ $word == *= ]]; then open+=("$line"); else closed+=("$line"); fi
                    done
                    local found=1
                    # -V keeps the program's order.
                    (( $#closed )) && _describe -V -t words word closed && found=0
                    (( $#open )) && _describe -V -t words word open -S '' && found=0
                    return found
                    ;;
            esac
        }

        if [[ $funcstack[1] == _PROGRAM ]]; then
            _PROGRAM "$@"
        else
            compdef _PROGRAM PROGRAM
        fi

        """#
}

extension CompletionScript {
    /// The script for fish 3.1 and newer. Fish itself adds no space after a word that ends in an equals sign.
    static let fish = #"""
        # Completion of PROGRAM in fish. Put it as PROGRAM.fish into ~/.config/fish/completions.

        function __PROGRAM_complete
            set -l words (commandline -opc)
            set -e words[1]
            set -l typed (commandline -ct)
            set -l answer (command PROGRAM QUERY -- $words "$typed" 2>/dev/null)
            set -l option (string match -r -- '^--[^=]*=' "$typed")
            set -l path (string replace -r -- '^--[^=]*=' '' "$typed")
            switch "$answer[1]"
                case file
                    for found in (__fish_complete_path "$path")
                        printf '%s\n' "$option$found"
                    end
                case folder
                    for found in (__fish_complete_directories "$path" '')
                        printf '%s\n' "$option$found"
                    end
                case '*'
                    set -e answer[1]
                    # Fish doesn't quote a word's leading tilde, and would expand it to a home folder.
                    if not string match -q -r -- '["\']' "$typed"
                        set answer (string match -v -- '~*' $answer)
                    end
                    set -q answer[1]; and printf '%s\n' $answer
            end
        end

        complete -c PROGRAM -f -k -a '(__PROGRAM_complete)'

        """#
}
