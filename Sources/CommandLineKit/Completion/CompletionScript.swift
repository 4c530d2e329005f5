/// A script that teaches a shell to complete a program's words. It knows nothing of them itself: at each press of Tab
/// it asks the program, so it can't be out of date.
package enum CompletionScript {
    /// The command that scripts ask by: the words after the program's name come behind it, up to the cursor. No part
    /// of help, since nobody types it.
    package static let query = "complete"

    /// The script for a program of this name.
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
