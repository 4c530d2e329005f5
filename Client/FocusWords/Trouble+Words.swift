import FocusCore
import FocusDevice
import FocusSync

extension Trouble {
    /// What is the matter, and what to do.
    package var sentence: String {
        switch self {
        case .revoked: Refusal(.revoked, "").explanation
        case .unreadable(let count):
            "\(counted(count, "change")) can't be read yet, since the group's key changed and the new one hasn't come. It "
                + "comes from another laptop of the group, once both are connected; somebody there may have to let this one "
                + "have it: focus devices accept"
        case .ahead(let lead, let isAlone):
            "The log is \(AgoText.length(lead)) ahead of this laptop's clock, so sessions show their "
                + "full length until the clock gets there. If the clock is behind, set it. If it was ahead, "
                + (isAlone
                    ? "joining a server puts the log right: focus join INVITE"
                    : "the server puts the log right: focus sync")
        case .latecomers(let count):
            "\(count == 1 ? "A laptop is waiting" : "\(count) laptops are waiting") to be accepted, which came with a key from before "
                + "another was shut out. 'focus devices' says which, 'focus devices accept' lets one in, and 'focus devices "
                + "revoke' shuts it out."
        case .resolved(let sentence): sentence
        }
    }
}
