/// A program as its command line sees it: its table of commands and its version.
package struct Program<Invocation: Sendable>: Sendable {
    /// The table's root: the program's name, and what it does when called without a command.
    package let root: Command<Invocation>
    /// What `--version` says after the program's name.
    package let version: String

    /// A program of this table.
    package init(_ root: Command<Invocation>, version: String) {
        self.root = root
        self.version = version
    }
}
