import CursesKit
package import FocusCore
package import FocusDevice
package import FocusFront
package import FocusSeal

/// An action that a key press requests from `FullScreen`, beyond the change of `ViewState`.
package enum Effect: Hashable, Sendable {
    /// Performs an interaction.
    case perform(Interaction, UndoConsent)
    /// Starts with a length or at a time.
    case start(StartRequest)
    /// Answers the question about an absence that was shown.
    case answer(AbsenceAnswer, AbsenceQuestion)
    /// Adds work that was done without the timer to the history.
    case add(AddEntryRequest)
    /// Changes the times of an entry, or splits it.
    case change(RecordName, EntryChange)
    /// Changes one of this laptop's own settings.
    case changeOwn(LaptopSetting, to: LaptopSetting.Value)
    /// Ends the view; the session continues.
    case quit
    /// Redraws the whole screen.
    case redraw
    /// Makes an invite, and shows it in a form that can be copied.
    case invite
    /// Shares from this laptop, and shows an invite in a form that can be copied.
    case share
    /// Revokes the devices of these keys, and no other devices.
    case revoke([String])
    /// Gives the group's key to the device of this key.
    case accept(String)
    /// Readmits the revoked device of this key.
    case readmit(String)
    /// Joins with an invite, after the questions that must be asked.
    case use(Invite)
    /// Joins with an invite. The choice decides about history that was recorded in no group.
    case join(Invite, SoloHistory.Choice)
    /// Stops waiting for the server's answer to joining.
    case giveUp
    /// Leaves the group; with `untold`, without telling the server.
    case leaveGroup(untold: Bool)
}

extension AbsenceAnswer {
    /// The answer that a key gives on the timer screen; nil if it gives none.
    init?(_ key: Key) {
        switch key {
        case .character("k"): self = .keep
        case .character("t"): self = .drop
        case .character("p"): self = .pause
        default: return nil
        }
    }
}
