/// The ids of the menu's lines. Desktops keep an open menu for as long as they like, so each target has ids of
/// its own: a click tells which timer and log the menu showed.
package struct TrayMenu: Sendable {
    /// The number of the menu's latest layout.
    package private(set) var revision: UInt32 = 0
    /// The content that is shown, or nil before the first.
    package private(set) var content: TrayContent?
    /// The last targets of the menu, each with the first part of its ids; the newest last.
    private var targets: [(part: Int32, target: TrayTarget)] = []

    /// The number of targets with ids that are still known.
    private static let targetLimit = 8
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
        if targets.last?.target != new.target {
            targets.append((((targets.last?.part ?? -1) + 1) % TrayMenu.parts, new.target))
            if targets.count > TrayMenu.targetLimit { targets.removeFirst() }
        }
        let changes = TrayChange.allCases.filter { $0.differs(former, new) }
        if changes.contains(.layout) { revision &+= 1 }
        return changes
    }

    /// Returns the id of a line of the content that is shown.
    package func id(of line: TrayLine) -> Int32 {
        (targets.last?.part ?? 0) * TrayMenu.factor + line.rawValue
    }

    /// Returns the line with this id, and the target of its menu. Nil if there is no such line, or if its menu
    /// is too old.
    package func line(_ id: Int32) -> (line: TrayLine, target: TrayTarget)? {
        guard let line = TrayLine(rawValue: id % TrayMenu.factor),
            let known = targets.last(where: { $0.part == id / TrayMenu.factor })
        else { return nil }
        return (line, known.target)
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
        let hasNewLayout =
            (former.lines, former.main, former.offline) != (new.lines, new.main, new.offline)
            || former.target != new.target
        switch self {
        case .icon: return former.ring != new.ring
        case .toolTip:
            return (former.time, former.label, former.offline) != (new.time, new.label, new.offline)
        // The layout has the text too.
        case .time: return former.time != new.time && !hasNewLayout
        case .layout: return hasNewLayout
        }
    }
}
