package import FocusCore
package import FocusDevice
package import FocusFront
package import FocusSeal

/// Where a person is in the full-screen view: all of it that survives leaving, a crash and a restart, and what is
/// asked or said at the moment.
package struct ViewState: Hashable, Sendable {
    /// The screen that is open.
    package var screen = ScreenName.timer
    /// Where on the history the person is, or was last.
    package var history = HistoryPlace()
    /// Where on the statistics the person is, or was last.
    package var statistics = StatisticsPlace()
    /// The setting that is selected.
    package var setting = SettingRow.shared(.workLength)
    /// The device that is selected, by its row's id.
    package var devices = ListPlace<String>()
    /// What stands over the screen. A line that is being typed is kept, unless it is an invite; a question isn't.
    package var dialog = Dialog.none
    /// What is said at the bottom until the next key. Not kept.
    package var message: String?
    /// What is asked of the server and not answered yet. Not kept.
    package var underway: Underway?

    /// Where somebody is who opens the view for the first time.
    package init() {}
}

/// What is asked of the server, while the view goes on.
package enum Underway: Hashable, Sendable {
    /// To let this laptop into a group, which can be given up.
    case joining
    case asking
}

/// A screen of the full-screen view.
package enum ScreenName: String, CaseIterable, Hashable, Sendable {
    case timer, history, statistics, settings, devices
}

/// Where a person is in the history.
package struct HistoryPlace: Hashable, Sendable {
    /// Only phases that have this in their label or kind are shown; all where it is empty.
    package var filter = ""
    /// By the record's name.
    package var list = ListPlace<RecordName>()

    /// All of the history, from its newest phase on.
    package init() {}
}

/// Where a person is in the statistics.
package struct StatisticsPlace: Hashable, Sendable {
    /// What can be drawn: bars of days, weeks, labels or tags, or the heatmap of a year.
    package enum Chart: String, CaseIterable, Hashable, Sendable {
        case days, weeks, year, labels, tags
    }

    /// The chart that is shown.
    package var chart = Chart.days
    /// By the number of the first day of the bar.
    package var bars = ListPlace<Int64>()
    /// How many years before this one the heatmap ends.
    package var yearsBack = 0

    /// Further back the calendar isn't followed.
    package static let mostYearsBack = 100

    /// The days, from today on.
    package init() {}
}

/// What stands over the screen and takes the keys.
package enum Dialog: Hashable, Sendable {
    case none
    /// A line is being typed.
    case field(Field, TextField)
    /// Something is asked, to be answered with y or n. Not kept: what was asked about may have changed.
    case question(Question)
    /// The help, from this line on.
    case help(top: Int)
}

/// What a line is being typed for.
package enum Field: Hashable, Sendable {
    /// The name of the work.
    case label
    /// What to begin to work on.
    case start
    case filter
    /// This laptop's name.
    case name
    case setting(SettingKey)
    /// What was done without the timer, and when.
    case entry
    /// Another label for an entry of the history.
    case relabel(RecordName)
    /// Other times for an entry of the history.
    case retime(RecordName)
    /// When the second of two entries began that are made of one.
    case split(RecordName)
    /// An invite to join with. Not kept: it is a secret.
    case invite
}

/// What is to be said yes to before it is done.
package enum Question: Hashable, Sendable {
    /// The undo or redo adds to the history what nobody saw pass.
    case claim(UndoClaim, of: Interaction)
    /// Shutting a device out, and along with it those that the server lists and no laptop has named.
    case revoke(DeviceRow, along: [DeviceRow], recent: [DeviceRow] = [])
    /// Whether those are shut out too that may have been let in by one that is.
    case revokeToo([DeviceRow], with: [DeviceRow])
    /// Giving the group's key to one that waits to be accepted.
    case accept(DeviceRow)
    /// Taking an entry out of the history.
    case remove(RecordName, what: String)
    /// Whether what was recorded alone comes along into the group of the invite.
    case alone(AloneQuestion, Invite)
    /// Parting from the group; `isLast`: which has no other laptop.
    case part(isLast: Bool)
}
