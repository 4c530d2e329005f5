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
    private static let lineRule =
        "Write Report, Report --for 50m, Report --at 9:30, or Report --at '2025-11-20 9:30'."

    /// A time of day that passed longer ago than this means tomorrow.
    private static let longestBack = Duration.seconds(12 * 3600)

    /// The beginning of a line that is otherwise only a label.
    private static let labelMark = "-- "

    /// Returns the line for a start with this label and nothing else.
    package static func line(label: String) -> String {
        let isPlain = !label.hasPrefix(labelMark) && !label.split(separator: " ").contains(where: isOption)
        return isPlain ? label : labelMark + label
    }

    /// Reads a line that a person types: the label, with `--for` and a length, and `--at` and a time,
    /// anywhere in it. A time with a date is in quotes. After `-- ` all is the label.
    ///
    /// - Throws: `ValueProblem` if no length follows `--for`, or no time follows `--at`, or if another word
    ///   begins with `--`.
    package init(line: String) throws(ValueProblem) {
        if line.hasPrefix(StartRequest.labelMark) {
            let label = String(line.dropFirst(StartRequest.labelMark.count))
            self.init(label: label.isEmpty ? nil : label)
            return
        }
        var words = line.split(separator: " ")[...]
        guard words.contains(where: StartRequest.isOption) else {
            self.init(label: line.isEmpty ? nil : line)
            return
        }
        var label: [Substring] = []
        var length: Duration?
        var time: TimeWord?
        while let word = words.popFirst() {
            switch word {
            case "--for":
                guard let text = words.popFirst() else {
                    throw StartRequest.problem("A duration is missing after --for.")
                }
                length = DurationText.duration(in: text)
                guard length != nil else { throw StartRequest.problem("'\(text)' is not a duration.") }
            case "--at":
                guard let text = StartRequest.takeQuoted(from: &words) else {
                    throw StartRequest.problem("A time is missing after --at.")
                }
                time = TimeWord(text)
                guard time != nil else { throw StartRequest.problem("'\(text)' is not a time.") }
            case _ where StartRequest.isOption(word):
                throw StartRequest.problem(
                    "'\(word)' isn't known here. If it is part of the name, begin with '\(StartRequest.labelMark)'."
                )
            default: label.append(word)
            }
        }
        self.init(label: label.isEmpty ? nil : label.joined(separator: " "), length: length, time: time)
    }

    /// Whether a line has the word for a length or for a time, which only a start takes.
    package static func hasLengthOrTime(_ line: String) -> Bool {
        line.split(separator: " ").contains { $0 == "--for" || $0 == "--at" }
    }

    /// Whether a word is meant as an option.
    private static func isOption(_ word: Substring) -> Bool { word.hasPrefix("--") && word.count > 2 }

    private static func problem(_ sentence: String) -> ValueProblem {
        ValueProblem("\(sentence) \(lineRule)")
    }

    /// Removes a word, or several in quotes, and returns the text without the quotes. Nil if none is left.
    private static func takeQuoted(from words: inout ArraySlice<Substring>) -> String? {
        guard let first = words.popFirst() else { return nil }
        guard let quote = first.first, quote == "'" || quote == "\"" else { return String(first) }
        var text = String(first.dropFirst())
        while text.last != quote, let next = words.popFirst() { text += " \(next)" }
        return text.last == quote ? String(text.dropLast()) : text
    }

    /// Throws if the time is on another day, and further back than a start can reach. With a time of today,
    /// the start takes effect as early as possible instead, and the person is told.
    ///
    /// - Parameter reach: The longest time that the start can reach back.
    fileprivate func checkReach(
        _ reach: Duration, at now: SharedInstant, _ zone: LocalZone
    ) throws(CommandFailure) {
        guard let time, let begins = try? time.instant(now, zone), now - begins > reach,
            zone.time(at: begins).day != zone.time(at: now).day
        else { return }
        if case .today = time { return }
        let day = zone.time(at: begins).day
        let length = DurationText.text(reach)
        throw CommandFailure(
            "\(day.name), \(zone.clock(begins)) is too far back: a start reaches back one work phase at most. "
                + "'focus log add \(day) \(zone.clock(begins)) \(length)' adds what was done then.",
            .notNow)
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
        let (now, settings) = try using { device throws(StoreError) in
            (try device.now(), try device.store.state().settings)
        }
        try request.checkReach(request.length ?? settings.length(of: .work), at: now, zone)
        return try request.interaction(at: now, zone)
    }
}
