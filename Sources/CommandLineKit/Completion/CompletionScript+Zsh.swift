extension CompletionScript {
    /// For zsh, as a file called `_PROGRAM` in a folder of `fpath`, or sourced after `compinit`.
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
                    (( $#closed )) && _describe -t words word closed && found=0
                    (( $#open )) && _describe -t words word open -S '' && found=0
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
