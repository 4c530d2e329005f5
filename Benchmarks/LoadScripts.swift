import FocusCore
import FocusSeal
import FocusSync
import Glibc

/// A writer of the files that `Benchmarks/peers/load.c` reads: the messages of Lockstep's connections for
/// comparisons with other programs. Each connection has a numbered file, and a `.pem` file with its key. The
/// folder `again` has both files for the same device when it reconnects.
struct LoadScripts {
    private let folder: String

    /// Runs the command `scripts`. Each line of the input is an invite.
    ///
    /// - Parameter words: The words after `scripts`, one of these:
    ///   - `FOLDER groups BATCH BATCHES`: for each invite, a connection brings a group and uploads to it.
    ///   - `FOLDER group DEVICES PRESSES`: for each invite, a group of `DEVICES` devices; the first presses.
    ///   - `FOLDER log BATCH EVENTS TIMES`: for one invite, a connection uploads a log as it opens. Then it
    ///     requests the log's last event `TIMES` times.
    static func run(_ words: ArraySlice<String>) throws {
        let words = Array(words)
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        let counts = ["groups": 2, "group": 2, "log": 3]
        guard words.count > 3, numbers.count == counts[words[1]], numbers.allSatisfy({ $0 > 0 }) else {
            throw Programs.Failed(description: "scripts FOLDER groups|group|log NUMBER NUMBER...")
        }
        let scripts = LoadScripts(folder: words[0])
        mkdir("\(words[0])/again", 0o700)
        var invites: [Invite] = []
        while let line = readLine() { invites.append(try Invite(line)) }
        for (number, invite) in invites.enumerated() {
            switch words[1] {
            case "groups": try scripts.writeUploader(invite, number, batch: numbers[0], batches: numbers[1])
            case "group": try scripts.writeGroup(invite, number, devices: numbers[0], presses: numbers[1])
            default: try scripts.writeLog(invite, batch: numbers[0], events: numbers[1], times: numbers[2])
            }
        }
    }

    /// Writes the files of a connection that brings a group of its own.
    private func writeUploader(_ invite: Invite, _ number: Int, batch: Int, batches: Int) throws {
        let (group, epoch) = (try GroupID.random(), try EpochKey.random().epoch)
        let uploads = try PreparedUploads.make(
            batches: batches, of: batch, group, epoch, ReplicaID(rawValue: UInt64(number) + 1))
        let opening = try LoadScripts.enrolment(invite.secret, .bring(group, epoch))
        try write(number, opening, uploads.flatMap { LoadScripts.request($0) })
    }

    /// Writes the files of one group, in which each device invites the next one.
    private func writeGroup(_ invite: Invite, _ number: Int, devices: Int, presses: Int) throws {
        let (group, epoch) = (try GroupID.random(), try EpochKey.random().epoch)
        let uploads = try PreparedUploads.make(batches: presses, of: 1, group, epoch, ReplicaID(rawValue: 1))
        var secret = invite.secret
        for device in 0..<devices {
            var opening = try LoadScripts.enrolment(secret, device == 0 ? .bring(group, epoch) : .join)
            if device < devices - 1 {
                secret = try .random()
                let request = InviteRequest(
                    tokenHash: try secret.token().hash(), bundle: [UInt8](repeating: 1, count: 64),
                    lifetime: .seconds(600))
                let message = Message.request(RequestNumber(1), .createInvite(request))
                opening += LoadScripts.record("O", .done, 1, message.encoded())
            }
            // This record has no bytes. It only names the message with which the group's presses arrive.
            opening += LoadScripts.record("O", .push, 0, [])
            try write(
                number * devices + device, opening,
                device == 0 ? uploads.flatMap { LoadScripts.request($0) } : [])
        }
    }

    /// Writes the files of a connection with a long log.
    private func writeLog(_ invite: Invite, batch: Int, events: Int, times: Int) throws {
        let (group, epoch) = (try GroupID.random(), try EpochKey.random().epoch)
        let replica = ReplicaID(rawValue: 1)
        let opening = try LoadScripts.enrolment(invite.secret, .bring(group, epoch))
        let want = Message.want(replica, after: UInt64(clamping: events - 1)).encoded()
        try write(0, opening) { file in
            try PreparedUploads.forEach(batches: events / batch, of: batch, group, epoch, replica) { upload in
                try file.write(LoadScripts.record("O", .ack, 1, upload))
            }
            for _ in 0..<times { try file.write(LoadScripts.record("R", .push, 1, want)) }
        }
    }

    private func write(_ number: Int, _ opening: [UInt8], _ requests: [UInt8]) throws {
        try write(number, opening) { try $0.write(requests) }
    }

    /// Writes the files of a connection.
    ///
    /// - Parameters:
    ///   - number: The connection's number.
    ///   - opening: The records that open the connection.
    ///   - writeRequests: Writes the records that follow the opening.
    private func write(
        _ number: Int, _ opening: [UInt8], _ writeRequests: (ScriptFile) throws -> Void
    ) throws {
        let script = try ScriptFile("\(folder)/\(number)")
        try script.write(opening)
        try writeRequests(script)
        try ScriptFile("\(folder)/again/\(number)").write(
            LoadScripts.hello(.sync, .welcome) + LoadScripts.have)
        let identity = try DeviceIdentity.generate().pem().exposed()
        try ScriptFile("\(folder)/\(number).pem").write(identity)
        try ScriptFile("\(folder)/again/\(number).pem").write(identity)
    }

    private static func enrolment(_ secret: InviteSecret, _ kind: Enrol.Kind) throws -> [UInt8] {
        let enrol = Enrol(token: try secret.token().bytes.exposed(), kind: kind)
        return hello(.enrol, .greeting) + record("O", .welcome, 1, Message.enrol(enrol).encoded()) + have
    }

    private static func hello(_ purpose: Hello.Purpose, _ answer: MessageType) -> [UInt8] {
        let hello = Hello(
            versions: ProtocolVersion.spoken, purpose: purpose, sent: .zero, program: "benchmark")
        return record("O", answer, 1, Message.hello(hello).encoded())
    }

    private static let have = record("O", .push, 0, Message.have(Have()).encoded())

    private static func request(_ upload: [UInt8]) -> [UInt8] { record("R", .ack, 1, upload) }

    /// Returns a record in the format of load.c.
    ///
    /// - Parameters:
    ///   - type: The record's type: `O` for a record of the opening, `R` for a request.
    ///   - answer: The type of the messages that load.c waits for after it has sent the record. Connections
    ///     that receive a press wait for the type in their last opening record.
    ///   - answerCount: The number of these messages. If it is 0, load.c goes on at once.
    ///   - bytes: The message to send.
    private static func record(
        _ type: Unicode.Scalar, _ answer: MessageType, _ answerCount: UInt32, _ bytes: [UInt8]
    ) -> [UInt8] {
        let length = UInt32(clamping: bytes.count)
        return [UInt8(ascii: type), answer.rawValue] + bigEndian(answerCount) + bigEndian(length) + bytes
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// A file that only this user can read. It is written from its beginning.
private final class ScriptFile {
    private let path: String
    private let file: Int32

    init(_ path: String) throws {
        self.path = path
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Programs.Failed(description: "\(path) can't be made") }
    }

    deinit { close(file) }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Programs.Failed(description: "\(path) can't be written") }
            rest = rest.dropFirst(count)
        }
    }
}
