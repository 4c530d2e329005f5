/// The ids of the menu's lines. Desktops keep an open menu for as long as they like. So each shown timer has
/// ids of its own for the presses, so has each question for the answers, and each target one for the undo: a
/// click tells what the menu showed. The other lines always have the same ids.
package struct TrayMenu: Sendable {
    /// The number of the menu's latest layout.
    package private(set) var revision: UInt32 = 0
    /// The content that is shown, or nil before the first.
    package private(set) var content: TrayContent?
    /// The first target of each of the last timers and questions.
    private var timers = RecentTargets()
    /// The last targets, for the undo.
    private var targets = RecentTargets()

    /// The factor of an id's first part. It is greater than each line's raw value.
    private static let factor: Int32 = 32

    /// A menu without content.
    package init() {}

    /// Shows other content, and returns the parts of the tray that have changed.
    package mutating func show(_ new: TrayContent) -> [TrayChange] {
        let former = content
        content = new
        if timers.last?.timer != new.target.timer || timers.last?.question != new.target.question {
            timers.append(new.target)
        }
        if targets.last != new.target { targets.append(new.target) }
        let changes = TrayChange.allCases.filter { $0.differs(former, new) }
        if changes.contains(.layout) { revision &+= 1 }
        return changes
    }

    /// Returns the id of a line of the content that is shown.
    package func id(of line: TrayLine) -> Int32 {
        (recentTargets(of: line)?.part ?? 0) * TrayMenu.factor + line.rawValue
    }

    /// Returns the line with this id, and the target of its menu. The target is nil if the menu is too old,
    /// or if the line is no press. Returns nil if there is no such line.
    package func line(_ id: Int32) -> (line: TrayLine, target: TrayTarget?)? {
        guard let line = TrayLine(rawValue: id % TrayMenu.factor) else { return nil }
        let part = id / TrayMenu.factor
        let recent = recentTargets(of: line)
        guard part <= recent?.part ?? 0 else { return nil }
        return (line, recent?.target(part))
    }

    /// Returns the targets that the ids of a line name, or nil if it is no press.
    private func recentTargets(of line: TrayLine) -> RecentTargets? {
        if line == .undo { return targets }
        return line.interaction == nil && line.answer == nil ? nil : timers
    }
}

/// The last targets of a menu, each with the first part of its ids.
private struct RecentTargets: Sendable {
    /// The targets that are still known, the newest last.
    private var known: [TrayTarget] = []
    /// The first part of the newest target's ids.
    private(set) var part: Int32 = -1

    /// The number of targets that are known.
    private static let limit = 8
    /// The number of first parts. After that they begin again.
    private static let parts: Int32 = 1 << 24

    var last: TrayTarget? { known.last }

    mutating func append(_ target: TrayTarget) {
        part = (part + 1) % RecentTargets.parts
        known.append(target)
        if known.count > RecentTargets.limit { known.removeFirst() }
    }

    /// Returns the target with ids that begin with `part`, or nil if it isn't known any more.
    func target(_ part: Int32) -> TrayTarget? {
        let place = known.count - 1 - Int(self.part - part)
        return known.indices.contains(place) ? known[place] : nil
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
            (former.lines, former.main, former.press, former.offline)
            != (new.lines, new.main, new.press, new.offline)
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
