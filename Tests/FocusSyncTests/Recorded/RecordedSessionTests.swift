import FocusCore
import FocusSync
import Foundation
import Testing

/// Recorded sessions, which today's client and server must continue byte by byte.
@Suite("Recorded sessions")
struct RecordedSessionTests {
    /// The variable with the file name of a new recording: `RECORD_SESSION=version-2.txt swift test --filter
    /// RecordedSessionTests`.
    private static let recordVariable = "RECORD_SESSION"

    /// The script of a recording: two laptops join a group, press, are cut off, part and reconnect. The
    /// server is restored and stopped, and one laptop is revoked.
    private static let script = """
        A bring
        A press
        A invite
        B join
        B press
        A press
        A lose
        A part
        A press
        A sync
        A tick
        server forget
        A lose
        A sync
        B lose
        B press
        B sync
        A succeed
        A revoke B
        A leave
        A sync
        server stop
        B sync
        """

    @Test("the server says to laptops of then what it said then", arguments: RecordedSession.names)
    func server(name: String) throws {
        let recording = try RecordedSession.named(name)
        let server = try RecordedServer()
        var said: [String: [[UInt8]]] = [:]
        for (index, entry) in recording.entries.enumerated() {
            switch entry.step {
            case .event(let words):
                if entry.place == "server" {
                    server.happens(words, at: entry.time)
                } else if ["bring", "join", "sync"].contains(words) {
                    server.opened(entry.place, at: entry.time)
                }
            case .toServer(let frame): server.received(frame, from: entry.place, at: entry.time)
            case .toClient(let frame):
                try report(
                    RecordedDifference(step: index, said: said[entry.place]?.first, recorded: frame), name)
                said[entry.place]?.removeFirst()
            }
            for (place, frame) in server.takeSaid() { said[place, default: []].append(frame) }
        }
        for (place, frames) in said { #expect(frames.isEmpty, "more was said to \(place)") }
    }

    @Test("a laptop says to the server of then what it said then", arguments: RecordedSession.names)
    func client(name: String) throws {
        for difference in try RecordedSession.named(name).clientDifferences() {
            try report(difference, name)
        }
    }

    @Test("there is one of version 1, with every message that there was")
    func messages() throws {
        let recording = try RecordedSession.named("version-1.txt")
        #expect(recording.version == .one)
        var types: Set<UInt8> = []
        for entry in recording.entries {
            switch entry.step {
            case .toServer(let frame), .toClient(let frame): types.insert(frame[Frame.lengthBytes])
            case .event: break
            }
        }
        let missing = MessageType.allCases.filter { !types.contains($0.rawValue) }
        // Nothing is refused in the recording.
        #expect(missing == [.refused])
        #expect(try RecordedSession(recording.text).entries == recording.entries)
    }

    @Test(
        "a new recording is made where one is asked for, and no other is touched",
        .enabled(if: ProcessInfo.processInfo.environment[recordVariable] != nil))
    func record() throws {
        let name = try #require(ProcessInfo.processInfo.environment[RecordedSessionTests.recordVariable])
        try makeRecording().keep(as: name)
        Issue.record("\(name) was recorded; run again without \(RecordedSessionTests.recordVariable)")
    }

    @Test("a recording of today's programs is one that they go on with, the same each time")
    func today() throws {
        let recording = try makeRecording()
        #expect(recording.entries.count > 60)
        #expect(recording.version == ProtocolVersion.spoken.max())
        #expect(try makeRecording().entries == recording.entries)
    }

    /// Runs the script with today's client and server.
    private func makeRecording() throws -> RecordedSession {
        var recording = RecordedSession(version: try #require(ProtocolVersion.spoken.max()))
        let server = try RecordedServer()
        var clients: [String: RecordedClient] = [:]
        var time: Int64 = 0
        for line in RecordedSessionTests.script.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let (place, event) = (words[0], words[1])
            time += 1_000_000
            if event == "tick", let deadline = clients[place]?.deadline { time = max(time, deadline) }
            recording.entries.append(.init(time: time, place: place, step: .event(event)))
            if place == "server" {
                server.happens(event, at: time)
            } else {
                let client = try clients[place] ?? RecordedClient(place)
                clients[place] = client
                if ["bring", "join", "sync"].contains(event) { server.opened(place, at: time) }
                try client.happens(event, at: time)
            }
            try exchange(server, clients, &time, &recording)
        }
        return recording
    }

    /// Carries frames back and forth until neither side sends any.
    private func exchange(
        _ server: RecordedServer, _ clients: [String: RecordedClient], _ time: inout Int64,
        _ recording: inout RecordedSession
    ) throws {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for (place, client) in clients.sorted(by: { $0.key < $1.key }) {
                for frame in client.takeSaid() {
                    isQuiet = false
                    time += 1_000
                    recording.entries.append(.init(time: time, place: place, step: .toServer(frame)))
                    server.received(frame, from: place, at: time)
                }
            }
            for (place, frame) in server.takeSaid() {
                isQuiet = false
                time += 1_000
                recording.entries.append(.init(time: time, place: place, step: .toClient(frame)))
                try clients[place]?.received(frame, at: time)
            }
        }
    }

    /// Reports a frame that isn't the recorded one.
    private func report(_ difference: RecordedDifference?, _ name: String) throws {
        guard let difference else { return }
        let now = try difference.said.map(message)
        let then = try difference.recorded.map(message)
        #expect(now == then, "\(name), step \(difference.step): the bytes differ")
        guard now == then else { return }
        Issue.record("\(name), step \(difference.step): the same message has other bytes")
    }
}
