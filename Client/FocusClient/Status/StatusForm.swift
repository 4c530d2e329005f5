/// A form that the state can be shown in.
package enum StatusForm: Hashable, Sendable {
    /// One line for people.
    case line
    /// One JSON object.
    case json
    case format(StatusFormat)
}
