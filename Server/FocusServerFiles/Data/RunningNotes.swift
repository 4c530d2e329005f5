/// What a server that runs says of itself to other commands, in the file of its lock: a line each, empty where there is
/// nothing to say.
package struct RunningNotes: Hashable, Sendable {
    /// Where it serves metrics and health.
    package var metrics: String?
    /// What is wrong with its clock, as in `ClockVerdict.trouble`.
    package var clockTrouble: String?

    /// The file's text.
    var text: String { "\(metrics ?? "")\n\(clockTrouble ?? "")\n" }

    /// Nothing to say.
    package init() {}

    /// Reads the file's text; what isn't there wasn't said.
    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        metrics = lines.first.flatMap { $0.isEmpty ? nil : $0 }
        clockTrouble = lines.dropFirst().first.flatMap { $0.isEmpty ? nil : $0 }
    }
}
