package import CommandLineKit

/// What `focusd` can be asked for on its command line.
package enum FocusdInvocation: Hashable, Sendable {
    case initialise(addresses: [String])
    case serve(acceptClock: Bool, options: SettingOptions)
    case config(json: Bool, options: SettingOptions)
    case invite(expires: Duration)
    case groups(json: Bool)
    /// `isSure`: without asking.
    case deleteGroup(String, isSure: Bool)
    case renameGroup(String, String)
    case setQuota(String, QuotaChange)
    case devices(json: Bool)
    case renameDevice(String, String)
    case revokeDevice(String)
    case status(json: Bool)
    case rekey(json: Bool)
    /// `isSure`: without asking.
    case finishRekey(isSure: Bool)
    case cancelRekey
    case clock(json: Bool)
    case acceptClock
    case backup(to: String)
    case restore(from: String, isReplacing: Bool)
    /// The store, or where it names a file that backup.
    case verify(String?, json: Bool)
}

/// What a group may have from now on.
package struct QuotaChange: Hashable, Sendable {
    /// A limit of the group's own, or none.
    package enum Value: Hashable, Sendable {
        /// What the settings say.
        case standard
        case number(Int)
    }

    // Nil leaves it as it is.
    let events: Value?
    let bytes: Value?
    let devices: Value?
}

/// What was asked for.
package enum Request: Hashable, Sendable {
    /// Something of the server in this data folder; in the usual one where that is nil.
    case server(FocusdInvocation, data: String?)
    case shell(ShellRequest)
}
