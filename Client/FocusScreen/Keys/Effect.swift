package import FocusCore
package import FocusDevice
package import FocusFront
package import FocusSeal

/// What a key asks of the program beyond the view's own state.
package enum Effect: Hashable, Sendable {
    /// To press something, or to change something for all laptops.
    case perform(Interaction, UndoConsent)
    /// To add to the history what was done without the timer.
    case add(PastRequest)
    /// To give an entry of the history other times, or make two of it.
    case change(RecordName, EntryChange)
    /// To switch a setting of this laptop's own.
    case switchOwn(LaptopSetting, on: Bool)
    /// To end the view. The session goes on.
    case leave
    /// To write the whole screen anew.
    case redraw
    /// To make an invite, and show it where it can be copied.
    case invite
    /// To shut the devices of these keys out, and no others.
    case revoke([String])
    /// To give the group's key to the device of this key.
    case accept(String)
    /// To take back that the device of this key was shut out.
    case readmit(String)
    /// To join with an invite, once it was asked what there is to ask.
    case use(Invite)
    /// To join with an invite, and this of what was recorded alone.
    case join(Invite, AloneHistory.Choice)
    /// To wait no longer for being let into a group.
    case giveUp
    /// To part from the group.
    case part
}
