# In ~/.config/fish/config.fish. Instead of the last line, you can call focus_prompt in your own prompt.
function focus_prompt
    set -l last $status
    set -l text
    command -q focus
    and set text (command focus status --format '{state} {status} {clock} {label}' 2>/dev/null)
    set -l shown (string match -r '^(?!stopped )\S+ (.*?) ?$' -- "$text")
    printf '%s' $shown[2]
    return $last
end
function fish_right_prompt; focus_prompt; end
