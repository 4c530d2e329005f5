package import CommandLineKit
package import FocusSeal
import FocusStore

/// The question whether what this laptop recorded alone comes along into the group that it joins. It is asked before
/// the laptop connects, so that to break off costs nothing.
package struct AloneQuestion: Hashable, Sendable {
    /// How much was recorded.
    private let extent: CarriedHistory.Extent
    /// Whether joining ends a session.
    private let endsRun: Bool

    /// Nil where there is nothing to ask: where the invite is for bringing a group, or the laptop is in one, or has
    /// recorded nothing.
    ///
    /// - Parameter device: The laptop; nil where it has no log yet.
    package init?(_ invite: Invite, _ device: Device?) throws(CommandFailure) {
        guard invite.kind == .joinGroup, let device else { return nil }
        let found = try device.using { device throws(StoreError) in
            try device.store.group() == nil ? try AloneHistory.preview(device) : nil
        }
        guard let found, let extent = found.history.extent else { return nil }
        self.extent = extent
        endsRun = found.endsRun
    }

    /// What there is to take along.
    package var sentences: [String] {
        ["Recorded here alone: \(extent)."]
            + (endsRun
                ? ["The session that is open now is part of it. It goes on, unless the group has one."] : [])
    }

    /// What is asked about it.
    package static let question = "Take it along into the group, where all its members see it?"

    /// What the person wants; where nobody sits there to be asked, nothing is shown to the others.
    ///
    /// - Throws: where they end their input instead.
    package func choice(_ console: Console) throws(CommandFailure) -> AloneHistory.Choice {
        switch console.agrees((sentences + [AloneQuestion.question]).joined(separator: "\n")) {
        case .yes: return .takeAlong
        case .no, .nobody: return .leaveBehind
        case .ended: throw CommandFailure("Nothing was changed: this laptop is still on its own.", .notNow)
        }
    }
}
