extension Statistics {
    /// A day, week, month or year and what was done in it: a bar of a chart.
    package struct Bar: Hashable, Sendable {
        /// Whether it is for a day, a week, a month or a year.
        package let unit: CalendarUnit
        /// Its days, less those outside the range that was asked for.
        package let days: ClosedRange<Day>
        /// What was done on these days, which may be nothing.
        package let total: FocusTotal

        /// How ISO 8601 writes it: `2025-11-20`, `2025-W47`, `2025-11`, `2025`.
        package var name: String { unit.name(around: days.lowerBound) }
    }

    /// A bar for each of the units that `range` lies on, those without anything too.
    ///
    /// Cost: linear in the bars, and in the days that have something.
    package func bars(by unit: CalendarUnit, in range: ClosedRange<Day>) -> [Bar] {
        var bars: [Bar] = []
        var first = range.lowerBound
        while first <= range.upperBound {
            let days = first...min(unit.days(around: first).upperBound, range.upperBound)
            bars.append(Bar(unit: unit, days: days, total: total(in: days)))
            first = days.upperBound.advanced(by: 1)
        }
        return bars
    }
}
