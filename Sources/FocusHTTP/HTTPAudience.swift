/// Whose requests a server takes.
package enum HTTPAudience: Hashable, Sendable {
    /// Those of this user's programs, at 127.0.0.1.
    case thisUser
    /// Those of whoever reaches this numeric address: what is served has to be for everybody there.
    case anyone(at: String)

    /// The numeric address to listen at.
    var host: String {
        switch self {
        case .thisUser: "127.0.0.1"
        case .anyone(let host): host
        }
    }
}
