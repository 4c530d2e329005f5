package import FocusSeal

/// The platform that a device runs on. `Platform.process` is this machine; the simulator has its own.
package struct Platform: Sendable {
    /// The clocks.
    package let clocks: MachineClocks
    /// Returns the host name.
    package let hostName: @Sendable () -> String
    /// Returns the local time zone.
    package let zone: @Sendable () -> Zone
    /// Returns the given number of random bytes.
    package let random: @Sendable (Int) throws(SealError) -> SecretBytes
    /// Returns whether a device has a key of its own.
    package let hasKey: @Sendable (Home) -> Bool
    /// Moves a device's key, if it has one, from its folder to another one.
    package let archiveKey: @Sendable (Home, Home) throws(DeviceFailure) -> Void

    /// A platform of these parts.
    package init(
        clocks: MachineClocks, hostName: @escaping @Sendable () -> String,
        zone: @escaping @Sendable () -> Zone,
        random: @escaping @Sendable (Int) throws(SealError) -> SecretBytes,
        hasKey: @escaping @Sendable (Home) -> Bool,
        archiveKey: @escaping @Sendable (Home, Home) throws(DeviceFailure) -> Void
    ) {
        self.clocks = clocks
        self.hostName = hostName
        self.zone = zone
        self.random = random
        self.hasKey = hasKey
        self.archiveKey = archiveKey
    }
}
