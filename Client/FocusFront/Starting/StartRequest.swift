package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
package import FocusText

/// A request to start: the arguments of `start`, or a line that a person types.
package struct StartRequest: Hashable, Sendable {
    /// The name of the work, or nil if it has none.
    package let label: String?
    /// The length of the first phase, or nil for the setting's length.
    package let length: Duration?
    /// The time at which it begins or began, or nil for now.
    package let time: TimeWord?

    /// A request to start now, by default without a name and with the setting's length.
    package init(label: String? = nil, length: Duration? = nil, time: TimeWord? = nil) {
        self.label = label
        self.length = length
        self.time = time
    }

    /// Whether it gives neither a length nor a time.
    package var isPlain: Bool { length == nil && time == nil }
}

extension StartRequest {
    /// The sentence about how to write a line for a start.
    private static let lineRule = "Write Report, Report --for 50m, or Report --at 9:30."

    /// A time of day that was this long ago is tomorrow's.
    private static let longestBack = Duration.seconds(12 * 3600)

    /// Reads a line that a person types: the label, with `--for` and a length, and `--at` and a time of day,
    /// anywhere in it.
    ///
    /// - Throws: `ValueProblem` if no length follows `--for`, or no time follows `--at`.
    package init(line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        guard words.contains("--for") || words.contains("--at") else {
            self.init(label: line.isEmpty ? nil : line)
            return
        }
        var label: [Substring] = []
        var length: Duration?
        var time: TimeWord?
        while let word = words.popFirst() {
            switch word {
            case "--for":
                length = words.popFirst().flatMap { DurationText.duration(in: $0) }
                guard length != nil else {
                    throw ValueProblem("A duration is missing after --for. \(StartRequest.lineRule)")
                }
            case "--at":
                time = words.popFirst().flatMap { TimeWord(String($0)) }
                guard time != nil else {
                    throw ValueProblem("A time is missing after --at. \(StartRequest.lineRule)")
                }
            default: label.append(word)
            }
        }
        self.init(label: label.isEmpty ? nil : label.joined(separator: " "), length: length, time: time)
    }

    /// Returns the interaction for the request.
    ///
    /// - Throws: `CommandFailure` if the local clocks never show the time, or show it twice.
    package func interaction(
        at now: SharedInstant, _ zone: LocalZone
    ) throws(CommandFailure) -> Interaction {
        var begins = try time?.instant(now, zone)
        if let today = begins, now - today > StartRequest.longestBack,
            let tomorrow = try time?.instant(onDayAfter: now, zone)
        {
            begins = tomorrow
        }
        return .start(label: label, length: length, begins: begins)
    }
}

extension Device {
    /// Returns the interaction for a request to start.
    ///
    /// - Throws: `CommandFailure` if the log can't be read, or if the local clocks don't show the time once.
    package func start(
        _ request: StartRequest, _ zone: LocalZone
    ) throws(CommandFailure) -> Interaction {
        let now = try using { device throws(StoreError) in try device.now() }
        return try request.interaction(at: now, zone)
    }
}
