package import FocusContact
package import FocusDevice
package import FocusLink

extension Agent {
    /// The agent of a device.
    ///
    /// - Parameters:
    ///   - routes: Returns the routes to a server.
    ///   - time: The clock and alarms of the agent's thread.
    ///   - dice: The source of randomness for the delays before new attempts.
    ///   - movedServer: The group's server if it was on this machine.
    package convenience init(
        _ device: Device, by routes: @escaping ServerRoutesProvider, time: any Scheduler,
        dice: some RandomNumberGenerator, movedServer: MovedServer = .none
    ) {
        var dice = dice
        self.init(device, by: routes, time: time, random: { dice.next() }, movedServer: movedServer)
    }
}

extension MovedServer {
    /// The server that `focus share` set up on this laptop.
    package init(_ shared: SharedServer) {
        self.init(
            isGone: { shared.isGone($0) }, recordAnswer: { shared.recordAnswer(at: $0, wasGone: $1) })
    }
}
