package import FocusCore
import FocusDevice
package import FocusText

extension AbsenceQuestion {
    /// The reason why an answer wasn't carried out.
    package static let nothingAsked = "Nothing is asked about time away."

    /// The sentence while it is noted that nobody is there.
    package static let awaitsReturn =
        "It is noted that nobody is here. On return you are asked about that time, if more than 5 minutes of "
        + "work ran in it."

    /// The commands that answer the question.
    package static let commands =
        "'focus idle keep' counts that time, 'focus idle drop' takes it out, 'focus idle pause' pauses the session "
        + "as of then."

    /// Returns the time in question in few words: `Away 10:05-10:47 (42m)`.
    ///
    /// - Parameter zone: The time zone of the times.
    package func words(_ zone: LocalZone = .current) -> String {
        "Away \(zone.clock(from))-\(zone.clock(until)) (\(lengthText(length)))"
    }

    /// The time in question in few words, and that it counts until somebody answers.
    package var countedWords: String { "\(words()), counted now" }

    /// Returns the question without its answers, as a sentence, and the press that answers it too.
    ///
    /// - Parameter zone: The time zone of the times.
    package func sentence(_ zone: LocalZone = .current) -> String {
        "Nobody was at this laptop from \(zone.clock(from)) to \(zone.clock(until)) (\(lengthText(length))), "
            + "and the session ran. Another press on the timer here keeps that time."
    }

    /// Returns the sentence about an answer that was carried out.
    ///
    /// - Parameter undo: The way to take back one press: a command or a key.
    package func sentence(after answer: AbsenceAnswer, undo: String) -> String {
        switch answer {
        case .keep: "The time away (\(lengthText(length))) stays counted."
        case .drop:
            "The time away (\(lengthText(length))) isn't counted. To count it after all, use \(undo) twice."
        case .pause: "The session is paused as of when you left. \(undo) counts the time after all."
        }
    }
}

extension AbsenceAnswer {
    /// The answer on a button.
    package var title: String {
        switch self {
        case .keep: "Keep"
        case .drop: "Take out"
        case .pause: "Pause as of then"
        }
    }
}
