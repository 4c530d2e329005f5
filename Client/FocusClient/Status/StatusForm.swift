/// A form that the state can be shown in.
package enum StatusForm: Hashable, Sendable {
    /// One line for people.
    case line
    /// One JSON object.
    case json
    case format(StatusFormat)
    /// What a status bar reads.
    case bar(Bar)

    /// What stands before each of several that follow each other.
    var separator: String { self == .bar(.swiftbar) ? BarFrame.streamSeparator : "" }
}
