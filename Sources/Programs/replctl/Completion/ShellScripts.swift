// The completion scripts. They know nothing of the verbs: each asks the replctl that is typed, so that they
// stay true when it is upgraded.

enum ShellScripts {
    /// A line is a candidate, behind a tab what it is; a line that begins with a tab asks for files or
    /// directories. A candidate that ends with / or = gets no space behind it.
    static func text(_ shell: CompletionCommand.Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static let bash = #"""
        # bash completion for replctl: asks replctl itself, which asks the daemon.
        _replctl() {
            local line
            COMPREPLY=()
            while IFS= read -r line; do
                case $line in
                    $'\tfiles') compopt -o default ;;
                    $'\tdirectories') compopt -o dirnames ;;
                    *)
                        COMPREPLY+=("$line")
                        case $line in */ | *=) compopt -o nospace ;; esac
                        ;;
                esac
            done < <("${1/#\~/$HOME}" __complete --bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" \
                2>/dev/null)
        }
        complete -F _replctl replctl
        """#

    private static let zsh = #"""
        #compdef replctl
        # zsh completion for replctl: asks replctl itself, which asks the daemon.
        _replctl() {
            local line value item
            local -a lines closed open
            local -a typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
            lines=("${(@f)$("${words[1]/#\~/$HOME}" __complete --words "${typed[@]}" 2>/dev/null)}")
            for line in $lines; do
                case $line in
                    $'\tfiles') _files && return ;;
                    $'\tdirectories') _files -/ && return ;;
                    *)
                        value=${line%%$'\t'*}
                        item=${${value//\\/\\\\}//:/\\:}
                        [[ $line == *$'\t'* ]] && item+=":${line#*$'\t'}"
                        if [[ $value == *[/=] ]]; then open+=("$item"); else closed+=("$item"); fi
                        ;;
                esac
            done
            local found=1
            (( $#closed )) && _describe 'replctl' closed && found=0
            (( $#open )) && _describe 'replctl' open -S '' && found=0
            return found
        }
        if [[ ${funcstack[1]} == _replctl ]]; then _replctl "$@"; else compdef _replctl replctl; fi
        """#

    private static let fish = #"""
        # fish completion for replctl: asks replctl itself, which asks the daemon.
        function __replctl_complete
            set -l words (commandline -opc)
            set -l program (string replace -r '^~' $HOME -- $words[1])
            set -e words[1]
            set -l typed (commandline -ct)
            set -l current (string unescape -- $typed)
            or set current $typed
            for line in ($program __complete --words $words "$current" 2>/dev/null)
                switch $line
                    case \tfiles
                        __fish_complete_path "$current"
                    case \tdirectories
                        __fish_complete_directories "$current"
                    case '*'
                        printf '%s\n' $line
                end
            end
        end
        complete -c replctl -f -a '(__replctl_complete)'
        """#
}
