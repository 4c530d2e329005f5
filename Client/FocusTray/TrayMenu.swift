package import FocusCore

/// The ids of the menu's lines. Desktops keep an open menu for as long as they like, so each shown timer has ids
/// of its own: a click tells which timer the menu showed.
package struct TrayMenu: Sendable {
    /// The number of the menu's latest layout.
    package private(set) var revision: UInt32 = 0
    /// The content that is shown, or nil before the first.
    package private(set) var content: TrayContent?
    /// The last timers that the menu has shown, each with the first part of its ids; the newest last.
    private var timers: [(part: Int32, shown: ShownTimer)] = []

    /// The number of timers with ids that are still known.
    private static let timerLimit = 8
    /// The factor of an id's first part. It is greater than each line's raw value.
    private static let factor: Int32 = 16
    /// The number of first parts. They are used in turn.
    private static let parts: Int32 = 1 << 24

    /// A menu without content.
    package init() {}

    /// Shows other content, and returns the parts of the tray that have changed.
    package mutating func show(_ new: TrayContent) -> [TrayChange] {
        let former = content
        content = new
        if timers.last?.shown != new.shown {
            timers.append((((timers.last?.part ?? -1) + 1) % TrayMenu.parts, new.shown))
            if timers.count > TrayMenu.timerLimit { timers.removeFirst() }
        }
        let changes = TrayChange.allCases.filter { $0.differs(former, new) }
        if changes.contains(.layout) { revision &+= 1 }
        return changes
    }

    /// Returns the id of a line of the content that is shown.
    package func id(of line: TrayLine) -> Int32 {
        (timers.last?.part ?? 0) * TrayMenu.factor + line.rawValue
    }

    /// Returns the line with this id, and the timer that its menu showed. Nil if there is no such line, or if
    /// its menu is too old.
    package func line(_ id: Int32) -> (line: TrayLine, shown: ShownTimer)? {
        guard let line = TrayLine(rawValue: id % TrayMenu.factor),
            let timer = timers.last(where: { $0.part == id / TrayMenu.factor })
        else { return nil }
        return (line, timer.shown)
    }
}

/// A part of the tray of which desktops are told when it changes.
package enum TrayChange: CaseIterable, Hashable, Sendable {
    case icon, toolTip
    /// The text of the menu's first line.
    case time
    /// The lines of the menu, or their ids.
    case layout

    fileprivate func differs(_ former: TrayContent?, _ new: TrayContent) -> Bool {
        guard let former else { return true }
        let hasNewLayout = (former.lines, former.main) != (new.lines, new.main) || former.shown != new.shown
        switch self {
        case .icon: return former.ring != new.ring
        case .toolTip: return former.time != new.time || former.label != new.label
        // The layout has the text too.
        case .time: return former.time != new.time && !hasNewLayout
        case .layout: return hasNewLayout
        }
    }
}
