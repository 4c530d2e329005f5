import CommandLineKit
import FocusFront

extension ValueKind where Value == TimeWord {
    /// An instant as people say it.
    static var time: ValueKind {
        let rule =
            "A TIME is a local one, 09:30 for today or '2025-11-20 09:30', or has an offset as in "
            + "2025-11-20T09:30:00Z."
        return ValueKind(name: "TIME", note: rule) { word throws(ValueProblem) in
            guard let time = TimeWord(word) else { throw ValueProblem("is not a time. \(rule)") }
            return time
        }
    }
}

extension ValueKind where Value == DayWord {
    /// A day, or a week, month or year of which the first or last day counts.
    static var days: ValueKind {
        let offer = ValueOffer.words([OfferedWord("today"), OfferedWord("yesterday")])
        return ValueKind(name: "DAY", note: DayWord.rule, offer: offer) { word throws(ValueProblem) in
            guard let day = DayWord(word) else { throw ValueProblem("is not a day. \(DayWord.rule)") }
            return day
        }
    }
}
