/// What `focusd` can be asked for on its command line.
package enum Invocation: Hashable, Sendable {
    case initialise(addresses: [String])
    case serve(listen: String?, acceptClock: Bool, logLevel: Log.Level)
    case invite(expires: Duration)
    case groups(json: Bool)
    case devices(json: Bool)
    case revokeDevice(String)
    case status(json: Bool)
}

/// What was asked for, and of which server.
package struct Request: Hashable, Sendable {
    package let invocation: Invocation
    /// The data folder; nil for the usual one.
    package let data: String?
}
