# In ~/.zshrc, after PROMPT is set. %9v prints element 9 of psvar as it is, so labels stay text.
focus_prompt() {
    emulate -L zsh
    local text=
    whence -p focus >/dev/null &&
        text=$(command focus status --format '{state} {status} {clock} {label}' 2>/dev/null) || text=
    [[ $text != stopped* ]] || text=
    text=${text% }
    psvar[9]=${text#* }
}
autoload -Uz add-zsh-hook
add-zsh-hook precmd focus_prompt
[[ $PROMPT == *%9v* ]] || PROMPT='%(9V.%9v .)'$PROMPT
