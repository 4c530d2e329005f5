package import FocusNet

/// Where metrics and health are served.
package enum MetricsPlace: Hashable, Sendable {
    /// At the usual port of 127.0.0.1, or nowhere where somebody has that already.
    case auto
    case nowhere
    /// There, at the usual port where it names none.
    case at(Address)

    /// The usual port.
    static let port: UInt16 = 7854

    /// Where to listen; nil for nowhere.
    var address: Address? {
        switch self {
        case .auto: Address("127.0.0.1")
        case .nowhere: nil
        case .at(let address): address
        }
    }
}
