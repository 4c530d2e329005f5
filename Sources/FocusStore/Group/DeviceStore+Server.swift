package import FocusCore

extension DeviceStore {
    /// The keys by which the device takes its group's server; nil where it has none.
    package func serverPin() throws(StoreError) -> ServerPin? {
        guard let key = try value(.serverKey).flatMap(Digest.init(bytes:)) else { return nil }
        return ServerPin(key, next: try value(.nextServerKey).flatMap(Digest.init(bytes:)))
    }

    /// Keeps the keys by which the device takes its group's server.
    package func setServerPin(_ pin: ServerPin) throws(StoreError) {
        try writing {
            try setValue(pin.key.bytes, for: .serverKey)
            try setValue(pin.next?.bytes, for: .nextServerKey)
        }
    }
}
