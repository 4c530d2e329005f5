package import FocusCore

/// The JSON of statistics, as `focus stats --json` writes it (docs/commands.md, "stats --json").
package enum StatisticsDocument {
    /// Returns the whole object.
    ///
    /// - Parameters:
    ///   - statistics: The statistics of `range`, of the chosen work only.
    ///   - averages: The average day of the range, and of the days before it.
    ///   - streak: The streak of the whole history; nil if there is no goal, or if not all work is chosen.
    ///   - zone: The zone of the days, at the instant `now`.
    package static func document(
        _ statistics: Statistics, in range: ClosedRange<Day>, of choice: WorkChoice, goals: Goals,
        averages: AverageComparison, streak: Streak?,
        in zone: ZoneName, at now: SharedInstant
    ) -> JSON {
        var members = [
            JSON.Member("now", .instant(now)), JSON.Member("from", .string("\(range.lowerBound)")),
            JSON.Member("to", .string("\(range.upperBound)")), JSON.Member("zone", zone.json),
            JSON.Member("label", .optional(choice.label)), JSON.Member("tag", .optional(choice.tag)),
            JSON.Member("goals", document(goals)), JSON.Member("streak", streak.map(document) ?? .null),
        ]
        members += self.members(statistics.total(in: range))
        members += [
            JSON.Member("average", averages.average.map(document) ?? .null),
            JSON.Member("before", averages.before.map(document) ?? .null),
        ]
        members += CalendarUnit.allCases.map { unit in
            JSON.Member("\(unit.rawValue)s", .array(totals(statistics, by: unit)))
        }
        members += [
            JSON.Member("hours", .array(statistics.hours.map { .milliseconds($0) })),
            JSON.Member("labels", labels(statistics)), JSON.Member("tags", tags(statistics)),
        ]
        return .object(members)
    }

    private static func members(_ total: FocusTotal) -> [JSON.Member] {
        [
            JSON.Member("focusMs", .milliseconds(total.focus)),
            JSON.Member("completed", .integer(total.completed)),
        ]
    }

    private static func document(_ goals: Goals) -> JSON {
        .object([
            JSON.Member("day", document(goals.daily)), JSON.Member("week", document(goals.weekly)),
            JSON.Member(
                "daysOff", .array(goals.daysOff.weekdays.map { .string(WeekdayText.name(of: $0)) })),
        ])
    }

    private static func document(_ goal: Goal) -> JSON {
        .object([
            JSON.Member("focusMs", .milliseconds(goal.focus)),
            JSON.Member("completed", .integer(goal.completed)),
        ])
    }

    private static func document(_ streak: Streak) -> JSON {
        .object([
            JSON.Member("unit", .string(streak.unit.rawValue)),
            JSON.Member("current", stretch(streak.current)), JSON.Member("longest", stretch(streak.longest)),
        ])
    }

    private static func stretch(_ stretch: Streak.Stretch?) -> JSON {
        guard let stretch else { return .null }
        return .object([JSON.Member("count", .integer(stretch.count))] + members(stretch.days))
    }

    private static func members(_ days: ClosedRange<Day>) -> [JSON.Member] {
        [
            JSON.Member("from", .string("\(days.lowerBound)")),
            JSON.Member("to", .string("\(days.upperBound)")),
        ]
    }

    private static func document(_ average: DailyAverage) -> JSON {
        .object([
            JSON.Member("days", .integer(average.days)),
            JSON.Member("focusMs", .milliseconds(average.focus)),
            JSON.Member("completed", .number(average.completedText)),
        ])
    }

    private static func document(_ before: AverageComparison.Before) -> JSON {
        .object(
            members(before.days) + members(before.total) + [
                JSON.Member("average", before.average.map(document) ?? .null)
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

extension DailyAverage {
    /// The average number of completed work phases, with one decimal if it isn't whole: `6`, `6.5`.
    package var completedText: String {
        let (whole, tenths) = completedTenths.quotientAndRemainder(dividingBy: 10)
        return tenths == 0 ? "\(whole)" : "\(whole).\(tenths)"
    }
}

extension WorkChoice {
    fileprivate var label: String? { if case .label(let label) = self { label } else { nil } }

    fileprivate var tag: String? { if case .tag(let word) = self { word } else { nil } }
}
