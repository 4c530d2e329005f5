# In ~/.bashrc, after PS1 is set. Keep the single quotes around $(focus_prompt): bash then takes labels as text.
focus_prompt() {
    local status=$? text=
    type -P focus >/dev/null && text=$(command focus status --format '{state} {status} {clock} {label}')
    text=${text% }
    [[ -z $text || $text == stopped* ]] || printf '%s ' "${text#* }"
    return "$status"
} 2>/dev/null
[[ $PS1 == *focus_prompt* ]] || PS1='$(focus_prompt)'$PS1
