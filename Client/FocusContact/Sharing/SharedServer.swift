import FocusCore
package import FocusDevice
package import FocusLink
import FocusNet
import FocusSeal
package import FocusStore
package import SystemKit

/// The server that `focus share` sets up on this laptop, as its files show it.
package struct SharedServer: Hashable, Sendable {
    /// The path of the server's data folder, which only `focusd` writes.
    package let data: String
    /// The path of the file that says whether the laptop shares.
    private let file: String

    /// Whether the laptop shares, and at which port.
    package struct Record: Hashable, Sendable {
        /// The port at which the server listens, also after sharing was ended.
        package let port: UInt16
        /// Whether the server is to run.
        package let isOn: Bool

        /// Whether a move to another machine was prepared, so that the server may be there.
        package let isMoving: Bool
        /// Whether the server has answered on the other machine. Nothing takes the move back then.
        package let hasMoved: Bool

        /// Whether the server isn't to run here, and a move was prepared. Starting it could split its groups.
        package var isAway: Bool { !isOn && isMoving }

        /// Makes a record.
        package init(port: UInt16, isOn: Bool, isMoving: Bool = false, hasMoved: Bool = false) {
            self.port = port
            self.isOn = isOn
            self.isMoving = isMoving || hasMoved
            self.hasMoved = hasMoved
        }
    }

    /// The server of the laptop with these files.
    package init(_ home: Home) {
        data = "\(home.data)/server"
        file = "\(home.data)/sharing"
    }

    /// The file of the server's messages, if it runs without systemd.
    package var log: String { "\(data)/focusd.log" }

    /// The record, or nil if the laptop has never shared or the file can't be read. Before a change, use
    /// `loadRecord`.
    package var record: Record? { try? loadRecord() }

    /// Returns the record, or nil if there is none or it is damaged.
    ///
    /// - Throws: `SystemError` if the file can't be read.
    func loadRecord() throws(SystemError) -> Record? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: file)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
        let text = String(decoding: bytes.prefix(SharedServer.recordLimit), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count >= 2, ["on", "off"].contains(words[0]), let port = UInt16(words[1]), port > 0,
            [[], ["moving"], ["moved"]].contains(words.dropFirst(2))
        else { return nil }
        return Record(
            port: port, isOn: words[0] == "on", isMoving: words.count > 2, hasMoved: words.last == "moved")
    }

    /// Stores the record.
    package func store(_ record: Record) throws(SystemError) {
        let move = record.hasMoved ? " moved" : record.isMoving ? " moving" : ""
        try WholeFile.replace(file, with: "\(record.isOn ? "on" : "off") \(record.port)\(move)\n")
    }

    /// Removes the record, if there is one.
    func removeRecord() { unlink(file) }

    /// The longest record, in bytes.
    private static let recordLimit = 64

    /// Whether `focusd init` has made a server in the data folder.
    package var isMade: Bool { access("\(data)/identity.pem", F_OK) == 0 }

    /// Whether the server runs.
    package var isRunning: Bool { LockFile.isHeld(lock) }

    /// The id of the server's process; nil if it doesn't run, or doesn't say. Never 1 or less, because a
    /// signal to such an id reaches other processes.
    package var process: Int32? {
        noteLine(SharedServer.processLine).flatMap { Int32($0) }.flatMap { $0 > 1 ? $0 : nil }
    }

    /// The port at which the server listens; nil if it doesn't run, or doesn't say.
    package var port: UInt16? {
        noteLine(SharedServer.portLine).flatMap { UInt16($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns a line of the running server's notes.
    private func noteLine(_ line: Int) -> Substring? {
        guard let bytes = LockFile.text(at: lock, limit: SharedServer.notesLimit) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.contains(line) ? lines[line] : nil
    }

    private var lock: String { "\(data)/focusd.lock" }
    /// The number, from 0, of the line in the server's notes that has the id of its process (`RunningNotes`).
    private static let processLine = 3
    /// The number of the line that has its port.
    private static let portLine = 5
    /// The most bytes of notes that are read.
    private static let notesLimit = 4096

    /// Whether this is the server that a group's laptops know: it has a key that they accept.
    package func isServer(at address: ServerAddress) -> Bool {
        guard let key = (try? IdentityFile(path: "\(data)/identity.pem").load())?.keyHash else {
            return false
        }
        return address.pin.keys.contains(key)
    }

    /// Whether this laptop was a group's server, and no longer shares. False if the server may have moved.
    package func hasStopped(_ address: ServerAddress?) -> Bool {
        guard let record, !record.isOn, !record.isMoving, let address else { return false }
        return isServer(at: address)
    }

    /// Whether a group's server was on this laptop, and a move to another machine was prepared before it ended.
    package func isAway(_ address: ServerAddress?) -> Bool {
        guard let record, record.isAway, let address else { return false }
        return isServer(at: address)
    }

    /// Whether a group's server was on this laptop, may have moved, and doesn't run here. If it answers a
    /// connection that begins now, it is on another machine.
    package func isGone(_ address: ServerAddress?) -> Bool { isAway(address) && !isRunning }

    /// Records that a group's server has answered. If it was gone as the connection began, its move is
    /// complete. A failure to write is ignored, because the next answer is recorded again.
    ///
    /// - Parameter wasGone: The result of `isGone` before the connection began. A server that ends here may
    ///   have answered an earlier connection.
    package func recordAnswer(at address: ServerAddress?, wasGone: Bool) {
        guard wasGone, let record, !record.hasMoved, isGone(address) else { return }
        try? store(Record(port: record.port, isOn: false, hasMoved: true))
    }

    /// Whether this laptop shares a group's server, which runs on after the laptop has left the group. Without a
    /// record, a server that runs counts as shared.
    package func isShared(_ address: ServerAddress?) -> Bool {
        guard let address, record?.isOn ?? isRunning else { return false }
        return isServer(at: address)
    }

    /// Returns the endpoints of a group's server, best first. If this laptop shares that server, the first needs no
    /// network.
    func endpoints(of address: ServerAddress) -> [Endpoint] {
        let endpoints = address.parsed.map(\.endpoint)
        guard let record, record.isOn, isServer(at: address) else { return endpoints }
        return [.tcp(host: "127.0.0.1", port: record.port)] + endpoints
    }
}

extension Device {
    /// Whether this laptop shares the server of its group (`focus share`).
    package func isSharingGroup() throws(StoreError) -> Bool {
        SharedServer(home).isShared(try Membership(self)?.server)
    }
}
