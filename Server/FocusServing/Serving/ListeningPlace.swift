import FocusNet

/// Where the server listens.
enum ListeningPlace: Hashable, Sendable {
    /// At this address.
    case address(Endpoint)
    /// At sockets that listen already, by their descriptors: whoever started the server holds them, so that laptops
    /// that connect while it doesn't run wait for it.
    case handedOver([Int32])

    /// The sockets, listening.
    ///
    /// - Throws: `NetError` where one can't listen.
    func sockets() throws(NetError) -> [ListeningSocket] {
        switch self {
        case .address(let endpoint): [try ListeningSocket(endpoint)]
        case .handedOver(let descriptors):
            try descriptors.map { number throws(NetError) in try ListeningSocket(inherited: number) }
        }
    }
}
