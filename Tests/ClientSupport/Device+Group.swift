import FocusContact
package import FocusCore
package import FocusDevice
import FocusSeal
import FocusStore
import SystemKit
import Testing

extension Device {
    /// Puts the device into a group without a server, with one epoch of this number.
    package func enterGroup(epoch: UInt64 = 1) throws {
        let epoch = StoredEpoch(id: EpochID(rawValue: epoch), key: [1], predecessor: nil)
        try store.enter(GroupID(high: 1, low: 2), epoch)
    }

    /// Puts the device into a group, and makes it share the group's server, which doesn't run.
    package func shareGroup() throws {
        try enterGroup()
        let server = SharedServer(home)
        try NewFile.makeFolders(server.data)
        let key = try IdentityFile(path: "\(server.data)/identity.pem").loadOrCreate().keyHash
        try store.setText("desk.example", for: .servers)
        try store.setServerPin(ServerPin(key))
        try server.store(SharedServer.Record(port: 1, isOn: true))
    }

    /// Merges an event of another device into the log, as if the server had sent it.
    package func merge(
        _ action: Action, by replica: UInt64, seq: UInt64 = 1, at time: SharedInstant, counter: UInt16 = 0,
        epoch: EpochID? = EpochID(rawValue: 1)
    ) throws {
        let stamp = try #require(Stamp(time: time, counter: counter))
        let event = Event(replica: ReplicaID(rawValue: replica), seq: seq, stamp: stamp, action: action)
        _ = try store.merge([StoredEvent(event, epoch: epoch)], acknowledged: true)
    }

    /// Merges the name of another laptop, replica 0x21, and then its first press.
    package func merge(_ press: Action, on laptop: String, at time: SharedInstant) throws {
        try merge(.device(name: laptop, key: nil), by: 0x21, at: time)
        try merge(press, by: 0x21, seq: 2, at: time, counter: 1)
    }
}
