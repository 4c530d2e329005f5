import FocusCore
import FocusSync
import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sends on each connection a frame without its last byte, so that the server has to hold the rest in memory.
struct FrameAssault: Assault {
    /// The member, and later also the devices that it has enrolled.
    var devices: [HostileMember]
    let scale: Attack.Scale
    let loop: AttackLoop

    mutating func prepare(within bounds: AttackBounds) throws {
        devices += try devices[0].enrolMore(scale.devices - 1, on: loop, within: bounds)
    }

    mutating func run(within bounds: AttackBounds) throws {
        var frame: [UInt8] = []
        frame.appendBigEndian(UInt32(Limits.frame))
        frame += [MessageType.upload.rawValue] + [UInt8](repeating: 0, count: Limits.frame - 2)
        try holdConnections(devices, scale.connections, within: bounds) { connection throws(AttackEnd) in
            try connection.send(frame, within: bounds)
        }
    }
}

/// Asks for the whole log on each of its connections and reads nothing of the answer.
struct ReaderAssault: Assault {
    /// The member, and later also the devices that it has enrolled.
    var devices: [HostileMember]
    let scale: Attack.Scale
    let loop: AttackLoop
    var filler: LogFiller

    mutating func prepare(within bounds: AttackBounds) throws {
        try filler.fill(scale.rows, within: bounds)
        try filler.fillEpochs(scale.rows, of: scale.epochBody, within: bounds)
        devices += try devices[0].enrolMore(scale.devices - 1, on: loop, within: bounds)
    }

    mutating func run(within bounds: AttackBounds) throws {
        let replicas = filler.replicas
        try holdConnections(devices, scale.connections, within: bounds) { connection throws(AttackEnd) in
            try connection.send(HostileMember.requestForAll, within: bounds)
            for replica in replicas { try connection.send(.want(replica, after: 0), within: bounds) }
            connection.stopReading()
        }
    }
}

extension Assault {
    /// Keeps `count` connections open for each device on average, and calls `begin` on each. Opens another one
    /// for each that ends. The devices may have different numbers of them.
    fileprivate func holdConnections(
        _ devices: [HostileMember], _ count: Int, within bounds: AttackBounds,
        _ begin: (HostileConnection) throws(AttackEnd) -> Void
    ) throws {
        var connections: [HostileConnection] = []
        defer { for connection in connections { connection.abort() } }
        while true {
            connections.removeAll(where: \.isClosed)
            // One round of attempts, each by the next device. So a device that is always refused stops nobody
            // else.
            for index in 0..<(devices.count * count) where connections.count < devices.count * count {
                try bounds.countMessage()
                let device = devices[index % devices.count].device
                let connection = try device.greet(.sync, within: bounds)
                do throws(AttackEnd) {
                    _ = try connection.welcome(within: bounds)
                    try begin(connection)
                    connections.append(connection)
                } catch {
                    // A connection that isn't let in doesn't stop the others.
                    guard case .connection = error else { throw error }
                }
            }
            try bounds.check()
            poll(nil, 0, 50)
        }
    }
}
