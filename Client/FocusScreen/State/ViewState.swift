package import FocusCore
package import FocusDevice
package import FocusFront
package import FocusLink
package import FocusSeal

/// A person's place in the full-screen view. It is stored, so it survives leaving, a crash and a restart. The
/// present question and message belong to it too, but aren't stored.
package struct ViewState: Hashable, Sendable {
    /// The present screen.
    package var screen = ScreenName.timer
    /// The place in the history, also while another screen is shown.
    package var history = HistoryViewState()
    /// The place in the statistics, also while another screen is shown.
    package var statistics = StatisticsViewState()
    /// The selected setting.
    package var setting = SettingRow.shared(.workLength)
    /// The place in the list of devices, by the row's id.
    package var devices = ListSelection<String>()
    /// The dialog over the screen. A field is stored, unless it holds an invite; a question isn't.
    package var dialog = Dialog.none
    /// The list of recent labels beside the field in which a label is typed. Not stored.
    package var labelList = LabelList()
    /// The message at the bottom, until the next key; nil if there is none. Not stored.
    package var message: String?
    /// The notice about a resolved conflict that the person has read among the devices; nil if there is none.
    /// Not stored.
    var seenNotice: String?
    /// The group operation that waits for the server's answer; nil if there is none. Not stored.
    package var pendingOperation: PendingOperation?

    /// The state of a view that is opened for the first time.
    package init() {}
}

/// A group operation that is under way.
package enum PendingOperation: Hashable, Sendable {
    /// Joining a group; it can be given up.
    case joining
    /// Sharing from this laptop, which starts a server first.
    case sharing
    /// Any other operation.
    case asking
}

/// A screen of the full-screen view.
package enum ScreenName: String, CaseIterable, Hashable, Sendable {
    case timer, history, statistics, settings, devices
}

/// A person's place in the history.
package struct HistoryViewState: Hashable, Sendable {
    /// The words to search for; empty for the whole history.
    package var filter = ""
    /// The place in the list, by the record's name.
    package var list = ListSelection<RecordName>()

    /// The top of the whole history.
    package init() {}
}

/// A person's place in the statistics.
package struct StatisticsViewState: Hashable, Sendable {
    /// The charts: bars of days, weeks, hours, labels or tags, or the heatmap of a year.
    package enum Chart: String, CaseIterable, Hashable, Sendable {
        case days, weeks, year, hours, labels, tags

        /// Whether the chart is of a range that a person chooses.
        package var isOfRange: Bool {
            switch self {
            case .hours, .labels, .tags: true
            case .days, .weeks, .year: false
            }
        }
    }

    /// The present chart.
    package var chart = Chart.days
    /// The place among the bars, by the bar's id (`StatisticsScene.Bar`).
    package var bars = ListSelection<Int64>()
    /// The number of years between now and the end of the heatmap.
    package var yearsBack = 0
    /// The range of the charts of hours, labels and tags.
    package var range = StatsRange.given(from: nil, to: nil)

    /// The limit of `yearsBack`.
    package static let yearsBackLimit = 100

    /// The bars of days, with today's at the top.
    package init() {}
}

/// A dialog over the screen, which receives the keys.
package enum Dialog: Hashable, Sendable {
    case none
    /// A line is being typed.
    case field(Field, TextField)
    /// A question, answered with y or n. Not stored, because its subject may have changed.
    case question(Question)
    /// The help, starting at this line.
    case help(top: Int)
}

/// The purpose of a typed line.
package enum Field: Hashable, Sendable {
    /// The label of the running session.
    case label
    /// The label of a session to start.
    case start
    case filter
    /// This laptop's name.
    case name
    case setting(SettingKey)
    case ownSetting(LaptopSetting)
    /// The name of a profile to use, or to save.
    case profile
    /// Past work without the timer, and its times.
    case entry
    /// A new label for an entry of the history.
    case relabel(RecordName)
    /// New times for an entry of the history.
    case retime(RecordName)
    /// The time at which an entry is split in two.
    case split(RecordName)
    /// The range of the statistics.
    case range
    /// An invite to join with. Not stored, because it is a secret.
    case invite

    /// Returns the part of a line that is a label; nil if there is none.
    func label(in line: String) -> Substring? {
        switch self {
        case .label, .start, .relabel: line[...]
        case .entry: AddEntryRequest.label(in: line)
        case .split: EntryChange.label(inSplit: line)
        case .filter, .name, .setting, .ownSetting, .profile, .retime, .range, .invite: nil
        }
    }
}

/// The state of the list of recent labels.
package struct LabelList: Hashable, Sendable {
    /// The text that the offered labels contain; nil if the list is closed.
    var filter: String?
    /// The chosen label; nil if none is chosen.
    var choice: String?

    /// A closed list.
    package init() {}

    /// An open list in which no label is chosen. It is closed if `filter` is nil.
    init(filter: Substring?) { self.filter = filter.map { String($0) } }
}

/// A question that must be answered with yes before something is done.
package enum Question: Hashable, Sendable {
    /// Whether to carry out an undo or redo that needs a person's consent. It has a large effect on the
    /// history, or takes back a press that another laptop made a moment ago.
    case claim(UndoWarning, of: Interaction)
    /// Whether to begin as far back as possible, with the sentence about how far that is.
    case fallShort(String, of: Interaction)
    /// Whether to revoke a device, and with it the devices in `along`, which only the server lists. `recent`:
    /// Devices that it may have let in; the next question is about them.
    case revoke(DeviceRow, along: [DeviceRow], recent: [DeviceRow] = [])
    /// Whether to also revoke the devices that the revoked ones (`with`) may have let in.
    case revokeToo([DeviceRow], with: [DeviceRow])
    /// Whether to revoke the device that this laptop was before it joined.
    case revokeFormer(FormerSelf)
    /// Whether to give the group's key to a device that waits to be accepted.
    case accept(DeviceRow)
    /// Whether to remove an entry from the history.
    case remove(RecordName, entry: String)
    /// Whether to save the present lengths under a new name, with a sentence about a profile that may have
    /// been meant; the sentence may be empty.
    case saveProfile(String, meant: String)
    /// Whether to remove a saved profile.
    case removeProfile(String)
    /// Whether history that was recorded in no group comes along into the group of the invite.
    case soloHistory(SoloHistoryQuestion, Invite)
    /// Whether to leave the group; `isOnlyMember` if it has no other laptop, `isServer` if its server runs
    /// here.
    case leaveGroup(isOnlyMember: Bool, isServer: Bool = false)
    /// Whether to leave the group although the server couldn't be told: this question.
    case leaveUntold(String)
}
