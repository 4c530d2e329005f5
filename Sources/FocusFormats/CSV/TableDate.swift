import FocusCore
import FocusText

/// A date in a table: `2025-11-20`, `2025/11/20`, `20.11.2025`, or with day or
/// month first, like `20/11/2025`.
struct TableDate {
    /// The first part of dates that end with the year.
    enum Order: Hashable {
        case day
        case month
    }

    private enum Form {
        case day(Day)
        /// A day and a month in either order.
        case either(Int64, Int64, year: Int64)
    }

    private let form: Form

    /// Parses a date; nil if the text isn't one.
    init?(_ text: String) {
        let parts = text.split(maxSplits: 3, omittingEmptySubsequences: false) { "-/.".contains($0) }
        let isDotted = text.contains(".")
        guard parts.count == 3, let mark = text.first(where: { "-/.".contains($0) }),
            text.count(where: { $0 == mark }) == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let lengths = parts.map(\.utf8.count)
        guard let first = Int64(parts[0]), let second = Int64(parts[1]), let third = Int64(parts[2]) else {
            return nil
        }
        if lengths[0] == 4, (1...2).contains(lengths[1]), (1...2).contains(lengths[2]) {
            guard let day = Day(year: first, month: second, day: third) else { return nil }
            form = .day(day)
        } else if lengths[2] == 4, (1...2).contains(lengths[0]), (1...2).contains(lengths[1]) {
            if isDotted {
                guard let day = Day(year: third, month: second, day: first) else { return nil }
                form = .day(day)
            } else {
                form = .either(first, second, year: third)
            }
        } else {
            return nil
        }
    }

    /// The order that the date shows by a number over 12; nil if either order is possible, or if the notation
    /// has only one.
    var order: Order? {
        guard case .either(let first, let second, _) = form else { return nil }
        return first > 12 ? .day : second > 12 ? .month : nil
    }

    /// Whether the date is the same in either order, or its notation has only one order.
    var isSameInEitherOrder: Bool {
        guard case .either(let first, let second, _) = form else { return true }
        return first == second
    }

    /// Returns the day, or nil if the date doesn't exist.
    ///
    /// - Parameter order: The first part of a date that ends with the year; nil is read as `.month`.
    func day(_ order: Order?) -> Day? {
        switch form {
        case .day(let day): day
        case .either(let first, let second, let year):
            order == .day
                ? Day(year: year, month: second, day: first) : Day(year: year, month: first, day: second)
        }
    }
}
