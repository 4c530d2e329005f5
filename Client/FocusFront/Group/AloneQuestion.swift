package import FocusDevice
package import FocusSeal
package import FocusStore

/// The question whether what this laptop recorded alone comes along into the group that it joins. It is asked before
/// the laptop connects, so that to break off costs nothing.
package struct AloneQuestion: Hashable, Sendable {
    /// How much was recorded.
    package let extent: CarriedHistory.Extent
    /// Whether joining ends a session.
    package let endsRun: Bool

    /// Nil where there is nothing to ask: where the invite is for bringing a group, or the laptop is in one, or has
    /// recorded nothing.
    ///
    /// - Parameter device: The laptop; nil where it has no log yet.
    package init?(_ invite: Invite, _ device: Device?) throws(StoreError) {
        guard invite.kind == .joinGroup, let device else { return nil }
        let found = try device.store.group() == nil ? try AloneHistory.preview(device) : nil
        guard let found, let extent = found.history.extent else { return nil }
        self.extent = extent
        endsRun = found.endsRun
    }
}
