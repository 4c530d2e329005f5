import FocusNet

extension Address {
    /// The text that it is read from.
    package var text: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}
