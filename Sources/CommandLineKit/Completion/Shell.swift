/// A shell that a program can complete words in.
package enum Shell: String, CaseIterable, Hashable, Sendable {
    case bash, zsh, fish
}
