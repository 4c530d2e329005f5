package import FocusCore

extension Day {
    /// The day as people read it: `Thu 20 Nov 2025`.
    package var name: String { "\(shortName) \(date.year)" }

    /// The same without the year: `Thu 20 Nov`.
    package var shortName: String { "\(weekdayName) \(date.day) \(monthName)" }

    /// The day of the week, as `Thu`.
    package var weekdayName: String { Day.weekdays[weekday - 1] }

    /// The month, as `Nov`.
    package var monthName: String { Day.months[Int(date.month) - 1] }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
