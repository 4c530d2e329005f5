package import FocusLink
import FocusWords

// What is said once a laptop has joined.
extension ViewState {
    /// Says what came of joining, and offers another name where a laptop of the group has this one's.
    ///
    /// - Parameter said: what there is to say besides; empty where that is nothing.
    package mutating func joined(_ joined: Joined, _ said: String) {
        let canTypeName = joined.hasNamesake && screen == .devices && dialog == .none
        let remedy = canTypeName ? "The line below" : "e, among the devices,"
        let next = joined.isFirst ? ["i lets the next one in."] : []
        let words = joined.sentences(remedy: remedy) + next + (said.isEmpty ? [] : [said])
        message = words.flatMap { $0.split(separator: "\n") }.joined(separator: " ")
        if canTypeName { dialog = .field(.name, TextField(joined.name)) }
    }
}
