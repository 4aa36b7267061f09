/**
 * Shell code that calls `kubectl __complete` for completions. Its last line is a number, the directive: 1 error, 2 no
 * space after the word, 4 no files.
 */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `
__kubectl_complete() {
    local cur words out directive
    COMPREPLY=()
    cur="\${COMP_WORDS[COMP_CWORD]}"
    words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
    out="$("\${COMP_WORDS[0]}" __complete "\${words[@]}" 2>/dev/null)" || return
    directive="\${out##*:}"
    out="\${out%:*}"
    local IFS=$'\\n'
    COMPREPLY=($(compgen -W "$(cut -f1 <<<"$out")" -- "$cur"))
    (( directive & 2 )) && compopt -o nospace 2>/dev/null
    if (( \${#COMPREPLY[@]} == 0 )) && ! (( directive & 4 )); then
        compopt -o default 2>/dev/null
    fi
}
complete -F __kubectl_complete kubectl
`,
  zsh: `#compdef kubectl
compdef _kubectl kubectl

_kubectl() {
    local out directive line
    local -a found
    out="$(\${words[1]} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)" || return
    directive="\${out##*:}"
    out="\${out%:*}"
    while IFS= read -r line; do
        [[ -n "$line" ]] && found+=("\${line//$'\\t'/:}")
    done <<<"$out"
    if (( \${#found} > 0 )); then
        (( directive & 2 )) && _describe -V 'kubectl' found -S '' || _describe -V 'kubectl' found
    elif ! (( directive & 4 )); then
        _files
    fi
}

[ "$funcstack[1]" = "_kubectl" ] && _kubectl
`,
  fish: `
function __kubectl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (eval $words[1] __complete (string escape -- $words[2..-1] $current) 2>/dev/null)
    for line in $found
        string match -q -r '^:[0-9]+$' -- $line; or echo $line
    end
end
complete -c kubectl -f -a '(__kubectl_complete)'
`,
  powershell: `
Register-ArgumentCompleter -Native -CommandName 'kubectl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '""' }
    (& kubectl __complete @words) | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
        $name, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $description)
    }
}
`,
};
