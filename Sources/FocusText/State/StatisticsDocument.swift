package import FocusCore

/// The JSON of statistics, as `focus stats --json` writes it (docs/commands.md, "stats --json").
package enum StatisticsDocument {
    /// Returns the whole object.
    ///
    /// - Parameters:
    ///   - statistics: The statistics of `range`, of the chosen work only.
    ///   - streak: The streak of the whole history; nil if there is no goal, or if not all work is chosen.
    ///   - zone: The zone of the days, at the instant `now`.
    package static func document(
        _ statistics: Statistics, in range: ClosedRange<Day>, of choice: WorkChoice, goal: Int64,
        streak: Streak?,
        in zone: ZoneName, at now: SharedInstant
    ) -> JSON {
        .object(
            [
                JSON.Member("now", .instant(now)), JSON.Member("from", .string("\(range.lowerBound)")),
                JSON.Member("to", .string("\(range.upperBound)")), JSON.Member("zone", zone.json),
                JSON.Member("label", .optional(choice.label)), JSON.Member("tag", .optional(choice.tag)),
                JSON.Member("goal", .integer(goal)), JSON.Member("streak", streak.map(document) ?? .null),
            ] + members(statistics.total(in: range))
                + CalendarUnit.allCases.map { unit in
                    JSON.Member("\(unit.rawValue)s", .array(totals(statistics, by: unit)))
                } + [
                    JSON.Member("labels", labels(statistics)), JSON.Member("tags", tags(statistics)),
                ])
    }

    private static func members(_ total: FocusTotal) -> [JSON.Member] {
        [
            JSON.Member("focusMs", .milliseconds(total.focus)),
            JSON.Member("completed", .integer(total.completed)),
        ]
    }

    private static func document(_ streak: Streak) -> JSON {
        .object([
            JSON.Member("current", days(streak.current)), JSON.Member("longest", days(streak.longest)),
        ])
    }

    private static func days(_ days: ClosedRange<Day>?) -> JSON {
        guard let days else { return .null }
        return .object([
            JSON.Member("days", .integer(days.count)), JSON.Member("from", .string("\(days.lowerBound)")),
            JSON.Member("to", .string("\(days.upperBound)")),
        ])
    }

    /// Returns the totals of each day, week, month or year with any work. The cost doesn't depend on the
    /// length of the range.
    private static func totals(_ statistics: Statistics, by unit: CalendarUnit) -> [JSON] {
        var totals: [(name: String, total: FocusTotal)] = []
        var last: Day?
        for day in statistics.days {
            if last.map({ $0 >= day.day }) ?? false {
                totals[totals.count - 1].total += day.total
            } else {
                totals.append((unit.name(around: day.day), day.total))
                last = unit.days(around: day.day).upperBound
            }
        }
        let key = unit == .day ? "date" : unit.rawValue
        return totals.map { .object([JSON.Member(key, .string($0.name))] + members($0.total)) }
    }

    private static func tags(_ statistics: Statistics) -> JSON {
        .array(
            statistics.tags.map {
                .object([JSON.Member("tag", .string($0.tag.text))] + members($0.total))
            })
    }

    private static func labels(_ statistics: Statistics) -> JSON {
        .array(
            statistics.labels.map {
                .object([JSON.Member("label", .string($0.label))] + members($0.total))
            })
    }
}

extension WorkChoice {
    fileprivate var label: String? { if case .label(let label) = self { label } else { nil } }

    fileprivate var tag: String? { if case .tag(let word) = self { word } else { nil } }
}
