extension CompletionScript {
    /// For fish 3.1 and newer, which by itself puts no space after a word that ends in an equals sign.
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
                    # Fish leaves a tilde that a word begins with as it is, and would read a home folder's name there.
                    if not string match -q -r -- '["\']' "$typed"
                        set answer (string match -v -- '~*' $answer)
                    end
                    set -q answer[1]; and printf '%s\n' $answer
            end
        end

        complete -c PROGRAM -f -k -a '(__PROGRAM_complete)'

        """#
}
